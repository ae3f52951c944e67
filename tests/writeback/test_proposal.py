from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.chain import Chain, assemble
from viewer.model import MISSING, Interrupt, Record, Thread, ThreadRef
from viewer.profiles import builtin_profiles, load_profile
from viewer.writeback.proposal import waiting

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
Make = Callable[..., Chain]


@pytest.fixture
def make() -> Make:
    def chain(profile: str, *states: Any, **fields: Any) -> Chain:
        records = tuple(
            Record(
                place="p", made_id=f"c{i}", checkpoint_id=f"c{i}", state=state, created_at=NOON,
                **{name: values[i] for name, values in fields.items()},
            )
            for i, state in enumerate(states)
        )  # fmt: skip
        thread = Thread(ref=ThreadRef(thread_id="t", namespace="n"), records=records)
        return assemble("s", "r", thread, load_profile(profile))

    return chain


def interrupt(value: Any, name: str = "i1", is_open: bool = True) -> Interrupt:
    return Interrupt(id=name, value=value, task="", open=is_open)


ACTION = {"tool": "refund", "order_id": "LK-1", "amount": 899.0}


def test_task_state_waits_with_each_action_and_its_place(make: Make) -> None:
    value = {"outcome": "resolve", "actions": [ACTION, {"tool": "label"}]}
    chain = make("task-state", {"status": "running"}, {"status": "waiting_approval", "proposal": value})  # fmt: skip
    (found,) = waiting(chain)
    assert (found.thread_id, found.namespace, found.checkpoint_id) == ("t", "n", "c1")
    assert (found.proposal_id, found.kind, found.pointer) == ("c1#/proposal", "task-state", "/proposal")  # fmt: skip
    assert found.value is value
    assert (found.since, found.inconsistency) == (NOON, None)
    assert [(a.tool, a.args, a.pointer) for a in found.actions] == [
        ("refund", {"order_id": "LK-1", "amount": 899.0}, "/proposal/actions/0"),
        ("label", {}, "/proposal/actions/1"),
    ]


def test_agent_state_waits_at_its_working_proposal(make: Make) -> None:
    beside = {"tool": "pay", "sum": 1}
    value = {"question": "Send?", "actions": [{"tool": "send", "args": {"to": "u"}}, beside, 7]}
    (found,) = waiting(make("agent-state", {"status": "awaiting_human", "working": {"proposal": value}}))  # fmt: skip
    assert (found.proposal_id, found.kind) == ("c0#/working/proposal", "agent-state")
    assert [(a.tool, a.args, a.pointer) for a in found.actions] == [
        ("send", {"to": "u"}, "/working/proposal/actions/0"),
        ("pay", {"sum": 1}, "/working/proposal/actions/1"),
        ("", 7, "/working/proposal/actions/2"),
    ]
    assert found.inconsistency is None


@pytest.mark.parametrize(
    ("profile", "state", "says"),
    [
        pytest.param("task-state", {"status": "waiting_approval", "proposal": None}, "nothing stands at /proposal", id="null"),
        pytest.param("task-state", {"status": "waiting_approval"}, "nothing stands at /proposal", id="absent"),
        pytest.param("task-state", {"status": "waiting_approval", "proposal": {}}, "nothing stands at /proposal", id="empty"),
        pytest.param("task-state", {"status": "waiting_approval", "proposal": {"actions": []}}, "names no action", id="no-action"),
        pytest.param("task-state", {"status": "waiting_approval", "proposal": "pay"}, "names no action", id="text"),
        pytest.param("agent-state", {"status": "awaiting_human", "working": {"proposal": {"question": "ok?"}}}, None, id="a-question-can-be-answered"),
        pytest.param("agent-state", {"status": "awaiting_human", "working": 7}, "nothing stands at /working/proposal", id="working-is-a-number"),
        pytest.param("langgraph", {"status": "x"}, "no open interrupt is recorded", id="langgraph"),
    ],
)  # fmt: skip
def test_waiting_with_nothing_pending_is_said(
    profile: str, state: Any, says: str | None, make: Make
) -> None:
    status = ["interrupted"] if profile == "langgraph" else [None]
    (found,) = waiting(make(profile, state, status=status))
    assert found.actions == ()
    if says is None:
        assert found.inconsistency is None
    else:
        assert says in (found.inconsistency or "")


def test_a_waiting_head_without_a_state_says_so(make: Make) -> None:
    (found,) = waiting(make("task-state", MISSING, status=["waiting_approval"]))
    assert (found.value, found.actions) == (None, ())
    assert "its state cannot be read" in (found.inconsistency or "")


@pytest.mark.parametrize(
    "status", ["running", "stopped", "done", "handed_to_person", "executing", "no such status"]
)
def test_nothing_waits_where_the_status_does_not(status: str, make: Make) -> None:
    assert waiting(make("task-state", {"status": status, "proposal": {"actions": [ACTION]}})) == ()


def test_only_heads_wait(make: Make) -> None:
    wait = {"status": "waiting_approval", "proposal": {"actions": [ACTION]}}
    assert waiting(make("task-state", wait, {"status": "executing"})) == ()
    branches = make("task-state", {"status": "running"}, wait, wait, parent_id=[None, "c0", "c0"])
    assert [p.checkpoint_id for p in waiting(branches)] == ["c1", "c2"]


REQUEST = {"name": "send", "args": {"to": "u"}, "description": "d"}


@pytest.mark.parametrize(
    ("value", "actions"),
    [
        pytest.param({"action_requests": [REQUEST, REQUEST], "review_configs": []},
            [("send", {"to": "u"}, "/action_requests/0"), ("send", {"to": "u"}, "/action_requests/1")], id="middleware"),
        pytest.param([{"action_request": {"action": "send", "args": {"to": "u"}}, "config": {}}],
            [("send", {"to": "u"}, "/0/action_request")], id="human-interrupt-list"),
        pytest.param({"action_request": {"action": "send", "args": {}}}, [("send", {}, "/action_request")], id="human-interrupt"),
        pytest.param({"question": "ok?"}, [], id="question"),
        pytest.param("ok?", [], id="text"),
        pytest.param(None, [], id="null"),
        pytest.param({"action_requests": [7]}, [("", None, "/action_requests/0")], id="rubbish"),
        pytest.param({"action_requests": "all"}, [], id="no-list"),
    ],
)  # fmt: skip
def test_an_open_interrupt_waits_with_its_raw_value(value: Any, actions: Any, make: Make) -> None:
    (found,) = waiting(make("langgraph", {}, status=["interrupted"], interrupts=[(interrupt(value),)]))  # fmt: skip
    assert (found.proposal_id, found.kind, found.value, found.pointer) == ("i1", "interrupt", value, "")  # fmt: skip
    assert [(a.tool, a.args, a.pointer) for a in found.actions] == actions
    assert found.inconsistency is None


def test_each_open_interrupt_counts_also_under_one_id(make: Make) -> None:
    asked = (interrupt("a"), interrupt("b"), interrupt("c", "i2", False))
    found = waiting(make("langgraph", {}, status=["interrupted"], interrupts=[asked]))
    assert [(p.proposal_id, p.value) for p in found] == [("i1", "a"), ("i1", "b")]


def test_an_empty_chain_waits_for_nobody(make: Make) -> None:
    assert waiting(make("plain")) == ()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["waiting_approval", "awaiting_human"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["status", "proposal", "working", "actions", "tool", "args", "action_requests"]),
        inner, max_size=5,
    ),
    max_leaves=20,
)  # fmt: skip


@given(state=JSON, value=JSON)
def test_no_state_and_no_interrupt_raises(state: Any, value: Any) -> None:
    for asked in ((), (interrupt(value),)):
        record = Record(place="p", made_id="c0", state=state, interrupts=asked)
        thread = Thread(ref=ThreadRef(thread_id="t"), records=(record,))
        for profile in builtin_profiles():
            found = waiting(assemble("s", "r", thread, profile))
            assert len(found) >= len(asked)


def test_a_subgraph_s_question_is_listed_where_it_was_asked_and_seen_above(make: Make) -> None:
    copy = Interrupt(id="i", value={"ask": 1}, task="", open=True, owner="child:1")
    chain = make("langgraph", {}, interrupts=((copy,),), status=("interrupted",))
    (seen,) = waiting(chain)
    assert (seen.proposal_id, seen.value, seen.owner) == ("i", {"ask": 1}, "child:1")
    assert waiting(chain, copies=False) == ()
