import pytest

from viewer.analysis.diff import diff
from viewer.analysis.paired import BETWEEN, BY_POSITION, BY_VALUE, Paired
from viewer.pointer import pattern


def paired(base, target, lists=()):
    taken = Paired()
    changes = diff(base, target, lists, None, taken)
    return dict(taken.words(changes))


ONE, TWO = {"id": 1, "s": "a"}, {"id": 2, "s": "b"}


@pytest.mark.parametrize(
    ("base", "target", "by"),
    [
        pytest.param([ONE, TWO], [TWO, {"id": 1, "s": "z"}], "id", id="an id"),
        pytest.param([ONE], [{"id": 1, "s": "z"}], "id", id="an id of the one that differs"),
        pytest.param(["a", "b", "c"], ["a", "x", "c"], BETWEEN, id="one between equal ones"),
        pytest.param(["a"], ["a", "b"], BY_VALUE, id="appended"),
        pytest.param(["a", "b"], ["b"], BY_VALUE, id="removed"),
        pytest.param(["a", "b", "c", "d"], ["d", "b", "a", "x"], BY_VALUE, id="a common order"),
        pytest.param(
            [[[0], 1], [[1], 1], 0],
            [[[1], 1], [[0], 1], 1],
            None,
            id="lists in lists",
        ),
    ],
)
def test_a_list_says_by_what_its_items_were_paired(base, target, by):
    found = paired({"l": base}, {"l": target})
    assert found["/l"] == by if by else set(found) >= {"/l"}


def test_the_key_of_the_profile_is_marked():
    lists = ((pattern("/plan"), "name"),)
    base = {"plan": [{"name": "a", "n": 1}, {"name": "b"}]}
    moved = {"plan": [{"name": "b"}, {"name": "a", "n": 2}]}
    assert paired(base, moved, lists) == {"/plan": "name (profile)"}
    edited = {"plan": [{"name": "a", "n": 2}, {"name": "b"}]}
    assert paired(base, edited, lists) == {"/plan": "name (profile)"}


def test_repeated_ids_fall_back_to_what_the_items_hold():
    base = {"l": [{"id": 1, "n": 1}, {"id": 1, "n": 2}]}
    assert paired(base, {"l": [{"id": 1, "n": 2}, {"id": 1, "n": 1}]})["/l"] == BY_VALUE


def test_position_is_said_where_it_made_the_shorter_account():
    # By value the second list would stay, and one item go and two come.
    assert paired({"l": [[1], []]}, {"l": [[], [], {}]})["/l"] == BY_POSITION


def test_a_list_without_a_change_inside_says_nothing():
    base = {"l": [[1, 2], ["x"]], "m": [1]}
    target = {"l": [[1, 2], ["y"]], "m": [1]}
    assert set(paired(base, target)) == {"/l", "/l/1"}
    assert paired({"l": [float("nan")]}, {"l": [float("nan")]}) == {}


def test_a_list_inside_a_moved_item_stands_at_its_new_place():
    base = {"l": [{"id": 1, "tags": ["a"]}, {"id": 2}, {"id": 3}]}
    target = {"l": [{"id": 2}, {"id": 3}, {"id": 1, "tags": ["a", "b"]}]}
    assert set(paired(base, target)) == {"/l", "/l/2/tags"}
