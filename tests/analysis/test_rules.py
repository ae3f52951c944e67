"""Each rule on the smallest chain that breaks it, and on one that does not."""

from typing import Any

import pytest

from viewer.analysis.rules import judge
from viewer.chain import Chain, assemble
from viewer.model import MISSING, NO_SIDECARS, NotRun, Record, Sidecars, Thread, ThreadRef
from viewer.profiles import Profile, ProfileFile, load_profile

Place = tuple[int | None, str, str]


def made(*rules: dict[str, Any], **sections: Any) -> Profile:
    named = {"name": "made", "title": "Made", "version": "1", "rules": rules, **sections}
    file = ProfileFile.model_validate(named)
    none: Any = None
    return Profile(
        file=file, state_schema=none, memory_schema=none, task_schema=none, lists=(), noise=(),
        owners=(), planes=(), legal={word: (word,) for word in file.status.values},
    )  # fmt: skip


def chain(
    profile: Profile,
    *states: Any,
    parents: Any = None,
    sidecars: Sidecars = NO_SIDECARS,
    **more: Any,
) -> Chain:
    records = tuple(
        Record(
            place=f"p{i}",
            made_id=f"c{i}",
            state=state,
            fault="lost" if state is MISSING else None,
            parent_id=MISSING if parents is None else parents[i],
            **{name: values[i] for name, values in more.items()},
        )
        for i, state in enumerate(states)
    )
    thread = Thread(ref=ThreadRef(thread_id="t"), records=records, sidecars=sidecars)
    return assemble("s", "r", thread, profile)


def broken(found: Chain) -> list[Place]:
    return [(v.index, v.keyword, v.pointer) for v in judge(found) if not isinstance(v, NotRun)]


def unjudged(found: Chain) -> list[tuple[int | None, str, str]]:
    return [(n.index, n.rule, n.reason) for n in judge(found) if isinstance(n, NotRun)]


STEP = made({"name": "step_monotone", "pointer": "/step"})
BOUND = made({"name": "max_steps", "pointer": "/step", "args": {"max": "/most"}})
GOAL = made({"name": "constant", "pointer": "/goal"})
GROWS = made({"name": "append_only", "pointer": "/rows"})
OPERATIONS = made(
    {
        "name": "append_only",
        "pointer": "/rows",
        "args": {"may_change": ["/status"]},
        "when": {"pointer": "/rows", "exists": True},
    }
)
JUMP = made({"name": "ephemeral", "pointer": "/jump_to"}, fields={"step": "/step"})
CALL = made(
    {"name": "object_while", "pointer": "/call", "args": {"status": ["tool"]}},
    status={"values": ["run", "tool"]},
    fields={"status": "/status"},
)


@pytest.mark.parametrize(
    ("profile", "states", "expected"),
    [
        pytest.param(STEP, [{"step": 1}, {"step": 1}, {"step": 2.0}], [], id="step stays, grows"),
        pytest.param(STEP, [{"step": 2}, {"step": 1}], [(1, "/step")], id="step back"),
        pytest.param(STEP, [{"step": 2}, {"step": 1.0}], [(1, "/step")], id="step back as float"),
        pytest.param(BOUND, [{"step": 3, "most": 3}], [], id="at the bound"),
        pytest.param(BOUND, [{"step": 4, "most": 3}], [(0, "/step")], id="beyond the bound"),
        pytest.param(BOUND, [{"step": 4}, {"step": 4, "most": None}], [], id="no bound"),
        pytest.param(GOAL, [{"goal": {"a": 1}}, {"goal": {"a": 1}}], [], id="goal stays"),
        pytest.param(GOAL, [{"goal": "a"}, {"goal": "b"}], [(1, "/goal")], id="goal changes"),
        pytest.param(GOAL, [{"goal": 1}, {"goal": True}], [(1, "/goal")], id="1 is not true"),
        pytest.param(GROWS, [{"rows": [1]}, {"rows": [1, 2]}], [], id="list grows"),
        pytest.param(GROWS, [{"rows": [1, 2]}, {"rows": [1]}], [(1, "/rows")], id="list shrinks"),
        pytest.param(GROWS, [{"rows": [1, 2]}, {"rows": [1, 3, 2]}], [(1, "/rows/1")], id="edited"),
        pytest.param(GROWS, [{"rows": [1]}, {"rows": [True]}], [(1, "/rows/0")], id="1 to true"),
        pytest.param(
            OPERATIONS,
            [{}, {"rows": [{"id": 1, "status": "pending"}]}, {"rows": [{"id": 1, "status": "done"}]}],
            [],
            id="status of an item may change",
        ),
        pytest.param(
            OPERATIONS, [{"rows": [{"id": 1}]}, {"rows": [{"id": 2}]}], [(1, "/rows/0")], id="id not"
        ),
        pytest.param(JUMP, [{"jump_to": "a"}, {"jump_to": None}, {}], [], id="gone next step"),
        pytest.param(JUMP, [{"jump_to": "a"}, {"jump_to": "b"}], [], id="written anew"),
        pytest.param(JUMP, [{"jump_to": "a"}, {"jump_to": "a"}], [(1, "/jump_to")], id="survives"),
        pytest.param(
            JUMP, [{"jump_to": "a", "step": 1}, {"jump_to": "a", "step": 1}], [], id="same step"
        ),
        pytest.param(CALL, [{"status": "tool", "call": {}}], [], id="called"),
        pytest.param(CALL, [{"status": "run", "call": None}, {"status": "run"}], [], id="no call"),
        pytest.param(CALL, [{"status": "tool", "call": None}], [(0, "/call")], id="null"),
        pytest.param(CALL, [{"status": "tool"}], [(0, "/call")], id="absent"),
        pytest.param(CALL, [{"status": "run", "call": {}}], [(0, "/call")], id="left behind"),
    ],
)  # fmt: skip
def test_rule(profile: Profile, states: list[Any], expected: list[tuple[int, str]]) -> None:
    found = broken(chain(profile, *states))
    name = profile.file.rules[0].name
    assert found == [(index, name, pointer) for index, pointer in expected]


@pytest.mark.parametrize(
    ("profile", "states", "reason"),
    [
        pytest.param(STEP, [{"step": 1}, {}], "it has no /step", id="absent"),
        pytest.param(STEP, [{}, {"step": 1}], "its parent has no /step", id="absent in parent"),
        pytest.param(STEP, [{"step": 1}, {"step": True}], "boolean, not an integer", id="boolean"),
        pytest.param(STEP, [{"step": 1}, {"step": 1.5}], "number, not an integer", id="fraction"),
        pytest.param(STEP, [{"step": 1}, [1]], "it has no /step", id="state is a list"),
        pytest.param(BOUND, [{"step": 1, "most": "x"}], "/most is string", id="bound is text"),
        pytest.param(GOAL, [{"goal": 1}, {}], "it has no /goal", id="goal gone"),
        pytest.param(GROWS, [{"rows": []}, {"rows": {}}], "object, not a list", id="no list"),
        pytest.param(CALL, [{"call": {}}], "it has no status", id="no status"),
        pytest.param(CALL, [{"status": "?"}], "'?' is no known status", id="unknown status"),
        pytest.param(CALL, [{"status": "tool", "call": 1}], "/call is integer", id="no object"),
    ],
)
def test_a_rule_that_cannot_judge_says_why(
    profile: Profile, states: list[Any], reason: str
) -> None:
    ran = chain(profile, *states)
    assert broken(ran) == []
    ((index, rule, why),) = unjudged(ran)
    assert (index, rule) == (len(states) - 1, profile.file.rules[0].name)
    assert reason in why


@pytest.mark.parametrize(
    ("when", "held"),
    [
        pytest.param({"pointer": "/on", "equals": True}, True, id="equal"),
        pytest.param({"pointer": "/on", "equals": 1}, False, id="1 is not true"),
        pytest.param({"pointer": "/on", "exists": True}, True, id="there"),
        pytest.param({"pointer": "/on", "exists": False}, False, id="not wanted"),
        pytest.param({"pointer": "/off", "exists": False}, True, id="absent as wanted"),
        pytest.param({"pointer": "/off", "equals": None}, False, id="absent is not null"),
    ],
)
def test_when_decides_whether_a_rule_holds(when: dict[str, Any], held: bool) -> None:
    profile = made({"name": "max_steps", "pointer": "/s", "args": {"max": "/m"}, "when": when})
    assert bool(broken(chain(profile, {"s": 2, "m": 1, "on": True}))) is held


def test_rules_compare_along_parent_links_and_over_lost_states() -> None:
    fork = chain(STEP, {"step": 5}, {"step": 6}, {"step": 5}, parents=[None, "c0", "c0"])
    assert broken(fork) == []
    lost = chain(STEP, {"step": 5}, MISSING, {"step": 4})
    assert broken(lost) == [(2, "step_monotone", "/step")]
    assert unjudged(lost) == []


def test_checkpoint_ids_are_unique_and_made_ones_do_not_count() -> None:
    profile = made({"name": "unique_checkpoint_ids"}, fields={"checkpoint_id": "/id"})
    assert broken(chain(profile, {"id": "a"}, {"id": "b"}, {"id": "a"})) == [
        (2, "unique_checkpoint_ids", "/id")
    ]
    records = tuple(Record(place="p", made_id="same", state={}) for _ in range(2))
    thread = Thread(ref=ThreadRef(thread_id="t"), records=records)
    assert broken(assemble("s", "r", thread, profile)) == []


def test_a_parent_must_be_in_the_chain_and_no_descendant() -> None:
    profile = made({"name": "parent_exists"})
    assert broken(chain(profile, {}, {}, parents=[None, "c0"])) == []
    assert broken(chain(profile, {}, {}, parents=[None, "gone"])) == [(1, "parent_exists", "")]
    ids = {"checkpoint_id": ["c0", "c1"]}
    (circle,) = judge(chain(profile, {}, {}, parents=["c1", "c0"], **ids))
    assert not isinstance(circle, NotRun)
    assert "circle" in circle.message


def refs(key: str, shape: str = "list") -> dict[str, Any]:
    one = {"taskId": "t", "idempotencyKey": key}
    return {"working": {"delegated": [one] if shape == "list" else {"t": one}}}


KEYS = made(
    {
        "name": "idempotency_stable",
        "pointer": "/working/delegated/*",
        "args": {"id": "/taskId", "key": "/idempotencyKey", "tasks": True},
    }
)
AT_LIST = "/working/delegated/0/idempotencyKey"


def test_an_idempotency_key_stays_along_a_lineage() -> None:
    assert broken(chain(KEYS, refs("a"), refs("a"), refs("a"))) == []
    changed = chain(KEYS, refs("a"), refs("b"), refs("b"))
    assert broken(changed) == [(1, "idempotency_stable", AT_LIST)]
    assert broken(chain(KEYS, refs("a"), {}, refs("b"))) == [(2, "idempotency_stable", AT_LIST)]
    fork = chain(KEYS, {}, refs("a"), refs("b"), parents=[None, "c0", "c0"])
    assert broken(fork) == []


def test_delegated_tasks_may_stand_in_a_map_by_id() -> None:
    found = chain(
        KEYS, {"working": {"delegated": {"t": {"idempotencyKey": "a"}}}}, refs("b", "map")
    )
    assert broken(found) == [(1, "idempotency_stable", "/working/delegated/t/idempotencyKey")]


def test_a_reference_carries_the_key_of_the_task_at_hand() -> None:
    tasks = Sidecars(tasks={"t": ({"idempotencyKey": "a"},)})
    assert broken(chain(KEYS, refs("a"), sidecars=tasks)) == []
    once = chain(KEYS, refs("b"), refs("b"), sidecars=tasks)
    assert broken(once) == [(0, "idempotency_stable", AT_LIST)]


def test_the_versions_of_a_task_keep_its_key() -> None:
    versions = ({"idempotencyKey": "a"}, {"idempotencyKey": "b"}, {}, {"idempotencyKey": "b"})
    found = chain(KEYS, {}, sidecars=Sidecars(tasks={"t": versions}))
    assert broken(found) == [(None, "idempotency_stable", "/idempotencyKey")]
    assert [reason for _, _, reason in unjudged(found)] == [
        "tasks/t: version 1 or 2 has no /idempotencyKey",
        "tasks/t: version 2 or 3 has no /idempotencyKey",
    ]


def test_odd_references_are_passed_over() -> None:
    for odd in (["t", 1, None], {"t": None}, "t", [{"taskId": 1, "idempotencyKey": 2}], [[]]):
        state = {"working": {"delegated": odd}}
        assert broken(chain(KEYS, state, state)) == []


def test_memory_pointers_are_judged_only_when_memories_are_at_hand() -> None:
    profile = made({"name": "memory_ref_exists", "pointer": "/memoryRefs"})
    state = {"memoryRefs": ["m1", "m2"]}
    assert unjudged(chain(profile, state)) == [
        (None, "memory_ref_exists", "no memories are at hand")
    ]
    at_hand = Sidecars(memories={"m1": {}})
    assert broken(chain(profile, state, sidecars=at_hand)) == [
        (0, "memory_ref_exists", "/memoryRefs/1")
    ]
    odd = chain(profile, {"memoryRefs": [1]}, sidecars=at_hand)
    assert broken(odd) == []
    assert "/memoryRefs/0 is integer" in unjudged(odd)[0][2]


def leaving(status: str, proposal: Any, profile: str = "task-state") -> Chain:
    before = {"status": "running"}
    return chain(load_profile(profile), before, {"status": status, "proposal": proposal})


ACTION = {"tool": "request_refund", "order_id": "LK-615204"}


@pytest.mark.parametrize(
    ("proposal", "status"),
    [
        pytest.param(None, "stopped", id="no proposal"),
        pytest.param({"outcome": "resolve", "actions": [ACTION]}, "waiting_approval", id="actions"),
        pytest.param(
            {"outcome": "hand_to_person", "actions": [ACTION]}, "waiting_approval", id="both"
        ),
        pytest.param({"outcome": "hand_to_person", "actions": []}, "handed_to_person", id="hand"),
        pytest.param({"outcome": "reply_only", "actions": []}, "done", id="reply"),
        pytest.param({"outcome": "ask_customer", "actions": []}, "done", id="ask"),
    ],
)
def test_the_status_that_leaves_running_follows_from_the_proposal(
    proposal: Any, status: str
) -> None:
    for word in ("stopped", "done", "handed_to_person", "waiting_approval"):
        found = [v for v in broken(leaving(word, proposal)) if v[1] == "status_from_state"]
        assert found == ([] if word == status else [(1, "status_from_state", "/status")])


def test_only_the_checkpoint_that_leaves_running_is_judged() -> None:
    profile = load_profile("task-state")
    states = [{"status": s, "proposal": None} for s in ("running", "running", "stopped", "done")]
    assert [v for v in broken(chain(profile, *states)) if v[1] == "status_from_state"] == []
    alone = chain(profile, {"status": "done", "proposal": None})
    assert [v for v in broken(alone) if v[1] == "status_from_state"] == []


@pytest.mark.parametrize(
    ("status", "proposal", "reason"),
    [
        pytest.param("executing", None, "the transition gate says so", id="illegal way out"),
        pytest.param("gone", None, "no known status", id="unknown status"),
        pytest.param("done", "refund", "is string, not an object", id="proposal is text"),
        pytest.param("done", {"actions": 1}, "is integer, not a list", id="actions no list"),
        pytest.param("done", {"outcome": 1, "actions": []}, "not a string", id="outcome no text"),
    ],
)
def test_a_status_that_cannot_be_derived_is_not_judged(
    status: str, proposal: Any, reason: str
) -> None:
    found = leaving(status, proposal)
    assert "status_from_state" not in [v[1] for v in broken(found)]
    assert reason in next(r for _, rule, r in unjudged(found) if rule == "status_from_state")


def grounded(evidence: Any, actions: Any) -> Chain:
    proposal = {"outcome": "resolve", "actions": actions}
    profile = load_profile("task-state")
    return chain(profile, {"evidence": evidence, "proposal": proposal, "goal": "g"})


def row(ok: Any, *ids: Any) -> dict[str, Any]:
    return {"tool": "get_order", "ok": ok, "order_ids": list(ids)}


@pytest.mark.parametrize(
    ("evidence", "places"),
    [
        pytest.param([row(True, "LK-615204")], [], id="returned"),
        pytest.param([], ["/proposal/actions/0/order_id"], id="never looked up"),
        pytest.param([row(False, "LK-615204")], ["/proposal/actions/0/order_id"], id="refused"),
        pytest.param([row(1, "LK-615204")], ["/proposal/actions/0/order_id"], id="ok is 1"),
        pytest.param([row(True, "LK-640436")], ["/proposal/actions/0/order_id"], id="another"),
        pytest.param(["LK-615204", None], ["/proposal/actions/0/order_id"], id="odd rows"),
    ],
)
def test_an_action_needs_an_identifier_that_a_tool_returned(
    evidence: Any, places: list[str]
) -> None:
    found = [v[2] for v in broken(grounded(evidence, [ACTION])) if v[1] == "grounded_identifier"]
    assert found == places


def test_an_action_without_an_identifier_and_no_proposal_are_fine() -> None:
    assert broken(grounded([], [{"tool": "close"}, {"tool": "x", "order_id": None}])) == []
    none = chain(load_profile("task-state"), {"evidence": [], "proposal": None})
    assert broken(none) == []


@pytest.mark.parametrize(
    ("evidence", "actions", "reason"),
    [
        pytest.param(None, [ACTION], "/evidence is null, not a list", id="no evidence"),
        pytest.param([], {"a": 1}, "is object, not a list", id="actions no list"),
    ],
)
def test_grounding_that_cannot_be_judged(evidence: Any, actions: Any, reason: str) -> None:
    why = [
        r for _, rule, r in unjudged(grounded(evidence, actions)) if rule == "grounded_identifier"
    ]
    assert len(why) == 1
    assert reason in why[0]


def test_grounding_needs_its_sections_in_the_profile() -> None:
    profile = made({"name": "grounded_identifier", "pointer": "/p"})
    assert unjudged(chain(profile, {})) == [
        (None, "grounded_identifier", "the profile has no [grounding] with evidence")
    ]
