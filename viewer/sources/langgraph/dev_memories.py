"""The long-term memories that `langgraph dev` keeps beside its threads, in ``store.pckl``.

Namespace → key → ``langgraph.store.base.Item``, which says its value, key, namespace and times.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from viewer.errors import ParseFault
from viewer.limits import Limits
from viewer.model import Problem
from viewer.sources.langgraph.dev_store import ITEMS, DevFile
from viewer.sources.langgraph.inert import Entries, tagged_nodes
from viewer.sources.langgraph.memories import Memories


def dev_memories(file: DevFile, folder: str, limits: Limits) -> Memories | None:
    """Return the items of the file, each in an envelope as `memories.memories` makes them.

    None where there is no such file.
    """
    if file.node is None:
        return None
    place = str(Path(folder) / ITEMS)
    found: dict[str, Any] = {}
    problems: list[Problem] = []
    for namespace, key, node in _items(file.node):
        if len(found) >= limits.memories:
            reason = f"only the first {limits.memories} items are taken up (limit: memories)"
            problems.append(Problem(place=place, reason=reason, keyword="limit"))
            break
        name = f"{'.'.join(namespace)}/{key}"
        try:
            body = tagged_nodes(node, depth=limits.depth, size=file.size)
        except ParseFault as fault:
            problems.append(Problem(place=f"{place}[{name}]", reason=fault.reason))
            continue
        stored = body.get("value") if isinstance(body, dict) else None
        if not isinstance(stored, dict) or "value" not in stored:
            problems.append(Problem(place=f"{place}[{name}]", reason="no item of a store"))
            continue
        found[name] = {
            "namespace": list(namespace),
            "key": key,
            "value": stored["value"],
            "created_at": _time(stored.get("created_at")),
            "updated_at": _time(stored.get("updated_at")),
            "expires_at": None,
            "ttl_minutes": None,
        }
    return Memories(found, tuple(problems[: limits.problems]))


def _items(node: Entries) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    for namespace, own in node.pairs:
        if not isinstance(namespace, tuple) or not isinstance(own, Entries):
            continue
        if all(isinstance(label, str) for label in namespace):
            yield from ((namespace, key, item) for key, item in own.pairs if isinstance(key, str))


def _time(node: Any) -> str | None:
    found = node.get("value") if isinstance(node, dict) else None
    return found if isinstance(found, str) else None
