"""Values that changed their kind."""

from collections.abc import Iterator, Sequence
from typing import Any

from viewer.analysis.replay import Edge
from viewer.analysis.sightings import brief, seen
from viewer.analysis.tasks import internal
from viewer.chain import Chain
from viewer.jsontext import type_name
from viewer.model import Finding
from viewer.pointer import Tokens, join

_NESTED = 3
"""Levels of objects in which a field's type is followed."""
_TAGS = ("bytes", "float", "map", "ndarray")
"""Our readers' tags of values that are whole; their other tags without a module stand for none."""
_FLIPS = 3
"""Changes of type after which a field is taken to hold either by design."""


def value_findings(chain: Chain, steps: Sequence[Edge]) -> Iterator[Finding]:
    """Yield types that changed."""
    changes: dict[Tokens, list[tuple[Edge, Any, Any]]] = {}
    for edge in steps:
        for channel in edge.after:
            if channel not in edge.before or internal(channel):
                continue
            old, new = edge.before[channel], edge.after[channel]
            if old is new:
                continue
            for at, a, b in _kinds((channel,), old, new):
                changes.setdefault(at, []).append((edge, a, b))
    for at, found in changes.items():
        if len(found) >= _FLIPS:
            continue
        edge, a, b = found[0]
        channel = str(at[0])
        yield Finding(
            keyword="type_changed",
            message=f"{join(at)} was {_a(a)} and is {_a(b)}"
            f"{'' if edge.child.step is None else f' since step {edge.child.step}'}"
            f"{f', written by {edge.author(channel)}' if edge.author(channel) else ''}: what reads "
            "it may treat it as the other",
            namespace=chain.namespace,
            checkpoint_id=edge.child.checkpoint_id,
            index=edge.child.index,
            step=edge.child.step,
            node=edge.author(channel),
            channel=channel,
            pointer=join(at),
            evidence=(
                seen(edge.parent, edge.before, at),
                seen(edge.child, edge.after, at),
            ),
        )


def _kinds(at: Tokens, old: Any, new: Any) -> Iterator[tuple[Tokens, Any, Any]]:
    """Yield each place below ``at`` whose JSON type changed; null and numbers' kinds are none."""
    a, b = _kind(old), _kind(new)
    if a != b:
        if "null" not in (a, b):
            yield at, old, new
    elif a == "object" and len(at) <= _NESTED and "$type" not in old and "$type" not in new:
        for key in new:
            if key in old and old[key] is not new[key]:
                yield from _kinds((*at, key), old[key], new[key])
    elif a == "array" and len(new) > len(old) > 1 and len(at) <= _NESTED:
        kind = _kind(old[-1])
        strange = [i for i in range(len(old), len(new)) if _kind(new[i]) not in (kind, "null")]
        plain = kind in ("number", "string", "object")
        if strange and plain and {_kind(entry) for entry in old} == {kind}:
            yield (*at, strange[0]), old[-1], new[strange[0]]


def _kind(value: Any) -> str:
    """Return the JSON type; integers are numbers, an object of a class is of that class.

    What stands for a value that could not be read (sealed, not rebuilt) is of none, like null.
    """
    name = type_name(value)
    if name == "integer":
        return "number"
    if name == "object" and isinstance(value.get("$type"), str):
        if "." not in value["$type"] and value["$type"] not in _TAGS:
            return "null"
        return "number" if value["$type"].endswith(("float", "Decimal")) else "tagged"
    return name


def _a(value: Any) -> str:
    kind = _kind(value)
    if kind == "tagged":
        return f"a {str(value['$type']).rpartition('.')[2]}"
    return f"{'an' if kind[0] in 'aeio' else 'a'} {kind} ({brief(value)})"
