"""Which nodes run after a checkpoint, told from its channels alone, without the graph.

A compiled StateGraph keeps its edges in channels: ``branch:to:N`` says that N is to run,
``join:a+b:N`` collects who has arrived, ``__pregel_tasks`` lists the Sends still to run. A node
runs when a channel that triggers it has a version that the node has not seen. The first formats
(``v`` 1 and 2) name no target in most channels; there, what each node was seen to read is learned.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from viewer.model import MISSING
from viewer.sources.langgraph.first_ids import Way, first_ids
from viewer.sources.langgraph.naming import NOT_NODES, SENDS, TaskPlace, task_id
from viewer.sources.langgraph.stored import Stored, Version

START = "__start__"
_BRANCH, _JOIN, _OLD_START = "branch:to:", "join:", "start:"
_SEND_TYPES = ("langgraph.types.Send", "langgraph.constants.Send")

Names = Mapping[str, frozenset[str]]


class Planned(NamedTuple):
    """A task that is to run after a checkpoint."""

    node: str
    kind: Literal["pull", "push"]
    key: str
    """The number of the Send; for a pull, the node."""
    id: str | None
    others: Mapping[Way, tuple[str, ...]]
    """The first format only: every id that it may have, by the way a release made it."""
    input: Any = MISSING
    """The argument of a Send."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wiring:
    """What a chain's checkpoints together tell of the graph's edges."""

    joins: Names = field(default_factory=dict)
    """Node → the join channels that lead to it."""
    reads: Names = field(default_factory=dict)
    """Formats 1 and 2 only: node → the channels it was ever seen to read."""
    entry: str = START
    """The node that ``__start__`` triggers; a functional workflow's own name."""
    way: Way = "words of today"
    """How the ids of the first format's tasks were made."""


def join_names(channels: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return node → its join channels, for the joins among ``channels``."""
    found: dict[str, set[str]] = {}
    for channel in channels:
        if channel.startswith(_JOIN) and channel.count(":") >= 2:
            found.setdefault(channel.rsplit(":", 1)[1], set()).add(channel)
    return {node: frozenset(names) for node, names in found.items()}


def read_names(stored: Iterable[Stored]) -> dict[str, frozenset[str]]:
    """Return node → the channels it reads, as far as checkpoints of formats 1 and 2 show it."""
    found: dict[str, set[str]] = {}
    for one in stored:
        if not one.known or (one.v or 1) > 2:
            continue
        for node, channels in one.seen.items():
            if node not in NOT_NODES:
                found.setdefault(node, set()).update(channels)
        for channel in one.versions:
            target = _old_target(channel)
            if target is not None:
                found.setdefault(target, set()).add(channel)
        found.setdefault(START, set()).add(START)
    return {node: frozenset(names) for node, names in found.items()}


def _old_target(channel: str) -> str | None:
    if channel.startswith(_OLD_START):
        return channel[len(_OLD_START) :]
    parts = channel.split(":")
    if parts[0] == "branch" and len(parts) == 4:
        return parts[3]
    return parts[-1] if parts[0] == "join" and len(parts) >= 3 else None


def entry_name(chain: Iterable[Stored]) -> str:
    """Return the node that ``__start__`` triggers: a functional workflow's name or ``__start__``.

    At an input only that node can have run, so a task path there names it; where there are no
    task paths, the node that has seen ``__start__`` does.
    """
    started: set[str] = set()
    readers: set[str] = set()
    for one in chain:
        if one.origin == "input":
            started.update(w.path.node for w in one.writes if w.path.kind == "pull")
        readers.update(node for node, seen in one.seen.items() if START in seen)
    readers -= NOT_NODES
    return START if START in started | readers else min(started or readers, default=START)


def sends(stored: Stored, parent: Stored | None) -> list[Any]:
    """Return the Sends that are still to run after a checkpoint, first one first.

    Before format 4 they stand in the checkpoint (``pending_sends``) or in the writes of the
    parent.
    """
    own = stored.values.get(SENDS)
    if own is None and (stored.v or 1) < 4:
        own = list(stored.pending_sends)
        if not own and parent is not None:
            own = [write.value for write in parent.writes if write.channel == SENDS]
    return [send for send in own if _is_send(send)] if isinstance(own, list) else []


def send_node(send: Mapping[str, Any]) -> str:
    """Return the node that a Send names."""
    body = send["value"]
    found = body.get("node") if isinstance(body, dict) else body[0] if body else None
    return found if isinstance(found, str) else "?"


def send_input(send: Mapping[str, Any]) -> Any:
    """Return the argument of a Send; `MISSING` where it has none."""
    body = send["value"]
    if isinstance(body, dict):
        return body.get("arg", MISSING)
    return body[1] if len(body) > 1 else MISSING


def planned(stored: Stored, parent: Stored | None, namespace: str, wiring: Wiring) -> list[Planned]:
    """Return the tasks that run after ``stored``: the Sends, then the triggered nodes."""
    at = stored.place(namespace)
    packets = sends(stored, parent)
    first_formats = at.v <= 2
    fired = _fired_by_reads(stored, wiring) if first_formats else _fired(stored, wiring)
    tasks = []
    for number, send in enumerate(packets):
        node, key = send_node(send), str(number)
        own, others = _ids(at, node, "push", [key], range(number, number + 1), wiring.way)
        tasks.append(
            Planned(node=node, kind="push", key=key, id=own, others=others, input=send_input(send))
        )
    places = range(len(packets), len(packets) + len(fired))
    for node, channels in fired.items():
        triggers = channels if first_formats else all_triggers(node, channels, wiring.joins)
        own, others = _ids(at, node, "pull", sorted(triggers), places, wiring.way)
        tasks.append(Planned(node=node, kind="pull", key=node, id=own, others=others))
    return tasks


def _ids(
    at: TaskPlace,
    node: str,
    kind: Literal["pull", "push"],
    parts: list[str],
    places: range,
    way: Way,
) -> tuple[str | None, Mapping[Way, tuple[str, ...]]]:
    """Return a task's id, None where its place among the others would decide, and all it may be."""
    if at.v > 1:
        return task_id(at, node, kind, *parts), {}
    others = first_ids(at, node, kind, parts, places)
    some = others.get(way, ())
    return some[0] if len(some) == 1 else None, others


def all_triggers(node: str, fired: set[str], joins: Names) -> set[str]:
    """Return every channel that can trigger ``node``, as far as known: what its id is made of."""
    if START in fired:
        return {START}
    return {f"{_BRANCH}{node}"} | joins.get(node, frozenset())


def _fired(stored: Stored, wiring: Wiring) -> dict[str, set[str]]:
    fired: dict[str, set[str]] = {}
    for channel, value in stored.values.items():
        node: str | None = None
        if channel.startswith(_BRANCH) and not _waits(value):
            node = channel[len(_BRANCH) :]
        elif channel.startswith(_JOIN) and channel.count(":") >= 2 and _complete(channel, value):
            node = channel.rsplit(":", 1)[1]
        elif channel == START:
            node = wiring.entry
        if node is not None and _unseen(stored, node, channel):
            fired.setdefault(node, set()).add(channel)
    return fired


def _fired_by_reads(stored: Stored, wiring: Wiring) -> dict[str, set[str]]:
    fired: dict[str, set[str]] = {}
    for channel, value in stored.values.items():
        if channel.startswith(_JOIN) and not _complete(channel, value):
            continue
        for node, channels in wiring.reads.items():
            seen = stored.seen.get(node, {}).get(channel)
            if channel in channels and _newer(stored.versions.get(channel), seen):
                fired.setdefault(node, set()).add(channel)
    return fired


def _waits(value: Any) -> bool:
    """Return whether a deferred node's channel ``[value, bool]`` holds it back."""
    return isinstance(value, list) and len(value) == 2 and value[1] is False


def _complete(channel: str, value: Any) -> bool:
    """Return whether all nodes that a join waits for have arrived.

    Node names may themselves contain ``+``, so lengths are compared, not parts.
    """
    if isinstance(value, list) and len(value) == 2 and isinstance(value[1], bool):
        value, released = value
        if not released:
            return False
    arrived = value.get("value") if isinstance(value, dict) else value
    if not isinstance(arrived, list) or not arrived:
        return False
    names = channel[len(_JOIN) :].rsplit(":", 1)[0]
    return len("+".join(map(str, arrived))) == len(names)


def _unseen(stored: Stored, node: str, channel: str) -> bool:
    seen = stored.seen.get(node)
    return seen is None or _newer(stored.versions.get(channel), seen.get(channel))


def _newer(version: Version | None, seen: Version | None) -> bool:
    if version is None:
        return False
    if seen is None:
        return version > type(version)()  # type: ignore[operator]
    if isinstance(version, str) != isinstance(seen, str):
        return str(version) > str(seen)
    return version > seen  # type: ignore[operator]


def _is_send(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.get("$type") in _SEND_TYPES
        and isinstance(value.get("value"), dict | list)
    )
