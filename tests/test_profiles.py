import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from viewer.analysis.rules import RULES
from viewer.errors import ProfileError
from viewer.profiles import (
    Profile,
    ProfileFile,
    builtin_profiles,
    choose,
    load_profile,
    profile_json_schema,
)
from viewer.settings import bundle

PRINTED: dict[str, Any] = {
    "schemaVersion": "1.0",
    "runId": "run_7c2a",
    "threadId": "thr_invoice_42",
    "goal": "Reconcile January 2026 paid invoices",
    "status": "awaiting_tool",
    "step": 3,
    "maxSteps": 12,
    "node": "call_tools",
    "plan": ["searchInvoices", "sumTotals", "askConfirm"],
    "working": {"invoiceCount": 2, "currency": "USD"},
    "pendingTool": {"name": "searchInvoices", "callId": "call_8f3a"},
    "memoryRefs": ["mem_user_prefs", "mem_last_reconcile"],
    "checkpointId": "ckpt_3",
}
MEMORY = {
    "id": "mem_user_prefs",
    "kind": "semantic",
    "scope": "user",
    "userId": "u_1042",
    "text": "Prefers USD totals and weekday email summaries",
    "source": "explicit_setting",
    "updatedAt": "2026-09-01T09:00:00Z",
}
TASK = {
    "taskId": "task_a2a_91",
    "parentRunId": "run_7c2a",
    "kind": "delegate",
    "status": "working",
    "idempotencyKey": "inv-jan-2026-reconcile",
    "steps": [
        {"id": "s1", "name": "searchInvoices", "ok": True},
        {"id": "s2", "name": "sumTotals", "ok": None},
    ],
    "artifacts": [],
}
TASK_STATE: dict[str, Any] = {
    "goal": "Where is my order?",
    "attachments": [],
    "status": "running",
    "step": 0,
    "stop_reason": None,
    "plan": None,
    "evidence": [],
    "proposal": None,
    "errors": [],
    "usage": {"model_calls": 0},
    "events": [],
    "messages": [{"role": "system", "content": "Help."}],
}


def without(value: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {k: v for k, v in value.items() if k not in keys}


def valid(schema: Any, value: Any) -> bool:
    return jsonschema_rs.Draft202012Validator(schema, offline=True).is_valid(value)


def written(folder: Path, text: str, **files: str) -> Path:
    (folder / "profile.toml").write_text(
        'name = "mine"\ntitle = "Mine"\nversion = "1"\n' + text, encoding="utf-8"
    )
    for name, content in files.items():
        (folder / f"{name}.json").write_text(content, encoding="utf-8")
    return folder


def test_the_published_schema_is_the_one_of_the_model() -> None:
    published = json.loads((bundle() / "schemas/profile.schema.json").read_text(encoding="utf-8"))
    assert published == profile_json_schema()


def test_the_published_schema_accepts_our_profiles_and_refuses_a_misspelt_rule() -> None:
    for profile in builtin_profiles():
        assert valid(profile_json_schema(), profile.file.model_dump(by_alias=True, mode="json"))
    plain = {"name": "a", "title": "A", "version": "1"}
    assert valid(profile_json_schema(), plain)
    rule = {"name": "step_montone", "pointer": "/step"}
    assert not valid(profile_json_schema(), {**plain, "rules": [rule]})


def test_each_rule_that_a_profile_can_name_can_judge_and_no_other() -> None:
    found = profile_json_schema()["$defs"]
    named = {d["properties"]["name"]["const"] for d in found.values() if _is_rule(d)}
    assert named == set(RULES)


def _is_rule(definition: dict[str, Any]) -> bool:
    return "const" in definition.get("properties", {}).get("name", {})


@pytest.mark.parametrize(
    ("name", "legal"),
    [
        pytest.param(
            "agent-state",
            {
                "running": {"awaiting_tool", "awaiting_human", "succeeded", "failed", "cancelled"},
                "awaiting_tool": {"running", "awaiting_human", "failed", "cancelled"},
                "awaiting_human": {"running", "failed", "cancelled"},
                "succeeded": set(),
                "failed": set(),
                "cancelled": set(),
            },
            id="agent-state",
        ),
        pytest.param(
            "task-state",
            {
                "running": {"stopped", "done", "handed_to_person", "waiting_approval"},
                "waiting_approval": {"executing", "handed_to_person"},
                "executing": {"done", "handed_to_person"},
                "stopped": set(),
                "done": set(),
                "handed_to_person": set(),
            },
            id="task-state",
        ),
    ],
)
def test_transitions_are_those_of_the_documents(name: str, legal: dict[str, set[str]]) -> None:
    profile = load_profile(name)
    terminal = {word for word, targets in legal.items() if not targets}
    itself = {word: set() if word in terminal else {word} for word in legal}
    assert {w: set(t) for w, t in profile.legal.items()} == {
        word: targets | itself[word] for word, targets in legal.items()
    }
    assert profile.file.status.start == ("running",)
    assert set(profile.file.status.terminal) == terminal


@pytest.mark.parametrize("name", ["agent-state", "task-state"])
def test_the_status_enum_of_the_schema_is_the_profile_s(name: str) -> None:
    profile = load_profile(name)
    assert profile.state_schema is not None
    enum = profile.state_schema["properties"]["status"]["enum"]
    assert tuple(enum) == profile.file.status.values
    assert set(profile.file.status.phases) == set(enum)


@pytest.mark.parametrize("name", ["agent-state", "task-state"])
def test_every_field_shows_who_may_write_it_and_its_plane(name: str) -> None:
    profile = load_profile(name)
    assert profile.state_schema is not None
    for field in profile.state_schema["properties"]:
        assert profile.owner((field,)), field
        assert profile.plane((field,)), field
    assert profile.owner(("nonsense",)) is None


def test_the_most_telling_owner_comes_first() -> None:
    profile = load_profile("agent-state")
    assert profile.owner(("working", "delegated", 0)) == "the orchestrator, when it delegates"
    assert profile.owner(("working", "total")) == "the reducers, from checked tool results"


def test_the_printed_checkpoint_and_envelopes_are_valid_to_the_letter() -> None:
    profile = load_profile("agent-state")
    assert valid(profile.state_schema, PRINTED)
    assert valid(profile.memory_schema, MEMORY)
    assert valid(profile.task_schema, TASK)


@pytest.mark.parametrize(
    "state",
    [
        pytest.param(without(PRINTED, "step"), id="step missing"),
        pytest.param({**PRINTED, "status": "thinking"}, id="status outside the enum"),
        pytest.param({**PRINTED, "messages": []}, id="transcript in the state"),
        pytest.param({**PRINTED, "step": "3"}, id="step is text"),
        pytest.param({**PRINTED, "pendingTool": {"name": "x"}}, id="call without an id"),
        pytest.param(
            {**PRINTED, "pendingTool": {**PRINTED["pendingTool"], "raw": 1}}, id="rubbish"
        ),
        pytest.param({**PRINTED, "memoryRefs": [{"id": "m"}]}, id="memory body in the state"),
        pytest.param({**PRINTED, "working": []}, id="working is a list"),
    ],
)
def test_agent_state_refuses(state: dict[str, Any]) -> None:
    assert not valid(load_profile("agent-state").state_schema, state)


@pytest.mark.parametrize(
    "state",
    [
        pytest.param({**PRINTED, "pendingTool": None}, id="no call pending"),
        pytest.param(without(PRINTED, "pendingTool"), id="pendingTool absent"),
        pytest.param(without(PRINTED, "maxSteps"), id="no bound"),
        pytest.param(
            {**PRINTED, "working": {"delegated": [{"taskId": "t", "idempotencyKey": "k"}]}},
            id="delegated list",
        ),
        pytest.param({**PRINTED, "working": {"delegated": {"t": "task"}}}, id="delegated map"),
    ],
)
def test_agent_state_accepts(state: dict[str, Any]) -> None:
    assert valid(load_profile("agent-state").state_schema, state)


@pytest.mark.parametrize(
    ("memory", "ok"),
    [
        pytest.param(without(MEMORY, "userId"), False, id="user scope without a user"),
        pytest.param({**without(MEMORY, "userId"), "scope": "org"}, True, id="wider scope"),
        pytest.param(without(MEMORY, "text"), False, id="neither text nor data"),
        pytest.param({**without(MEMORY, "text"), "data": {"a": 1}}, True, id="data for text"),
        pytest.param({**MEMORY, "kind": "working"}, False, id="unknown kind"),
        pytest.param({**MEMORY, "step": 3}, False, id="position in a memory"),
        pytest.param({**MEMORY, "updatedAt": "yesterday"}, False, id="no time"),
    ],
)
def test_memory_envelopes(memory: dict[str, Any], ok: bool) -> None:
    assert valid(load_profile("agent-state").memory_schema, memory) is ok


@pytest.mark.parametrize(
    ("task", "ok"),
    [
        pytest.param({**TASK, "status": "input-required"}, True, id="paused"),
        pytest.param({**TASK, "status": "cancelled"}, False, id="not A2A's spelling"),
        pytest.param(without(TASK, "idempotencyKey"), False, id="no key"),
        pytest.param({**TASK, "steps": [{"id": "s1"}]}, False, id="step without a name"),
    ],
)
def test_task_envelopes(task: dict[str, Any], ok: bool) -> None:
    assert valid(load_profile("agent-state").task_schema, task) is ok


@pytest.mark.parametrize(
    ("state", "ok"),
    [
        pytest.param(TASK_STATE, True, id="as it starts"),
        pytest.param({**TASK_STATE, "approval": None, "operations": []}, True, id="module 4"),
        pytest.param(without(TASK_STATE, "plan", "attachments", "proposal"), True, id="sparse"),
        pytest.param(without(TASK_STATE, "step"), False, id="step missing"),
        pytest.param({**TASK_STATE, "seen_orders": []}, False, id="a field nobody writes"),
        pytest.param({**TASK_STATE, "evidence": [{"tool": "x"}]}, False, id="row without ok"),
        pytest.param(
            {**TASK_STATE, "proposal": {"outcome": "refund", "actions": []}}, False, id="outcome"
        ),
    ],
)
def test_task_state(state: dict[str, Any], ok: bool) -> None:
    assert valid(load_profile("task-state").state_schema, state) is ok


@pytest.mark.parametrize(
    ("state", "name"),
    [
        pytest.param(PRINTED, "agent-state", id="printed"),
        pytest.param(without(PRINTED, "step", "status"), "agent-state", id="broken agent state"),
        pytest.param({**PRINTED, "raw": "<html>"}, "agent-state", id="rubbish in it"),
        pytest.param(TASK_STATE, "task-state", id="task state"),
        pytest.param(without(TASK_STATE, "step", "status"), "task-state", id="broken task state"),
        pytest.param({"messages": []}, "langgraph", id="bare messages"),
        pytest.param({"a": 1}, "plain", id="anything else"),
        pytest.param([1], "plain", id="no object"),
    ],
)
def test_the_profile_that_claims_a_state(state: Any, name: str) -> None:
    assert choose(state).name == name


def test_two_profiles_with_equally_many_pointers_are_both_named() -> None:
    def claiming(name: str) -> Profile:
        file = ProfileFile.model_validate(
            {"name": name, "title": name, "version": "1", "match": {"all": ["/a"]}}
        )
        none: Any = None
        return Profile(
            file=file, state_schema=none, memory_schema=none, task_schema=none,
            lists=(), noise=(), owners=(), planes=(), legal={},
        )  # fmt: skip

    with pytest.raises(ProfileError, match="one and two"):
        choose({"a": 1}, (claiming("one"), claiming("two")))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param("[[rules]]\nname = 'no_such'", "/rules/0", id="unknown rule"),
        pytest.param(
            "[[rules]]\nname = 'max_steps'\npointer = '/s'", "/rules/0/args", id="no args"
        ),
        pytest.param(
            "[[rules]]\nname = 'constant'\npointer = 's'", "/rules/0/pointer", id="pointer"
        ),
        pytest.param("[fields]\nstatus = 'x'", "/fields/status", id="field no pointer"),
        pytest.param("[lists]\n'/a/**/b' = 'id'", "/lists", id="pattern"),
        pytest.param("[owner]\n'/a' = 'x'", "/owner", id="unknown section"),
        pytest.param("[status]\nvalues = ['a']\nstart = ['b']", "'b' is not in", id="start word"),
        pytest.param(
            "[status]\nvalues = ['a']\n[[status.transition]]\nfrom = 'a'\nto = ['z']",
            "'z' is not in",
            id="transition word",
        ),
        pytest.param(
            "[status]\nvalues = ['a']\nterminal = ['a']\n[[status.transition]]\nfrom = 'a'\nto = []",
            "cannot be left",
            id="terminal left",
        ),
        pytest.param(
            "[status]\nvalues = ['a']\n[[rules]]\nname = 'object_while'\npointer = '/x'\n"
            "args = {status = ['b']}",
            "'b', which is no status",
            id="rule names a status",
        ),
        pytest.param(
            "[[rules]]\nname = 'constant'\npointer = '/s'\nwhen = {pointer = '/a'}",
            "either equals or exists",
            id="when without a condition",
        ),
        pytest.param("[grounding]\nidentifiers = ['(?=x)']", "/grounding", id="lookaround"),
        pytest.param("[planes]\n'/a' = 'heap'", "/planes", id="unknown plane"),
        pytest.param("[schema]\nstate = '../other.json'", "/schema/state", id="schema outside"),
        pytest.param("[schema]\nstate = 'gone.json'", "gone.json", id="schema missing"),
        pytest.param("[schema]\nstate = 'list.json'", "must be an object", id="schema no object"),
        pytest.param("[schema]\nstate = 'torn.json'", "torn.json:1:2", id="schema torn"),
        pytest.param("a = [", "not TOML", id="no TOML"),
    ],
)
def test_a_wrong_profile_is_named_with_its_place(tmp_path: Path, text: str, complaint: str) -> None:
    folder = written(tmp_path, text, list="[]", torn="{")
    with pytest.raises(ProfileError) as caught:
        load_profile(folder)
    assert complaint in str(caught.value)
    assert "profile.toml" in str(caught.value) or ".json" in str(caught.value)


def test_a_user_brings_a_profile_as_one_folder(tmp_path: Path) -> None:
    folder = written(
        tmp_path,
        "[schema]\nstate = 's.json'\n[projection]\ninclude = ['/a/**']\nexclude = ['/a/b']",
        s='{"type": "object"}',
    )
    profile = load_profile(folder)
    assert profile.name == "mine"
    assert profile.state_schema == {"type": "object"}
    assert [p.text for p in profile.include] == ["/a/**"]
    assert [p.text for p in profile.exclude] == ["/a/b"]


def test_an_unknown_name_lists_those_there_are() -> None:
    with pytest.raises(
        ProfileError, match="agent-state, conversation, langgraph, plain, task-state"
    ):
        load_profile("no-such-profile")
