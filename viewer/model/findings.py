"""What chains hold and what analyses say of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

from viewer.model.records import Interrupt, Task, TaskError, Write
from viewer.pointer import Tokens, join

Phase = Literal["running", "waiting", "done", "failed", "stopped", "cancelled", "unknown"]
PHASES: tuple[Phase, ...] = (
    "running",
    "waiting",
    "done",
    "failed",
    "stopped",
    "cancelled",
    "unknown",
)
Gate = Literal["parse", "schema", "rule", "transition"]
GATES: tuple[Gate, ...] = ("parse", "schema", "rule", "transition")
Op = Literal["add", "remove", "replace", "move"]
Writer = Literal["user", "model", "system", "tool_ok", "tool_refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """State as saved at one point; the state itself is ``chain.state(index)``."""

    index: int
    """0-based position in the chain, unique."""
    checkpoint_id: str
    parent_id: str | None
    parent: int | None
    """Index of the parent; None for a root and where the parent is missing."""
    place: str
    run_id: str | None
    step: int | None
    """The source's own number; it may repeat."""
    created_at: datetime | None
    origin: str | None
    nodes: tuple[str, ...]
    status: str | None
    phase: Phase
    next: tuple[str, ...]
    next_live: tuple[str, ...]
    interrupts: tuple[Interrupt, ...]
    errors: tuple[TaskError, ...]
    tasks: tuple[Task, ...]
    writes: tuple[Write, ...]
    versions: Mapping[str, str | int | float]
    decision: Mapping[str, Any] | None
    metadata: Mapping[str, Any]
    size_bytes: int
    has_state: bool
    trusted: bool
    id_made: bool
    gap: int
    """Records lost between this checkpoint and the readable one before it."""


class Change(NamedTuple):
    """One difference between a base and a target state.

    ``path`` is a place in the target, but for ``remove`` one in the base; ``old_path`` is the same
    item's place in the base (for ``add``, its container there).
    """

    op: Op
    path: Tokens
    old_path: Tokens
    old: Any
    """`MISSING` for ``add``."""
    new: Any
    """`MISSING` for ``remove``."""

    @property
    def pointer(self) -> str:
        """JSON Pointer of `path`."""
        return join(self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A gate not met."""

    gate: Gate
    keyword: str
    """The JSON Schema keyword, the rule's name, ``transition``, ``start``; for gate parse the
    keyword of the problem (``unreadable``, ``patch`` …)."""
    pointer: str
    message: str
    checkpoint_id: str | None
    index: int | None
    """Of the checkpoint; for gate parse on an unlisted record, of the last good one before it."""
    causes: tuple[str, ...] = ()
    """For anyOf and oneOf: why each branch fails, with its pointer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotRun:
    """A gate or rule that could not judge a checkpoint, and why."""

    gate: Gate
    rule: str
    checkpoint_id: str | None
    index: int | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """An action that waits for a person."""

    thread_id: str
    namespace: str
    checkpoint_id: str
    proposal_id: str
    kind: str
    """The profile's word for what waits: ``interrupt``, ``task-state``, ``agent-state``."""
    actions: tuple["ProposedAction", ...]
    since: datetime | None
    value: Any
    """The raw proposal."""
    pointer: str
    """Where it stands in the state; empty for an interrupt."""
    owner: str | None = None
    """The namespace that asked, where this is a copy of its question; None for the own chain."""
    inconsistency: str | None = None
    """Set when the status says "waiting" and nothing is pending."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedAction:
    """One call that would run if the proposal is approved."""

    tool: str
    args: Any
    pointer: str
