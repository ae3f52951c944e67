"""Reader of the SQLite stores that LangGraph's SqliteSaver and AsyncSqliteSaver write."""

import sqlite3
from pathlib import Path

import msgspec

from viewer.chain import when
from viewer.errors import SourceError
from viewer.limits import DEFAULT_LIMITS, Limits
from viewer.model import Problem, Thread, ThreadRef
from viewer.sources.base import Probe, Reader, Reading, Verdict
from viewer.sources.langgraph import old_rows, rows
from viewer.sources.langgraph.memories import has_store
from viewer.sources.langgraph.naming import id_time
from viewer.sources.langgraph.sqlite_rows import SqliteRows, StoreNamed
from viewer.sources.langgraph.sqlite_store import StoreReading, with_memories
from viewer.sources.langgraph.thread import load_thread
from viewer.sources.sqlite_file import (
    SqliteFile,
    is_database,
    is_wal,
    lone_wal,
    lost_wal,
    no_database,
    tables,
)


class _Head(msgspec.Struct):
    """The one field of a checkpoint that a listing needs."""

    ts: str


_HEAD = msgspec.msgpack.Decoder(_Head)
_JSON = msgspec.json.Decoder(_Head)


class LangGraphReading:
    """An opened store; each listing and each load is one read transaction of its own."""

    def __init__(self, path: Path, limits: Limits) -> None:
        self._file = SqliteFile(path, limits)
        self._limits = limits
        self._names: StoreNamed = {}
        with self._file.reading() as connection:
            found = tables(connection)
            self._tables = found
            self._old = found if old_rows.fits(found) else None
            reason = None if self._old else rows.misfit(found)
            if reason is not None:
                raise SourceError(str(path), reason)
            self._with_path = self._old is None and "task_path" in found["writes"]
            self._settle(connection)
            groups = rows.groups(connection)
            self._threads = tuple(
                ThreadRef(
                    thread_id=group.thread_id,
                    namespace=group.namespace,
                    checkpoints=group.checkpoints,
                    updated_at=when(_ts(rows.checkpoint_blob(connection, group)))
                    or id_time(group.newest)
                    or (when(group.newest) if self._old is not None else None),
                )
                for group in groups
            )
            stray = rows.stray_writes(connection)
        self._problems = tuple(
            Problem(
                place=f"{path}!writes[{thread}/{namespace}]",
                reason="write rows of a thread and namespace that has no checkpoint (yet)",
                keyword="stray_writes",
            )
            for thread, namespace in stray[: limits.problems]
        )

    def _settle(self, connection: sqlite3.Connection) -> None:
        if self._old is not None:
            old_rows.show_as_today(connection, self._old)

    @property
    def threads(self) -> tuple[ThreadRef, ...]:
        """Every thread and namespace, in the order of their first checkpoints."""
        return self._threads

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Write rows of threads that have no checkpoint."""
        return self._problems

    def load(self, ref: ThreadRef) -> Thread:
        """Return the records of one thread and namespace.

        Raises:
            SourceError: the file changed or broke since it was opened, or a limit is passed.
        """
        with self._file.reading() as connection:
            self._settle(connection)
            place = str(self._file.path)
            found = SqliteRows(
                connection,
                place,
                depth=self._limits.depth,
                with_path=self._with_path,
                known=self._names,
            )
            thread = load_thread(found, ref, place=place, limits=self._limits)
            return with_memories(thread, connection, self._tables, place, self._limits)


def open_file(path: Path, limits: Limits) -> Reading:
    """Return the file as a store of checkpoints, or of memories alone where it has only those.

    Raises:
        SourceError: it cannot be read, or is no store of LangGraph's.
    """
    with SqliteFile(path, limits).reading() as connection:
        found = tables(connection)
    alone = "checkpoints" not in found and has_store(found)
    return StoreReading(path, limits) if alone else LangGraphReading(path, limits)


def _ts(blob: bytes | None) -> str | None:
    try:
        return None if blob is None else (_JSON if blob[:1] == b"{" else _HEAD).decode(blob).ts
    except (msgspec.MsgspecError, RecursionError):
        return None


def detect(probe: Probe) -> Verdict:
    """Return whether a place is a LangGraph store: by its tables and columns, never by its name."""
    if probe.is_dir:
        return Verdict(False, _lone_wals(probe) or "a folder, no SQLite file")
    if is_wal(probe.head):
        return Verdict(False, lone_wal(probe.path.name))
    if not is_database(probe.head):
        return Verdict(False, no_database(probe.path))
    try:
        with SqliteFile(probe.path, DEFAULT_LIMITS).reading() as connection:
            found = tables(connection)
    except SourceError as error:
        return Verdict(False, error.reason)
    if old_rows.fits(found):
        return Verdict(True, "SQLite table checkpoints of LangGraph's first schema (thread_ts)")
    reason = rows.misfit(found)
    if reason is None:
        return Verdict(True, "SQLite tables checkpoints and writes with LangGraph's columns")
    if "checkpoints" not in found and has_store(found):
        return Verdict(True, "SQLite tables store and store_migrations of LangGraph's memories")
    return Verdict(False, (lost_wal(probe.path, probe.head) if not found else None) or reason)


def _lone_wals(probe: Probe) -> str | None:
    """Return what to say of a folder that holds a ``-wal`` whose database is not there."""
    names = set(probe.names)
    lone = [n for n in probe.names if n.endswith("-wal") and n.removesuffix("-wal") not in names]
    return f"{lone[0]}: {lone_wal(lone[0])}" if lone else None


READER = Reader(
    name="langgraph-sqlite",
    title="LangGraph checkpoints in SQLite (SqliteSaver, AsyncSqliteSaver)",
    detect=detect,
    open=open_file,
)
