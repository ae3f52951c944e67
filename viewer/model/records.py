"""What readers find in a source, before a profile says what it means."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any, Literal


class Missing(Enum):
    """The type of `MISSING`."""

    MISSING = "missing"


MISSING = Missing.MISSING
"""Stands where the source has nothing; ``None`` is JSON's null and a value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What a reader could not read, or read only with a loss."""

    place: str
    """``path[!inner][:line[:col]][#pointer]``"""
    reason: str
    keyword: str = "unreadable"
    """unreadable, patch, duplicate_key, missing_parent, gap, limit …"""
    checkpoint_id: str | None = None
    index: int | None = None
    """Of the checkpoint concerned; for an unreadable record, of the last good one before it."""
    no_state: bool = False
    """A record that should be a checkpoint yielded no state; the parse gate counts these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupt:
    """The run stopped to wait."""

    id: str
    value: Any
    task: str
    """Id of the task that asked; empty where the source does not say."""
    open: bool
    """No answer is recorded yet, and the run that asked still waits for one."""
    owner: str | None = None
    """The namespace that asked, where this is a copy of its question; None for the own chain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskError:
    """The error text a task left."""

    task: str
    node: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """A value a task put on a channel, maybe pending."""

    task: str
    node: str
    channel: str
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One execution of a node after a checkpoint, with what it has stored so far."""

    id: str
    node: str
    """Empty where nothing in the source tells."""
    kind: Literal["pull", "push", "call", "error_handler", "unknown"]
    """A triggered node, a Send, a call inside a task, the handler of a task's error."""
    finished: bool
    """It has stored an output; interrupts and errors of earlier tries stay beside it."""
    input: Any = MISSING
    """The argument of a Send; `MISSING` where the node read the state."""
    namespace: str | None = None
    """Of its subgraph, where the thread has checkpoints of one."""
    writes: tuple[Write, ...] = ()
    interrupts: tuple[Interrupt, ...] = ()
    errors: tuple[TaskError, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Nesting:
    """Which task of which chain a namespace belongs to."""

    namespace: str
    """Of the parent chain."""
    checkpoint_id: str | None
    """The parent chain's checkpoint after which the task ran; None where none names it."""
    task: str | None
    node: str
    standing: Literal["live", "finished", "detached"]
    """Whether the task still runs or waits, has finished, or was left: nothing names or awaits it."""
    reason: str
    """Why it stands so, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One checkpoint as its reader found it, before a profile says what its fields mean.

    A field that the source does not carry is None, or `MISSING` where null would be a value.
    """

    place: str
    made_id: str
    """The id used when neither the source nor the state has one (``line:3``, a file's stem)."""
    state: Any = MISSING
    fault: str | None = None
    """Why there is no state; with ``listed`` false the record is no checkpoint at all."""
    fault_keyword: str = "unreadable"
    listed: bool = True
    trusted: bool = True
    """False where the state is unknown because an earlier patch failed."""
    checkpoint_id: str | None = None
    parent_id: str | Missing | None = MISSING
    """None says "a root"; MISSING says "no link recorded"."""
    run_id: str | None = None
    step: int | None = None
    created_at: datetime | None = None
    origin: str | None = None
    nodes: tuple[str, ...] | None = None
    status: str | None = None
    next: tuple[str, ...] = ()
    next_live: tuple[str, ...] = ()
    interrupts: tuple[Interrupt, ...] = ()
    errors: tuple[TaskError, ...] = ()
    tasks: tuple[Task, ...] = ()
    """What was to run after the checkpoint, in the runtime's own order."""
    writes: tuple[Write, ...] = ()
    versions: Mapping[str, str | int | float] = field(default_factory=dict)
    """Channel → the runtime's own version of its value; a write makes a new one."""
    decision: Mapping[str, Any] | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    size_bytes: int = 0
    duplicate_keys: tuple[str, ...] = ()
    """Pointers of keys that stand twice in one object; the last value is used."""
    pointer: str = ""
    """Where in the file the record's own text stands (``/checkpoints/3``), as `place` ends in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadRef:
    """A chain that a source holds, before it is loaded."""

    thread_id: str
    namespace: str = ""
    checkpoints: int | None = None
    """How many, where that is cheap to know."""
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sidecars:
    """What a run folder holds beside its checkpoints."""

    observations: Mapping[str, Any] = field(default_factory=dict)
    """checkpoint_id → what the model was shown."""
    memories: Mapping[str, Any] | None = None
    """Memory id → envelope; None says that no memories are at hand."""
    tasks: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """taskId → its versions, oldest first."""
    working_schema: Mapping[str, Any] | None = None
    what_if: Mapping[str, Any] = field(default_factory=dict)
    """File stem → a proposal to try against transcript and state."""
    versions: Mapping[str, Any] | None = None
    walk: Mapping[str, Any] | None = None
    """A walk through the run for a person who shows it (``schemas/walk.schema.json``)."""


NO_SIDECARS = Sidecars()


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """One chain's records in source order, with what the reader says about all of them."""

    ref: ThreadRef
    records: tuple[Record, ...]
    problems: tuple[Problem, ...] = ()
    sidecars: Sidecars = NO_SIDECARS
    profile: str | None = None
    """The reader's own profile for what it read."""
    nesting: Nesting | None = None
    """Of a namespace below another; None for a root."""
    live_head: Literal["id", "last"] = "last"
    """How the live head is chosen: highest checkpoint_id, or newest and then last in the source."""
