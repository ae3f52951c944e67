"""The rows of a PostgreSQL store as `load_thread` takes them, page by page."""

import base64
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from viewer.limits import Limits
from viewer.model import Problem, ThreadRef
from viewer.sources.langgraph.blobs import Blobs
from viewer.sources.langgraph.naming import SENDS
from viewer.sources.langgraph.naming import task_path as read_task_path
from viewer.sources.langgraph.postgres_blobs import ChannelBlobs, pages, too_large
from viewer.sources.langgraph.postgres_tables import Tables
from viewer.sources.langgraph.rows import RawCheckpoint, RawWrite
from viewer.sources.langgraph.stored import (
    Stored,
    StoredWrite,
    shape_only,
    stored_checkpoint,
    stored_write,
)
from viewer.sources.langgraph.triggers import Names, join_names, read_names

if TYPE_CHECKING:
    from psycopg import Connection

_PAGE = 200
"""Checkpoints fetched at a time, each time with the blobs that no page before had."""
_ROWS = 1_000
"""Smaller rows fetched at a time."""
_THREAD = "thread_id = %s AND checkpoint_ns = %s"
_CHECKPOINTS = """
SELECT {own}, {parent}, checkpoint::text, metadata::text FROM checkpoints
WHERE {thread} ORDER BY 1
"""
_FULL = {"own": "checkpoint_id::text", "parent": "parent_checkpoint_id::text"}
_SHALLOW = {"own": "checkpoint->>'id'", "parent": "NULL"}
_WRITES = """
SELECT checkpoint_id::text, task_id::text, {path}, idx, channel::text, type::text,
       octet_length(blob), CASE WHEN octet_length(blob) <= {most} THEN blob END
FROM checkpoint_writes WHERE {thread} ORDER BY checkpoint_id, task_id, idx
"""
_NAMESPACES = "SELECT DISTINCT checkpoint_ns::text FROM checkpoints WHERE thread_id = %s ORDER BY 1"
_JOINS = """
SELECT DISTINCT channel FROM checkpoints, LATERAL jsonb_object_keys(
  CASE jsonb_typeof(checkpoint->'channel_versions')
  WHEN 'object' THEN checkpoint->'channel_versions' ELSE '{}' END) AS channel
WHERE channel LIKE 'join:%%'
"""
_SHAPES = """
SELECT (checkpoint - 'channel_values')::text FROM checkpoints
WHERE jsonb_typeof(checkpoint) = 'object' AND checkpoint->>'v' IN ('1', '2')
"""

StoreNamed = dict[str, Names]
"""What the whole store tells, kept between loads: under ``joins`` and ``reads``."""


class PostgresRows:
    """One open connection, in one read transaction."""

    def __init__(
        self,
        connection: "Connection[Any]",
        tables: Tables,
        place: str,
        *,
        limits: Limits,
        known: StoreNamed,
    ) -> None:
        self._connection = connection
        self._tables = tables
        self._place = place
        self._limits = limits
        self._known = known
        self._heads: set[str] = set()
        """Ids of a shallow store's checkpoints."""
        self.earlier: set[str] = set()
        """Nodes of the rows that a shallow store keeps of the step before its checkpoint."""

    def checkpoints(self, ref: ThreadRef, blobs: Blobs) -> Iterator[Stored | Problem]:
        """Yield the checkpoints oldest first, then what of their blobs cannot be read."""
        shallow = self._tables.shallow
        values = ChannelBlobs(
            self._connection,
            ref,
            blobs,
            self._place,
            most=self._limits.file_bytes,
            by_version=not shallow,
        )
        query = _CHECKPOINTS.format(thread=_THREAD, **(_SHALLOW if shallow else _FULL))
        for page in self._pages(query, (ref.thread_id, ref.namespace), _PAGE):
            yield from values.overlay(self._checkpoint(row, ref, blobs) for row in page)
        yield from values.problems()

    def _checkpoint(self, row: Sequence[Any], ref: ThreadRef, blobs: Blobs) -> Stored:
        own, parent, body, metadata = row
        raw = RawCheckpoint(
            checkpoint_id=own or "",
            parent_id=parent or None,
            tag="json",
            blob=_utf8(body),
            metadata=_utf8(metadata),
        )
        found = stored_checkpoint(raw, blobs)
        if found.pending_sends:
            found = found._replace(pending_sends=_sends(found.pending_sends, blobs))
        if not self._tables.shallow:
            return found
        self._heads.add(found.checkpoint_id)
        if found.known and (found.v or 1) < 4:
            return found._replace(pending_sends=self._pending_sends(ref, found, blobs))
        return found

    def _pending_sends(self, ref: ThreadRef, head: Stored, blobs: Blobs) -> tuple[Any, ...]:
        """Return the Sends that the step before a shallow store's only checkpoint wrote."""
        where = f"{_THREAD} AND channel = %s"
        query = _WRITES.format(path="''", thread=where, most=self._limits.file_bytes)
        found = self._pages(query, (ref.thread_id, ref.namespace, SENDS), _ROWS)
        return tuple(
            blobs.stand_in(tag, raw)[0]
            for page in found
            for own, _, _, _, _, tag, _, raw in page
            if own != head.checkpoint_id
        )

    def writes(self, ref: ThreadRef, blobs: Blobs) -> Iterator[tuple[str, StoredWrite] | Problem]:
        """Yield the write rows; in a shallow store those of its one checkpoint.

        What is left there of the step before tells only who wrote the checkpoint (`earlier`).
        """
        most = self._limits.file_bytes
        path = "task_path::text" if self._tables.with_path else "''"
        query = _WRITES.format(path=path, thread=_THREAD, most=most)
        for page in self._pages(query, (ref.thread_id, ref.namespace), _ROWS):
            for own, task, task_path, position, channel, tag, size, raw in page:
                if self._tables.shallow and own not in self._heads:
                    self.earlier.add(read_task_path(task_path).node)
                    continue
                write = RawWrite(
                    checkpoint_id=own,
                    task=task,
                    path=task_path,
                    position=position,
                    channel=channel,
                    tag=tag,
                    blob=raw,
                )
                found = stored_write(write, blobs)
                if raw is None and size is not None:
                    value, fault = too_large(tag, size, most)
                    found = found._replace(value=value, fault=fault)
                yield own, found

    def namespaces(self, thread_id: str) -> tuple[str, ...]:
        """Return every namespace of a thread."""
        found = self._pages(_NAMESPACES, (thread_id,), _ROWS)
        return tuple(namespace for page in found for (namespace,) in page)

    def joins(self) -> Names:
        """Return the joins that any checkpoint of the store knows."""
        if "joins" not in self._known:
            self._known["joins"] = join_names(self._store(_JOINS))
        return self._known["joins"]

    def reads(self) -> Names:
        """Return node → the channels it reads, from all checkpoints of formats 1 and 2."""
        if "reads" not in self._known:
            blobs = Blobs(self._limits.depth)
            self._known["reads"] = read_names(
                shape_only(blobs.shape("json", _utf8(body))) for body in self._store(_SHAPES)
            )
        return self._known["reads"]

    def _store(self, query: str) -> list[str]:
        """Return one text a row; nothing where the store is too large to tell in time.

        What the whole store knows only helps a thread that does not know enough itself.
        """
        from psycopg import errors

        try:
            with self._connection.transaction():
                return [text for page in self._pages(query, (), _ROWS) for (text,) in page]
        except errors.QueryCanceled:
            return []

    def _pages(
        self, query: str, parameters: Sequence[Any], size: int
    ) -> Iterator[list[tuple[Any, ...]]]:
        return pages(self._connection, query, parameters, size)


def _sends(pending: tuple[Any, ...], blobs: Blobs) -> tuple[Any, ...]:
    """Return the Sends kept in a checkpoint; savers 1.0 wrote them as ``[tag, base64]``."""
    if len(pending) != 2 or not all(isinstance(part, str) for part in pending):
        return pending
    tag, body = pending
    try:
        value, _ = blobs.stand_in(tag, base64.b64decode(body, validate=True))
    except ValueError:
        return pending
    return tuple(value) if isinstance(value, list) else ()


def _utf8(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "surrogateescape")
