"""thr_invoice_42-fork: a stale observation, a refusal, and a second try from the same parent."""

from typing import Any

from invoice_runs import CONSTRUCTED, DOCUMENT, PROPOSAL, beside, invoice_states, observed
from writing import Files, about, decision, numbered, pretty

THREAD = "thr_invoice_42-fork"
WRONG, RIGHT = "1240.00", "1840.25"


def runs() -> dict[str, Files]:
    """Return the folder of the fork by its name."""
    shown = observed(_states(RIGHT)[4])
    shown["working"]["invoiceCount"] = 2
    files = beside()
    del files["tasks/task_a2a_91.json"]
    return {
        THREAD: {
            **numbered(_checkpoints()),
            **files,
            "observations/ckpt_4.json": pretty(shown),
            **about(
                "thr_invoice_42 forked: refused, then tried again from step 4",
                f"{DOCUMENT}: a refused confirmation fails or is planned anew.",
                profile="agent-state",
                constructed=[
                    *CONSTRUCTED[:1],
                    "observations/ckpt_4.json: the model was shown the invoice count of ckpt_3, so "
                    "the first branch added up two invoices of three.",
                    "mem_last_reconcile beyond its id; working.schema.json; all times and origins.",
                ],
                expect={
                    "threads": [THREAD],
                    "checkpoints": 10,
                    "status": "awaiting_human",
                    "phase": "waiting",
                    "waiting": ["sendSummary"],
                },
            ),
        }
    }


def _checkpoints() -> list[dict[str, Any]]:
    first, second = _states(WRONG), _states(RIGHT)
    refused = {**first[7], "status": "failed", "node": "finish"}
    del refused["working"]["proposal"]
    record = decision(
        "dec-0043",
        THREAD,
        "ckpt_6",
        "/working/proposal",
        first[6]["working"]["proposal"],
        kind="reject",
        by="Ines",
        reason="The bank statement says 1840.25: one invoice is missing.",
        decided_at="2026-09-02T10:31:00Z",
    )
    rows = [_row(n, n - 1 if n else None, first[n], minute=n) for n in range(7)]
    rows.append({**_row(7, 6, refused, minute=31), "decision": record})
    rows.append(_row("5b", 4, second[5], minute=40, origin="fork"))
    rows.append(_row("6b", "5b", second[6], minute=41))
    return rows


def _row(
    number: int | str,
    parent: int | str | None,
    state: dict[str, Any],
    *,
    minute: int,
    origin: str = "loop",
) -> dict[str, Any]:
    return {
        "checkpoint_id": f"ckpt_{number}",
        "parent_id": None if parent is None else f"ckpt_{parent}",
        "thread_id": THREAD,
        "created_at": f"2026-09-02T10:{minute:02}:00Z",
        "origin": "input" if parent is None else origin,
        "state": {**state, "checkpointId": f"ckpt_{number}"},
    }


def _states(total: str) -> list[dict[str, Any]]:
    """Return the run's states with ``total`` added up in the run itself, nothing delegated."""
    states = invoice_states()
    for state in states[4:]:
        working = state["working"]
        del working["delegated"]
        if "total" in working:
            working["total"] = total
        if "proposal" in working:
            args = {**PROPOSAL["actions"][0]["args"], "total": total}
            working["proposal"] = {
                **PROPOSAL,
                "actions": [{**PROPOSAL["actions"][0], "args": args}],
            }
    for state, node in zip(states[4:6], ("read_result", "sum_totals"), strict=True):
        state["node"] = node
    return states
