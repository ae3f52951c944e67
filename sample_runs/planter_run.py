"""T-90103: two writes that wait for a person, and the same run after she approved them."""

import json
from typing import Any

from writing import Files, about, decision, numbered, wrapped

ORDER = "LK-640436"
TICKET = (
    f"Hi, the cedar planter from order {ORDER} came with a long crack along one side. I attached a "
    "photo. Please send a new one; I can give the broken one back. Regards, Noor"
)
SYSTEM = (
    "You resolve support tickets for Larkfield. Look facts up with the tools, then call "
    "propose_resolution. Never act on an order that you have not seen."
)
FOUND = {
    "order_id": ORDER,
    "status": "delivered",
    "delivered_on": "2026-06-11",
    "items": [{"item_id": "IT-1", "name": "Cedar planter, 80 cm", "quantity": 1}],
}
PROPOSAL: dict[str, Any] = {
    "outcome": "resolve",
    "rule": "W1",
    "reply": "We are sorry about the crack. A new planter is on its way, and a return label too.",
    "reason": "damaged",
    "actions": [
        {"tool": "reship_item", "order_id": ORDER, "item_id": "IT-1", "quantity": 1},
        {"tool": "create_return_label", "order_id": ORDER, "item_id": "IT-1"},
    ],
}
RESULTS = [{"shipment_id": "SH-2207"}, {"label_id": "RL-0931"}]
USAGE = [(0, 0, 0, 0.0, 0.0), (1, 1310, 42, 0.0031, 1.2), (2, 2895, 188, 0.0079, 3.1)]
SAVED = [
    ("2026-06-15T10:40:00Z", "input", "start"),
    ("2026-06-15T10:40:02Z", "loop", "loop"),
    ("2026-06-15T10:40:05Z", "loop", "loop"),
    ("2026-06-16T08:05:30Z", "update", "approve"),
    ("2026-06-16T08:05:31Z", "loop", "write"),
    ("2026-06-16T08:05:33Z", "loop", "write"),
]
CONSTRUCTED = [
    "The text of the ticket (/goal), the attachment's name and all messages; the document gives "
    "the cracked cedar planter, the photo, the tools and LK-640436.",
    "The found order, rule, reply and reason of the proposal, and the arguments of its actions "
    "beside order_id; the document gives outcome, tools and order.",
    "All usage figures, the shape of /events and /evidence/*/data.",
    "Checkpoint ids, times, origins and nodes in the wrappers.",
]
CONSTRUCTED_AFTER = [
    *CONSTRUCTED,
    "Everything after step 2: the document says only that a person approves, that each write is "
    "made once and that the task is then done. /approval and /operations have the shapes we "
    "define.",
]


def runs() -> dict[str, Files]:
    """Return the folders of T-90103 and of its approved sibling by name."""
    waiting = _waiting()
    everything = [*waiting, *_approved(waiting[-1])]
    origin = (
        "Second founding document (explicit task state): chat-small on ticket T-90103, native tool "
        "calls, two steps"
    )
    return {
        "T-90103": {
            **numbered(wrapped("T-90103", waiting, SAVED[:3])),
            **about(
                "T-90103: two actions wait for approval",
                f"{origin}.",
                profile="task-state",
                constructed=CONSTRUCTED,
                expect={
                    **_expect("T-90103", 3, "waiting_approval", "waiting"),
                    "waiting": ["reship_item", "create_return_label"],
                },
            ),
        },
        "T-90103-approved": {
            **numbered(wrapped("T-90103", everything, SAVED)),
            **about(
                "T-90103 approved: each write made once, then done",
                f"{origin}; what follows the approval is constructed.",
                profile="task-state",
                constructed=CONSTRUCTED_AFTER,
                expect=_expect("T-90103-approved", 6, "done", "done"),
            ),
        },
    }


def _expect(thread: str, checkpoints: int, status: str, phase: str) -> dict[str, Any]:
    return {
        "threads": [thread],
        "checkpoints": checkpoints,
        "status": status,
        "phase": phase,
        "usage": {
            "model_calls": 2,
            "input_tokens": 2895,
            "output_tokens": 188,
            "total_tokens": 3083,
            "cost_usd": 0.0079,
            "model_seconds": 3.1,
        },
        "mentions": {
            ORDER: {
                "count": 5,
                "by": {"user": 1, "model": 3, "system": 0, "tool_ok": 1, "tool_refused": 0},
            }
        },
    }


def _waiting() -> list[dict[str, Any]]:
    """Return the states after step 0, 1 and 2; the last one waits."""
    read = {"order_id": ORDER}
    call, proposed = (
        _call("call_1", "get_order", read),
        _call("call_2", "propose_resolution", PROPOSAL),
    )
    answer = {"ok": True, "code": "ok", "order": FOUND}
    messages = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": TICKET},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": json.dumps(answer)},
        {"role": "assistant", "content": None, "tool_calls": [proposed]},
    ]
    events = [
        {"step": 0, "kind": "task_started"},
        {"step": 1, "kind": "model_called", "tool": "get_order"},
        {"step": 1, "kind": "tool_answered", "tool": "get_order", "ok": True, "code": "ok"},
        {"step": 2, "kind": "model_called", "tool": "propose_resolution"},
        {"step": 2, "kind": "proposal_accepted", "actions": 2},
    ]
    row = {"step": 1, "tool": "get_order", "args": read, "ok": True, "code": "ok", "data": FOUND}
    evidence = [{**row, "order_ids": [ORDER]}]
    return [
        _state(0, [], events[:1], messages[:2]),
        _state(1, evidence, events[:3], messages[:4]),
        _state(2, evidence, events, messages),
    ]


def _call(number: str, tool: str, args: Any) -> dict[str, Any]:
    function = {"name": tool, "arguments": json.dumps(args)}
    return {"id": number, "type": "function", "function": function}


def _state(
    step: int, evidence: list[Any], events: list[Any], messages: list[Any]
) -> dict[str, Any]:
    calls, tokens_in, tokens_out, cost, seconds = USAGE[step]
    return {
        "goal": TICKET,
        "attachments": [{"name": "planter-crack.jpg", "media_type": "image/jpeg"}],
        "status": "waiting_approval" if step == 2 else "running",
        "step": step,
        "stop_reason": None,
        "plan": None,
        "evidence": evidence,
        "proposal": PROPOSAL if step == 2 else None,
        "errors": [],
        "usage": {
            "model_calls": calls,
            "input_tokens": tokens_in,
            "output_tokens": tokens_out,
            "cost_usd": cost,
            "model_seconds": seconds,
        },
        "events": events,
        "messages": messages,
        "approval": None,
        "operations": [],
    }


def _approved(waiting: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the states from the approval to the last write."""
    record = decision(
        "dec-0001",
        "T-90103-approved",
        "T-90103-2",
        "/proposal",
        PROPOSAL,
        kind="approve",
        by="Grace",
        reason="Photo shows the crack; rule W1 covers it.",
        decided_at="2026-06-16T08:05:30Z",
    )
    del record["binding"]
    states = [
        {
            **waiting,
            "status": "executing",
            "approval": record,
            "operations": [_operation(n) for n in range(2)],
            "events": [*waiting["events"], {"step": 2, "kind": "approved", "by": "Grace"}],
        }
    ]
    for done in (1, 2):
        before = states[-1]
        written = {"step": 2, "kind": "written", "operation": f"op-{done}"}
        states.append(
            {
                **before,
                "status": "done" if done == 2 else "executing",
                "operations": [_operation(n, done=n < done) for n in range(2)],
                "events": [*before["events"], written],
            }
        )
    return states


def _operation(number: int, *, done: bool = False) -> dict[str, Any]:
    args = dict(PROPOSAL["actions"][number])
    tool = args.pop("tool")
    operation = {
        "id": f"op-{number + 1}",
        "tool": tool,
        "args": args,
        "idempotency_key": f"T-90103:{tool}:{ORDER}",
        "status": "done" if done else "pending",
    }
    return {**operation, "result": RESULTS[number]} if done else operation
