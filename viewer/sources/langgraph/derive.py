"""What follows from the rows: next, interrupts, errors, status and writers of each checkpoint.

The algorithm needs no graph object; it was compared with ``get_state_history`` and ``get_state``
of the releases that the tests name. Two things LangGraph itself tells apart: ``next`` as recorded
names all tasks of a step, ``next_live`` those that have not finished.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from viewer.jsontext import dumps
from viewer.model import Interrupt, TaskError
from viewer.sources.langgraph.attach import Task, Traces, attach, questions
from viewer.sources.langgraph.naming import CONTROL, NOT_NODES, NULL_TASK, interrupt_id
from viewer.sources.langgraph.stored import Stored, StoredWrite
from viewer.sources.langgraph.triggers import Wiring, planned

DONE, INTERRUPTED, FAILED, PENDING = "done", "interrupted", "error", "pending"

UNNAMED = "?"
"""Stands for the node of a task whose name only a sealed blob or a missing task path tells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a checkpoint's rows mean."""

    tasks: tuple[Task, ...] = ()
    nodes: tuple[str, ...] = ()
    """Nodes that wrote the checkpoint."""
    next: tuple[str, ...] = ()
    next_live: tuple[str, ...] = ()
    interrupts: tuple[Interrupt, ...] = ()
    errors: tuple[TaskError, ...] = ()
    status: str | None = None


def facts(
    stored: Stored,
    parent: Stored | None,
    children: Sequence[Stored],
    namespace: str,
    wiring: Wiring,
    traces: Traces,
) -> Facts:
    """Return what follows from one checkpoint's rows.

    A checkpoint whose blob cannot be read, or is of an unknown format, still has its write rows:
    they tell who was interrupted or failed, but not who was to run.
    """
    loose: dict[str, tuple[StoredWrite, ...]]
    if stored.known:
        plan = planned(stored, parent, namespace, wiring)
        tasks, loose = attach(stored, plan, namespace, wiring.joins, traces)
        recorded = tuple(task.node for task in tasks)
    else:
        tasks, loose, recorded = _tasks_of_rows(stored), {}, ()
    stepped = any(child.origin == "loop" for child in children)
    unfinished = () if stepped else tuple(task for task in tasks if not task.finished)
    waiting = frozenset(task.id for task in unfinished) if not children else frozenset()
    asked = _interrupts(tasks, loose, waiting, leaf=not children)
    return Facts(
        tasks=tasks,
        nodes=_writers(stored, parent, namespace, wiring),
        next=recorded,
        next_live=tuple(task.node or UNNAMED for task in unfinished),
        interrupts=asked,
        errors=_errors(tasks, loose),
        status=_status(stored, tasks, unfinished, loose),
    )


def _tasks_of_rows(stored: Stored) -> tuple[Task, ...]:
    rows: dict[str, list[StoredWrite]] = {}
    for write in stored.writes:
        if write.task != NULL_TASK:
            rows.setdefault(write.task, []).append(write)
    return tuple(
        Task(id=task, node=own[0].path.node, kind=own[0].path.kind, writes=tuple(own))
        for task, own in rows.items()
    )


def _status(
    stored: Stored,
    tasks: Sequence[Task],
    unfinished: Sequence[Task],
    loose: Mapping[str, tuple[StoredWrite, ...]],
) -> str | None:
    """Return LangGraph's own distinction; ``pending`` also covers running, killed and paused.

    Rows that no task explains count for the step as long as something in it is unfinished.
    """
    if stored.known and not tasks:
        return DONE
    if not unfinished:
        return PENDING if stored.known else None
    stray = [rows for rows in loose.values() if all(w.channel in CONTROL for w in rows)]
    if any(task.questions for task in unfinished) or any(map(questions, stray)):
        return INTERRUPTED
    failed = any(w.channel == "__error__" for rows in stray for w in rows)
    if failed or any(task.errors for task in unfinished):
        return FAILED
    return PENDING if stored.known else None


def _interrupts(
    tasks: Sequence[Task],
    loose: Mapping[str, tuple[StoredWrite, ...]],
    waiting: frozenset[str],
    *,
    leaf: bool,
) -> tuple[Interrupt, ...]:
    """Return the questions stored at a checkpoint, in the order of its tasks.

    A call inside a task stores its question twice, under its own id and under the task's: the
    task's is taken.
    """
    asked = [
        _interrupt(question, task.id, open_=task.id in waiting)
        for task in tasks
        for question in task.questions
    ]
    known = {interrupt.id for interrupt in asked}
    for task_id, rows in loose.items():
        unanswered = leaf and all(write.channel in CONTROL for write in rows)
        for question in questions(rows):
            found = _interrupt(question, task_id, open_=unanswered)
            if found.id not in known:
                asked.append(found)
    return tuple(asked)


def _interrupt(question: Any, task: str, *, open_: bool) -> Interrupt:
    """Return an interrupt in any of its stored shapes.

    Since 0.6: ``{value, id}``. 0.2 to 0.5: ``{value, resumable, ns, when}``, where the id is the
    hash of ``ns``.
    """
    body = question.get("value") if isinstance(question, dict) and "$type" in question else question
    if not isinstance(body, dict) or "value" not in body:
        return Interrupt(id=task, value=question, task=task, open=open_)
    own, place = body.get("id"), body.get("ns")
    if not isinstance(own, str):
        own = interrupt_id("|".join(map(str, place))) if isinstance(place, list) else task
    return Interrupt(id=own, value=body["value"], task=task, open=open_)


def _errors(
    tasks: Sequence[Task], loose: Mapping[str, tuple[StoredWrite, ...]]
) -> tuple[TaskError, ...]:
    """Return every error text stored at a checkpoint; it stays there after a retry that worked."""
    found = [(task.id, task.node, error) for task in tasks for error in task.errors]
    found += [
        (write.task, write.path.node, write.value)
        for rows in loose.values()
        for write in rows
        if write.channel == "__error__"
    ]
    return tuple(
        TaskError(task=task, node=node, message=e if isinstance(e, str) else dumps(e))
        for task, node, e in found
    )


def _writers(
    stored: Stored, parent: Stored | None, namespace: str, wiring: Wiring
) -> tuple[str, ...]:
    """Return the nodes that wrote a checkpoint: those that have seen more than at its parent.

    Sends leave no trace in ``versions_seen``: they are the parent's. Up to release 0.4 the
    metadata names the writers of an update; later nothing does.
    """
    named = stored.metadata.get("writes")
    if stored.origin == "update" and isinstance(named, dict):
        return tuple(sorted(node for node in named if node != "$type"))
    if stored.origin != "loop" or not stored.known:
        return ()
    before = parent.seen if parent is not None else {}
    ran = {
        node
        for node, seen in stored.seen.items()
        if seen and node not in NOT_NODES and seen != before.get(node)
    }
    if parent is not None and parent.known:
        ran.update(
            task.node for task in planned(parent, None, namespace, wiring) if task.kind == "push"
        )
    return tuple(sorted(ran))
