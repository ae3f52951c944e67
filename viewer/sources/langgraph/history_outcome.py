"""What became of a task, as far as the state tells that names it."""

from collections.abc import Sequence
from typing import Any

from viewer.model import Interrupt, Task, TaskError, Write
from viewer.sources.langgraph.history_state import ToldState
from viewer.sources.langgraph.history_task import ToldTask


def outcome(one: ToldTask, told: ToldState, *, stepped: bool, leaf: bool) -> Task:
    """Return what became of a task.

    Args:
        one: the task as told.
        told: the state after which it ran.
        stepped: whether a later step was saved on top of that state: then every task finished.
        leaf: whether nothing stands on top of it: then an unanswered question is still open.
    """
    finished = stepped or one.result is not None or one.node not in told.next
    return Task(
        id=one.id,
        node=one.node,
        kind=one.kind,
        finished=finished,
        namespace=one.namespace,
        writes=tuple(_writes(one)),
        interrupts=tuple(
            Interrupt(id=own or one.id, value=value, task=one.id, open=leaf and not finished)
            for own, value in one.questions
        ),
        errors=()
        if one.error is None
        else (TaskError(task=one.id, node=one.node, message=one.error),),
    )


def _writes(one: ToldTask) -> list[Write]:
    """Return what a task's result says it wrote; ``$writes`` holds several to one channel."""
    result = one.result
    if result is None:
        return []
    if not isinstance(result, dict):
        return [Write(task=one.id, node=one.node, channel="__return__", value=result)]
    return [
        Write(task=one.id, node=one.node, channel=channel, value=each)
        for channel, value in result.items()
        for each in _each(value)
    ]


def _each(value: Any) -> Sequence[Any]:
    many = value.get("$writes") if isinstance(value, dict) and len(value) == 1 else None
    return many if isinstance(many, list) else (value,)
