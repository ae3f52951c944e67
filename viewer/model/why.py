"""What ``why`` says of a thread: where it stopped, what a resume would do, what looks wrong."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from viewer.model.findings import Phase
from viewer.model.records import Interrupt


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A place that bears a finding out."""

    checkpoint_id: str
    index: int
    pointer: str
    """Into the state of that checkpoint; empty where the checkpoint as a whole is meant."""
    note: str
    """What stands there, in words."""
    namespace: str | None = None
    """Of the chain that holds the checkpoint; None for that of the finding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that looks wrong in a chain, found without configuration."""

    keyword: str
    """changed_without_write, state_from_the_future, type_changed …"""
    message: str
    """What, where and why it matters."""
    namespace: str
    checkpoint_id: str
    index: int
    """Of the first checkpoint that shows it."""
    step: int | None
    node: str = ""
    """The node concerned; empty where the source does not tell."""
    channel: str = ""
    """The top-level key concerned; empty where it is not about one."""
    pointer: str = ""
    """Into the state of that checkpoint."""
    evidence: tuple[Evidence, ...] = ()
    count: int = 1
    """Checkpoints that show the same."""
    last_checkpoint_id: str | None = None
    """The last of them, where there are several."""
    last_index: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppedAt:
    """Where a run stopped: the innermost place the source tells of."""

    namespace: str
    checkpoint_id: str
    """The newest checkpoint there; what stopped came after it."""
    index: int
    step: int | None
    """Of that checkpoint."""
    node: str
    task: str
    """Id of the task; empty where the source has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeInput:
    """What a node was given."""

    kind: Literal["send", "state"]
    """The argument of a Send, or the state as it stood at the checkpoint."""
    value: Any
    """For ``state``: the channels that are not the runtime's own; `MISSING` where unreadable."""
    namespace: str
    checkpoint_id: str
    index: int
    pointer: str = ""
    """Where the value stands in that checkpoint's state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """One task that did not finish, with what it left."""

    at: StoppedAt
    error: str | None
    """The error's text, as a repr: stores keep no traceback."""
    interrupts: tuple[Interrupt, ...]
    """The questions that still wait for an answer."""
    input: NodeInput
    since: datetime | None
    """When the checkpoint was saved after which the task ran."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """A task that a resume would run again from its start."""

    namespace: str
    checkpoint_id: str
    node: str
    task: str
    continues_in: str | None
    """Namespace of a subgraph that goes on from its own newest checkpoint; else None."""
    call: bool = False
    """A call made inside the node (functional API), not the node itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A finished task beside the stopped ones: a resume keeps its writes and does not rerun it."""

    namespace: str
    checkpoint_id: str
    node: str
    task: str
    channels: tuple[str, ...]
    """What it wrote to, the runtime's own channels left out."""
    since: datetime | None
    """When the checkpoint was saved after which the task ran."""
    call: bool = False
    """A call made inside the node (functional API), not the node itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LastWrite:
    """What the newest task that wrote is known to have written."""

    namespace: str
    checkpoint_id: str
    """The checkpoint after which it was made."""
    index: int
    node: str
    task: str
    channel: str
    """The one of its channels to which it wrote most."""
    value: Any
    channels: tuple[str, ...] = ()
    """All that it wrote to, in its order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Why a thread stands where it stands."""

    thread_id: str
    namespace: str
    phase: Phase
    status: str | None
    sentence: str
    """All of it in one plain line."""
    head: str | None
    """Id of the live head; None where no checkpoint could be read."""
    since: datetime | None
    """When the newest checkpoint of the innermost stop, else the live head, was saved."""
    stops: tuple[Stop, ...]
    """Innermost unfinished tasks, those that explain the status first."""
    last_write: LastWrite | None
    reruns: tuple[Rerun, ...]
    kept: tuple[Kept, ...]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    """What limits the answer: detached namespaces, what could not be read."""

    @property
    def stopped_at(self) -> StoppedAt | None:
        """Where the first stop is."""
        return self.stops[0].at if self.stops else None

    @property
    def error(self) -> str | None:
        """The first error text among the stops."""
        return next((stop.error for stop in self.stops if stop.error is not None), None)

    @property
    def input(self) -> NodeInput | None:
        """What the first stop's node was given."""
        return self.stops[0].input if self.stops else None

    @property
    def interrupts(self) -> tuple[Interrupt, ...]:
        """Every question that waits."""
        return tuple(asked for stop in self.stops for asked in stop.interrupts)
