from datetime import UTC, datetime
from typing import Any

import pytest

from viewer.limits import DEFAULT_LIMITS
from viewer.model import MISSING, Record
from viewer.sources.elements import Element
from viewer.sources.records import Placed, is_wrapper, records

FULL = {
    "checkpoint_id": "c1",
    "parent_id": "c0",
    "thread_id": "t",
    "run_id": "r",
    "namespace": "sub",
    "step": 4,
    "created_at": "2026-01-02T03:04:05+01:00",
    "origin": "loop",
    "node": "plan",
    "versions": {"graph": "1"},
    "decision": {"kind": "approve"},
    "state": {"a": 1},
}


def placed(*values: Any) -> list[Placed]:
    elements = [
        one if isinstance(one, Element) else Element(f"f:{i}", f"line:{i}", 7, value=one)
        for i, one in enumerate(values, 1)
    ]
    return records(elements, DEFAULT_LIMITS)


def found(*values: Any) -> list[Record]:
    return [one.record for one in placed(*values)]


@pytest.mark.parametrize(
    ("value", "wraps"),
    [
        pytest.param(FULL, True, id="every field"),
        pytest.param({"state": {}}, True, id="state alone"),
        pytest.param({"patch": []}, True, id="patch alone"),
        pytest.param({"id": "a", "ts": 1, "state": {}}, True, id="accepted spellings"),
        pytest.param({"step": 1, "state": {}, "extra": 1}, False, id="one key more"),
        pytest.param({"step": 1, "state": []}, False, id="state no object"),
        pytest.param({"step": 1, "state": None}, False, id="state null"),
        pytest.param({"step": 1, "patch": {}}, False, id="patch no array"),
        pytest.param({"step": 1, "node": "n"}, False, id="neither"),
        pytest.param({"step": 1, "state": {}, "patch": {}}, True, id="state and an odd patch"),
    ],
)
def test_an_object_is_a_wrapper_by_its_keys_alone(value: dict[str, Any], wraps: bool) -> None:
    assert is_wrapper(value) is wraps
    (record,) = found(value)
    assert (record.state == value) is not wraps


def test_every_wrapper_field_reaches_the_record() -> None:
    ((record, thread_id, namespace),) = placed(FULL)
    assert (thread_id, namespace) == ("t", "sub")
    assert record.state == {"a": 1}
    assert (record.checkpoint_id, record.parent_id, record.run_id) == ("c1", "c0", "r")
    assert (record.step, record.origin, record.nodes) == (4, "loop", ("plan",))
    assert record.created_at == datetime(2026, 1, 2, 2, 4, 5, tzinfo=UTC)
    assert record.decision == {"kind": "approve"}
    assert record.metadata == {"versions": {"graph": "1"}}
    assert record.size_bytes == 7


def test_other_spellings_and_kinds_of_fields() -> None:
    (record,) = found({"id": 7, "parent_id": None, "ts": 0, "node": ["a", "b"], "state": {}})
    assert (record.checkpoint_id, record.parent_id, record.nodes) == ("7", None, ("a", "b"))
    assert record.created_at == datetime(1970, 1, 1, tzinfo=UTC)
    (record,) = found({"state": {}})
    assert (record.checkpoint_id, record.made_id, record.parent_id) == (None, "line:1", MISSING)


def test_a_field_of_the_wrong_kind_is_kept_aside_and_not_lost() -> None:
    odd = {"id": "b", "step": "3", "created_at": "soon", "node": 5, "decision": "yes", "origin": []}
    (record,) = found({**odd, "checkpoint_id": "a", "state": {}, "patch": [1]})
    assert (record.checkpoint_id, record.step, record.created_at) == ("a", None, None)
    assert record.metadata == {**odd, "patch": [1]}


@pytest.mark.parametrize(
    ("value", "kind"),
    [(None, "null"), (True, "boolean"), (3, "integer"), ("s", "string")],
)
def test_a_scalar_is_no_checkpoint(value: Any, kind: str) -> None:
    (record,) = found(value)
    assert not record.listed
    assert record.fault == f"a checkpoint is a JSON object, this is a {kind}"


def test_patches_apply_to_the_record_before_or_to_the_parent_that_is_named() -> None:
    add = {"op": "add", "path": "/n", "value": 1}
    a, b, c, d, e = found(
        {"checkpoint_id": "a", "state": {"deep": [1]}},
        [add],
        {"checkpoint_id": "c", "parent_id": "a", "step": 9, "patch": [{**add, "value": 2}]},
        {"parent_id": "line:2", "patch": [{**add, "path": "/m"}]},
        {"id": "e", "patch": []},
    )
    assert [r.state for r in (a, b, c, d, e)] == [
        {"deep": [1]},
        {"deep": [1], "n": 1},
        {"deep": [1], "n": 2},
        {"deep": [1], "n": 1, "m": 1},
        {"deep": [1], "n": 1, "m": 1},
    ]
    assert b.state["deep"] is a.state["deep"] is d.state["deep"]
    assert (c.step, c.parent_id) == (9, "a")


def test_a_parent_may_be_named_by_the_id_that_its_state_carries() -> None:
    state = {"runId": "r", "threadId": "t", "goal": "g", "checkpointId": "ckpt_0", "step": 0}
    change = [{"op": "replace", "path": "/step", "value": 1}]
    rename = {"op": "replace", "path": "/checkpointId", "value": "ckpt_1"}
    _, b, c = found(
        state, [*change, rename], {"parent_id": "ckpt_1", "patch": [{**change[0], "value": 2}]}
    )
    assert (b.state["step"], c.state["step"]) == (1, 2)


def test_after_a_failing_patch_states_are_unknown_until_the_next_full_one() -> None:
    set_n = [{"op": "replace", "path": "/n", "value": 5}]
    good, bad, later, named, full, after, beside = found(
        {"checkpoint_id": "a", "state": {"n": 0}},
        {"checkpoint_id": "b", "patch": [{"op": "test", "path": "/n", "value": 1}]},
        set_n,
        {"checkpoint_id": "d", "parent_id": "b", "patch": set_n},
        {"checkpoint_id": "e", "state": {"n": 7}},
        set_n,
        {"parent_id": "a", "patch": set_n},
    )
    assert bad.fault == "the patch fails: operation 0 (test /n): the value there is another"
    for record in (later, named):
        assert record.fault == "state unknown: the patch of b fails"
    for record in (bad, later, named):
        assert (record.listed, record.trusted, record.state) == (True, False, MISSING)
        assert record.fault_keyword == "patch"
    assert [r.state for r in (good, full, after, beside)] == [
        {"n": 0},
        {"n": 7},
        {"n": 5},
        {"n": 5},
    ]
    assert all(r.trusted for r in (good, full, after, beside))


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        pytest.param(([],), "state unknown: a patch stands before any checkpoint", id="first"),
        pytest.param(
            ({"state": {}}, {"parent_id": "x", "patch": []}),
            "state unknown: its parent x does not stand before it",
            id="parent unknown",
        ),
        pytest.param(
            ({"state": {}}, {"parent_id": None, "patch": []}),
            "state unknown: a patch needs a parent, and this one says that it has none",
            id="patch of a root",
        ),
        pytest.param(
            ({"state": {}}, Element("f:2", "line:2", 0, fault="torn"), []),
            "state unknown: the record line:2 could not be read",
            id="record lost",
        ),
        pytest.param(
            ({"state": {}}, [{"op": "add", "path": "x", "value": 1}]),
            "not a JSON Patch: operation 0 (add): 'path': JSON Pointer must be empty or begin "
            "with '/': 'x'",
            id="malformed",
        ),
    ],
)
def test_a_patch_without_a_base_is_listed_with_the_reason(values: Any, fault: str) -> None:
    last = found(*values)[-1]
    assert (last.fault, last.listed, last.trusted) == (fault, True, False)


def test_a_lost_element_is_no_checkpoint() -> None:
    (lost,) = found(Element("f:3:2", "line:3", 12, fault="torn"))
    assert (lost.place, lost.fault, lost.listed, lost.state) == ("f:3:2", "torn", False, MISSING)
