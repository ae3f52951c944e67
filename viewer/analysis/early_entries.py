"""Entries of a list that stand in a checkpoint before the first task that wrote them.

No reducer is needed for it: whatever a reducer does, the entries come from writes.
"""

from typing import Any

from viewer.analysis.differences import alike, position
from viewer.analysis.replay import Edge

_MOST = 200
"""New entries of one list looked at."""


def early(edge: Edge, channel: str) -> str | None:
    """Return the node whose later write holds entries that already stand after ``edge``.

    None where every new entry was written before, or where one comes from elsewhere.
    """
    old, actual = edge.before.get(channel, []), edge.after.get(channel)
    later = edge.later.get(channel, ())
    if not later or not isinstance(old, list) or not isinstance(actual, list):
        return None
    new = _tail(old, actual)
    if not 0 < len(new) <= _MOST:
        return None
    known = [
        entry
        for write in edge.writes.get(channel, ())
        for entry in (reversed(write.value) if isinstance(write.value, list) else [write.value])
    ]
    strange = [entry for entry in new if position(entry, old) is None]
    unknown = [entry for entry in strange if not any(_alike(entry, k) for k in known)]
    if not unknown:
        return None
    for write in later:
        held = _entries(old, write.value)
        if all(any(alike(entry, other) for other in held) for entry in unknown):
            return write.node
    return None


def _entries(old: list[Any], value: Any) -> list[Any]:
    """Return what a write adds: its entries behind those that the list already had."""
    return _tail(old, value) if isinstance(value, list) else [value]


def _tail(old: list[Any], value: list[Any]) -> list[Any]:
    if alike(value[: len(old)], old):
        return value[len(old) :]
    for i, (a, b) in enumerate(zip(old, value, strict=False)):
        if not alike(a, b):
            return value[i:]
    return value[len(old) :]


def _alike(entry: Any, written: Any) -> bool:
    """Return whether a written entry became ``entry``: messages get a class and an id on the way."""
    return alike(entry, written) or (
        (text := _words(entry)) is not None and text == _words(written)
    )


def _words(entry: Any) -> str | None:
    """Return what a message says, in any spelling; None for what is no message."""
    for _ in range(3):
        if isinstance(entry, str):
            return entry
        if isinstance(entry, list) and len(entry) == 2:
            entry = entry[1]
        elif isinstance(entry, dict):
            entry = (
                entry["value"] if "$type" in entry and "value" in entry else entry.get("content")
            )
        else:
            return None
    return entry if isinstance(entry, str) else None
