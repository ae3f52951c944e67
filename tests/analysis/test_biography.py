from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from viewer.analysis.biography import Biography, Numbers, biography
from viewer.chain import Chain
from viewer.equality import same
from viewer.errors import PointerError, SelectionError
from viewer.model import MISSING, Write
from viewer.pointer import find

MakeChain = Callable[..., Chain]


def told(found: Biography) -> list[tuple[int, int, str, Any]]:
    return [(run.first, run.last, run.pointer, run.value) for run in found.runs]


def test_equal_neighbours_are_one_run(make_chain: MakeChain) -> None:
    chain = make_chain({"s": "a"}, {"s": "a"}, MISSING, {"s": "b"}, {}, {"s": "a"}, {"s": ["a"]})
    found = biography(chain, 3, "/s")
    assert told(found) == [
        (0, 1, "/s", "a"),
        (3, 3, "/s", "b"),
        (4, 4, "/s", MISSING),
        (5, 5, "/s", "a"),
        (6, 6, "/s", ["a"]),
    ]
    assert [run.kind for run in found.runs] == ["scalar", "scalar", "absent", "scalar", "container"]
    assert found.changes == 4
    assert [run.first for run in found.present] == [0, 3, 5, 6]
    assert found.followed_by == ()
    assert found.numbers is None


@pytest.mark.parametrize("start", [0, 1, 2, 4])
def test_a_member_with_an_id_is_followed_where_it_moves(make_chain: MakeChain, start: int) -> None:
    one, two, three = ({"id": f"t{i}", "done": False} for i in (1, 2, 3))
    chain = make_chain(
        {"plan": [one, two, three]},
        {"plan": [three, two, one]},
        {"plan": [three, {**two, "done": True}]},
        {"plan": [three]},
        {"plan": [{**two, "done": True}, three]},
        {"plan": []},
    )
    place = {0: "/plan/1/done", 1: "/plan/1/done", 2: "/plan/1/done", 4: "/plan/0/done"}[start]
    found = biography(chain, start, place)
    assert [(run.first, run.last, run.value) for run in found.runs] == [
        (0, 1, False),
        (2, 2, True),
        (3, 3, MISSING),
        (4, 4, True),
        (5, 5, MISSING),
    ]
    assert found.followed_by == ("id",)


@pytest.mark.parametrize(
    ("states", "index", "pointer", "values", "ways"),
    [
        pytest.param(
            [{"l": ["a", "b"]}, {"l": ["x", "a", "b"]}], 0, "/l/0", ["a"], ("what it holds",),
            id="pushed back by another",
        ),
        pytest.param(
            [{"l": ["a", "b"]}, {"l": ["c", "b"]}], 0, "/l/0", ["a", "c"], ("position",),
            id="replaced where it stood",
        ),
        pytest.param(
            [{"l": []}, {"l": ["a"]}], 1, "/l/0", [MISSING, "a"], ("what it holds",),
            id="came later",
        ),
    ],
)  # fmt: skip
def test_a_member_without_an_id(
    make_chain: MakeChain,
    states: list[Any],
    index: int,
    pointer: str,
    values: list[Any],
    ways: tuple[str, ...],
) -> None:
    found = biography(make_chain(*states), index, pointer)
    assert [run.value for run in found.runs] == values
    assert found.followed_by == ways


def test_numbers_say_how_far_they_went(make_chain: MakeChain) -> None:
    chain = make_chain({"n": 2, "b": True}, {"n": 2**70}, {}, {"n": 1}, {"n": 0.5})
    assert biography(chain, 0, "/n").numbers == Numbers(least=0.5, most=2**70, growth=-1.5)
    assert biography(chain, 0, "/b").numbers is None


def test_the_lineage_goes_through_the_checkpoint(make_chain: MakeChain) -> None:
    chain = make_chain(
        {"s": "root"}, {"s": "left"}, {"s": "right"}, {"s": "left end"}, {"s": "right end"},
        parents=(None, 0, 0, 1, 2),
    )  # fmt: skip
    assert [run.value for run in biography(chain, 0, "/s").runs] == ["root", "right", "right end"]
    assert [run.value for run in biography(chain, 1, "/s").runs] == ["root", "left", "left end"]


def test_who_wrote_it_is_said_by_the_stored_writes(make_chain: MakeChain) -> None:
    def write(node: str, channel: str) -> Write:
        return Write(task=node, node=node, channel=channel, value=None)

    chain = make_chain(
        {"a": 1}, {"a": 2, "b": 1}, {"a": 2, "b": 2},
        nodes=((), ("plan", "act"), ("act",)),
        writes=((write("plan", "a"), write("act", "b")), (), ()),
    )  # fmt: skip
    assert [run.nodes for run in biography(chain, 0, "/a").runs] == [(), ("plan",)]
    assert [run.nodes for run in biography(chain, 2, "/b").runs] == [(), ("act",), ("act",)]


def test_nobody_wrote_what_was_never_there_and_who_removed_it_is_told(
    make_chain: MakeChain,
) -> None:
    chain = make_chain({}, {"a": 1}, {}, nodes=(("start",), ("plan",), ("drop",)))
    assert [run.nodes for run in biography(chain, 1, "/a").runs] == [(), ("plan",), ("drop",)]


def test_values_that_only_python_takes_for_equal_are_changes(make_chain: MakeChain) -> None:
    nan = float("nan")
    values = [1, True, 1.0, [0], [False], nan, float("nan"), -0.0, 0.0]
    runs = biography(make_chain(*({"a": value} for value in values)), 0, "/a").runs
    assert [(run.first, run.last) for run in runs] == [
        (0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 6), (7, 8)
    ]  # fmt: skip


def test_what_was_never_there_is_an_error(make_chain: MakeChain) -> None:
    chain = make_chain({"a": 1}, MISSING)
    with pytest.raises(PointerError, match="nothing at /b"):
        biography(chain, 0, "/b")
    with pytest.raises(PointerError, match="begin with"):
        biography(chain, 0, "b")
    with pytest.raises(SelectionError, match="no readable state"):
        biography(chain, 1, "/a")


MEMBERS = st.lists(st.fixed_dictionaries({"id": st.integers(0, 3), "n": st.integers(0, 2)}), max_size=4,
                   unique_by=lambda m: m["id"])  # fmt: skip


@given(st.lists(MEMBERS, min_size=1, max_size=7), st.data())
@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_member_is_its_id_whatever_happens_around_it(
    make_chain: MakeChain, lists: list[Any], data: st.DataObject
) -> None:
    chain = make_chain(*({"l": members} for members in lists))
    index = data.draw(st.sampled_from(range(len(lists))))
    if not lists[index]:
        return
    position = data.draw(st.sampled_from(range(len(lists[index]))))
    wanted = lists[index][position]["id"]
    truth = [next((m for m in members if m["id"] == wanted), MISSING) for members in lists]
    found = biography(chain, index, f"/l/{position}")
    for run in found.runs:
        for at in range(run.first, run.last + 1):
            assert run.value is truth[at] or same(run.value, truth[at])
        assert find(chain.state(run.first), run.pointer, MISSING) is run.value or not run.pointer
    assert [run.first for run in found.runs][1:] == [r.last + 1 for r in found.runs][:-1]
