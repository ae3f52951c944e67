"""What stands on record of each task of a step: nothing that is stored is left out."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from viewer.model import Interrupt, Task, Write
from viewer.sources.langgraph.asked import errors
from viewer.sources.langgraph.attach import TaskRows
from viewer.sources.langgraph.naming import CONTROL, NULL_TASK, task_namespace, without_ids
from viewer.sources.langgraph.stored import Stored

_RETURN, _END = "__return__", "__end__"


def step_writes(stored: Stored, tasks: Iterable[TaskRows]) -> tuple[Write, ...]:
    """Return the rows at a checkpoint in the order in which LangGraph applies them.

    Rows of `NULL_TASK` are what a caller's ``Command(update=…)`` or ``Command(resume=…)`` gave:
    a pending update, which LangGraph applies with the step and not before. They are no task's.
    """
    nodes = {task.id: task.node for task in tasks}
    return tuple(
        Write(
            task=w.task,
            node=nodes.get(w.task) or w.path.node,
            channel=w.channel,
            value=w.value,
        )
        for w in stored.writes
    )


def recorded_tasks(
    tasks: Sequence[TaskRows],
    asked: Mapping[str, tuple[Interrupt, ...]],
    writes: Iterable[Write],
    namespace: str,
    subgraphs: Mapping[str, str],
) -> tuple[Task, ...]:
    """Return the tasks of a step: the planned ones in LangGraph's order, then all others.

    Args:
        tasks: with their rows.
        asked: the questions by task id.
        writes: the rows of the step.
        namespace: of the chain.
        subgraphs: as `subgraphs` returns them.
    """
    own: dict[str, list[Write]] = {}
    for write in writes:
        own.setdefault(write.task, []).append(write)
    return tuple(
        Task(
            id=task.id,
            node=task.node,
            kind="unknown" if task.kind == "stray" else task.kind,
            finished=task.finished,
            input=task.input,
            namespace=_subgraph(task, namespace, subgraphs),
            writes=tuple(own.get(task.id, ())) if task.id else (),
            interrupts=asked.get(task.id, ()),
            errors=errors(task),
        )
        for task in tasks
    )


def result(task: Task) -> Any:
    """Return what ``get_state_history`` shows as the result of a task; None of an unfinished one.

    A call returned one value, and so does a workflow, beside what it keeps for the next; a node's writes stand by channel, several on one channel
    as ``{"$writes": […]}``. Source: ``langgraph/pregel/debug.py``, ``tasks_w_writes``.
    """
    if not task.finished:
        return None
    written: dict[str, list[Any]] = {}
    for write in task.writes:
        if write.channel in (_RETURN, _END):
            return write.value
        if write.channel not in CONTROL and not _internal(write.channel):
            written.setdefault(write.channel, []).append(write.value)
    return {ch: vs[0] if len(vs) == 1 else {"$writes": vs} for ch, vs in written.items()}


def pending_update(writes: Iterable[Write]) -> tuple[Write, ...]:
    """Return what a caller's ``Command(update=…)`` put on channels and no step has applied yet.

    ``get_state_history`` shows the checkpoint's values with these applied; the checkpoint itself
    holds the values before.
    """
    return tuple(w for w in writes if w.task == NULL_TASK and w.channel not in CONTROL)


def _internal(channel: str) -> bool:
    return channel.startswith(("branch:", "join:", "start:", "__pregel", "__no_writes__"))


def subgraphs(namespaces: Iterable[str]) -> dict[str, str]:
    """Return task id → the namespace of its subgraph, and each one without a task id → itself.

    A further call of a subgraph in one task has the first one's namespace with its number added.
    """
    found: dict[str, str] = {}
    for namespace in namespaces:
        last = namespace.rsplit("|", 1)[-1]
        if last and not last.isdigit():
            found[last.partition(":")[2] or namespace] = namespace
    return found


def _subgraph(task: TaskRows, namespace: str, known: Mapping[str, str]) -> str | None:
    if not known or not task.id:
        return None
    return known.get(task.id) or known.get(without_ids(task_namespace(namespace, task.node, "")))
