"""Which tables a PostgreSQL database shows us, and whether they are LangGraph's.

Tables and columns: langgraph-checkpoint-postgres, ``MIGRATIONS`` of its savers and of its store.
``checkpoint_writes.task_path`` came with migration 9 (shallow savers: 8) and is missing before.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from psycopg import Connection

CHECKPOINTS, BLOBS, WRITES, STORE = (
    "checkpoints",
    "checkpoint_blobs",
    "checkpoint_writes",
    "store",
)
_STORE_MARK = "store_migrations"
"""Every store has this table; another program's table may well be called ``store``."""
_NEEDED: Mapping[str, Mapping[str, str]] = {
    CHECKPOINTS: {"thread_id": "", "checkpoint_ns": "", "checkpoint": "jsonb", "metadata": "jsonb"},
    BLOBS: {"thread_id": "", "checkpoint_ns": "", "channel": "", "type": "", "blob": "bytea"},
    WRITES: {
        **{"thread_id": "", "checkpoint_ns": "", "checkpoint_id": "", "task_id": ""},
        **{"idx": "integer", "channel": "", "type": "", "blob": "bytea"},
    },
}
"""Columns that every migration has, with their type where another could not be read."""
_KEPT: Mapping[str, str] = {
    "prefix": "",
    "key": "",
    "value": "jsonb",
    "created_at": "",
    "updated_at": "",
}
_LISTED = 40
_OURS = (
    "n.nspname NOT IN ('pg_catalog', 'information_schema')"
    " AND n.nspname !~ '^pg_' AND c.relkind IN ('r', 'p')"
)
_COLUMNS = f"""
SELECT c.relname::text, a.attname::text, pg_catalog.format_type(a.atttypid, NULL)::text
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
WHERE {_OURS} AND pg_catalog.pg_table_is_visible(c.oid) AND a.attnum > 0 AND NOT a.attisdropped
  AND c.relname = ANY(%s)
"""  # noqa: S608 (our own words)
_NAMES = f"""
SELECT CASE WHEN pg_catalog.pg_table_is_visible(c.oid) THEN c.relname::text
            ELSE n.nspname::text || '.' || c.relname::text END
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE {_OURS} ORDER BY 1 LIMIT {_LISTED}
"""  # noqa: S608 (our own words)
_ELSEWHERE = f"""
SELECT n.nspname::text
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE {_OURS} AND NOT pg_catalog.pg_table_is_visible(c.oid)
  AND c.relname IN ('{CHECKPOINTS}', '{WRITES}')
GROUP BY n.nspname HAVING count(*) = 2 ORDER BY 1 LIMIT {_LISTED}
"""  # noqa: S608 (our own words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """What a database has of LangGraph."""

    checkpoints: bool
    """The savers' three tables are there."""
    shallow: bool
    """They are ShallowPostgresSaver's: one checkpoint a thread, its id only inside it."""
    with_path: bool
    """Writes have a task path."""
    store: bool
    with_expiry: bool
    """Items of the store have ``expires_at`` and ``ttl_minutes``."""


def look(connection: "Connection[Any]") -> Tables | str:
    """Return what the database has of LangGraph, or why it has nothing of it."""
    found: dict[str, dict[str, str]] = {}
    wanted = [CHECKPOINTS, BLOBS, WRITES, STORE, _STORE_MARK]
    for table, column, kind in connection.execute(_COLUMNS, (wanted,)):
        found.setdefault(table, {})[column] = kind
    missing = [lack for table, columns in _NEEDED.items() for lack in _lacks(found, table, columns)]
    store = _STORE_MARK in found and not _lacks(found, STORE, _KEPT)
    if missing and not store:
        return _misfit(connection, missing)
    checkpoints, writes = found.get(CHECKPOINTS, {}), found.get(WRITES, {})
    return Tables(
        checkpoints=not missing,
        shallow="checkpoint_id" not in checkpoints,
        with_path="task_path" in writes,
        store=store,
        with_expiry={"expires_at", "ttl_minutes"} <= set(found.get(STORE, {})),
    )


def _lacks(
    found: Mapping[str, Mapping[str, str]], table: str, columns: Mapping[str, str]
) -> list[str]:
    own = found.get(table)
    if own is None:
        return [f"table {table}"]
    return [
        f"{table}.{column}" + (f" of type {kind}" if column in own else "")
        for column, kind in columns.items()
        if column not in own or kind not in ("", own[column])
    ]


def _misfit(connection: "Connection[Any]", missing: list[str]) -> str:
    elsewhere = [name for (name,) in connection.execute(_ELSEWHERE)]
    if elsewhere:
        return (
            f"no LangGraph store on the search path, but there is one in schema "
            f"{', '.join(elsewhere)}: add ?options=-csearch_path%3D{elsewhere[0]} to the address"
        )
    names = ", ".join(name for (name,) in connection.execute(_NAMES)) or "none"
    return f"no LangGraph store: {', '.join(missing)} missing; its tables are {names}"
