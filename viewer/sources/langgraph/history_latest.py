"""A ``Thread`` of the Agent Server: its latest values, and no checkpoint that led to them.

Source: ``langgraph_sdk.schema.Thread``, the answer of ``threads.get`` and ``threads.search``.
"""

from collections.abc import Mapping
from typing import Any

from viewer.chain import when
from viewer.jsontext import dumps
from viewer.model import Interrupt, Problem, Record, Task, TaskError
from viewer.sources.elements import Element
from viewer.sources.langgraph.history_records import settled
from viewer.sources.langgraph.history_task import questions, word


def latest(body: Mapping[str, Any], element: Element) -> tuple[str | None, Record, Problem]:
    """Return id and record of a ``Thread``, which has no checkpoints, with a note on that."""
    by_task = body.get("interrupts")
    waits = body.get("status") == "interrupted"
    tasks = tuple(
        Task(
            id=task,
            node="",
            kind="unknown",
            finished=False,
            interrupts=tuple(
                Interrupt(id=own or task, value=value, task=task, open=waits)
                for own, value in questions(asked)
            ),
        )
        for task, asked in (by_task.items() if isinstance(by_task, dict) else ())
    )
    error = body.get("error")
    said = error if isinstance(error, str) or error is None else dumps(error)
    record = Record(
        place=element.place,
        made_id="latest",
        state=settled(body["values"]),
        parent_id=None,
        created_at=when(body.get("state_updated_at")) or when(body.get("updated_at")),
        status=body.get("status"),
        interrupts=tuple(interrupt for task in tasks for interrupt in task.interrupts),
        errors=() if said is None else (TaskError(task="", node="", message=said),),
        tasks=tasks,
        metadata={k: body[k] for k in ("metadata", "config", "created_at") if body.get(k)},
        size_bytes=element.size_bytes,
        duplicate_keys=element.duplicate_keys,
        pointer=element.pointer,
    )
    reason = (
        "only the thread's latest values: this answer of the Agent Server names no checkpoint;"
        " ask for the thread's history to see what led to them"
    )
    return (
        word(body.get("thread_id")),
        record,
        Problem(place=element.place, reason=reason, keyword="latest_only"),
    )
