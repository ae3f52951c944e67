"""The long-term store beside the checkpoints: its present items as memories.

Tables: langgraph-checkpoint-sqlite and -postgres, ``store/*/base.py``. An item's namespace is kept
as its labels joined by ``.``. A store overwrites in place: what an item was before is not there.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from viewer.chain import when
from viewer.errors import ParseFault
from viewer.limits import Limits
from viewer.model import Problem, Record, Sidecars, Thread, ThreadRef
from viewer.sources.json_bytes import parse

TABLE = "store"
NEEDED = ("prefix", "key", "value")
OPTIONAL = ("created_at", "updated_at", "expires_at", "ttl_minutes")
"""The last two came with a migration of their own."""
ALONE = ThreadRef(thread_id=TABLE, checkpoints=1)
"""Stands for the items of a database that holds no checkpoints."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredItem:
    """One row of the store; times as the database writes them, in UTC."""

    prefix: str
    key: str
    value: bytes | None
    """JSON text."""
    created_at: str | None
    updated_at: str | None
    expires_at: str | None
    ttl_minutes: float | None


class Memories(NamedTuple):
    """What a store holds."""

    by_id: Mapping[str, Any]
    """``PREFIX/KEY`` → its envelope."""
    problems: tuple[Problem, ...]


def memories(rows: Iterable[StoredItem], place: str, limits: Limits) -> Memories:
    """Return the items of a store, each in an envelope.

    An envelope is ``{namespace: [label …], key, value, created_at, updated_at, expires_at,
    ttl_minutes}``, with times in ISO 8601. An item whose value cannot be read is a problem.
    """
    found: dict[str, Any] = {}
    problems: list[Problem] = []
    for count, row in enumerate(rows):
        if count >= limits.memories:
            reason = f"only the first {limits.memories} items are taken up (limit: memories)"
            problems.append(Problem(place=f"{place}!{TABLE}", reason=reason, keyword="limit"))
            break
        name = f"{row.prefix}/{row.key}"
        try:
            value = parse(row.value or b"", limits.depth).value
        except ParseFault as fault:
            reason = f"the item's value cannot be read: {fault.reason}"
            problems.append(Problem(place=f"{place}!{TABLE}[{name}]", reason=reason))
            continue
        found[_unused(name, found)] = {
            "namespace": row.prefix.split("."),
            "key": row.key,
            "value": value,
            "created_at": _time(row.created_at),
            "updated_at": _time(row.updated_at),
            "expires_at": _time(row.expires_at),
            "ttl_minutes": row.ttl_minutes,
        }
    return Memories(found, tuple(problems[: limits.problems]))


def beside(thread: Thread, found: Memories) -> Thread:
    """Return ``thread`` with the memories of its database beside it."""
    return replace(
        thread,
        sidecars=replace(thread.sidecars, memories=found.by_id),
        problems=(*thread.problems, *found.problems),
    )


def thread_of(found: Memories, place: str) -> Thread:
    """Return a thread of one checkpoint whose state is all items, for a store without threads."""
    times = [text for one in found.by_id.values() if (text := one["updated_at"])]
    record = Record(
        place=f"{place}!{TABLE}",
        made_id=TABLE,
        state=dict(found.by_id),
        parent_id=None,
        created_at=when(max(times, default=None)),
    )
    return Thread(
        ref=ALONE,
        records=(record,),
        problems=found.problems,
        sidecars=Sidecars(memories=found.by_id),
    )


def sqlite_items(connection: sqlite3.Connection, columns: tuple[str, ...]) -> Iterator[StoredItem]:
    """Yield the rows of an SQLite store whose table has ``columns``, by prefix and key."""
    chosen = [name if name in columns else f"NULL AS {name}" for name in (*NEEDED, *OPTIONAL)]
    found = connection.execute(
        f"SELECT {', '.join(chosen)} FROM {TABLE} ORDER BY prefix, key"  # noqa: S608 (our words)
    )
    for prefix, key, value, created, updated, expires, minutes in found:
        yield StoredItem(
            prefix=_text(prefix) or "",
            key=_text(key) or "",
            value=_bytes(value),
            created_at=_text(created),
            updated_at=_text(updated),
            expires_at=_text(expires),
            ttl_minutes=minutes if isinstance(minutes, int | float) else None,
        )


def has_store(tables: Mapping[str, tuple[str, ...]]) -> bool:
    """Return whether an SQLite database with ``tables`` holds a LangGraph store.

    Another program's table may well be called ``store``; ours comes with its migrations.
    """
    own = tables.get(TABLE, ())
    return "store_migrations" in tables and {*NEEDED, "created_at", "updated_at"} <= set(own)


def _time(text: str | None) -> str | None:
    """Return a time in ISO 8601 with ``Z``; what is none (``infinity``) stays as it is."""
    found = when(text)
    return text if found is None else found.isoformat().replace("+00:00", "Z")


def _unused(name: str, taken: Mapping[str, Any]) -> str:
    """Return ``name``, numbered where two items would share it: a prefix may hold a slash."""
    found, number = name, 2
    while found in taken:
        found, number = f"{name} ({number})", number + 1
    return found


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)


def _bytes(value: Any) -> bytes | None:
    if value is None or isinstance(value, bytes):
        return value
    return str(value).encode("utf-8", "surrogateescape")
