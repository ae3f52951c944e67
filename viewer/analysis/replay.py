"""The steps of a chain: each checkpoint with its parent and the writes that led from one to other."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from viewer.analysis.tasks import CONTROL, internal
from viewer.chain import Chain
from viewer.model import Checkpoint, Write

NULL_TASK = "00000000-0000-0000-0000-000000000000"
"""LangGraph's task id of what a caller's ``Command`` wrote."""
_DELTAS = "counters_since_delta_snapshot"
_OVERWRITES = ("langgraph.types.Overwrite", "langchain_core.messages.modifier.RemoveMessage")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """One step: from a checkpoint to a child, with what was written in between."""

    parent: Checkpoint
    child: Checkpoint
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    writes: Mapping[str, tuple[Write, ...]]
    """Channel → its writes, in the order in which they were applied."""
    later: Mapping[str, tuple[Write, ...]]
    """The same of what was written after the child."""
    exact: bool
    """The writes are all that led to the child: one step, no other child, rows of every node."""
    deltas: frozenset[str]
    """Channels whose values are rebuilt, not stored."""
    taking: frozenset[str]
    """Channels to which a write says that values are to go (Overwrite, RemoveMessage)."""

    @property
    def node(self) -> str:
        """The nodes that made the child, in words."""
        return ", ".join(self.child.nodes)

    def shared(self) -> tuple[str, ...]:
        """Return the app's channels that have a value on both sides and are stored whole."""
        return tuple(
            name
            for name in self.after
            if name in self.before and not internal(name) and name not in self.deltas
        )

    def moved(self, channel: str) -> bool | None:
        """Return whether the runtime made a new version of ``channel``; None where it has none."""
        old, new = self.parent.versions.get(channel), self.child.versions.get(channel)
        return None if old is None or new is None else old != new

    def author(self, channel: str) -> str:
        """Return the nodes that wrote ``channel``, else those that made the child."""
        wrote = dict.fromkeys(w.node for w in self.writes.get(channel, ()) if w.node)
        return ", ".join(wrote) or self.node


def edges(chain: Chain) -> list[Edge]:
    """Return the steps of ``chain`` whose two states are objects, in the order of the children."""
    counters = (c.metadata.get(_DELTAS) for c in chain.checkpoints)
    deltas = frozenset(name for found in counters if isinstance(found, Mapping) for name in found)
    children = Counter(c.parent for c in chain.checkpoints if c.parent is not None)
    by_channel = [_by_channel(c.writes) for c in chain.checkpoints]
    taking = [
        frozenset(channel for channel, writes in own.items() if _take_away(writes))
        for own in by_channel
    ]
    found = []
    for child in chain.checkpoints:
        if child.parent is None:
            continue
        before, after = chain.states[child.parent], chain.states[child.index]
        if not isinstance(before, dict) or not isinstance(after, dict):
            continue
        parent = chain.checkpoints[child.parent]
        one_step = (
            child.step is not None and parent.step is not None and child.step == parent.step + 1
        )
        found.append(
            Edge(
                parent=parent,
                child=child,
                before=before,
                after=after,
                writes=by_channel[parent.index],
                later=by_channel[child.index],
                exact=child.origin == "loop"
                and one_step
                and children[parent.index] == 1
                and _complete(parent, child),
                deltas=deltas,
                taking=taking[parent.index],
            )
        )
    return found


def _complete(parent: Checkpoint, child: Checkpoint) -> bool:
    """Return whether each task of the step has left a row of its output."""
    wrote = {write.node for write in parent.writes if write.channel not in CONTROL}
    return (
        bool(wrote)
        and wrote.issuperset(child.nodes)
        and all(task.finished for task in parent.tasks)
    )


def _by_channel(writes: tuple[Write, ...]) -> dict[str, tuple[Write, ...]]:
    found: dict[str, list[Write]] = {}
    for write in writes:
        if write.channel not in CONTROL and not internal(write.channel):
            found.setdefault(write.channel, []).append(write)
    return {channel: tuple(own) for channel, own in found.items()}


def turns(chain: Chain) -> tuple[int, ...]:
    """Return a number for each checkpoint; it changes with each input and edit on its lineage."""
    number: list[int] = []
    for checkpoint in chain.checkpoints:
        if checkpoint.parent is None or checkpoint.origin in ("input", "update", "fork"):
            number.append(checkpoint.index)
        else:
            number.append(number[checkpoint.parent])
    return tuple(number)


def _take_away(writes: tuple[Write, ...]) -> bool:
    return any(_overwrites(write.value) for write in writes)


def _overwrites(value: Any) -> bool:
    entries = value if isinstance(value, list) else [value]
    return any(
        isinstance(entry, dict)
        and (entry.get("$type") in _OVERWRITES or set(entry) == {"__overwrite__"})
        for entry in entries
    )
