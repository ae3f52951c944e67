"""What follows from the rows: next, interrupts, errors, status and writers of each checkpoint.

The algorithm needs no graph object; it was compared with ``get_state_history`` and ``get_state``
of the releases that the tests name. Two things LangGraph itself tells apart: ``next`` as recorded
names all tasks of a step, ``next_live`` those that have not finished.
"""

from collections.abc import Sequence
from typing import NamedTuple

from viewer.model import Interrupt, Task, TaskError, Write
from viewer.sources.langgraph.asked import Asker, errors, interrupts, once
from viewer.sources.langgraph.attach import TaskRows, Traces, attach, rows_by_task, unplanned
from viewer.sources.langgraph.naming import NOT_NODES
from viewer.sources.langgraph.stored import Stored
from viewer.sources.langgraph.tasks import recorded_tasks, step_writes
from viewer.sources.langgraph.triggers import Wiring, planned, send_node, sends

DONE, INTERRUPTED, FAILED, PENDING = "done", "interrupted", "error", "pending"
DETACHED = "detached"
"""Asked, never answered, and left: a branch that is not the live head's, a task that is gone."""

UNNAMED = "?"
"""Stands for the node of a task whose name only a sealed blob or a missing task path tells."""


class Facts(NamedTuple):
    """What a checkpoint's rows mean."""

    tasks: tuple[Task, ...]
    """Those that were to run, then those of which only rows tell."""
    writes: tuple[Write, ...]
    nodes: tuple[str, ...]
    """Nodes that wrote the checkpoint."""
    next: tuple[str, ...]
    next_live: tuple[str, ...]
    interrupts: tuple[Interrupt, ...]
    errors: tuple[TaskError, ...]
    status: str | None


def _own(task: TaskRows, question: str) -> None:
    """Say of every question that it is the chain's own."""


def facts(
    stored: Stored,
    parent: Stored | None,
    children: Sequence[Stored],
    namespace: str,
    wiring: Wiring,
    traces: Traces,
    *,
    asker: Asker = _own,
    live: bool = True,
) -> Facts:
    """Return what follows from one checkpoint's rows.

    Args:
        stored: the checkpoint with its writes.
        parent: its parent, where that is in the store.
        children: those whose parent it is.
        namespace: of its chain.
        wiring: what the chain's checkpoints tell of the edges.
        traces: what else tells tasks apart.
        asker: who asked a question that stands here.
        live: whether the run would go on from here; what was asked elsewhere waits no more.

    A checkpoint whose blob cannot be read, or is of an unknown format, still has its write rows:
    they tell who was interrupted or failed, but not who was to run.
    """
    if stored.known:
        plan = planned(stored, parent, namespace, wiring)
        tasks, others = attach(stored, plan, namespace, wiring.joins, traces)
    else:
        told = [unplanned(task, rows) for task, rows in rows_by_task(stored).items()]
        tasks = tuple(task for task in told if task.kind in ("unknown", "stray"))
        others = tuple(task for task in told if task not in tasks)
    stray = tuple(task for task in others if task.kind == "stray")
    stepped = any(child.origin == "loop" for child in children)
    unfinished = () if stepped else tuple(task for task in tasks if not task.finished)
    asked = {
        task.id: interrupts(task, asker, open_=live and not children and not task.finished)
        for task in (*tasks, *others)
    }
    writes = step_writes(stored, tasks)
    return Facts(
        tasks=recorded_tasks((*tasks, *others), asked, writes, namespace, traces.subgraphs),
        writes=writes,
        nodes=_writers(stored, parent),
        next=tuple(task.node for task in tasks) if stored.known else (),
        next_live=tuple(task.node or UNNAMED for task in unfinished),
        interrupts=once(
            (i for task in tasks for i in asked[task.id]),
            [i for task in stray for i in asked[task.id]],
        ),
        errors=tuple(e for task in (*tasks, *stray) for e in errors(task)),
        status=_status(stored, tasks, unfinished, stray, live=live or bool(children)),
    )


def _status(
    stored: Stored,
    tasks: Sequence[TaskRows],
    unfinished: Sequence[TaskRows],
    stray: Sequence[TaskRows],
    *,
    live: bool,
) -> str | None:
    """Return LangGraph's own distinction; ``pending`` also covers running, killed and paused.

    A question that nobody waits for any more is ours to name: the thread went on elsewhere.
    Rows that no task explains count for the step as long as something in it is unfinished.
    """
    if stored.known and not tasks:
        return DONE
    if not unfinished:
        return PENDING if stored.known else None
    counted = (*unfinished, *(task for task in stray if not task.finished))
    if any(task.questions for task in counted):
        return INTERRUPTED if live else DETACHED
    if any(task.errors for task in counted):
        return FAILED
    return PENDING if stored.known else None


def _writers(stored: Stored, parent: Stored | None) -> tuple[str, ...]:
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
        ran.update(map(send_node, sends(parent, None)))
    return tuple(sorted(ran))
