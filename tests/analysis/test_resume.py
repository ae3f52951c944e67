from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viewer.analysis.check import CheckResult, check
from viewer.analysis.resume import position
from viewer.chain import assemble
from viewer.model import (
    MISSING,
    Gate,
    Interrupt,
    NotRun,
    Record,
    TaskError,
    Thread,
    ThreadRef,
    Violation,
)
from viewer.profiles import builtin_profiles, load_profile

Make = Callable[..., Any]
GATE_STATES: dict[Gate, Any] = dict.fromkeys(("parse", "schema", "rule", "transition"), "run")


def agent(status: str, step: int = 0, **more: Any) -> dict[str, Any]:
    return {
        "schemaVersion": "1.0", "runId": "r", "threadId": "t", "goal": "g", "status": status,
        "step": step, "maxSteps": 12, "node": "loop", "plan": [], "working": {}, "pendingTool": None,
        "memoryRefs": [], "checkpointId": f"c{step}", **more,
    }  # fmt: skip


def task(status: str, **more: Any) -> dict[str, Any]:
    return {"goal": "g", "status": status, "step": 2, "stop_reason": None, **more}


def violation(index: int | None, gate: Gate = "rule", pointer: str = "/step") -> Violation:
    return Violation(
        gate=gate, keyword="step_monotone", pointer=pointer, message="went back",
        checkpoint_id=None, index=index,
    )  # fmt: skip


def result(*violations: Violation, **more: Any) -> CheckResult:
    fields = {"not_run": (), "gates": GATE_STATES, "checkpoints": 3, "dropped": 0, **more}
    return CheckResult(violations=violations, **fields)


REFUND = {"actions": [{"tool": "refund"}, {"tool": "label"}]}
ACT = {"action_requests": [{"name": "send", "args": {}}], "review_configs": []}


def interrupt(value: Any, name: str = "i1", is_open: bool = True) -> Interrupt:
    return Interrupt(id=name, value=value, task="", open=is_open)


def error(node: str, message: str) -> TaskError:
    return TaskError(task="", node=node, message=message)


@pytest.mark.parametrize(
    ("state", "record", "profile", "action", "waits_for"),
    [
        pytest.param(
            agent("awaiting_tool", 3, pendingTool={"name": "searchInvoices", "callId": "call_8f3a"}), {}, "agent-state",
            "get the result of searchInvoices, call call_8f3a; the source does not say whether the tool has run",
            "the result of searchInvoices, call call_8f3a", id="tool",
        ),
        pytest.param(
            agent("running", 4), {}, "agent-state",
            "go on from status running at node loop after step 4 of at most 12; it may become awaiting_tool or awaiting_human or succeeded or failed or cancelled",
            None, id="running",
        ),
        pytest.param(agent("succeeded"), {}, "agent-state", "nothing: the run ended with status succeeded", None, id="ended"),
        pytest.param(agent("lost"), {}, "agent-state", "unknown: status 'lost' does not say", None, id="illegal-status"),
        pytest.param(
            agent("awaiting_human", working={"proposal": {"actions": [{"tool": "pay", "args": {}}]}}), {}, "agent-state",
            "a person decides on pay", "a person's decision on the proposal at /working/proposal", id="human",
        ),
        pytest.param(
            agent("awaiting_human", working={"proposal": {"question": "ok?"}}), {}, "agent-state",
            "a person decides on the proposal at /working/proposal, which names no action",
            "a person's decision on the proposal at /working/proposal", id="question",
        ),
        pytest.param(
            agent("awaiting_human"), {}, "agent-state",
            "unknown: status 'awaiting_human' waits for a person, but nothing stands at /working/proposal", None, id="nothing-pending",
        ),
        pytest.param(
            task("waiting_approval", proposal=REFUND), {}, "task-state",
            "a person decides on refund, label", "a person's decision on the proposal at /proposal", id="approval",
        ),
        pytest.param(
            task("stopped", stop_reason="max_steps"), {}, "task-state",
            "nothing: the run ended with status stopped (max_steps)", None, id="stop-reason",
        ),
        pytest.param(
            task("executing"), {}, "task-state",
            "go on from status executing after step 2; it may become done or handed_to_person", None, id="executing",
        ),
        pytest.param({}, {"status": "interrupted", "interrupts": (interrupt({"question": "Refund?"}),)}, "langgraph",
            "a person answers: Refund?", "a person's answer to interrupt i1", id="interrupt"),
        pytest.param({}, {"status": "interrupted", "interrupts": (interrupt(ACT),)}, "langgraph",
            "a person decides on send", "a person's answer to interrupt i1", id="middleware"),
        pytest.param({}, {"status": "interrupted", "interrupts": (interrupt("a"), interrupt("b", "i2"), interrupt("c", "i3", False))}, "langgraph",
            "a person answers 2 questions", "a person's answer to interrupts i1, i2", id="two-open-one-answered"),
        pytest.param({}, {"status": "interrupted"}, "langgraph",
            "unknown: status 'interrupted' waits for a person, but no place is known for what waits", None, id="interrupted-by-nothing"),
        pytest.param({}, {"status": "error", "next_live": ("pay", "log"), "errors": (error("pay", "ValueError('no')"),)}, "langgraph",
            "run pay, log again: pay failed with ValueError('no')", None, id="failed"),
        pytest.param({}, {"status": "pending", "next_live": ("pay",), "errors": (error("old", "x"),)}, "langgraph",
            "run pay; the source does not say whether it runs now or was ended", None, id="pending"),
        pytest.param({}, {"status": "pending", "next_live": ("a", "b")}, "langgraph",
            "run a, b; the source does not say whether they run now or were ended", None, id="two-pending"),
        pytest.param({}, {"status": "done"}, "langgraph", "nothing: the run ended with status done", None, id="graph-done"),
        pytest.param({}, {}, "plain", "unknown: profile plain names no status, and the source names no next node", None, id="plain"),
        pytest.param({"runId": 1}, {}, "agent-state", "unknown: no status is recorded, and the source names no next node", None, id="no-status"),
        pytest.param(MISSING, {}, "agent-state", "unknown: the newest checkpoint has no readable state", None, id="no-state"),
    ],
)  # fmt: skip
def test_what_comes_next_and_what_is_waited_for(
    state: Any, record: Any, profile: str, action: str, waits_for: str | None, make_chain: Make
) -> None:
    chain = make_chain(state, profile=profile, **{name: [value] for name, value in record.items()})
    found = position(chain, check(chain))
    assert (found.next_action, found.waits_for) == (action, waits_for)


def test_the_position_is_that_of_the_live_head(make_chain: Make) -> None:
    chain = make_chain(
        agent("running", 0), agent("running", 1), agent("failed", 2),
        parents=(None, 0, 0), profile="agent-state",
    )  # fmt: skip
    found = position(chain, check(chain))
    assert (found.checkpoint_id, found.index, found.step) == ("c2", 2, 2)
    assert (found.node, found.status, found.phase) == ("loop", "failed", "failed")
    assert (found.last_good, found.reasons) == (2, ())


def test_an_empty_chain_says_why(make_chain: Make) -> None:
    lost = Record(place="f:1", made_id="line:1", fault="no JSON", listed=False)
    thread = Thread(ref=ThreadRef(thread_id="t"), records=(lost,))
    chain = assemble("s", "r", thread, load_profile("plain"))
    found = position(chain, check(chain))
    assert (found.checkpoint_id, found.last_good, found.phase) == (None, None, "unknown")
    assert found.next_action == "unknown: the chain holds no checkpoint"
    assert found.reasons == ("f:1: no JSON",)


@pytest.mark.parametrize(
    ("found", "good", "reasons"),
    [
        pytest.param(result(), 2, [], id="all-good"),
        pytest.param(
            result(violation(2), violation(2)), 1,
            ["c2 (@2) is not good: rule step_monotone at /step: went back, and 1 more"], id="head-bad",
        ),
        pytest.param(
            result(violation(1, pointer="")), 2,
            ["1 checkpoint before it on its lineage cannot be read or break a rule"], id="older-bad",
        ),
        pytest.param(result(violation(2, "parse")), 2, [], id="lost-record-after-the-head"),
        pytest.param(result(violation(None)), 2, [], id="violation-without-a-checkpoint"),
        pytest.param(
            result(violation(2), violation(1), violation(0), dropped=0), None,
            [f"c{i} (@{i}) is not good: rule step_monotone at /step: went back" for i in (2, 1, 0)], id="none",
        ),
        pytest.param(
            result(violation(0), dropped=7), None,
            ["c2 (@2) is not good: 7 more violations were only counted, some may be its own",
             "c1 (@1) is not good: 7 more violations were only counted, some may be its own",
             "c0 (@0) is not good: rule step_monotone at /step: went back"], id="only-counted",
        ),
        pytest.param(
            result(gates={**GATE_STATES, "schema": "not run"},
                   not_run=(NotRun(gate="schema", rule="schema", checkpoint_id="c1", index=1, reason="no file"),)), 2,
            ["gate schema did not run: no file"], id="gate-not-run",
        ),
        pytest.param(
            result(not_run=(NotRun(gate="rule", rule="max_steps", checkpoint_id="c2", index=2, reason="no number"),)), 2,
            ["rule max_steps could not judge @2: no number"], id="rule-not-run",
        ),
        pytest.param(
            result(gates={**dict.fromkeys(GATE_STATES, "not applicable"), "parse": "run"}), 2,
            ["profile task-state declares no gate: good means readable"], id="no-gate",
        ),
    ],
)  # fmt: skip
def test_last_good_checkpoint_and_why_no_newer_one_is(
    found: CheckResult, good: int | None, reasons: list[str], make_chain: Make
) -> None:
    chain = make_chain(*[task("running")] * 3, profile="task-state")
    here = position(chain, found)
    assert (here.last_good, list(here.reasons)) == (good, reasons)


def test_only_the_live_lineage_with_trusted_states_counts(make_chain: Make) -> None:
    chain = make_chain(
        task("running"), task("running"), MISSING, task("running"),
        parents=("gone", 0, 1, 2), profile="task-state", trusted=[True, False, False, False],
    )  # fmt: skip
    here = position(chain, result())
    assert here.last_good == 0
    assert list(here.reasons) == [
        "c3 (@3) is not good: its state follows a patch that failed",
        "c2 (@2) is not good: its state cannot be read",
        "c1 (@1) is not good: its state follows a patch that failed",
        "the lineage begins at @0: its parent is not in the source",
    ]


KEYS = st.sampled_from(["status", "step", "maxSteps", "pendingTool", "name", "working", "proposal", "goal", "actions"])  # fmt: skip
WORDS = st.sampled_from(["running", "awaiting_human", "awaiting_tool", "waiting_approval", "stopped"])  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=15,
)


@settings(deadline=None, max_examples=60)
@given(states=st.lists(JSON, max_size=3), value=JSON)
def test_no_state_and_no_interrupt_raises(states: list[Any], value: Any) -> None:
    for asked in ((), (interrupt(value),)):
        records = tuple(
            Record(place="p", made_id=f"c{i}", state=s, interrupts=asked)
            for i, s in enumerate(states)
        )
        for profile in builtin_profiles():
            thread = Thread(ref=ThreadRef(thread_id="t"), records=records)
            chain = assemble("s", "r", thread, profile)
            assert position(chain, result(checkpoints=len(states))).next_action
