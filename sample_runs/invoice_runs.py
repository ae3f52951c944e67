"""thr_invoice_42: the agent state of the first founding document, whole, as patches and forked."""

import json
from copy import deepcopy
from itertools import pairwise
from typing import Any

from writing import Files, about, decision, line, numbered, pretty, sidecars

THREAD = "thr_invoice_42"
PRINTED = """\
{
  "schemaVersion": "1.0",
  "runId": "run_7c2a",
  "threadId": "thr_invoice_42",
  "goal": "Reconcile January 2026 paid invoices",
  "status": "awaiting_tool",
  "step": 3,
  "maxSteps": 12,
  "node": "call_tools",
  "plan": ["searchInvoices", "sumTotals", "askConfirm"],
  "working": {
    "invoiceCount": 2,
    "currency": "USD"
  },
  "pendingTool": {
    "name": "searchInvoices",
    "callId": "call_8f3a"
  },
  "memoryRefs": ["mem_user_prefs", "mem_last_reconcile"],
  "checkpointId": "ckpt_3"
}
"""
USER_PREFS = """\
{
  "id": "mem_user_prefs",
  "kind": "semantic",
  "scope": "user",
  "userId": "u_1042",
  "text": "Prefers USD totals and weekday email summaries",
  "source": "explicit_setting",
  "updatedAt": "2026-09-01T09:00:00Z"
}
"""
LAST_RECONCILE = {
    "id": "mem_last_reconcile",
    "kind": "episodic",
    "scope": "user",
    "userId": "u_1042",
    "text": "Reconciled December 2025: 4 paid invoices, 2310.50 USD, no difference",
    "source": "model_summary",
    "updatedAt": "2026-08-04T16:20:00Z",
}
ENVELOPE = """\
{
  "taskId": "task_a2a_91",
  "parentRunId": "run_7c2a",
  "kind": "delegate",
  "status": "working",
  "idempotencyKey": "inv-jan-2026-reconcile",
  "steps": [
    { "id": "s1", "name": "searchInvoices", "ok": true },
    { "id": "s2", "name": "sumTotals", "ok": null }
  ],
  "artifacts": []
}
"""
DELEGATED = [{"taskId": "task_a2a_91", "idempotencyKey": "inv-jan-2026-reconcile"}]
PROPOSAL: dict[str, Any] = {
    "question": "Send the January 2026 summary?",
    "actions": [
        {
            "tool": "sendSummary",
            "args": {
                "userId": "u_1042",
                "total": "1840.25",
                "currency": "USD",
                "idempotencyKey": "inv-jan-2026-summary",
            },
        }
    ],
}
WORKING_SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "working of the invoice reconciliation",
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "invoiceCount": {"type": "integer", "minimum": 0},
        "currency": {"type": "string", "pattern": "^[A-Z]{3}$"},
        "total": {"type": "string", "pattern": "^[0-9]+\\.[0-9]{2}$"},
        "delegated": {"type": "array", "items": {"type": "object", "required": ["taskId"]}},
        "proposal": {"type": "object", "required": ["question", "actions"]},
        "summarySent": {"type": "boolean"},
    },
}
CONSTRUCTED = [
    "Every checkpoint but ckpt_3; the document prints only that one.",
    "observations/: what the model was shown before its next call.",
    "mem_last_reconcile beyond its id; mem_user_prefs is the printed one.",
    "The completed version of task_a2a_91; the first version is the printed envelope.",
    "working.schema.json, the proposal in ckpt_6 and the decision in ckpt_7.",
]
DOCUMENT = "First founding document (agent state guide)"


def runs() -> dict[str, Files]:
    """Return the folders of the run, of its patch chain and of its fork by name."""
    states = invoice_states()
    rows: list[Any] = [*states[:3], PRINTED, *states[4:7], approved(states[7], THREAD), states[8]]
    expect = {
        "threads": [THREAD],
        "checkpoints": 9,
        "status": "succeeded",
        "phase": "done",
    }
    patched = f"{THREAD}-patches"
    return {
        THREAD: {
            **numbered(rows),
            **beside(),
            **sidecars("observations", observations(states)),
            **about(
                "thr_invoice_42: from start to succeeded, with a person's approval",
                f"{DOCUMENT}: its printed checkpoint is step 3, to the letter; so are "
                "mem_user_prefs and the first version of task_a2a_91.",
                profile="agent-state",
                constructed=CONSTRUCTED,
                expect=expect,
            ),
        },
        patched: {
            "chain.jsonl": "".join(map(line, patch_chain(states, patched))),
            **beside(),
            **sidecars("observations", observations(states)),
            **about(
                "thr_invoice_42 as a patch chain",
                f"{DOCUMENT}: the style that stores a JSON Patch a step. The states are those of "
                "the run folder thr_invoice_42.",
                profile="agent-state",
                constructed=[*CONSTRUCTED, "The patches; the document only names the style."],
                expect={**expect, "threads": [patched]},
            ),
        },
    }


def beside() -> Files:
    """Return memories, the delegated task and working.schema.json."""
    first = json.loads(ENVELOPE)
    completed = deepcopy(first)
    completed["status"] = "completed"
    completed["steps"][1]["ok"] = True
    completed["artifacts"] = [{"artifactId": "art_17", "parts": [{"data": {"total": "1840.25"}}]}]
    return {
        **sidecars(
            "memories", {"mem_user_prefs": USER_PREFS, "mem_last_reconcile": LAST_RECONCILE}
        ),
        "tasks/task_a2a_91.json": pretty([first, completed]),
        "working.schema.json": pretty(WORKING_SCHEMA),
    }


def invoice_states() -> list[dict[str, Any]]:
    """Return the nine states, ckpt_0 to ckpt_8; the fourth is the printed one."""
    printed: dict[str, Any] = json.loads(PRINTED)
    empty = {"working": {}, "pendingTool": None}
    counted = {"invoiceCount": 3, "currency": "USD", "delegated": DELEGATED}
    summed = {**counted, "total": "1840.25"}
    steps: list[dict[str, Any]] = [
        {**empty, "status": "running", "node": "start", "plan": [], "memoryRefs": []},
        {**empty, "status": "running", "node": "plan", "working": {"currency": "USD"}},
        {
            "node": "call_tools",
            "working": {"currency": "USD"},
            "pendingTool": {"name": "searchInvoices", "callId": "call_8f2c"},
        },
        {},
        {**empty, "status": "running", "node": "delegate", "working": counted},
        {**empty, "status": "running", "node": "read_artifact", "working": summed},
        {
            **empty,
            "status": "awaiting_human",
            "node": "ask_confirm",
            "working": {**summed, "proposal": PROPOSAL},
        },
        {
            **empty,
            "status": "running",
            "node": "ask_confirm",
            "working": {**summed, "proposal": PROPOSAL},
        },
        {
            **empty,
            "status": "succeeded",
            "node": "finish",
            "working": {**summed, "summarySent": True},
        },
    ]
    return [
        {**printed, **deepcopy(own), "step": step, "checkpointId": f"ckpt_{step}"}
        for step, own in enumerate(steps)
    ]


def approved(state: dict[str, Any], thread: str) -> dict[str, Any]:
    """Return ckpt_7 in a wrapper with the decision that let the run go on."""
    record = decision(
        "dec-0042",
        thread,
        "ckpt_6",
        "/working/proposal",
        PROPOSAL,
        kind="approve",
        by="Ines",
        reason="Total agrees with the bank statement.",
        decided_at="2026-09-02T10:04:00Z",
    )
    return {
        "checkpoint_id": "ckpt_7",
        "parent_id": "ckpt_6",
        "thread_id": thread,
        "created_at": "2026-09-02T10:04:00Z",
        "decision": record,
        "state": state,
    }


def observations(states: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what the model was shown of each checkpoint that its next call followed."""
    return {f"ckpt_{n}": observed(states[n]) for n in (0, 1, 5)}


def observed(state: dict[str, Any]) -> dict[str, Any]:
    """Return the part of ``state`` that is projected to the model."""
    hidden = ("delegated", "proposal")
    working = {k: v for k, v in state["working"].items() if k not in hidden}
    shown = {k: state[k] for k in ("goal", "step", "maxSteps", "plan")}
    return {**shown, "working": working, "pendingTool": state["pendingTool"]}


def patch_chain(states: list[dict[str, Any]], thread: str) -> list[dict[str, Any]]:
    """Return the first state whole and a wrapper with a patch for each of the others."""
    rows: list[dict[str, Any]] = [
        {"checkpoint_id": "ckpt_0", "thread_id": thread, "state": states[0]}
    ]
    for number, (before, after) in enumerate(pairwise(states), 1):
        row: dict[str, Any] = {
            "checkpoint_id": f"ckpt_{number}",
            "parent_id": f"ckpt_{number - 1}",
            "thread_id": thread,
            "patch": [
                {"op": "test", "path": "/checkpointId", "value": before["checkpointId"]},
                *_patch(before, after, ""),
            ],
        }
        if number == 7:
            whole = approved(after, thread)
            row = {**row, "created_at": whole["created_at"], "decision": whole["decision"]}
        rows.append(row)
    return rows


def _patch(before: dict[str, Any], after: dict[str, Any], at: str) -> list[dict[str, Any]]:
    """Return RFC 6902 operations, key by key; no key here needs escaping."""
    operations: list[dict[str, Any]] = [
        {"op": "remove", "path": f"{at}/{key}"} for key in before if key not in after
    ]
    for key, value in after.items():
        path = f"{at}/{key}"
        if key not in before:
            operations.append({"op": "add", "path": path, "value": value})
        elif isinstance(value, dict) and isinstance(before[key], dict):
            operations += _patch(before[key], value, path)
        elif value != before[key]:
            operations.append({"op": "replace", "path": path, "value": value})
    return operations
