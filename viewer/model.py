"""The nouns of the program: what readers find, what a chain holds, what analyses say.

A state is the parsed JSON value itself (``dict``, ``list``, ``str``, ``int``, ``float``, ``bool``,
``None``). It is shared between checkpoints and is never mutated, by rule.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any, Literal, NamedTuple, get_args

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
    """No answer is recorded yet."""


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
    writes: tuple[Write, ...] = ()
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
    live_head: Literal["id", "last"] = "last"
    """How the live head is chosen: highest checkpoint_id, or newest and then last in the source."""


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
    writes: tuple[Write, ...]
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


Number = int | float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What model calls cost; None means that no record says, which is not 0."""

    model_calls: Number = None
    input_tokens: Number = None
    output_tokens: Number = None
    total_tokens: Number = None
    cache_read_tokens: Number = None
    cache_write_tokens: Number = None
    reasoning_tokens: Number = None
    cost_usd: Number = None
    model_seconds: Number = None

    def __add__(self, other: "Usage") -> "Usage":
        """Return the sum field by field; a None never adds."""
        return Usage(**{name: _plus(getattr(self, name), getattr(other, name)) for name in USAGE})


UsageName = Literal[
    "model_calls",
    "input_tokens",
    "output_tokens",
    "total_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    "cost_usd",
    "model_seconds",
]
USAGE: tuple[UsageName, ...] = get_args(UsageName)


def _plus(a: Number, b: Number) -> Number:
    if a is None or b is None:
        return b if a is None else a
    return a + b


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
    inconsistency: str | None = None
    """Set when the status says "waiting" and nothing is pending."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedAction:
    """One call that would run if the proposal is approved."""

    tool: str
    args: Any
    pointer: str
