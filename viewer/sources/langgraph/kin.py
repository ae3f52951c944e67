"""What was already told of the chains of one thread, so that its namespaces share it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from viewer.model import Task


class Ran(NamedTuple):
    """A task of a parent's step, without its values."""

    id: str
    node: str
    planned: bool
    finished: bool
    wrote: bool


class ParentStep(NamedTuple):
    """The checkpoint of a parent from which namespaces started."""

    ran: tuple[Ran, ...]
    by_id: Mapping[str, Ran]
    origins: tuple[str | None, ...]
    """Why each checkpoint that followed was saved."""
    head: bool
    """Whether it is the live head of its chain."""


@dataclass(slots=True)
class Kin:
    """Holds for one thread as long as nothing in its store changes; grows as it is asked."""

    steps: dict[tuple[str, str], ParentStep | None] = field(default_factory=dict)
    """By namespace and checkpoint id; None for one that is not there."""
    parents: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """Namespace → what its live head says of the checkpoints of those above it."""
    links: dict[str, dict[str, str | None]] = field(default_factory=dict)
    """Namespace → checkpoint id → parent id."""
    asked: dict[str, frozenset[str]] = field(default_factory=dict)
    """Namespace → the ids of the questions that stand in its chain."""


class Keeper:
    """Keeps the `Kin` of the thread asked for last while the store stays as it is."""

    def __init__(self) -> None:
        self._kept: tuple[object, Kin] | None = None

    def kin(self, stamp: object, thread_id: str) -> Kin:
        """Return what is known of a thread.

        Args:
            stamp: differs when the store has changed; None where that cannot be told.
            thread_id: whose chains are read.
        """
        if stamp is None:
            return Kin()
        name = (stamp, thread_id)
        kept = self._kept
        if kept is None or kept[0] != name:
            kept = self._kept = (name, Kin())
        return kept[1]


def ran(tasks: Iterable[Task]) -> tuple[Ran, ...]:
    """Return tasks without their values."""
    return tuple(
        Ran(task.id, task.node, task.kind in ("pull", "push"), task.finished, bool(task.writes))
        for task in tasks
    )
