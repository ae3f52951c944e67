"""Reader of the SQLite stores that LangGraph's SqliteSaver and AsyncSqliteSaver write."""

import sqlite3
from pathlib import Path

from viewer.errors import SourceError
from viewer.limits import DEFAULT_LIMITS, Limits
from viewer.model import Problem, Thread, ThreadRef
from viewer.sources.base import Probe, Reader, Reading, Verdict
from viewer.sources.langgraph import odd_rows, old_rows, rows
from viewer.sources.langgraph.kin import Keeper
from viewer.sources.langgraph.memories import has_store
from viewer.sources.langgraph.sqlite_listing import listed
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


class LangGraphReading:
    """An opened store; each listing and each load is one read transaction of its own."""

    def __init__(self, path: Path, limits: Limits) -> None:
        self._file = SqliteFile(path, limits)
        self._limits = limits
        self._names: StoreNamed = {}
        self._keeper = Keeper()
        with self._file.reading() as connection:
            found = tables(connection)
            self._old = found if old_rows.fits(found) else None
            reason = None if self._old else rows.misfit(found)
            if reason is not None:
                raise SourceError(str(path), reason)
            self._with_path = self._old is None and "task_path" in found["writes"]
            self._tables = found
            self._odd = 0 if self._old else odd_rows.odd_keys(connection)
            self._numbered = self._old is None and odd_rows.lacks_rowid(connection, found)
            self._settle(connection)
            self._threads = listed(connection, dated=self._old is not None)
            stray = rows.stray_writes(connection)
        problems = [
            Problem(
                place=f"{path}!writes[{thread}/{namespace}]",
                reason="write rows of a thread and namespace that has no checkpoint (yet)",
                keyword="stray_writes",
            )
            for thread, namespace in stray[: limits.problems]
        ]
        if self._odd:
            reason = (
                f"{self._odd} rows have a thread, namespace or id that is no text; read as text"
            )
            problems.append(Problem(place=str(path), reason=reason, keyword="key_type"))
        self._problems = tuple(problems)

    def _settle(self, connection: sqlite3.Connection) -> None:
        """Let the tables' names mean what `rows` asks for, on a connection just opened."""
        if self._old is not None:
            old_rows.show_as_today(connection, self._old)
        elif self._odd or self._numbered:
            odd_rows.show_as_text(connection, self._tables, numbered=self._numbered)

    @property
    def threads(self) -> tuple[ThreadRef, ...]:
        """Every thread and namespace, in the order of their first checkpoints."""
        return self._threads

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Write rows of threads that have no checkpoint, and keys that are no text."""
        return self._problems

    def load(self, ref: ThreadRef) -> Thread:
        """Return the records of one thread and namespace.

        Raises:
            SourceError: the file changed or broke since it was opened, or a limit is passed.
        """
        kin = self._keeper.kin(self._file.stamp(), ref.thread_id)
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
            thread = load_thread(found, ref, place=place, limits=self._limits, kin=kin)
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
