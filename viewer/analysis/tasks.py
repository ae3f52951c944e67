"""The tasks after a checkpoint, and which channels are the runtime's own."""

from viewer.model import Checkpoint, Task, Write

_OWN = ("branch:", "join:", "start:", "__")
CONTROL = frozenset(("__error__", "__error_source_node__", "__interrupt__", "__resume__"))
"""LangGraph's channels whose rows do not finish a task."""


def internal(channel: str) -> bool:
    """Return whether ``channel`` is LangGraph's own: it drives the graph, an app never reads it."""
    return channel.startswith(_OWN)


def tasks_of(checkpoint: Checkpoint) -> tuple[Task, ...]:
    """Return the tasks after ``checkpoint``.

    Where the reader names none, they are told from its write rows, interrupts, errors and nodes to
    run; such a task is finished when its node is not among those that still have to run.
    """
    if checkpoint.tasks:
        return checkpoint.tasks
    rows: dict[str, list[Write]] = {}
    nodes = {error.task: error.node for error in checkpoint.errors}
    for write in checkpoint.writes:
        if write.node:
            rows.setdefault(write.task, []).append(write)
            nodes[write.task] = write.node
    for asked in checkpoint.interrupts:
        nodes.setdefault(asked.task, "")
    waiting = list(checkpoint.next_live)
    found = []
    for task, node in nodes.items():
        own = tuple(rows.get(task, ()))
        finished = node not in waiting and any(w.channel not in CONTROL for w in own)
        if node in waiting:
            waiting.remove(node)
        found.append(
            Task(
                id=task,
                node=node,
                kind="unknown",
                finished=finished,
                writes=own,
                interrupts=tuple(i for i in checkpoint.interrupts if i.task == task),
                errors=tuple(e for e in checkpoint.errors if e.task == task),
            )
        )
    return (*found, *(Task(id="", node=n, kind="unknown", finished=False) for n in waiting))
