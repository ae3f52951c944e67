import copy
import math
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from viewer.analysis.check import CheckResult, check
from viewer.chain import Chain, assemble
from viewer.errors import SchemaFileError
from viewer.limits import Limits
from viewer.model import MISSING, NO_SIDECARS, Problem, Record, Sidecars, Thread, ThreadRef
from viewer.pointer import exists, split
from viewer.profiles import builtin_names, load_profile

STATE: dict[str, Any] = {
    "schemaVersion": "1.0",
    "runId": "run_7c2a",
    "threadId": "thr",
    "goal": "Reconcile",
    "status": "running",
    "step": 0,
    "maxSteps": 12,
    "working": {},
    "memoryRefs": [],
    "checkpointId": "ckpt_0",
}


def state(step: int, **more: Any) -> dict[str, Any]:
    return {**STATE, "step": step, "checkpointId": f"ckpt_{step}", **more}


def chain(
    *states: Any,
    profile: str = "agent-state",
    sidecars: Sidecars = NO_SIDECARS,
    problems: tuple[Problem, ...] = (),
) -> Chain:
    records = tuple(
        Record(
            place=f"p:{i}",
            made_id=f"line:{i}",
            state=MISSING if s is ... else s,
            listed=s is not ...,
            fault="torn" if s is ... else None,
        )
        for i, s in enumerate(states)
    )
    thread = Thread(
        ref=ThreadRef(thread_id="t"), records=records, sidecars=sidecars, problems=problems
    )
    return assemble("s", "r", thread, load_profile(profile))


def brief(result: CheckResult) -> list[tuple[int | None, str, str, str]]:
    return [(v.index, v.gate, v.keyword, v.pointer) for v in result.violations]


def test_a_good_run_has_no_violation_and_every_gate_ran() -> None:
    result = check(chain(state(0), state(1), state(2, status="succeeded")))
    assert result.violations == ()
    assert set(result.gates.values()) == {"run"}
    assert (result.checkpoints, result.dropped) == (3, 0)
    assert [(n.rule, n.index) for n in result.not_run] == [("memory_ref_exists", None)]


def test_plain_declares_no_gate_but_parsing_and_a_given_schema_adds_one() -> None:
    made = chain({"n": "x"}, profile="plain")
    assert check(made).gates == {
        "parse": "run",
        "schema": "not applicable",
        "rule": "not applicable",
        "transition": "not applicable",
    }
    result = check(made, schema={"properties": {"n": {"type": "integer"}}})
    assert result.gates["schema"] == "run"
    assert brief(result) == [(0, "schema", "type", "/n")]


def test_a_given_schema_adds_to_the_profile_s_and_says_nothing_twice() -> None:
    given_schema = {"required": ["step", "owner"]}
    broken = {k: v for k, v in state(0).items() if k != "step"}
    assert brief(check(chain(broken), schema=given_schema)) == [
        (0, "schema", "required", "/owner"),
        (0, "schema", "required", "/step"),
    ]


def test_a_broken_given_schema_judges_nothing() -> None:
    with pytest.raises(SchemaFileError, match="neither"):
        check(chain(state(0)), schema={"type": "objekt"})


def test_all_violations_of_every_checkpoint_in_order() -> None:
    bad = state(1, status="awaiting_tool", plan=[1] * 11, goal="another", extra=1)
    worse = state(0, status="thinking", checkpointId="ckpt_1")
    assert brief(check(chain(state(1), bad, worse))) == [
        (1, "schema", "additionalProperties", "/extra"),
        *[(1, "schema", "type", f"/plan/{i}") for i in range(11)],
        (1, "rule", "unique_checkpoint_ids", "/checkpointId"),
        (1, "rule", "constant", "/goal"),
        (1, "rule", "object_while", "/pendingTool"),
        (2, "schema", "enum", "/status"),
        (2, "rule", "unique_checkpoint_ids", "/checkpointId"),
        (2, "rule", "constant", "/goal"),
        (2, "rule", "step_monotone", "/step"),
    ]


def test_bytes_without_a_state_are_one_parse_violation_at_the_last_good_one() -> None:
    result = check(chain(state(0), ..., state(1), ...))
    assert brief(result) == [(0, "parse", "unreadable", ""), (1, "parse", "unreadable", "")]
    assert [v.message for v in result.violations] == ["p:1: torn", "p:3: torn"]
    assert brief(check(chain(..., state(0)))) == [(None, "parse", "unreadable", "")]


def test_problems_that_lost_no_state_are_no_violation() -> None:
    found = chain(
        state(0),
        problems=(Problem(place="memories/m.json", reason="not JSON"),),
    )
    assert check(found).violations == ()


def test_a_chain_without_a_readable_state_leaves_the_gates_not_run() -> None:
    result = check(chain(...))
    assert result.gates == {
        "parse": "run",
        "schema": "not run",
        "rule": "not run",
        "transition": "not run",
    }


def test_a_state_with_schema_faults_still_meets_the_rules() -> None:
    bad = state(0, plan="x")
    found = brief(check(chain(state(1), bad)))
    assert (1, "rule", "step_monotone", "/step") in found


def test_the_run_closes_working_with_its_own_schema() -> None:
    own = {"properties": {"total": {"type": "number"}}, "additionalProperties": False}
    made = chain(state(0, working={"total": "x", "raw": 1}), sidecars=Sidecars(working_schema=own))
    assert brief(check(made)) == [
        (0, "schema", "additionalProperties", "/working/raw"),
        (0, "schema", "type", "/working/total"),
    ]
    no_working = {k: v for k, v in state(0).items() if k != "working"}
    made = chain(no_working, sidecars=Sidecars(working_schema=own))
    assert brief(check(made)) == [(0, "schema", "required", "/working")]


def test_a_broken_working_schema_leaves_the_gate_not_run_and_judges_the_rest() -> None:
    made = chain({**STATE, "step": "x"}, sidecars=Sidecars(working_schema={"type": "objekt"}))
    result = check(made)
    assert brief(result) == [(0, "schema", "type", "/step")]
    assert result.gates["schema"] == "not run"
    assert [n.rule for n in result.not_run if n.gate == "schema"] == ["working.schema.json"]


def test_memories_and_tasks_are_judged_beside_the_chain() -> None:
    memory = {"id": "m", "kind": "semantic", "scope": "user", "source": "s", "text": "t"}
    task = {
        "taskId": "t",
        "parentRunId": "r",
        "kind": "delegate",
        "status": "dreaming",
        "idempotencyKey": "k",
        "steps": [],
        "artifacts": [],
    }
    good = {**task, "status": "working"}
    result = check(
        chain(state(0), sidecars=Sidecars(memories={"m": memory}, tasks={"t": (good, task)}))
    )
    assert sorted(brief(result)) == [
        (None, "schema", "enum", "/status"),
        (None, "schema", "required", "/updatedAt"),
        (None, "schema", "required", "/userId"),
    ]
    assert {v.message.partition(":")[0] for v in result.violations} == {
        "memories/m",
        "tasks/t, version 1",
    }


def test_violations_beyond_the_limit_are_counted() -> None:
    bad = state(0, plan=[1] * 20)
    result = check(chain(bad), limits=Limits(violations=5))
    assert len(result.violations) == 5
    assert result.dropped == 15
    odd = [{"a": i} for i in range(9)]
    few = check(chain(*odd), limits=Limits(violations=3)).not_run
    assert few[-1].rule == "limit"
    assert "more could not be judged" in few[-1].reason


def test_a_state_nested_too_deep_is_not_judged_and_the_others_are() -> None:
    deep: Any = 1
    for _ in range(5_000):
        deep = [deep]
    result = check(chain(state(0, working={"x": deep}), state(0, checkpointId=7)))
    assert (1, "schema", "type", "/checkpointId") in brief(result)
    assert result.gates["schema"] == "not run"
    assert [(n.gate, n.index) for n in result.not_run if n.gate == "schema"] == [("schema", 0)]


def test_nan_surrogates_and_huge_numbers_are_judged() -> None:
    half = chr(0xD800)
    result = check(
        chain(
            {**STATE, "step": math.nan, "goal": half},
            {**STATE, "step": 10**5000, "goal": half + "x", "checkpointId": "b"},
        )
    )
    assert brief(result) == [
        (0, "schema", "type", "/step"),
        (1, "rule", "constant", "/goal"),
        (1, "rule", "max_steps", "/step"),
    ]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(allow_nan=True)
    | st.sampled_from(["", "running", "done", "LK-615204", "a/b~", "awaiting_tool", chr(0xDC00)]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["", "0", "taskId", "idempotencyKey", "ok", "order_ids", "id"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=12,
)


def _odd_states(name: str) -> st.SearchStrategy[Any]:
    schema = load_profile(name).state_schema or {"properties": {"messages": {}, "a": {}}}
    fields = list(schema["properties"])
    return JSON | st.fixed_dictionaries({}, optional=dict.fromkeys(fields, JSON))


@pytest.mark.parametrize("name", [pytest.param(name, id=name) for name in builtin_names()])
@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(draw=st.data())
def test_check_never_raises_and_its_pointers_lead_into_the_state(
    name: str, draw: st.DataObject
) -> None:
    states = draw.draw(st.lists(_odd_states(name), min_size=1, max_size=4))
    tasks = draw.draw(st.dictionaries(st.sampled_from(["t", ""]), st.lists(JSON).map(tuple)))
    memories = draw.draw(st.none() | st.dictionaries(st.sampled_from(["m", ""]), JSON))
    before = copy.deepcopy(states)
    made = chain(*states, profile=name, sidecars=Sidecars(tasks=tasks, memories=memories))
    result = check(made)
    assert repr(states) == repr(before)
    for violation in result.violations:
        if violation.index is None:
            continue
        tokens = split(violation.pointer)
        there = made.state(violation.index)
        assert exists(there, tokens) or exists(there, tokens[:-1]) or len(tokens) < 3, violation
    keys = [v.index for v in result.violations if v.index is not None]
    assert keys == sorted(keys)


def _agent_run(chance: random.Random) -> Iterator[dict[str, Any]]:
    profile = load_profile("agent-state")
    status, step = "running", 0
    working: dict[str, Any] = {}
    for number in range(chance.randint(1, 30)):
        if number:
            status = chance.choice(profile.legal[status])
            step += chance.randint(0, 1)
        if chance.random() < 0.3:
            working = {**working, f"k{number}": chance.choice([1, "x", None, [1]])}
        if chance.random() < 0.2:
            one = {"taskId": "t", "idempotencyKey": "k"}
            working = {**working, "delegated": [one]}
        call = {"name": "search", "callId": f"call_{number}"}
        made = {
            **STATE,
            "status": status,
            "step": step,
            "maxSteps": 40,
            "working": working,
            "memoryRefs": ["m"] if chance.random() < 0.5 else [],
            "checkpointId": f"ckpt_{number}",
        }
        if status == "awaiting_tool":
            made["pendingTool"] = call
        elif chance.random() < 0.5:
            made["pendingTool"] = None
        yield made
        if not profile.legal[status]:
            return


def _task_run(chance: random.Random) -> Iterator[dict[str, Any]]:
    made: dict[str, Any] = {
        "goal": "Where is it?", "attachments": [], "status": "running", "step": 0,
        "stop_reason": None, "plan": None, "evidence": [], "proposal": None, "errors": [],
        "usage": {"model_calls": 0}, "events": [], "messages": [{"role": "system", "content": "x"}],
    }  # fmt: skip
    yield made
    for step in range(1, chance.randint(2, 6)):
        ok = chance.random() < 0.7
        row = {"step": step, "tool": "get_order", "args": {}, "ok": ok, "code": "ok", "data": None,
               "order_ids": ["LK-640436"] if ok else []}  # fmt: skip
        said = [{"role": "assistant", "content": "a"}, {"role": "user", "content": "b"}]
        made = {
            **made, "step": step, "evidence": [*made["evidence"], row],
            "messages": [*made["messages"], *said], "usage": {"model_calls": step},
        }  # fmt: skip
        yield made
    seen = any(row["ok"] for row in made["evidence"])
    outcome = chance.choice([None, "resolve" if seen else None, "reply_only", "hand_to_person"])
    act = {"tool": "reship_item", "order_id": "LK-640436"}
    proposal = None if outcome is None else {
        "outcome": outcome, "actions": [act] if outcome == "resolve" else []
    }  # fmt: skip
    status = {None: "stopped", "resolve": "waiting_approval", "reply_only": "done",
              "hand_to_person": "handed_to_person"}[outcome]  # fmt: skip
    made = {**made, "proposal": proposal, "status": status}
    yield made
    if status == "waiting_approval":
        operation = {"id": "o", "tool": "t", "idempotency_key": "k", "status": "pending"}
        made = {**made, "status": "executing", "approval": {}, "operations": [operation]}
        yield made
        yield {**made, "status": "done", "operations": [{**operation, "status": "done"}]}


@pytest.mark.parametrize(
    ("name", "run"),
    [pytest.param("agent-state", _agent_run, id="agent"),
     pytest.param("task-state", _task_run, id="task")],
)  # fmt: skip
def test_no_false_alarm_on_generated_good_runs(name: str, run: Any) -> None:
    memory = {"id": "m", "kind": "episodic", "scope": "org", "text": "t", "source": "tool",
              "updatedAt": "2026-01-01T00:00:00Z"}  # fmt: skip
    for seed in range(150):
        states = list(run(random.Random(seed)))
        made = chain(*states, profile=name, sidecars=Sidecars(memories={"m": memory}))
        result = check(made)
        assert result.violations == (), seed
        assert result.not_run == (), seed
