"""Delta channels: values that are stored now and then, and rebuilt from the writes in between.

A checkpoint holds such a channel's version but not its value; the nearest ancestor with a full
value is the start, and the writes on the way are applied in LangGraph's own order (task path, task,
slot), along the lineage of that checkpoint alone. Source:
``BaseCheckpointSaver.get_delta_channel_history``. The store does not say how an application
reduces writes. Lists that grow, and messages that replace each other by id, are tried; a full value
that contradicts shows that the application does something else, and then nothing is rebuilt.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from viewer.equality import same
from viewer.sources.langgraph.naming import CONTROL, NULL_TASK, update_tasks
from viewer.sources.langgraph.stored import Stored, StoredWrite

Rebuilt = Mapping[str, Mapping[str, list[Any] | None]]
"""Delta channel → checkpoint id → its value there; None where its lineage reaches neither a full
value nor a root."""

_SNAPSHOT = "delta_snapshot"
_COUNTERS = "counters_since_delta_snapshot"
_OVERWRITE = "langgraph.types.Overwrite"
_MESSAGES = "langchain_core.messages."
_REMOVE_ALL = "__remove_all__"


def full_value(value: Any) -> Any:
    """Return a channel's value without the wrapper that marks a delta channel's full value."""
    if isinstance(value, dict) and value.get("$type") == _SNAPSHOT:
        return value["value"]
    return value


def delta_channels(chain: Iterable[Stored]) -> frozenset[str]:
    """Return the names of the delta channels: those that are counted, or have a full value."""
    found: set[str] = set()
    for one in chain:
        counters = one.metadata.get(_COUNTERS)
        if isinstance(counters, Mapping):
            found.update(counters)
        found.update(
            ch for ch, v in one.values.items() if type(v) is dict and full_value(v) is not v
        )
    return frozenset(found)


def rebuilt(chain: Sequence[Stored]) -> Rebuilt:
    """Return the values of every delta channel of ``chain``.

    A channel whose stored full values contradict the rebuilt ones has no entries at all.
    """
    by_id = {one.checkpoint_id: one for one in chain}
    return {channel: _values(chain, by_id, channel) or {} for channel in delta_channels(chain)}


def unstored(one: Stored, deltas: Rebuilt) -> list[str]:
    """Return the delta channels that a checkpoint has a version of, but no value."""
    return sorted(ch for ch in deltas if ch in one.versions and ch not in one.values)


def _values(
    chain: Sequence[Stored], by_id: Mapping[str, Stored], channel: str
) -> dict[str, list[Any] | None] | None:
    values: dict[str, list[Any] | None] = {}
    for one in chain:
        for at in _way(one, by_id, values):
            parent = by_id.get(at.parent_id) if at.parent_id is not None else None
            before = values.get(parent.checkpoint_id) if parent is not None else None
            made = (
                None if parent is None or before is None else _reduced(before, parent, at, channel)
            )
            if channel in at.values:
                stored = full_value(at.values[channel])
                told = made is not None and _follows(parent, at, channel)
                if not isinstance(stored, list) or (told and not same(made, stored)):
                    return None
                made = stored
            elif at.parent_id is None and at.fault is None:
                made = []
            values[at.checkpoint_id] = made
    return values


def _follows(parent: Stored | None, child: Stored, channel: str) -> bool:
    """Return whether the writes at ``parent`` are all that leads to ``child``.

    An edit of an older checkpoint stores its result alone, and so do steps that were not saved:
    durability ``exit`` leaves out what a task wrote that asked or failed before and then ended.
    """
    if parent is None or parent.step is None or child.step is None:
        return False
    if child.origin != "loop" or child.step != parent.step + 1:
        return False
    ended = {write.task for write in parent.writes if write.channel not in CONTROL}
    began = {write.task for write in parent.writes if write.task != NULL_TASK}
    return began <= ended and any(write.channel == channel for write in parent.writes)


def _way(one: Stored, by_id: Mapping[str, Stored], known: Mapping[str, Any]) -> list[Stored]:
    """Return ``one`` and its ancestors that are not ``known`` yet, oldest first."""
    way: dict[str, Stored] = {}
    at: Stored | None = one
    while at is not None and at.checkpoint_id not in known and at.checkpoint_id not in way:
        way[at.checkpoint_id] = at
        at = by_id.get(at.parent_id) if at.parent_id is not None else None
    return list(reversed(way.values()))


def _reduced(before: list[Any], parent: Stored, child: Stored, channel: str) -> list[Any] | None:
    """Return the value at ``child``: what stood at its parent, with the writes stored there."""
    value: list[Any] = list(before)
    for write in _writes(parent, child, channel):
        if write.fault is not None:
            return None
        given = _overwriting(write.value)
        if given is not None:
            if not isinstance(given, list):
                return None
            value = list(given)
        else:
            _add(value, write.value if isinstance(write.value, list) else [write.value])
    return value


def _writes(parent: Stored, child: Stored, channel: str) -> list[StoredWrite]:
    """Return the writes at ``parent`` that led to ``child``.

    An ``update_state`` stores its writes beside those of the parent's own tasks: what one made is
    not in the child of the other.
    """
    own = [write for write in parent.writes if write.channel == channel]
    edits = update_tasks(parent.checkpoint_id) if own else frozenset()
    edited = [write for write in own if write.task in edits]
    if child.origin == "update":
        return edited or own
    return [write for write in own if write not in edited] if child.origin == "loop" else own


def _overwriting(value: Any) -> Any:
    """Return what an ``Overwrite`` puts in place of a channel's value; None for other writes."""
    if isinstance(value, dict):
        if value.get("$type") == _OVERWRITE and isinstance(value.get("value"), dict):
            return value["value"].get("value")
        if set(value) == {"__overwrite__"}:
            return value["__overwrite__"]
    return None


def _add(value: list[Any], items: list[Any]) -> None:
    """Append ``items``; a message takes the place of the one with its id, or removes it."""
    for new in items:
        kind = new.get("$type") if isinstance(new, dict) else None
        if not isinstance(kind, str) or not kind.startswith(_MESSAGES):
            value.append(new)
            continue
        own = _message_id(new)
        place = next((i for i, old in enumerate(value) if own and _message_id(old) == own), None)
        if kind.endswith(".RemoveMessage"):
            if own == _REMOVE_ALL:
                value.clear()
            elif place is not None:
                del value[place]
        elif place is None:
            value.append(new)
        else:
            value[place] = new


def _message_id(message: Any) -> str | None:
    body = message.get("value") if isinstance(message, dict) else None
    found = body.get("id") if isinstance(body, dict) else None
    return found if isinstance(found, str) else None
