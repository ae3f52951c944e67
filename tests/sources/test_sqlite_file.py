"""SQLite files are read in every state a program may leave them, and never touched."""

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from viewer.errors import LimitExceeded, SourceError
from viewer.limits import DEFAULT_LIMITS, Limits
from viewer.sources.sqlite_file import (
    SqliteFile,
    is_database,
    is_wal,
    lone_wal,
    lost_wal,
    tables,
)

Listing = dict[str, tuple[bytes, int]]


def listing(folder: Path, *, without: str = "") -> Listing:
    return {
        p.name: (p.read_bytes(), p.stat().st_mtime_ns)
        for p in folder.iterdir()
        if not (without and p.name.endswith(without))
    }


@pytest.fixture
def wal(tmp_path: Path) -> Iterator[Path]:
    """A database whose rows are all in its -wal, while a writer holds it open."""
    path = tmp_path / "live" / "a b#?.db"
    path.parent.mkdir()
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA journal_mode=WAL")
    writer.execute("CREATE TABLE t (n INTEGER, word TEXT)")
    writer.execute("INSERT INTO t VALUES (1, 'one')")
    yield path
    writer.close()


@pytest.fixture
def copied(wal: Path, tmp_path: Path) -> Callable[..., Path]:
    """Copies of the live database with some of its companions."""

    def copy(*tails: str) -> Path:
        folder = tmp_path / "copied"
        folder.mkdir()
        for tail in ("", *tails):
            (folder / f"{wal.name}{tail}").write_bytes(wal.with_name(wal.name + tail).read_bytes())
        return folder / wal.name

    return copy


def rows(path: Path, limits: Limits = DEFAULT_LIMITS) -> list[tuple[int, str]]:
    with SqliteFile(path, limits).reading() as connection:
        return connection.execute("SELECT n, word FROM t ORDER BY n").fetchall()


def plain(path: Path) -> Path:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (n INTEGER, word TEXT)")
    connection.execute("INSERT INTO t VALUES (1, 'one')")
    connection.commit()
    connection.close()
    return path


def test_a_database_without_wal_is_read_and_nothing_appears_beside_it(tmp_path: Path) -> None:
    path = plain(tmp_path / "plain.db")
    before = listing(tmp_path)
    assert rows(path) == [(1, "one")]
    assert listing(tmp_path) == before


def test_an_empty_wal_counts_as_none(tmp_path: Path) -> None:
    path = plain(tmp_path / "plain.db")
    path.with_name("plain.db-wal").touch()
    before = listing(tmp_path)
    assert rows(path) == [(1, "one")]
    assert listing(tmp_path) == before


def test_a_live_wal_is_read_beside_its_writer(wal: Path) -> None:
    before = listing(wal.parent, without="-shm")
    assert rows(wal) == [(1, "one")]
    assert listing(wal.parent, without="-shm") == before


def test_a_wal_without_shm_is_read_from_a_copy(copied: Callable[..., Path]) -> None:
    path = copied("-wal")
    before = listing(path.parent)
    assert rows(path) == [(1, "one")]
    assert listing(path.parent) == before


def test_a_copied_wal_and_shm_are_read(copied: Callable[..., Path]) -> None:
    path = copied("-wal", "-shm")
    before = listing(path.parent, without="-shm")
    assert rows(path) == [(1, "one")]
    assert listing(path.parent, without="-shm") == before


def test_the_copy_is_made_again_only_when_the_wal_grew(
    wal: Path, copied: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    import shutil

    path = copied("-wal")
    made: list[str] = []
    real = shutil.copyfile

    def counted(source: Path, target: Path) -> None:
        made.append(Path(source).name)
        real(source, target)

    monkeypatch.setattr("viewer.sources.sqlite_file.shutil.copyfile", counted)
    file = SqliteFile(path, DEFAULT_LIMITS)
    for expected in (2, 2):
        with file.reading() as connection:
            assert connection.execute("SELECT count(*) FROM t").fetchone() == (1,)
        assert len(made) == expected
    writer = sqlite3.connect(wal, isolation_level=None)
    writer.execute("INSERT INTO t VALUES (2, 'two')")
    (path.with_name(path.name + "-wal")).write_bytes(wal.with_name(wal.name + "-wal").read_bytes())
    writer.close()
    with file.reading() as connection:
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (2,)


def test_the_copy_goes_away_with_the_file(
    copied: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    private = tmp_path / "private"
    private.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(private))
    file = SqliteFile(copied("-wal"), DEFAULT_LIMITS)
    with file.reading():
        (folder,) = private.iterdir()
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    del file
    assert list(private.iterdir()) == []


def test_a_copy_larger_than_the_limit_is_refused_by_name(copied: Callable[..., Path]) -> None:
    path = copied("-wal")
    with pytest.raises(LimitExceeded, match=r"may have 100$"):
        rows(path, Limits(file_bytes=100))


def test_a_write_that_was_cut_off_is_rolled_back_in_a_copy(tmp_path: Path) -> None:
    path = plain(tmp_path / "plain.db")
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA cache_size = 1")
    writer.execute("BEGIN")
    writer.executemany("INSERT INTO t VALUES (?, ?)", [(n, "x" * 500) for n in range(500)])
    folder = tmp_path / "crashed"
    folder.mkdir()
    for name in ("plain.db", "plain.db-journal"):
        (folder / name).write_bytes((tmp_path / name).read_bytes())
    writer.close()
    assert (folder / "plain.db").stat().st_size > 8192, "the cut-off write is in the file"
    before = listing(folder)
    assert rows(folder / "plain.db") == [(1, "one")]
    assert listing(folder) == before


@pytest.mark.skipif(os.name != "posix", reason="folder permissions are POSIX")
@pytest.mark.parametrize("tails", [(), ("-wal",), ("-wal", "-shm")], ids=["alone", "wal", "shm"])
def test_a_folder_that_may_not_be_written_is_read(
    wal: Path, copied: Callable[..., Path], tails: tuple[str, ...]
) -> None:
    if not tails:
        checkpointed = sqlite3.connect(wal)
        checkpointed.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        checkpointed.close()
    path = copied(*tails)
    for file in path.parent.iterdir():
        file.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        before = listing(path.parent)
        assert rows(path) == [(1, "one")]
        assert set(listing(path.parent)) == set(before)
    finally:
        path.parent.chmod(0o755)


def test_nothing_can_be_written_through_the_connection(
    tmp_path: Path, copied: Callable[..., Path]
) -> None:
    for path in (plain(tmp_path / "plain.db"), copied("-wal")):
        with (
            pytest.raises(SourceError, match="attempt to write a readonly database"),
            SqliteFile(path, DEFAULT_LIMITS).reading() as connection,
        ):
            connection.execute("INSERT INTO t VALUES (9, 'nine')")


def test_a_reading_sees_one_moment(wal: Path) -> None:
    with SqliteFile(wal, DEFAULT_LIMITS).reading() as connection:
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (1,)
        writer = sqlite3.connect(wal, isolation_level=None)
        writer.execute("INSERT INTO t VALUES (2, 'two')")
        writer.close()
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (1,)
    assert rows(wal) == [(1, "one"), (2, "two")]


def test_a_missing_wal_is_said(copied: Callable[..., Path]) -> None:
    path = copied()
    assert path.stat().st_size == 4096
    with SqliteFile(path, DEFAULT_LIMITS).reading() as connection:
        assert tables(connection) == {}
    said = lost_wal(path, path.read_bytes())
    assert said is not None
    assert f"{path.name}-wal" in said


def test_a_database_of_another_mode_misses_no_wal(tmp_path: Path) -> None:
    path = plain(tmp_path / "plain.db")
    assert lost_wal(path, path.read_bytes()) is None


def test_the_files_are_told_by_their_first_bytes(copied: Callable[..., Path]) -> None:
    path = copied("-wal")
    companion = path.with_name(path.name + "-wal")
    assert is_database(path.read_bytes()[:16])
    assert is_wal(companion.read_bytes()[:32])
    assert not is_database(companion.read_bytes()[:32])
    assert not is_wal(path.read_bytes()[:16])
    assert "app.db is needed" in lone_wal("app.db-wal")
    assert "that database is needed" in lone_wal("renamed")


def test_tables_lists_ordinary_tables_with_their_columns(tmp_path: Path) -> None:
    path = plain(tmp_path / "plain.db")
    connection = sqlite3.connect(path)
    connection.execute("CREATE VIEW v AS SELECT n FROM t")
    connection.execute("CREATE VIRTUAL TABLE f USING fts5(body)")
    connection.commit()
    connection.close()
    with SqliteFile(path, DEFAULT_LIMITS).reading() as opened:
        found = tables(opened)
    assert found["t"] == ("n", "word")
    assert {"v", "f"}.isdisjoint(found)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(b"SQLite format 3\0" + b"\x55" * 4084, "damaged or incomplete", id="noise"),
        pytest.param(b"just words", "damaged or incomplete", id="text"),
    ],
)
def test_what_is_no_database_is_a_named_error(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=words) as caught:
        rows(path)
    assert caught.value.place == str(path)


def test_a_database_cut_short_is_a_named_error(tmp_path: Path) -> None:
    path = plain(tmp_path / "plain.db")
    connection = sqlite3.connect(path)
    connection.executemany("INSERT INTO t VALUES (?, ?)", [(n, "x" * 500) for n in range(500)])
    connection.commit()
    connection.close()
    path.write_bytes(path.read_bytes()[:20_000])
    with pytest.raises(SourceError, match="damaged or incomplete"):
        rows(path)


def test_a_schema_that_is_no_text_is_a_named_error(tmp_path: Path) -> None:
    path = plain(tmp_path / "plain.db")
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE t", b"CREATE \xb7ABLE t"))
    with pytest.raises(SourceError, match="damaged or incomplete"):
        rows(path)


def test_a_file_that_is_gone_is_a_named_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        rows(tmp_path / "gone.db")
    assert list(tmp_path.iterdir()) == []


def test_text_that_is_no_utf8_keeps_its_bytes(tmp_path: Path) -> None:
    path = plain(tmp_path / "plain.db")
    connection = sqlite3.connect(path)
    connection.execute("UPDATE t SET word = CAST(x'61ff62' AS TEXT)")
    connection.commit()
    connection.close()
    assert rows(path) == [(1, "a\udcffb")]
