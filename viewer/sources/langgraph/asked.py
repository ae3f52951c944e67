"""The questions and error texts that the rows of a step hold."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from viewer.model import Interrupt, TaskError
from viewer.sources.langgraph.attach import TaskRows, questions
from viewer.sources.langgraph.naming import interrupt_id
from viewer.sources.langgraph.pickled_errors import error_text
from viewer.sources.langgraph.stored import StoredWrite

Asker = Callable[[TaskRows, str], str | None]
"""A task and a question's id → the namespace that asked; None for the task's own chain."""


def interrupts(rows: TaskRows, asker: Asker, *, open_: bool) -> tuple[Interrupt, ...]:
    """Return what one task asked; a task that asks again keeps its last question only."""
    found = []
    for question in questions(rows.writes):
        own, value = _read(question)
        named = own or rows.id
        owner = asker(rows, named) if own else None
        found.append(Interrupt(id=named, value=value, task=rows.id, open=open_, owner=owner))
    return tuple(found)


def question_ids(write: StoredWrite) -> list[str]:
    """Return the ids of the questions that one row holds."""
    return [own for question in questions([write]) if (own := _read(question)[0])]


def errors(rows: TaskRows) -> tuple[TaskError, ...]:
    """Return the error texts of one task; they stay there after a retry that worked."""
    return tuple(
        TaskError(task=rows.id, node=rows.node, message=error_text(e)) for e in rows.errors
    )


def once(own: Iterable[Interrupt], stray: Sequence[Interrupt]) -> tuple[Interrupt, ...]:
    """Return a step's own questions, then those of ``stray`` with other ids.

    A call inside a task stores its question twice, under its own id and under the task's.
    """
    own = tuple(own)
    known = {interrupt.id for interrupt in own}
    return (*own, *(interrupt for interrupt in stray if interrupt.id not in known))


def _read(question: Any) -> tuple[str | None, Any]:
    """Return id and value of an interrupt in any of its stored shapes.

    Since 0.6: ``{value, id}``. 0.2 to 0.5: ``{value, resumable, ns, when}``, where the id is the
    hash of ``ns``.
    """
    body = question.get("value") if isinstance(question, dict) and "$type" in question else question
    if not isinstance(body, dict) or "value" not in body:
        return None, question
    own, place = body.get("id"), body.get("ns")
    if not isinstance(own, str):
        own = interrupt_id("|".join(map(str, place))) if isinstance(place, list) else None
    return own, body["value"]
