"""Broken copies of the sample runs, one fault each."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import invoice_runs
import shed_run
from writing import Files, about, line, numbered, wrapped

INVOICE = "Copy of thr_invoice_42 (first founding document) with one fault: "
SHED = "Copy of T-80001 (second founding document) with one fault: "
HTTP = {"status": 200, "headers": {"x-page": "2"}, "body": "<html>2 of 2</html>"}


def runs() -> dict[str, Files]:
    """Return the broken folders by name."""
    return {
        **_invoice(
            "broken-step-missing",
            "ckpt_4 has no step",
            {4: {"step": ...}},
            [(4, "schema", "required", "/step")],
        ),
        **_invoice(
            "broken-illegal-status",
            "ckpt_4 has the status thinking, which is not in the enum",
            {4: {"status": "thinking"}},
            [(4, "schema", "enum", "/status")],
        ),
        **_invoice(
            "broken-illegal-transition",
            "ckpt_7 has succeeded straight from awaiting_human",
            {7: {"status": "succeeded"}},
            [(7, "transition", "transition", "/status")],
            end=8,
        ),
        **_invoice(
            "broken-step-back",
            "ckpt_5 counts step 3 after step 4",
            {5: {"step": 3}},
            [(5, "rule", "step_monotone", "/step")],
        ),
        **_invoice(
            "broken-unknown-memory",
            "ckpt_8 refers to a memory that does not exist",
            {8: {"memoryRefs": ["mem_user_prefs", "mem_last_reconcile", "mem_bank_details"]}},
            [(8, "rule", "memory_ref_exists", "/memoryRefs/2")],
        ),
        **_invoice(
            "broken-changed-key",
            "ckpt_8 has another idempotency key for task_a2a_91",
            {8: {"working": {"delegated": [_other_key()]}}},
            [(8, "rule", "idempotency_stable", "/working/delegated/0/idempotencyKey")],
        ),
        **_invoice(
            "broken-tool-rubbish",
            "ckpt_4 carries the raw answer of a tool",
            {4: {"rawResponse": HTTP}},
            [(4, "schema", "additionalProperties", "/rawResponse")],
        ),
        **_invoice(
            "broken-rubbish-in-working",
            "working of ckpt_4 carries the raw answer of a tool",
            {4: {"working": {"searchInvoicesRaw": HTTP}}},
            [(4, "schema", "additionalProperties", "/working/searchInvoicesRaw")],
        ),
        "broken-failing-patch": _failing_patch(),
        "broken-torn-last-line": _torn_last_line(),
        "broken-unseen-order": _unseen_order(),
    }


def _other_key() -> dict[str, str]:
    return {**invoice_runs.DELEGATED[0], "idempotencyKey": "inv-jan-2026-reconcile-2"}


def _violations(rows: Sequence[tuple[int, str, str, str]]) -> list[dict[str, Any]]:
    names = ("index", "gate", "keyword", "pointer")
    return [dict(zip(names, row, strict=True)) for row in rows]


def _invoice(
    name: str,
    fault: str,
    edits: Mapping[int, Mapping[str, Any]],
    violations: Sequence[tuple[int, str, str, str]],
    *,
    end: int = 9,
) -> dict[str, Files]:
    """Return thr_invoice_42 cut after ``end`` checkpoints; an edit to ``...`` removes the key."""
    states = invoice_runs.invoice_states()[:end]
    for number, edit in edits.items():
        for key, value in edit.items():
            if value is ...:
                del states[number][key]
            elif key == "working":
                states[number][key] |= value
            else:
                states[number][key] = value
    return {
        name: {
            **numbered([{"thread_id": name, "state": state} for state in states]),
            **invoice_runs.beside(),
            **about(
                f"Broken: {fault}",
                INVOICE + fault + ".",
                profile="agent-state",
                constructed=["Everything but the printed parts of thr_invoice_42."],
                expect={
                    "threads": [name],
                    "checkpoints": end,
                    "status": "succeeded",
                    "phase": "done",
                    "violations": _violations(violations),
                },
            ),
        }
    }


def _failing_patch() -> Files:
    """Return the patch chain whose fifth patch fails; the eighth line is whole again."""
    name = "broken-failing-patch"
    states = invoice_runs.invoice_states()
    rows = deepcopy(invoice_runs.patch_chain(states, name))
    rows[4]["patch"][0]["value"] = "ckpt_2"
    rows[7] = invoice_runs.approved(states[7], name)
    fault = "the patch to ckpt_4 tests for ckpt_2"
    return {
        "chain.jsonl": "".join(map(line, rows)),
        **invoice_runs.beside(),
        **about(
            f"Broken: {fault}",
            INVOICE + fault + "; ckpt_5 and ckpt_6 have no state, ckpt_7 is whole again.",
            profile="agent-state",
            constructed=["Everything but the printed parts of thr_invoice_42."],
            expect={
                "threads": [name],
                "checkpoints": 9,
                "status": "succeeded",
                "phase": "done",
                "violations": _violations([(4, "parse", "patch", "")]),
                "problems": [{"keyword": "patch", "place": f"chain.jsonl:{n}"} for n in (5, 6, 7)],
            },
        ),
    }


def _torn_last_line() -> Files:
    rows = [line(row) for row in wrapped("T-80001", shed_run.shed_states(), shed_run.SAVED)]
    fault = "the last line was torn while it was written"
    return {
        "chain.jsonl": "".join(rows)[: -len(rows[-1]) // 2],
        **about(
            f"Broken: {fault}",
            SHED + fault + ".",
            profile="task-state",
            constructed=shed_run.CONSTRUCTED[:4],
            expect={
                "threads": ["broken-torn-last-line"],
                "checkpoints": 3,
                "status": "running",
                "phase": "running",
                "violations": _violations([(2, "parse", "unreadable", "")]),
                "problems": [{"keyword": "unreadable", "place": "chain.jsonl:4"}],
                "usage": {
                    "model_calls": 2,
                    "input_tokens": 3873,
                    "output_tokens": 189,
                    "total_tokens": 4062,
                    "cost_usd": 0.0,
                    "model_seconds": 6.356,
                },
                "mentions": {
                    shed_run.ORDER: {
                        "count": 4,
                        "by": {"user": 1, "model": 2, "system": 0, "tool_ok": 0, "tool_refused": 1},
                    }
                },
            },
        ),
    }


def _unseen_order() -> Files:
    """Return T-80001 as it would be had the refund passed: no gate of the state may let it."""
    states = shed_run.shed_states()
    states[3] |= {"status": "waiting_approval", "stop_reason": None, "proposal": shed_run.REFUND}
    states[3]["events"][-1] = {"step": 3, "kind": "proposal_accepted", "actions": 1}
    fault = "the proposal refunds an order that no tool returned"
    good = shed_run.expectation("broken-unseen-order")
    return {
        **numbered(wrapped("T-80001", states, shed_run.SAVED)),
        **about(
            f"Broken: {fault}",
            SHED + fault + ".",
            profile="task-state",
            constructed=shed_run.CONSTRUCTED[:4],
            expect={
                **good,
                "status": "waiting_approval",
                "phase": "waiting",
                "waiting": ["request_refund"],
                "violations": _violations(
                    [(3, "rule", "grounded_identifier", "/proposal/actions/0/order_id")]
                ),
            },
        ),
    }
