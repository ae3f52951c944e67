"""The threads of a SQLite store, told from keys and the head of each newest checkpoint."""

import sqlite3

import msgspec

from viewer.chain import when
from viewer.model import ThreadRef
from viewer.sources.langgraph import rows
from viewer.sources.langgraph.naming import id_time


class _Head(msgspec.Struct):
    """The one field of a checkpoint that a listing needs."""

    ts: str


_MSGPACK = msgspec.msgpack.Decoder(_Head)
_JSON = msgspec.json.Decoder(_Head)


def listed(connection: sqlite3.Connection, *, dated: bool) -> tuple[ThreadRef, ...]:
    """Return every thread and namespace, in the order of their first checkpoints.

    Args:
        connection: open for reading.
        dated: a checkpoint's id is its time, as in the first schema.
    """
    return tuple(
        ThreadRef(
            thread_id=group.thread_id,
            namespace=group.namespace,
            checkpoints=group.checkpoints,
            updated_at=when(_ts(rows.checkpoint_blob(connection, group)))
            or id_time(group.newest)
            or (when(group.newest) if dated else None),
        )
        for group in rows.groups(connection)
    )


def _ts(blob: bytes | None) -> str | None:
    try:
        return None if blob is None else (_JSON if blob[:1] == b"{" else _MSGPACK).decode(blob).ts
    except (msgspec.MsgspecError, RecursionError):
        return None
