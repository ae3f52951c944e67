"""LangGraph's long-term store in an SQLite file, beside checkpoints or alone."""

import sqlite3
from collections.abc import Mapping
from pathlib import Path

from viewer.errors import SourceError
from viewer.limits import Limits
from viewer.model import Problem, Thread, ThreadRef
from viewer.sources.langgraph.memories import (
    ALONE,
    TABLE,
    Memories,
    beside,
    has_store,
    memories,
    sqlite_items,
    thread_of,
)
from viewer.sources.sqlite_file import SqliteFile, tables

_Tables = Mapping[str, tuple[str, ...]]


class StoreReading:
    """A database that holds memories and no checkpoints: one thread with one made checkpoint."""

    def __init__(self, path: Path, limits: Limits) -> None:
        self._file = SqliteFile(path, limits)
        self._limits = limits

    @property
    def threads(self) -> tuple[ThreadRef, ...]:
        """The one that stands for all items."""
        return (ALONE,)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """None: what cannot be read concerns the thread."""
        return ()

    def load(self, ref: ThreadRef) -> Thread:
        """Return the thread that stands for all items.

        Raises:
            SourceError: the file changed or broke since it was opened.
        """
        place = str(self._file.path)
        with self._file.reading() as connection:
            found = tables(connection)
            if not has_store(found):
                raise SourceError(place, "its table store is no longer there")
            return thread_of(_memories(connection, found, place, self._limits), place)


def with_memories(
    thread: Thread, connection: sqlite3.Connection, found: _Tables, place: str, limits: Limits
) -> Thread:
    """Return ``thread`` with the store's items beside it, where its file has tables of a store."""
    if not has_store(found):
        return thread
    return beside(thread, _memories(connection, found, place, limits))


def _memories(
    connection: sqlite3.Connection, found: _Tables, place: str, limits: Limits
) -> Memories:
    return memories(sqlite_items(connection, found[TABLE]), place, limits)
