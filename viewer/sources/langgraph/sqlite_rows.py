"""The rows of a SQLite store as `load_thread` takes them."""

import sqlite3
from collections.abc import Iterable, Iterator

from viewer.model import Problem, ThreadRef
from viewer.sources.langgraph import rows
from viewer.sources.langgraph.ancestry import written_at
from viewer.sources.langgraph.blobs import Blobs
from viewer.sources.langgraph.naming import INTERRUPT
from viewer.sources.langgraph.notes import damage
from viewer.sources.langgraph.stored import (
    Stored,
    StoredWrite,
    shape_only,
    stored_checkpoint,
    stored_write,
)
from viewer.sources.langgraph.triggers import Names, join_names, read_names

StoreNamed = dict[str, Names]
"""What the whole store tells, kept between loads: under ``joins`` and ``reads``."""


class SqliteRows:
    """One open connection, in one read transaction."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        place: str,
        *,
        depth: int,
        with_path: bool,
        known: StoreNamed,
    ) -> None:
        self._connection = connection
        self._place = place
        self._depth = depth
        self._with_path = with_path
        self._known = known

    def checkpoints(self, ref: ThreadRef, blobs: Blobs) -> Iterator[Stored | Problem]:
        """Yield the checkpoints oldest first; a row on a damaged page as its problem."""
        where = f"{self._place}!checkpoints[{ref.thread_id}/{ref.namespace}]"
        for found in rows.checkpoints(self._connection, ref.thread_id, ref.namespace):
            if isinstance(found, sqlite3.DatabaseError):
                yield damage(where, found, checkpoint=True)
            else:
                yield stored_checkpoint(found, blobs)

    def writes(self, ref: ThreadRef, blobs: Blobs) -> Iterator[tuple[str, StoredWrite] | Problem]:
        """Yield the write rows; a damaged page ends them with its problem."""
        where = f"{self._place}!writes[{ref.thread_id}/{ref.namespace}]"
        for found in rows.writes(
            self._connection, ref.thread_id, ref.namespace, with_path=self._with_path
        ):
            if isinstance(found, sqlite3.DatabaseError):
                yield damage(where, found, checkpoint=False)
            else:
                yield found.checkpoint_id, stored_write(found, blobs)

    def links(self, ref: ThreadRef) -> Iterable[tuple[str, str | None]]:
        """Return id and parent id of each checkpoint; those on a damaged page are missing."""
        try:
            return rows.links(self._connection, ref.thread_id, ref.namespace)
        except sqlite3.DatabaseError:
            return ()

    def checkpoint(self, ref: ThreadRef, checkpoint_id: str, blobs: Blobs) -> Stored | None:
        """Return one checkpoint with its writes; None where it is not there or damaged."""
        chain = (self._connection, ref.thread_id, ref.namespace)
        one = next(rows.checkpoints(*chain, checkpoint_id), None)
        if one is None or isinstance(one, sqlite3.DatabaseError):
            return None
        found = rows.writes(*chain, with_path=self._with_path, checkpoint_id=checkpoint_id)
        own = [stored_write(w, blobs) for w in found if not isinstance(w, sqlite3.DatabaseError)]
        return written_at(stored_checkpoint(one, blobs), {checkpoint_id: own})

    def interrupts(self, ref: ThreadRef, blobs: Blobs) -> Iterable[StoredWrite]:
        """Return the rows in which tasks of a chain asked a question."""
        chain = (self._connection, ref.thread_id, ref.namespace)
        found = rows.writes(*chain, with_path=self._with_path, channel=INTERRUPT)
        return [stored_write(w, blobs) for w in found if not isinstance(w, sqlite3.DatabaseError)]

    def namespaces(self, thread_id: str) -> tuple[str, ...]:
        """Return every namespace of a thread."""
        return rows.namespaces(self._connection, thread_id)

    def joins(self) -> Names:
        """Return the joins that any checkpoint of the store knows."""
        return self._store("joins")

    def reads(self) -> Names:
        """Return node → the channels it reads, from all checkpoints of formats 1 and 2."""
        return self._store("reads")

    def _store(self, name: str) -> Names:
        if not self._known:
            blobs = Blobs(self._depth)
            shapes = [blobs.shape(tag, blob) for tag, blob in rows.all_blobs(self._connection)]
            self._known["joins"] = join_names(
                channel for shape in shapes for channel in shape.get("channel_versions") or {}
            )
            self._known["reads"] = read_names(shape_only(shape) for shape in shapes)
        return self._known[name]
