"""Tables with the right columns and the wrong keys, seen as LangGraph writes them.

SQLite keeps any value in any column. A key that is NULL, a number or a blob would be listed and
then not found again, and a table may have no ``rowid`` or a column of that name. Both happen only
in stores that something else than LangGraph wrote.
"""

import sqlite3
from collections.abc import Mapping

from viewer.sources.sqlite_file import add_views

_KEYS = ("thread_id", "checkpoint_ns", "checkpoint_id")
_OWN = {
    "checkpoints": ("parent_checkpoint_id", "type", "checkpoint", "metadata"),
    "writes": ("task_id", "idx", "channel", "type", "value"),
}
_TYPED = " OR ".join(f"typeof({key}) <> 'text'" for key in _KEYS)


def odd_keys(connection: sqlite3.Connection) -> int:
    """Return how many rows of the two tables have a key that is no text."""
    counts = (
        connection.execute(f"SELECT count(*) FROM {table} WHERE {_TYPED}").fetchone()  # noqa: S608
        for table in _OWN
    )
    return sum(count for (count,) in counts)


def lacks_rowid(connection: sqlite3.Connection, tables: Mapping[str, tuple[str, ...]]) -> bool:
    """Return whether the rows of a table cannot be named by ``rowid``."""
    try:
        for table in _OWN:
            connection.execute(f"SELECT rowid FROM {table} LIMIT 1")  # noqa: S608
    except sqlite3.OperationalError:
        return True
    return any(column.lower() == "rowid" for table in _OWN for column in tables[table])


def show_as_text(
    connection: sqlite3.Connection, tables: Mapping[str, tuple[str, ...]], *, numbered: bool
) -> None:
    """Let ``checkpoints`` and ``writes`` mean their rows with text as keys on this connection.

    Args:
        connection: open for reading.
        tables: the columns of each.
        numbered: count the rows, where they cannot be named by ``rowid``.
    """
    number = "row_number() OVER ()" if numbered else "rowid"
    keys = ", ".join(f"coalesce(CAST({key} AS TEXT), '') AS {key}" for key in _KEYS)
    views = []
    for table, own in _OWN.items():
        path = ("task_path",) if "task_path" in tables[table] else ()
        columns = ", ".join((*own, *path))
        views.append(
            f"CREATE TEMP VIEW {table} AS SELECT {number} AS rowid, {keys}, {columns}"  # noqa: S608
            f" FROM main.{table}"
        )
    add_views(connection, views)
