"""One state of a thread as LangGraph tells it, its two spellings read alike.

The Agent Server writes ``checkpoint`` and ``parent_checkpoint``, the library ``config`` and
``parent_config`` (``langgraph_sdk.schema.ThreadState``, ``langgraph.types.StateSnapshot``).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from viewer.model import MISSING, Missing
from viewer.sources.langgraph.history_task import (
    ToldTask,
    elements,
    members,
    placed,
    questions,
    told_task,
    word,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldState:
    """One state with its place in its thread."""

    thread_id: str | None
    namespace: str
    checkpoint_id: str | None
    parent_id: str | Missing | None
    values: Any
    next: tuple[str, ...]
    metadata: Mapping[str, Any]
    created_at: Any
    tasks: tuple[ToldTask, ...]
    questions: tuple[tuple[str, Any], ...]
    """Interrupts told beside the tasks."""
    ancestors: Mapping[str, Any] = field(default_factory=dict)
    """Namespace → checkpoint id, of the graphs around it and of itself."""


def state(body: Mapping[str, Any], tasks: str = "/tasks") -> ToldState:
    """Return the state that ``body`` tells; parts of a wrong type count as absent.

    Args:
        body: by field names.
        tasks: where its tasks stand in what it was read from.
    """
    place, parent = (
        placed(body, "checkpoint", "config"),
        placed(body, "parent_checkpoint", "parent_config"),
    )
    metadata = members(body.get("metadata"))
    parent_id: str | Missing | None = _id(parent)
    if "parent_checkpoint" not in body and "parent_config" not in body:
        told = body.get("parent_checkpoint_id", MISSING)
        parent_id = MISSING if told is MISSING else word(told)
    namespace = word(place.get("checkpoint_ns")) or ""
    return ToldState(
        thread_id=word(place.get("thread_id")) or word(metadata.get("thread_id")),
        namespace=namespace,
        checkpoint_id=_id(place) or word(body.get("checkpoint_id")),
        parent_id=parent_id,
        values=body.get("values"),
        next=tuple(node for node in elements(body.get("next")) if isinstance(node, str)),
        metadata=metadata,
        created_at=body.get("created_at"),
        tasks=tuple(
            told_task(one, namespace, f"{tasks}/{number}")
            for number, one in enumerate(elements(body.get("tasks")))
        ),
        questions=questions(body.get("interrupts")),
        ancestors=members(place.get("checkpoint_map")) or members(metadata.get("parents")),
    )


def _id(place: Mapping[str, Any]) -> str | None:
    return word(place.get("checkpoint_id")) or word(place.get("thread_ts"))
