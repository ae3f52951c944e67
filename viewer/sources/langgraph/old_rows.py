"""LangGraph's first SQLite schema, seen as today's tables.

Releases 0.0 and 0.1 named a checkpoint by ``thread_ts`` and its parent by ``parent_ts``; there was
no ``checkpoint_ns`` and no ``type``; ``metadata`` and the table ``writes`` came during 0.1. A value is a
pickle (0.0.32), later JSON (0.0.40 and since): its first byte tells
(``JsonPlusSerializerCompat`` of those releases).
"""

import sqlite3
from collections.abc import Mapping

from viewer.sources.sqlite_file import add_views

CHECKPOINTS = ("thread_id", "thread_ts", "parent_ts", "checkpoint")
WRITES = ("thread_id", "thread_ts", "task_id", "idx", "channel", "value")

Tables = Mapping[str, tuple[str, ...]]

_TAG = (
    "CASE WHEN {0} IS NULL THEN NULL WHEN substr(CAST({0} AS BLOB), 1, 1) = x'80' THEN 'pickle'"
    " WHEN instr('{{[\"-0123456789tfnNI', substr(CAST({0} AS TEXT), 1, 1)) THEN 'json'"
    " ELSE 'msgpack' END AS type"
)

_CHECKPOINTS = (
    "CREATE TEMP VIEW checkpoints AS SELECT rowid AS rowid, thread_id, '' AS checkpoint_ns,"
    " thread_ts AS checkpoint_id, parent_ts AS parent_checkpoint_id,"
)
_WRITES = (
    "CREATE TEMP VIEW writes AS SELECT thread_id, '' AS checkpoint_ns,"
    " thread_ts AS checkpoint_id, task_id, idx, channel,"
)
_NO_WRITES = (
    "CREATE TEMP VIEW writes AS SELECT '' AS thread_id, '' AS checkpoint_ns, '' AS checkpoint_id,"
    " '' AS task_id, 0 AS idx, '' AS channel, NULL AS type, NULL AS value WHERE false"
)


def fits(tables: Tables) -> bool:
    """Return whether ``tables`` are a store of the first schema."""
    return set(CHECKPOINTS) <= set(tables.get("checkpoints", ()))


def show_as_today(connection: sqlite3.Connection, tables: Tables) -> None:
    """Let the names ``checkpoints`` and ``writes`` mean today's columns on this connection."""
    metadata = "metadata" if "metadata" in tables["checkpoints"] else "NULL AS metadata"
    written = set(WRITES) <= set(tables.get("writes", ()))
    chosen = f"{_TAG.format('checkpoint')}, checkpoint, {metadata}"
    views = (
        f"{_CHECKPOINTS} {chosen} FROM main.checkpoints",
        f"{_WRITES} {_TAG.format('value')}, value FROM main.writes" if written else _NO_WRITES,
    )
    add_views(connection, views)
