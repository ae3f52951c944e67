import ast
import copy
import json
import math
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from viewer.analysis.nesting import Nesting
from viewer.analysis.schema import Fault, compile_schema, order
from viewer.errors import SchemaFileError, ViewerError
from viewer.pointer import exists, split
from viewer.profiles import load_profile

SURROGATE = ast.literal_eval('"\\ud800"')


def faults(schema: Any, state: Any) -> list[Fault]:
    return compile_schema(schema).faults(state)


def brief(schema: Any, state: Any) -> list[tuple[str, str]]:
    return [(f.pointer, f.keyword) for f in faults(schema, state)]


@pytest.mark.parametrize(
    ("schema", "state", "message"),
    [
        pytest.param({"type": "integer"}, "3", "must be integer, is string", id="type"),
        pytest.param(
            {"type": ["object", "null"]}, 1, "must be null or object, is integer", id="t2"
        ),
        pytest.param({"type": "number"}, math.nan, "must be number, is NaN, which JSON", id="NaN"),
        pytest.param({"type": "number"}, -math.inf, "is -Infinity, which JSON", id="infinity"),
        pytest.param({"enum": ["a", 1]}, "b", 'must be one of "a", 1, is "b"', id="enum"),
        pytest.param({"enum": list(range(99))}, "b", "11 and 87 more, is", id="long enum"),
        pytest.param({"const": {"a": 1}}, [2, 3], "is an array of 2 items", id="const"),
        pytest.param({"minimum": 3}, 1, "must be at least 3, is 1", id="minimum"),
        pytest.param({"exclusiveMaximum": 3}, 4, "must be less than 3, is 4", id="exclusive"),
        pytest.param({"maxLength": 2}, "abc", "length must be at most 2, is 3", id="length"),
        pytest.param({"minItems": 2}, [1], "number of items must be at least 2, is 1", id="items"),
        pytest.param(
            {"maxProperties": 0}, {"a": 1}, "number of fields must be at most 0", id="max"
        ),
        pytest.param({"pattern": "^a"}, "b", 'must match "^a", is "b"', id="pattern"),
        pytest.param({"multipleOf": 0.5}, 0.3, "must be a multiple of 0.5, is 0.3", id="multiple"),
        pytest.param({"uniqueItems": True}, [1, 1], "holds the same item twice", id="unique"),
        pytest.param({"not": {}}, 1, "has the shape that is not allowed here", id="not"),
        pytest.param({"contains": {"type": "null"}}, [1], "holds no item that", id="contains"),
        pytest.param(False, 1, "is not allowed here", id="false"),
        pytest.param(
            {"propertyNames": {"maxLength": 1}}, {"ab": 1}, 'a field named "ab" whose', id="names"
        ),
        pytest.param({"dependentRequired": {"a": ["b"]}}, {"a": 1}, "is missing (dep", id="depend"),
        pytest.param(
            {"oneOf": [{"minimum": 1}, {"maximum": 5}, {"type": "null"}]},
            3,
            "exactly one of the allowed shapes, matches 1 and 2",
            id="oneOf twice",
        ),
        pytest.param({"maximum": 1}, 10**400, "must be at most 1, is 1000", id="big integer"),
        pytest.param({"enum": [1]}, 10**5000, "is an integer of 16610 bits", id="beyond str()"),
    ],
)
def test_a_message_says_what_is_wanted_and_what_is_there(
    schema: Any, state: Any, message: str
) -> None:
    (fault,) = faults(schema, state)
    assert message in fault.message


def test_no_message_repeats_a_whole_value() -> None:
    state = {"rows": ["x" * 50] * 1000, "text": "y" * 10_000}
    schema = {
        "properties": {
            "rows": {"type": "object", "enum": [1], "anyOf": [{"type": "null"}]},
            "text": {"enum": ["z" * 10_000], "pattern": "^z"},
        }
    }
    for fault in faults(schema, state):
        assert len(fault.message) < 300
        assert all(len(cause) < 300 for cause in fault.causes)


@pytest.mark.parametrize(
    ("schema", "state", "expected"),
    [
        pytest.param(
            {"additionalProperties": False, "properties": {"a": {}}},
            {"b": 1, "a": 2, "c": 3},
            [("/b", "additionalProperties"), ("/c", "additionalProperties")],
            id="one fault an unexpected field",
        ),
        pytest.param(
            {"additionalProperties": False},
            {"b": 1},
            [("/b", "additionalProperties")],
            id="closed and empty",
        ),
        pytest.param(
            {"unevaluatedProperties": False, "properties": {"a": {}}},
            {"a": 1, "b/c": 2},
            [("/b~1c", "unevaluatedProperties")],
            id="unevaluated",
        ),
        pytest.param(
            {"properties": {"type": False}}, {"type": 1}, [("/type", "false schema")], id="false"
        ),
        pytest.param({"allOf": [False]}, 1, [("", "false schema")], id="false in allOf"),
        pytest.param({"items": False}, [1, 2], [("/0", "items"), ("/1", "items")], id="items"),
        pytest.param(
            {"$ref": "#/$defs/no", "$defs": {"no": False}}, 1, [("", "false schema")], id="by ref"
        ),
        pytest.param(
            {"additionalProperties": {"additionalProperties": {"type": "null"}}},
            {"": {"": 1, "0": 1, "a": None}, "0": {"": 1}},
            [("/0/", "type"), ("//0", "type"), ("//", "type")],
            id="empty keys and keys like numbers",
        ),
        pytest.param(
            {"additionalProperties": {"type": "string"}},
            {SURROGATE + "k": 1, "v": SURROGATE},
            [(f"/{SURROGATE}k", "type")],
            id="half a surrogate pair",
        ),
        pytest.param(
            {"properties": {"v": {"maxLength": 1}}}, {"v": SURROGATE}, [], id="counts as one"
        ),
        pytest.param(
            {"additionalProperties": {"type": "string"}}, {1: 2}, [("/1", "type")], id="key no text"
        ),
        pytest.param({"items": {"type": "null"}}, [1] * 3 + [None] * 8 + [1], [
            ("/0", "type"), ("/1", "type"), ("/2", "type"), ("/11", "type")
        ], id="numbers as numbers"),
    ],
)  # fmt: skip
def test_places_and_keywords(schema: Any, state: Any, expected: list[tuple[str, str]]) -> None:
    assert sorted(brief(schema, state)) == sorted(expected)


def test_places_come_in_order_numbers_as_numbers() -> None:
    state = [1] * 11
    assert [f.tokens for f in faults({"items": {"type": "null"}}, state)] == [
        (i,) for i in range(11)
    ]
    assert order(("a", "10")) > order(("a", "9"))
    assert order(("a", "b")) > order(("a", "9"))


def test_a_nan_elsewhere_hides_no_other_fault() -> None:
    schema = {"properties": {"a": {"type": "number"}, "b": {"type": "string"}}}
    state = {"a": math.nan, "b": 1, "c": math.inf}
    assert brief(schema, state) == [("/a", "type"), ("/b", "type")]


@pytest.mark.parametrize("draft", ["draft-07", "draft-04"])
def test_another_draft_is_honoured(draft: str) -> None:
    schema = {"$schema": f"http://json-schema.org/{draft}/schema#", "items": [{"type": "null"}]}
    assert brief(schema, [1, 1]) == [("/0", "type")]


@pytest.mark.parametrize(
    ("schema", "pointers"),
    [
        pytest.param({"type": "intger"}, ("/type",), id="misspelt type"),
        pytest.param({"$ref": "http://localhost/x.json"}, ("/$ref",), id="remote"),
        pytest.param({"items": {"$ref": "file:///etc/hosts"}}, ("/items/$ref",), id="file"),
        pytest.param({"$ref": "#/$defs/none"}, ("/$ref",), id="dangling"),
        pytest.param({"pattern": "("}, ("/pattern",), id="regex"),
        pytest.param({"items": [{}]}, ("/items",), id="items of an older draft"),
        pytest.param([], ("",), id="no object"),
        pytest.param({"a": object()}, ("",), id="no JSON"),
    ],
)
def test_a_broken_schema_is_named_place_by_place(schema: Any, pointers: tuple[str, ...]) -> None:
    with pytest.raises(SchemaFileError) as caught:
        compile_schema(schema)
    assert caught.value.pointers == pointers


def test_nothing_is_read_from_disk_for_a_reference(tmp_path: Any) -> None:
    target = tmp_path / "other.json"
    target.write_text("{}")
    with pytest.raises(SchemaFileError, match="nothing is ever fetched"):
        compile_schema({"$ref": target.as_uri()})


def test_too_deep_a_schema_or_state_is_an_error_and_no_crash() -> None:
    schema: Any = {}
    state: Any = 1
    for _ in range(100_000):
        schema, state = {"not": schema}, [state]
    with pytest.raises(SchemaFileError, match="nested more than"):
        compile_schema(schema)
    with pytest.raises(ViewerError, match="nested more than"):
        faults({"items": {"$ref": "#"}}, state)
    for _ in range(99_500):
        state = state[0]
    with pytest.raises(ViewerError, match="nested too deep"):
        faults({"enum": [1]}, state)


def test_the_state_is_not_changed_and_the_schema_neither() -> None:
    profile = load_profile("agent-state")
    schema, state = copy.deepcopy(profile.state_schema), {"a": [SURROGATE], "status": 1}
    faults(schema, state)
    assert schema == profile.state_schema
    assert state == {"a": [SURROGATE], "status": 1}


AGENT = {
    "schemaVersion": "1.0",
    "runId": "r",
    "threadId": "t",
    "goal": "g",
    "status": "running",
    "step": 3,
    "plan": ["a", "b"],
    "working": {"delegated": [{"taskId": "t", "idempotencyKey": "k"}], "proposal": {"a": [1]}},
    "pendingTool": {"name": "n", "callId": "c", "args": {"q": 1.5}},
    "memoryRefs": ["m"],
    "checkpointId": "c",
}
TASK = {
    "goal": "g",
    "status": "running",
    "step": 1,
    "evidence": [{"step": 1, "tool": "t", "ok": True, "code": "ok", "order_ids": ["LK-000001"]}],
    "proposal": {"outcome": "resolve", "actions": [{"tool": "t", "amount": 1.0}]},
    "errors": [],
    "usage": {"model_calls": 1, "cost_usd": 0.0},
    "events": ["e"],
    "messages": [{"role": "user", "content": "c"}],
    "operations": [{"id": "o", "tool": "t", "idempotency_key": "k", "status": "done"}],
}
VALUES = [None, True, 0, -1, 2.5, "", "x", [], {}, [1], {"a": 1}, ["s", 1], 10**30]


def _mutants(state: Any, count: int, seed: int) -> Iterator[Any]:
    chance = random.Random(seed)
    for _ in range(count):
        mutant = copy.deepcopy(state)
        for _ in range(chance.randint(1, 4)):
            here, parents = mutant, []
            while isinstance(here, dict | list) and here and chance.random() < 0.75:
                key = chance.choice(list(here) if isinstance(here, dict) else range(len(here)))
                parents.append((here, key))
                here = here[key]
            if not parents:
                mutant[f"new{chance.randint(0, 3)}"] = chance.choice(VALUES)
                continue
            parent, key = parents[-1]
            if chance.random() < 0.3:
                del parent[key]
            else:
                parent[key] = copy.deepcopy(chance.choice(VALUES))
        yield mutant


def _theirs(schema: Any, state: Any) -> Counter[tuple[str, str]]:
    """What jsonschema finds, with our two ways to point: at the missing or unexpected field."""
    found: Counter[tuple[str, str]] = Counter()
    for error in jsonschema.Draft202012Validator(schema).iter_errors(state):
        at = "".join(f"/{token}" for token in error.absolute_path)
        if error.validator == "required":
            field = next(f for f in error.validator_value if error.message.startswith(repr(f)))
            found[f"{at}/{field}", "required"] += 1
        elif error.validator == "additionalProperties":
            known = error.schema.get("properties", {})
            found.update(
                (f"{at}/{f}", "additionalProperties") for f in set(error.instance) - set(known)
            )
        else:
            found[at, str(error.validator)] += 1
    return found


@pytest.mark.parametrize(
    ("name", "state"), [pytest.param("agent-state", AGENT, id="agent"),
                        pytest.param("task-state", TASK, id="task")]
)  # fmt: skip
def test_the_same_places_and_keywords_as_jsonschema(name: str, state: Any) -> None:
    schema = load_profile(name).state_schema
    judge = compile_schema(schema or {})
    assert judge.faults(state) == []
    broken = 0
    for mutant in _mutants(state, 300, seed=7):
        found = judge.faults(mutant)
        assert Counter((f.pointer, f.keyword) for f in found) == _theirs(schema, mutant)
        for fault in found:
            if fault.keyword != "required":
                assert exists(mutant, fault.tokens), fault
            assert exists(mutant, split(fault.pointer)[:-1])
        broken += bool(found)
    assert broken > 200


@pytest.mark.parametrize(
    ("schema", "state", "ours", "theirs"),
    [
        pytest.param({"type": "number"}, math.nan, 1, 0, id="NaN is no JSON number"),
        pytest.param({"multipleOf": 0.01}, 0.29, 0, 1, id="decimals are decimals"),
        pytest.param({"pattern": r"^\d$"}, "٣", 1, 0, id="digits are ASCII"),
        pytest.param({"pattern": "a$"}, "a\n", 1, 0, id="dollar is the very end"),
        pytest.param({"items": False}, [1, 2], 2, 1, id="one fault an item"),
        pytest.param({"additionalProperties": False}, {"a": 1, "b": 2}, 2, 1, id="one a field"),
    ],
)
def test_where_we_differ_from_jsonschema_on_purpose(
    schema: Any, state: Any, ours: int, theirs: int
) -> None:
    assert len(faults(schema, state)) == ours
    assert len(list(jsonschema.Draft202012Validator(schema).iter_errors(state))) == theirs


def test_causes_are_cut_and_counted() -> None:
    branches = [{"type": "null"}, {"items": {"type": "null"}}]
    (fault,) = faults({"anyOf": branches}, [1] * 100)
    assert len(fault.causes) == 51
    assert fault.causes[-1] == "and 51 more"
    assert json.dumps(fault.causes)


def test_a_subtree_that_was_too_deep_once_is_too_deep_again() -> None:
    deep: Any = []
    for _ in range(5_000):
        deep = [deep]
    nesting = Nesting()
    flat, deeps = [[1], {"a": [[]]}], [{"a": deep, "n": i} for i in range(3)]
    assert not nesting.exceeds(flat, 4)
    assert [nesting.exceeds(state, 1_000) for state in deeps] == [True] * 3
    assert nesting.exceeds([flat], 4)
