"""Reader of the PostgreSQL stores of PostgresSaver, ShallowPostgresSaver and PostgresStore.

The asynchronous savers write the same tables.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from viewer.errors import SourceError
from viewer.limits import Limits
from viewer.model import Problem, Thread, ThreadRef
from viewer.sources.base import DatabaseReader, Verdict
from viewer.sources.dsn import Dsn
from viewer.sources.langgraph.memories import ALONE, beside, memories, thread_of
from viewer.sources.langgraph.postgres_changes import changes
from viewer.sources.langgraph.postgres_listing import items, stray, threads
from viewer.sources.langgraph.postgres_rows import PostgresRows, StoreNamed
from viewer.sources.langgraph.postgres_tables import look
from viewer.sources.langgraph.thread import load_thread

if TYPE_CHECKING:
    from psycopg import Connection


class PostgresReading:
    """An opened database; each listing and each load is one read transaction of its own."""

    def __init__(self, dsn: Dsn, limits: Limits) -> None:
        self._dsn = dsn
        self._limits = limits
        self._names: StoreNamed = {}
        with _reading(dsn, limits) as connection:
            tables = look(connection)
            if isinstance(tables, str):
                raise SourceError(dsn.name, tables)
            self._tables = tables
            self._threads: tuple[ThreadRef, ...] = (ALONE,)
            self._problems: tuple[Problem, ...] = ()
            if tables.checkpoints:
                self._threads = tuple(threads(connection, shallow=tables.shallow))
                self._problems = tuple(stray(connection, dsn.name, tables, limits))

    @property
    def threads(self) -> tuple[ThreadRef, ...]:
        """Every thread and namespace, by their first checkpoints' ids, which tell the time."""
        return self._threads

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Write rows of threads that have no checkpoint, or that a shallow saver left over."""
        return self._problems

    def load(self, ref: ThreadRef) -> Thread:
        """Return the records of one thread and namespace.

        Raises:
            SourceError: the database changed or went away since it was opened, or a limit is passed.
        """
        with _reading(self._dsn, self._limits) as connection:
            place, limits = self._dsn.name, self._limits
            found = memories(items(connection, self._tables, limits), place, limits)
            if not self._tables.checkpoints:
                return thread_of(found, place)
            rows = PostgresRows(connection, self._tables, place, limits=limits, known=self._names)
            thread = load_thread(rows, ref, place=place, limits=limits)
            if self._tables.shallow:
                thread = _written_by(thread, rows.earlier)
            return beside(thread, found) if self._tables.store else thread


def _written_by(thread: Thread, nodes: set[str]) -> Thread:
    """Return a shallow store's thread with the ``nodes`` that wrote its only checkpoint.

    What nodes have seen tells who wrote a checkpoint only beside the one before, which is gone.
    """
    named = tuple(sorted(nodes - {""}))
    return replace(thread, records=tuple(replace(one, nodes=named) for one in thread.records))


@contextmanager
def _reading(dsn: Dsn, limits: Limits) -> Iterator["Connection[Any]"]:
    try:
        from viewer.sources.langgraph.postgres_connection import reading
    except ImportError:
        reason = "PostgreSQL is read with the package psycopg, which is not installed"
        raise SourceError(dsn.name, reason) from None
    with reading(dsn, limits) as connection:
        yield connection


def detect(dsn: Dsn, limits: Limits) -> Verdict:
    """Return whether a database is a LangGraph store: by its tables and columns.

    Raises:
        SourceError: it cannot be reached or looked at.
    """
    with _reading(dsn, limits) as connection:
        found = look(connection)
    if isinstance(found, str):
        return Verdict(False, found)
    what = "ShallowPostgresSaver" if found.shallow else "PostgresSaver"
    return Verdict(
        True, f"tables {'of ' + what if found.checkpoints else 'store of PostgresStore'}"
    )


def stamp(dsn: Dsn, limits: Limits) -> str:
    """Return text that differs when a row of the store has come, changed or gone.

    Raises:
        SourceError: the database cannot be reached or asked.
    """
    with _reading(dsn, limits) as connection:
        return changes(connection)


READER = DatabaseReader(
    name="langgraph-postgres",
    title="LangGraph checkpoints in PostgreSQL (PostgresSaver, ShallowPostgresSaver)",
    detect=detect,
    open=PostgresReading,
    stamp=stamp,
)
