import copy
import math
from typing import Any

import jsonpatch
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viewer import patch
from viewer.analysis.diff import PairingNote, apply, counts, diff, invert, to_patch
from viewer.equality import same
from viewer.errors import PatchError
from viewer.model import MISSING, Change
from viewer.pointer import pattern

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(min_value=-2, max_value=2),
    st.integers(min_value=2**64 - 1, max_value=2**64 + 1),
    st.sampled_from([0.0, -0.0, 1.0, -1.0, math.nan, math.inf, 0.5]),
    st.text(alphabet="ab/~é\ud800", max_size=3),
)
KEYS = st.sampled_from(["id", "a", "b", "name", "x_id", "seq", "__k", "", "/", "~1", "0"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=6), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=30,
)


@st.composite
def edited(draw: st.DrawFn, value: Any) -> Any:
    """Draw a value that shares parts with ``value``, as a later checkpoint does."""
    if draw(st.integers(0, 4)) == 0:
        return draw(VALUES)
    if isinstance(value, list):
        items = [draw(edited(x)) if draw(st.booleans()) else x for x in value]
        if items and draw(st.booleans()):
            items.pop(draw(st.integers(0, len(items) - 1)))
        if draw(st.booleans()):
            items.insert(draw(st.integers(0, len(items))), draw(VALUES))
        return draw(st.permutations(items)) if draw(st.booleans()) else items
    if isinstance(value, dict):
        kept = {k: v for k, v in value.items() if draw(st.integers(0, 5))}
        return {k: draw(edited(v)) if draw(st.booleans()) else v for k, v in kept.items()}
    return value


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Any, Any]:
    base = draw(VALUES)
    return base, draw(edited(base))


def brief(changes: list[Change]) -> list[tuple[str, str]]:
    return [(change.op, change.pointer) for change in changes]


def leads_there_and_back(pair: tuple[Any, Any]) -> None:
    base, target = pair
    before = copy.deepcopy(pair)
    changes = diff(base, target)
    assert same(apply(base, changes), target)
    assert same(apply(target, invert(changes)), base)
    assert (not changes) == same(base, target)
    assert same(list(before), [base, target])


@settings(max_examples=400, deadline=None)
@given(pairs())
def test_changes_lead_from_base_to_target_and_back(pair: tuple[Any, Any]) -> None:
    leads_there_and_back(pair)


@pytest.mark.slow
@settings(max_examples=20_000, deadline=None)
@given(pairs())
def test_changes_of_twenty_thousand_pairs_lead_there_and_back(pair: tuple[Any, Any]) -> None:
    leads_there_and_back(pair)


@settings(max_examples=300, deadline=None)
@given(pairs())
def test_json_patch_of_a_diff_applies_in_sequence(pair: tuple[Any, Any]) -> None:
    base, target = pair
    changes = diff(base, target)
    operations = to_patch(base, changes)
    assert len(operations) == len(changes)
    assert same(jsonpatch.JsonPatch(operations).apply(base), target)
    assert same(patch.apply(base, operations), target)


@settings(max_examples=200, deadline=None)
@given(pairs())
def test_every_change_names_its_place_on_both_sides(pair: tuple[Any, Any]) -> None:
    base, target = pair

    def at(value: Any, tokens: tuple[Any, ...]) -> Any:
        for token in tokens:
            value = value[token]
        return value

    for change in diff(base, target):
        if change.op == "add":
            assert change.old is MISSING
            assert isinstance(at(base, change.old_path), dict | list)
        else:
            assert same(at(base, change.old_path), change.old)
        if change.op == "remove":
            assert change.new is MISSING
            assert change.path == change.old_path
        else:
            assert same(at(target, change.path), change.new)


@settings(max_examples=100, deadline=None)
@given(pairs())
def test_sharing_subtrees_does_not_change_the_answer(pair: tuple[Any, Any]) -> None:
    fresh = copy.deepcopy(pair[0]), copy.deepcopy(pair[1])
    assert brief(diff(*pair)) == brief(diff(*fresh))


def test_long_shuffled_lists_become_one_move_an_item_at_most() -> None:
    base = [{"id": i, "v": i % 3} for i in range(300)]
    target = [base[(i * 7) % 300] for i in range(300) if i % 11] + [{"id": "new"}]
    changes = diff(base, target)
    assert same(apply(base, changes), target)
    assert same(jsonpatch.JsonPatch(to_patch(base, changes)).apply(base), target)
    assert counts(changes) == {
        "add": 1,
        "remove": 28,
        "replace": 0,
        "move": counts(changes)["move"],
    }
    assert counts(changes)["move"] < 272


@pytest.mark.parametrize(
    ("base", "target", "expected"),
    [
        pytest.param([True], [1], [("replace", "/0")], id="true-is-not-one"),
        pytest.param([[1, 2]], [[1.0, 2]], [("replace", "/0/0")], id="one-is-not-one-point-zero"),
        pytest.param({"a": -0.0}, {"a": 0.0}, [], id="minus-zero-is-zero"),
        pytest.param([math.nan], [math.nan], [], id="nan-is-nan"),
        pytest.param({"a": math.nan}, {"a": None}, [("replace", "/a")], id="nan-is-not-null"),
        pytest.param({"a": None}, {}, [("remove", "/a")], id="null-is-not-absent"),
        pytest.param({"a": 1, "b": 2}, {"b": 2, "a": 1}, [], id="key-order-is-nothing"),
        pytest.param([2**70], [2**70 + 1], [("replace", "/0")], id="big-integers-are-exact"),
        pytest.param(
            {"__start__": 1}, {"__start__": 2}, [("replace", "/__start__")], id="dunder-keys"
        ),
        pytest.param([1], {"0": 1}, [("replace", "")], id="root-changes-type"),
        pytest.param([-1, 5, -2], [-2, 5, -1], None, id="numbers-that-hash-alike"),
    ],
)
def test_equality_is_exact(base: Any, target: Any, expected: list[tuple[str, str]] | None) -> None:
    changes = diff(base, target)
    assert same(apply(base, changes), target)
    assert expected is None or brief(changes) == expected


@pytest.mark.parametrize(
    ("base", "target", "expected"),
    [
        pytest.param(
            [{"id": 1, "v": 1}, {"id": 2, "v": 2}, {"id": 3, "v": 3}],
            [{"id": 3, "v": 4}, {"id": 1, "v": 1}, {"id": 2, "v": 2}],
            [("move", "/0"), ("replace", "/0/v")],
            id="a-moved-item-with-an-edit-inside",
        ),
        pytest.param(
            [{"id": 1, "v": 1}],
            [{"id": 2, "v": 1}],
            [("remove", "/0"), ("add", "/0")],
            id="another-id-is-another-item",
        ),
        pytest.param(
            [{"name": "a", "v": 1, "w": 1}, {"name": "b", "v": 2, "w": 2}],
            [{"name": "c", "v": 1, "w": 1}, {"name": "b", "v": 2, "w": 2}],
            [("replace", "/0/name")],
            id="a-name-may-change",
        ),
        pytest.param(
            [{"tool_id": "x", "v": 1}, {"tool_id": "y", "v": 2}],
            [{"tool_id": "n", "v": 0}, {"tool_id": "x", "v": 1}, {"tool_id": "y", "v": 9}],
            [("add", "/0"), ("replace", "/2/v")],
            id="a-key-that-ends-in-id",
        ),
        pytest.param(
            [{"role": "user", "text": "a"}, {"role": "user", "text": "b"}],
            [{"role": "user", "text": "b"}],
            [("remove", "/0")],
            id="without-ids-the-head-goes",
        ),
        pytest.param(
            [{"role": "user", "text": "Where is my order?", "n": 1}],
            [
                {"role": "tool", "call": "x9"},
                {"role": "user", "text": "Where is my order?", "n": 2},
            ],
            [("add", "/0"), ("replace", "/1/n")],
            id="an-edited-item-shifts",
        ),
        pytest.param(
            [{"role": "user", "text": "Where is it?", "n": 1}],
            [{"tool": "search", "args": [1], "ok": True}],
            [("remove", "/0"), ("add", "/0")],
            id="unlike-items-are-two",
        ),
        pytest.param(["a", "b", "c"], ["a", "x", "c"], [("replace", "/1")], id="one-scalar"),
        pytest.param(["a", "b", "c", "d"], ["d", "a", "b", "c"], [("move", "/0")], id="a-rotation"),
        pytest.param([1, 2, 3, 4], [2, 3, 4], [("remove", "/0")], id="scalars-shift"),
        pytest.param(
            [[1], [2], [3]], [[2], [3, 0]], [("remove", "/0"), ("add", "/1/1")], id="rows"
        ),
    ],
)
def test_items_are_paired_by_what_they_are(
    base: Any, target: Any, expected: list[tuple[str, str]]
) -> None:
    changes = diff(base, target)
    assert brief(changes) == expected
    assert same(apply(base, changes), target)


def test_the_profile_names_the_identity() -> None:
    base = {"rows": [{"sku": "a", "n": 1, "m": 1}, {"sku": "b", "n": 2, "m": 2}]}
    target = {"rows": [{"sku": "c", "n": 1, "m": 1}, {"sku": "b", "n": 2, "m": 2}]}
    assert brief(diff(base, target)) == [("replace", "/rows/0/sku")]
    lists = ((pattern("/rows"), "sku"),)
    assert brief(diff(base, target, lists)) == [("remove", "/rows/0"), ("add", "/rows/0")]
    assert brief(diff(base, target, ((pattern("/other"), "sku"),))) == [("replace", "/rows/0/sku")]


def test_repeated_ids_fall_back_and_say_so() -> None:
    notes: list[PairingNote] = []
    base = {"rows": [{"id": 1, "v": "x"}, {"id": 1, "v": "y"}, {"id": 2, "v": "z"}]}
    target = {"rows": [{"id": 1, "v": "y"}, {"id": 2, "v": "zz"}]}
    changes = diff(base, target, notes=notes)
    assert brief(changes) == [("remove", "/rows/0"), ("replace", "/rows/1/v")]
    assert notes == [PairingNote(("rows",), "id repeats")]
    assert diff(target, target, notes=(none := [])) == []
    assert none == []


def test_a_boolean_is_no_id() -> None:
    base = [{"id": True, "v": 1}, {"id": 1, "v": 2}]
    target = [{"id": 1, "v": 1}, {"id": True, "v": 2}]
    changes = diff(base, target)
    assert same(apply(base, changes), target)


@pytest.mark.parametrize(
    ("base", "target", "jsondiffpatch"),
    [
        # Counts that jsondiffpatch 0.7.7 reports (objectHash: id, else seq, else position).
        pytest.param([{"x": 1}], [{"x": 2}], 1, id="small-items"),
        pytest.param([{"x": 1}, {"x": 2}], [{"x": 3}, {"x": 1}], 2, id="small-items-shift"),
        pytest.param(
            [{"k": 1}, {"k": 2}, {"k": 3}], [{"k": 3}, {"k": 4}, {"k": 5}], 3, id="chance-match"
        ),
        pytest.param([None, ["a", {}, 4]], [["a", 2, 3, 4]], 2, id="null-then-list"),
        pytest.param(["a", "b", "x"], ["x", "c", "d"], 4, id="scalars"),
        pytest.param(
            [{"name": "a", "v": 1}, {"name": "b", "v": 2}],
            [{"name": "b", "v": 1}, {"name": "a", "v": 2}],
            2,
            id="names-swapped",
        ),
    ],
)
def test_never_more_changes_than_jsondiffpatch(base: Any, target: Any, jsondiffpatch: int) -> None:
    changes = diff(base, target)
    assert len(changes) <= jsondiffpatch
    assert same(apply(base, changes), target)


def test_more_changes_than_jsondiffpatch_only_where_it_throws_a_shifted_item_away() -> None:
    # jsondiffpatch pairs items without id by position: here it removes one whole item and adds
    # another (2 changes). We see one item that moved down and lost three fields.
    kept = {"a": 1, "b": 2, "c": 3}
    base = [{"id": {}, "x": 1, "y": 2, **kept}, 5]
    target = [kept, 5]
    assert brief(diff(base, target)) == [
        ("remove", "/0/id"),
        ("remove", "/0/x"),
        ("remove", "/0/y"),
    ]


@pytest.mark.parametrize("levels", [399, 1_200])
@pytest.mark.parametrize(
    "wrap",
    [
        pytest.param(lambda v: [v], id="list"),
        pytest.param(lambda v: {"a": v}, id="object"),
        pytest.param(lambda v: [{"k": v}, 1], id="both"),
    ],
)
def test_depth_never_ends_in_a_recursion_error(wrap: Any, levels: int) -> None:
    base, target = 1, 2
    for _ in range(levels):
        base, target = wrap(base), wrap(target)
    changes = diff(base, target)
    assert len(changes) == 1
    assert same(apply(base, changes), target)
    assert same(apply(target, invert(changes)), base)
    assert same(patch.apply(base, to_patch(base, changes), 10_000), target)
    if levels == 399:
        assert (changes[0].old, changes[0].new) == (1, 2)


def test_changes_of_another_base_are_refused_by_name() -> None:
    changes = diff({"a": {"b": 1}}, {"a": {"b": 2}})
    with pytest.raises(PatchError, match="/a"):
        apply({"a": 3}, changes)
    with pytest.raises(PatchError):
        apply([1], diff([1, 2, 3], [1, 2]))


def test_untouched_parts_are_shared_with_the_base() -> None:
    base = {"big": [1, 2, 3], "n": 1}
    target = apply(base, diff(base, {"big": [1, 2, 3], "n": 2}))
    assert target["big"] is base["big"]
    assert base["n"] == 1


def test_order_follows_the_document() -> None:
    base = {"rows": [{"id": i, "v": 0} for i in range(4)], "z": 1}
    target = {"rows": [{"id": 9}, {"id": 1, "v": 1}, {"id": 2, "v": 0}], "z": 2}
    assert brief(diff(base, target)) == [
        ("remove", "/rows/0"),
        ("add", "/rows/0"),
        ("replace", "/rows/1/v"),
        ("remove", "/rows/3"),
        ("replace", "/z"),
    ]


def wrapped(name: str, content: str) -> dict[str, Any]:
    return {"$type": "AIMessage", "value": {"id": name, "content": content}}


def test_an_identity_may_stand_inside_a_wrapped_item() -> None:
    base = {"messages": [wrapped("m1", "one"), wrapped("m2", "two"), wrapped("m3", "three")]}
    target = {"messages": [wrapped("m3", "3, wholly new"), wrapped("m1", "one"), wrapped("m0", "")]}
    lists = ((pattern("/messages"), "/value/id"),)
    found = diff(base, target, lists)
    assert same(apply(base, found), target)
    told = sorted((c.op, c.pointer) for c in found)
    assert told == [
        ("add", "/messages/2"),
        ("move", "/messages/0"),
        ("remove", "/messages/1"),
        ("replace", "/messages/0/value/content"),
    ]
