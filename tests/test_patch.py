import copy
import json
import time
from typing import Any

import jsonpatch
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viewer.equality import same
from viewer.errors import PatchError
from viewer.patch import Operation, Room, apply, validated

DOCUMENT = {"a": {"b": [1, 2, 3], "": 0}, "m~n": 1, "x/y": [True], "s": "text"}


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        pytest.param([], DOCUMENT, id="nothing"),
        pytest.param(
            [{"op": "add", "path": "/a/b/1", "value": 9}],
            {**DOCUMENT, "a": {"b": [1, 9, 2, 3], "": 0}},
            id="insert",
        ),
        pytest.param(
            [{"op": "add", "path": "/a/b/-", "value": None}],
            {**DOCUMENT, "a": {"b": [1, 2, 3, None], "": 0}},
            id="append",
        ),
        pytest.param(
            [{"op": "add", "path": "/a/b/3", "value": 4}],
            {**DOCUMENT, "a": {"b": [1, 2, 3, 4], "": 0}},
            id="insert at the end",
        ),
        pytest.param([{"op": "add", "path": "", "value": [1]}], [1], id="another document"),
        pytest.param([{"op": "replace", "path": "", "value": 0}], 0, id="replaced document"),
        pytest.param(
            [{"op": "add", "path": "/s", "value": 1}], {**DOCUMENT, "s": 1}, id="add over a key"
        ),
        pytest.param(
            [{"op": "remove", "path": "/a/"}],
            {**DOCUMENT, "a": {"b": [1, 2, 3]}},
            id="remove the empty key",
        ),
        pytest.param(
            [{"op": "replace", "path": "/m~0n", "value": 2}, {"op": "remove", "path": "/x~1y/0"}],
            {**DOCUMENT, "m~n": 2, "x/y": []},
            id="escaped keys",
        ),
        pytest.param(
            [{"op": "move", "from": "/a/b/0", "path": "/a/b/2"}],
            {**DOCUMENT, "a": {"b": [2, 3, 1], "": 0}},
            id="move within a list",
        ),
        pytest.param([{"op": "move", "from": "/s", "path": "/s"}], DOCUMENT, id="move nowhere"),
        pytest.param([{"op": "move", "from": "/a", "path": ""}], DOCUMENT["a"], id="move to root"),
        pytest.param(
            [
                {"op": "copy", "from": "/a", "path": "/c"},
                {"op": "add", "path": "/c/b/0", "value": 0},
                {"op": "add", "path": "/a/b/-", "value": 4},
            ],
            {**DOCUMENT, "a": {"b": [1, 2, 3, 4], "": 0}, "c": {"b": [0, 1, 2, 3], "": 0}},
            id="a copy is its own",
        ),
        pytest.param(
            [
                {"op": "replace", "path": "/a/b/0", "value": 7},
                {"op": "copy", "from": "/a/b", "path": "/c"},
                {"op": "replace", "path": "/a/b/0", "value": 8},
                {"op": "replace", "path": "/c/1", "value": 9},
            ],
            {**DOCUMENT, "a": {"b": [8, 2, 3], "": 0}, "c": [7, 9, 3]},
            id="a copy of what was changed before",
        ),
        pytest.param(
            [{"op": "test", "path": "/x~1y", "value": [True]}], DOCUMENT, id="test that holds"
        ),
        pytest.param(
            [{"op": "remove", "path": "/s", "why": "members we do not know are passed over"}],
            {k: v for k, v in DOCUMENT.items() if k != "s"},
            id="unknown member",
        ),
    ],
)
def test_a_patch_changes_what_it_says_and_nothing_else(patch: Any, expected: Any) -> None:
    before = copy.deepcopy(DOCUMENT)
    kept = copy.deepcopy(patch)
    assert same(apply(DOCUMENT, patch), expected)
    assert same(DOCUMENT, before)
    assert same(patch, kept)


@pytest.mark.parametrize(
    ("patch", "words"),
    [
        pytest.param({"op": "add"}, "array of operations", id="no array"),
        pytest.param([1], "operation 0 is not an object", id="no object"),
        pytest.param([{"path": ""}], "operation 0 has no op", id="no op"),
        pytest.param([{"op": "set", "path": ""}], "operation 0 has op 'set'", id="unknown op"),
        pytest.param([{"op": ["add"], "path": ""}], "operation 0 has op ['add']", id="op no text"),
        pytest.param([{"op": "add", "value": 1}], "'path' must be a JSON Pointer", id="no path"),
        pytest.param([{"op": "add", "path": "a", "value": 1}], "begin with '/'", id="no pointer"),
        pytest.param([{"op": "add", "path": "/~2", "value": 1}], "'~' must be", id="bad escape"),
        pytest.param(
            [{"op": "add", "path": "/z"}], "operation 0 (add /z): no value", id="no value"
        ),
        pytest.param([{"op": "move", "path": "/z"}], "'from' must be", id="no from"),
        pytest.param(
            [{"op": "move", "from": "/a", "path": "/a/b/0"}], "into itself", id="into itself"
        ),
        pytest.param([{"op": "remove", "path": ""}], "whole document", id="remove all"),
        pytest.param([{"op": "remove", "path": "/q"}], "no key 'q'", id="remove a missing key"),
        pytest.param(
            [
                {"op": "test", "path": "/s", "value": "text"},
                {"op": "replace", "path": "/q", "value": 1},
            ],
            "operation 1 (replace /q): there is no key 'q'",
            id="replace a missing key",
        ),
        pytest.param([{"op": "add", "path": "/q/r", "value": 1}], "no key 'q'", id="no parent"),
        pytest.param([{"op": "add", "path": "/s/r", "value": 1}], "neither", id="parent is text"),
        pytest.param([{"op": "remove", "path": "/s/0"}], "neither", id="text is no array"),
        pytest.param([{"op": "add", "path": "/a/b/4", "value": 1}], "'4' is no place", id="gap"),
        pytest.param([{"op": "add", "path": "/a/b/01", "value": 1}], "'01'", id="leading zero"),
        pytest.param([{"op": "add", "path": "/a/b/-1", "value": 1}], "'-1'", id="negative"),
        pytest.param([{"op": "replace", "path": "/a/b/-", "value": 1}], "'-'", id="end is nothing"),
        pytest.param(
            [{"op": "remove", "path": "/a/b/" + "9" * 5000}], "no element", id="huge index"
        ),
        pytest.param(
            [{"op": "test", "path": "/x~1y/0", "value": 1}],
            "operation 0 (test /x~1y/0): the value there is another",
            id="true is not 1",
        ),
        pytest.param(
            [{"op": "test", "path": "/m~0n", "value": 1.0}], "is another", id="1 is not 1.0"
        ),
    ],
)
def test_a_bad_patch_names_its_operation(patch: Any, words: str) -> None:
    before = copy.deepcopy(DOCUMENT)
    with pytest.raises(PatchError) as caught:
        apply(DOCUMENT, patch)
    assert words in str(caught.value)
    assert same(DOCUMENT, before)


def test_a_patch_is_validated_as_a_whole_before_it_is_applied() -> None:
    assert validated([{"op": "test", "path": "/a", "value": 1}]) == (
        Operation("test", ("a",), (), 1),
    )
    with pytest.raises(PatchError, match="operation 1 has no op"):
        apply({}, [{"op": "remove", "path": "/gone"}, {}])


def test_untouched_subtrees_and_values_are_shared() -> None:
    document = {"a": {"deep": [1]}, "b": [{"c": 1}, {"d": 2}], "n": 0}
    value = {"new": [1]}
    patch = [
        {"op": "replace", "path": "/b/1/d", "value": 3},
        {"op": "add", "path": "/v", "value": value},
        {"op": "add", "path": "/v/new/-", "value": 2},
    ]
    found = apply(document, patch)
    assert found["a"] is document["a"]
    assert found["b"][0] is document["b"][0]
    assert document["b"][1] == {"d": 2}
    assert found["v"] == {"new": [1, 2]}
    assert value == {"new": [1]}


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param([{"op": "add", "path": "/a/0", "value": nested(39)}], id="add"),
        pytest.param([{"op": "replace", "path": "/a/0", "value": nested(39)}], id="replace"),
        pytest.param([{"op": "copy", "from": "/deep", "path": "/a/0"}], id="copy"),
        pytest.param([{"op": "move", "from": "/deep", "path": "/a/0"}], id="move"),
    ],
)
def test_the_result_stays_within_the_depth_limit(patch: Any) -> None:
    document = {"a": [[]], "deep": nested(39)}
    with pytest.raises(PatchError, match="nested more than 40 deep"):
        apply(document, patch, depth=40)
    assert apply(document, patch, depth=41)


def test_copies_that_double_a_document_end_in_a_named_error() -> None:
    patch = [{"op": "copy", "from": "", "path": f"/{i}"} for i in range(60)]
    with pytest.raises(PatchError, match="copies more than 1000000 values"):
        apply({"a": 1}, patch)


keys = st.sampled_from(["a", "b", "0", "", "x/y"])
values = st.recursive(
    st.integers(0, 3) | st.sampled_from(["t", None]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)
pointers = st.lists(st.sampled_from(["a", "b", "0", "1", "-", "", "x~1y"]), max_size=3).map(
    lambda tokens: "".join("/" + token for token in tokens)
)
operations = st.fixed_dictionaries(
    {
        "op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test"]),
        "path": pointers,
        "from": pointers,
        "value": values,
    }
)


@settings(max_examples=400, deadline=None)
@given(values, st.lists(operations, max_size=4))
def test_what_applies_gives_what_jsonpatch_gives_and_mutates_nothing(
    document: Any, patch: list[dict[str, Any]]
) -> None:
    before, given_patch = json.dumps(document), json.dumps(patch)
    try:
        found = apply(document, patch)
    except PatchError:
        with pytest.raises((jsonpatch.JsonPatchException, jsonpatch.JsonPointerException)):
            jsonpatch.apply_patch(json.loads(before), json.loads(given_patch))
    else:
        oracle = jsonpatch.apply_patch(json.loads(before), json.loads(given_patch))
        assert same(found, oracle)
    assert json.dumps(document) == before
    assert json.dumps(patch) == given_patch


def test_copies_weigh_by_their_text_too() -> None:
    patch = [{"op": "copy", "from": "/a", "path": f"/{i}"} for i in range(100)]
    with pytest.raises(PatchError, match="copies more than"):
        apply({"a": "x" * 1_000_000}, patch)


def test_patches_of_one_chain_share_their_room_for_copies() -> None:
    room = Room()
    document: Any = {"a": [0] * 100_000}
    with pytest.raises(PatchError, match="patches of this chain copy more than"):
        _copied_again_and_again(document, room, 50)


def _copied_again_and_again(document: Any, room: Room, times: int) -> None:
    for i in range(times):
        document = apply(document, [{"op": "copy", "from": "/a", "path": f"/{i}"}], 400, room)


def test_a_copy_leaves_the_rest_of_the_document_writable_without_another_copy() -> None:
    patch = []
    for i in range(4000):
        patch += [
            {"op": "copy", "from": "/b", "path": "/c"},
            {"op": "add", "path": "/a/-", "value": i},
        ]
    before = time.process_time()
    found = apply({"a": [0] * 200_000, "b": [1]}, patch)
    assert found["a"][-1] == 3999
    assert time.process_time() - before < 1.0


def test_a_value_copied_after_it_was_changed_is_not_changed_with_its_copy() -> None:
    patch = [
        {"op": "add", "path": "/a/x", "value": 1},
        {"op": "copy", "from": "/a", "path": "/b"},
        {"op": "add", "path": "/a/y", "value": 2},
        {"op": "add", "path": "/b/k/z", "value": 3},
        {"op": "add", "path": "/a/k/z", "value": 4},
    ]
    assert apply({"a": {"k": {}}}, patch) == {
        "a": {"k": {"z": 4}, "x": 1, "y": 2},
        "b": {"k": {"z": 3}, "x": 1},
    }
