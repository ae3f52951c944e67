"""Reading SQLite files without leaving a trace: the only ``sqlite3.connect`` of a reader.

No or an empty ``-wal``: ``immutable=1``, which takes no lock and creates nothing. A ``-wal`` with
its ``-shm``: ``mode=ro``, as a live writer's own readers do. A ``-wal`` without ``-shm``, or a
rollback ``-journal``: both files are copied to a private temporary folder and recovered there.
Rules of SQLite: https://www.sqlite.org/wal.html#read_only_databases and
https://www.sqlite.org/fileformat2.html.
"""

import shutil
import sqlite3
import tempfile
import time
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from viewer.errors import LimitExceeded, SourceError
from viewer.limits import Limits

MAGIC = b"SQLite format 3\0"
_SUFFIXES = (".db", ".sqlite", ".sqlite3")
_WAL_MAGICS = (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")
_WAL_VERSION = 2
"""Bytes 18 and 19 of a database that was last written in WAL mode."""
_BUSY_SECONDS = 5.0
_SETTLED = 1_000_000_000
"""Nanoseconds after a write until the next one surely has another time."""


def is_database(head: bytes) -> bool:
    """Return whether ``head`` begins an SQLite database."""
    return head.startswith(MAGIC)


def is_wal(head: bytes) -> bool:
    """Return whether ``head`` begins a write-ahead log."""
    return head.startswith(_WAL_MAGICS)


def no_database(path: Path) -> str:
    """Return what to say of a file that does not begin as a database; its name may expect one."""
    if path.suffix.lower() not in _SUFFIXES:
        return "no SQLite database"
    return f"no SQLite database: {path.name} is damaged or incomplete, or was never one"


def lost_wal(path: Path, head: bytes) -> str | None:
    """Return what to say of a database without tables whose ``-wal`` is missing, else None."""
    if head[18:20] != bytes((_WAL_VERSION, _WAL_VERSION)) or _filled(_beside(path, "-wal")):
        return None
    return (
        f"the database has no tables: it was written in WAL mode and its companion file "
        f"{path.name}-wal, which holds the rows, is needed beside it"
    )


def lone_wal(name: str) -> str:
    """Return what to say of the ``-wal`` file called ``name`` whose database is not at hand."""
    base = name.removesuffix("-wal")
    beside = f"{base} is" if base != name else "that database is"
    return f"this is the write-ahead log of an SQLite database; {beside} needed beside it"


def tables(connection: sqlite3.Connection) -> dict[str, tuple[str, ...]]:
    """Return the ordinary tables of a database, each with the names of its columns."""
    names = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
        " ORDER BY name"
    ).fetchall()
    found = {}
    for (name,) in names:
        columns = connection.execute("SELECT name FROM pragma_table_info(?)", (name,))
        found[name] = tuple(column for (column,) in columns)
    return found


def add_views(connection: sqlite3.Connection, views: Iterable[str]) -> None:
    """Make views that only this connection sees; they hide tables of the same name.

    They live in memory, and the database itself stays closed to writing.
    """
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("PRAGMA query_only = OFF")
    try:
        for view in views:
            connection.execute(view)
    finally:
        connection.execute("PRAGMA query_only = ON")


class SqliteFile:
    """An SQLite file that is only ever read."""

    def __init__(self, path: Path, limits: Limits) -> None:
        self.path = path
        self._limits = limits
        self._copy: Path | None = None
        self._copied: tuple[tuple[int, int], ...] = ()

    def stamp(self) -> tuple[tuple[int, int, int] | None, ...] | None:
        """Return what differs when the database has changed; None while that cannot be told.

        Taken before `reading`, it never stands for older rows than those read. Right after a
        write, another one of the same size may still have the same time.
        """
        found: list[tuple[int, int, int] | None] = []
        for path in (self.path, *(_beside(self.path, end) for end in ("-wal", "-journal"))):
            try:
                seen = path.stat()
            except OSError:
                found.append(None)
                continue
            if time.time_ns() - seen.st_mtime_ns < _SETTLED:
                return None
            found.append((seen.st_ino, seen.st_size, seen.st_mtime_ns))
        return tuple(found)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Give a connection inside one read transaction, so that all tables agree.

        Text that is not UTF-8 keeps its bytes as lone surrogates.

        Raises:
            SourceError: the file cannot be opened, is no database, or is damaged.
        """
        try:
            connection = self._connect()
            try:
                _restrain(connection, self._limits)
                connection.execute("BEGIN")
                yield connection
            finally:
                connection.close()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise SourceError(str(self.path), _reason(error)) from error
        except OSError as error:
            raise SourceError(str(self.path), error.strerror or str(error)) from error

    def _connect(self) -> sqlite3.Connection:
        wal, journal = _beside(self.path, "-wal"), _beside(self.path, "-journal")
        if _filled(wal):
            if not _beside(self.path, "-shm").exists():
                return self._connect_copy(wal)
            try:
                return _opened(self.path, "mode=ro")
            except sqlite3.OperationalError:
                return self._connect_copy(wal)
        if _filled(journal):
            return self._connect_copy(journal)
        return _opened(self.path, "mode=ro&immutable=1")

    def _connect_copy(self, companion: Path) -> sqlite3.Connection:
        """Open a copy of the database and its ``companion``, made once while they stay as is."""
        files = (self.path, companion)
        stamps = tuple((s.st_size, s.st_mtime_ns) for s in (file.stat() for file in files))
        if self._copy is None or stamps != self._copied:
            size = sum(size for size, _ in stamps)
            if size > self._limits.file_bytes:
                raise LimitExceeded(
                    str(self.path),
                    f"{size} bytes with {companion.name}; a database that must be copied to be"
                    f" read may have {self._limits.file_bytes}",
                )
            folder = Path(tempfile.mkdtemp(prefix="checkpoint-viewer-"))
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            for file in files:
                shutil.copyfile(file, folder / file.name)
            self._copy, self._copied = folder / self.path.name, stamps
        return _opened(self._copy, "mode=rw")


def _opened(path: Path, how: str) -> sqlite3.Connection:
    """Return a connection that has read the schema, so that failures show here."""
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?{how}", uri=True, timeout=_BUSY_SECONDS, isolation_level=None
    )
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except (sqlite3.Error, UnicodeDecodeError):
        connection.close()
        raise
    return connection


def _restrain(connection: sqlite3.Connection, limits: Limits) -> None:
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    # Rows are read once, one after the other: a cache that fits the processor's own halves the time
    # that blobs of many pages take (SQLite's default is four times as large).
    connection.execute("PRAGMA cache_size = -512")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(limits.file_bytes, 2**31 - 1))
    connection.text_factory = partial(str, encoding="utf-8", errors="surrogateescape")


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _filled(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


def _reason(error: sqlite3.Error | UnicodeDecodeError) -> str:
    if isinstance(error, UnicodeDecodeError):  # SQLite quotes a damaged schema in its message
        return "damaged or incomplete SQLite database (its schema is no text)"
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_IOERR")):
        return f"damaged or incomplete SQLite database ({error})"
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return f"another program holds a lock on the database ({error})"
    return f"the database cannot be read ({error})"


def text_parameter(text: str) -> bytes:
    """Return ``text`` as a parameter for ``CAST(? AS TEXT)``, which takes any bytes back."""
    return text.encode("utf-8", "surrogateescape")
