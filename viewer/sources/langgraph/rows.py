"""The two tables of LangGraph's SQLite savers, as rows; blobs stay bytes.

Tables and columns: langgraph-checkpoint-sqlite, ``SqliteSaver.setup``. ``writes.task_path`` came
with saver 3.1.2 and is missing in older files.
"""

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from viewer.sources.sqlite_file import text_parameter

CHECKPOINTS = (
    "thread_id",
    "checkpoint_ns",
    "checkpoint_id",
    "parent_checkpoint_id",
    "type",
    "checkpoint",
    "metadata",
)
WRITES = (
    "thread_id",
    "checkpoint_ns",
    "checkpoint_id",
    "task_id",
    "idx",
    "channel",
    "type",
    "value",
)
_THREAD = "thread_id = CAST(? AS TEXT) AND checkpoint_ns = CAST(? AS TEXT)"


class RawCheckpoint(NamedTuple):
    """One row of ``checkpoints``."""

    checkpoint_id: str
    parent_id: str | None
    tag: str | None
    blob: bytes | None
    metadata: bytes | None


class RawWrite(NamedTuple):
    """One row of ``writes``."""

    checkpoint_id: str
    task: str
    path: str
    """Empty in files of savers before 3.1.2."""
    position: int
    """The column ``idx``: the write's number, or a fixed negative slot for control channels."""
    channel: str
    tag: str | None
    blob: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """One thread and namespace, as listed."""

    thread_id: str
    namespace: str
    checkpoints: int
    newest: str
    """The highest checkpoint id, which LangGraph takes for the live head."""


def misfit(tables: Mapping[str, tuple[str, ...]]) -> str | None:
    """Return why ``tables`` are no LangGraph store; None where they are one."""
    missing = [
        f"table {name}" if name not in tables else f"{name}.{column}"
        for name, columns in (("checkpoints", CHECKPOINTS), ("writes", WRITES))
        for column in (columns if name in tables else columns[:1])
        if name not in tables or column not in tables[name]
    ]
    if not missing:
        return None
    names = ", ".join(tables) or "none"
    return f"no LangGraph store: {', '.join(missing)} missing; its tables are {names}"


def groups(connection: sqlite3.Connection) -> list[Group]:
    """Return every thread and namespace in the order of their first rows, without reading blobs."""
    found = connection.execute(
        "SELECT thread_id, checkpoint_ns, count(*), max(checkpoint_id) FROM checkpoints"
        " GROUP BY thread_id, checkpoint_ns ORDER BY min(rowid)"
    )
    return [
        Group(
            thread_id=_word(thread),
            namespace=_word(namespace),
            checkpoints=count,
            newest=_word(top),
        )
        for thread, namespace, count, top in found
    ]


def stray_writes(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return the threads and namespaces that have writes but no checkpoint at all."""
    found = connection.execute(
        "SELECT thread_id, checkpoint_ns FROM writes"
        " EXCEPT SELECT thread_id, checkpoint_ns FROM checkpoints"
    )
    return [(_word(thread), _word(namespace)) for thread, namespace in found]


def namespaces(connection: sqlite3.Connection, thread_id: str) -> tuple[str, ...]:
    """Return every namespace of a thread."""
    found = connection.execute(
        "SELECT DISTINCT checkpoint_ns FROM checkpoints WHERE thread_id = CAST(? AS TEXT)",
        (text_parameter(thread_id),),
    )
    return tuple(_word(namespace) for (namespace,) in found)


def all_blobs(connection: sqlite3.Connection) -> Iterator[tuple[str | None, bytes | None]]:
    """Yield tag and blob of every checkpoint of the store; a damaged page ends it."""
    found = connection.execute("SELECT type, checkpoint FROM checkpoints")
    while True:
        try:
            row = found.fetchone()
        except sqlite3.DatabaseError:
            return
        if row is None:
            return
        yield None if row[0] is None else _word(row[0]), _bytes(row[1])


def checkpoint_blob(connection: sqlite3.Connection, group: Group) -> bytes | None:
    """Return the blob of the group's newest checkpoint; None where it cannot be read."""
    where, values = _where(group.thread_id, group.namespace, group.newest)
    try:
        row = connection.execute(
            f"SELECT checkpoint FROM checkpoints WHERE {where}",  # noqa: S608
            values,
        ).fetchone()
    except sqlite3.DatabaseError:
        return None
    return None if row is None else _bytes(row[0])


def links(
    connection: sqlite3.Connection, thread_id: str, namespace: str
) -> list[tuple[str, str | None]]:
    """Return id and parent id of each checkpoint of a thread and namespace, no blob read."""
    found = connection.execute(
        f"SELECT checkpoint_id, parent_checkpoint_id FROM checkpoints WHERE {_THREAD}"  # noqa: S608
        " ORDER BY rowid",
        (text_parameter(thread_id), text_parameter(namespace)),
    )
    return [(_word(own), _word(parent) if parent else None) for own, parent in found]


def checkpoints(
    connection: sqlite3.Connection,
    thread_id: str,
    namespace: str,
    checkpoint_id: str | None = None,
) -> Iterator[RawCheckpoint | sqlite3.DatabaseError]:
    """Yield the rows of one thread and namespace, oldest first; a damaged row as its error.

    Rows are fetched one by one: a damaged page then costs only the rows that lie on it. With
    ``checkpoint_id`` that one alone.
    """
    where, thread = _where(thread_id, namespace, checkpoint_id)
    numbers = connection.execute(
        f"SELECT rowid FROM checkpoints WHERE {where} ORDER BY rowid",  # noqa: S608
        thread,
    ).fetchall()
    columns = ", ".join(CHECKPOINTS[2:])
    for number in numbers:
        try:
            row = connection.execute(
                f"SELECT {columns} FROM checkpoints WHERE rowid = ?",  # noqa: S608
                number,
            ).fetchone()
        except sqlite3.DatabaseError as error:
            yield error
            continue
        if row is None:
            continue
        own, parent, tag, blob, metadata = row
        yield RawCheckpoint(
            checkpoint_id=_word(own),
            parent_id=_word(parent) if parent else None,
            tag=None if tag is None else _word(tag),
            blob=_bytes(blob),
            metadata=_bytes(metadata),
        )


def writes(
    connection: sqlite3.Connection,
    thread_id: str,
    namespace: str,
    *,
    with_path: bool,
    checkpoint_id: str | None = None,
    channel: str | None = None,
) -> Iterator[RawWrite | sqlite3.DatabaseError]:
    """Yield the write rows of one thread and namespace by checkpoint, task path, task and slot.

    A damaged row is its error. With ``checkpoint_id`` or ``channel`` only the rows of those.
    """
    path = "task_path" if with_path else "''"
    columns = f"checkpoint_id, task_id, {path}, idx, channel, type, value"
    where, values = _where(thread_id, namespace, checkpoint_id, channel)
    order = f"FROM writes WHERE {where} ORDER BY checkpoint_id, task_id, idx, rowid"
    for row in _each_row(connection, f"SELECT {columns} {order}", f"SELECT rowid {order}", values):
        if isinstance(row, sqlite3.DatabaseError):
            yield row
            continue
        own, task, task_path, position, channel, tag, blob = row
        yield RawWrite(
            checkpoint_id=_word(own),
            task=_word(task),
            path=_word(task_path or ""),
            position=position if isinstance(position, int) else 0,
            channel=_word(channel),
            tag=None if tag is None else _word(tag),
            blob=_bytes(blob),
        )


def _each_row(
    connection: sqlite3.Connection, at_once: str, numbers: str, values: list[bytes]
) -> Iterator[Any]:
    """Yield the rows of ``at_once``; from one that cannot be read on, one by one by rowid."""
    done = 0
    try:
        for row in connection.execute(at_once, values):
            done += 1
            yield row
        return
    except sqlite3.DatabaseError as error:
        try:
            left = connection.execute(numbers, values).fetchall()[done:]
        except sqlite3.DatabaseError:
            yield error
            return
    one = at_once[: at_once.index(" FROM ")] + " FROM writes WHERE rowid = ?"
    for number in left:
        try:
            yield connection.execute(one, number).fetchone()
        except sqlite3.DatabaseError as error:
            yield error


def _where(
    thread_id: str, namespace: str, checkpoint_id: str | None, channel: str | None = None
) -> tuple[str, list[bytes]]:
    """Return a condition and its parameters; ``checkpoint_id`` and ``channel`` narrow it."""
    where, values = _THREAD, [text_parameter(thread_id), text_parameter(namespace)]
    for column, value in (("checkpoint_id", checkpoint_id), ("channel", channel)):
        if value is not None:
            where += f" AND {column} = CAST(? AS TEXT)"
            values.append(text_parameter(value))
    return where, values


def _word(value: Any) -> str:
    """Return a column that should be text as text, whatever SQLite kept there."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    return value if isinstance(value, str) else str(value)


def _bytes(value: Any) -> bytes | None:
    if value is None or isinstance(value, bytes):
        return value
    return str(value).encode("utf-8", "surrogateescape")
