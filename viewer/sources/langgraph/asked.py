"""The questions and error texts that the rows of a step hold."""

from collections.abc import Iterable, Sequence
from typing import Any

from viewer.jsontext import dumps
from viewer.model import Interrupt, TaskError
from viewer.sources.langgraph.attach import TaskRows, questions
from viewer.sources.langgraph.naming import interrupt_id


def interrupts(rows: TaskRows, *, open_: bool) -> tuple[Interrupt, ...]:
    """Return what one task asked; a task that asks again keeps its last question only."""
    return tuple(_interrupt(question, rows.id, open_=open_) for question in questions(rows.writes))


def errors(rows: TaskRows) -> tuple[TaskError, ...]:
    """Return the error texts of one task; they stay there after a retry that worked."""
    return tuple(
        TaskError(task=rows.id, node=rows.node, message=e if isinstance(e, str) else dumps(e))
        for e in rows.errors
    )


def once(own: Iterable[Interrupt], stray: Sequence[Interrupt]) -> tuple[Interrupt, ...]:
    """Return a step's own questions, then those of ``stray`` with other ids.

    A call inside a task stores its question twice, under its own id and under the task's.
    """
    own = tuple(own)
    known = {interrupt.id for interrupt in own}
    return (*own, *(interrupt for interrupt in stray if interrupt.id not in known))


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
