"""Stores as they are found: being written, beside others' files, on closed disks, or hostile."""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ormsgpack
import pytest

from viewer.chain import Chain
from viewer.errors import SourceError
from viewer.limits import Limits
from viewer.sources import open_source, open_sources

CHECKPOINTS = (
    "CREATE TABLE checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '',"
    " checkpoint_id TEXT NOT NULL, parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB,"
    " metadata BLOB, PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id))"
)
WRITES = (
    "CREATE TABLE writes (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '',"
    " checkpoint_id TEXT NOT NULL, task_id TEXT NOT NULL, idx INTEGER NOT NULL,"
    " channel TEXT NOT NULL, type TEXT, value BLOB,"
    " PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx))"
)
LOOSE = (
    "CREATE TABLE checkpoints"
    " (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata)",
    "CREATE TABLE writes"
    " (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, value)",
)
SMALL = Limits(file_bytes=1_000_000)
Build = Callable[..., Path]


def blob(number: int) -> bytes:
    return ormsgpack.packb(
        {
            "v": 4,
            "ts": f"2026-01-02T03:04:0{number}+00:00",
            "channel_values": {"n": number},
            "channel_versions": {},
            "versions_seen": {},
        }
    )


def row(number: int, parent: Any = "") -> tuple[Any, ...]:
    before = f"c{number - 1}" if number else None
    metadata = json.dumps({"source": "loop", "step": number}).encode()
    own = before if parent == "" else parent
    return ("t", "", f"c{number}", own, "msgpack", blob(number), metadata)


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Writes a store by hand into a folder of its own."""

    def building(
        *rows: tuple[Any, ...], schema: tuple[str, ...] = LOOSE, after: tuple[Any, ...] = ()
    ) -> Path:
        path = tmp_path / "store" / "hand.db"
        path.parent.mkdir()
        connection = sqlite3.connect(path)
        for statement in schema:
            connection.execute(statement)
        for values in rows:
            places = ", ".join("?" * len(values))
            connection.execute(f"INSERT INTO checkpoints VALUES ({places})", values)
        for statement in after:
            connection.execute(*(statement if isinstance(statement, tuple) else (statement,)))
        connection.commit()
        connection.close()
        return path

    return building


def chains(path: Path, limits: Limits = Limits()) -> dict[tuple[str, str], Chain]:  # noqa: B008
    source = open_source(path, limits=limits)
    found = {(ref.thread_id, ref.namespace): source.chain(ref) for ref in source.threads}
    listed = {(ref.thread_id, ref.namespace): ref.checkpoints for ref in source.threads}
    lost = {key: sum(p.no_state and p.index is None for p in found[key].problems) for key in found}
    assert listed == {key: len(c.checkpoints) + lost[key] for key, c in found.items()}
    return found


def folder_state(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    """Return name, bytes, time of change and mode of everything in ``folder``."""
    return {
        path.name: (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_mode)
        for path in folder.iterdir()
    }


WRITER = """
import sqlite3, sys
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from typing import TypedDict

class State(TypedDict):
    n: int

graph = StateGraph(State)
graph.add_node("count", lambda state: {"n": state["n"] + 1})
graph.add_edge(START, "count")
graph.add_conditional_edges("count", lambda state: "count" if state["n"] < 4000 else END)
connection = sqlite3.connect(sys.argv[1], check_same_thread=False)
app = graph.compile(checkpointer=SqliteSaver(connection))
config = {"configurable": {"thread_id": "live"}, "recursion_limit": 5000}
for chunk in app.stream({"n": 0}, config):
    print(flush=True)
"""


def test_a_store_is_read_while_another_process_writes_it(tmp_path: Path) -> None:
    path = tmp_path / "live" / "checkpoints.sqlite"
    path.parent.mkdir()
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "\n"
        lengths: list[int] = []
        # Without waiting for its rows the app runs ahead of them: read until they have grown twice.
        while len(set(lengths)) < 3:
            assert writer.poll() is None
            source = open_source(path)
            (ref,) = source.threads
            chain = source.chain(ref)
            lengths.append(len(chain.checkpoints))
            assert [c.step for c in chain.checkpoints] == list(range(-1, lengths[-1] - 1))
            assert {p.keyword for p in (*source.problems, *chain.problems)} <= {"stray_writes"}
            assert writer.stdout.readline() == "\n"
        assert lengths == sorted(lengths)
        assert lengths[0] > 0
        names = {p.name for p in path.parent.iterdir()}
        assert names == {path.name, f"{path.name}-wal", f"{path.name}-shm"}
    finally:
        writer.kill()
        writer.communicate()
    killed = folder_state(path.parent)
    chain = open_source(path).chain(ref)
    assert len(chain.checkpoints) >= lengths[-1]
    head = chain.checkpoints[chain.head or 0]
    assert (head.status, head.next_live) in {("pending", ("count",)), ("pending", ())}
    shm = f"{path.name}-shm"
    after = folder_state(path.parent)
    assert {n: s for n, s in after.items() if n != shm} == {
        n: s for n, s in killed.items() if n != shm
    }


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user may enter, as pytest's own are not."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs root to change user")
def test_a_folder_that_another_user_owns_is_read_and_stays(
    make: Any, settle: Any, open_folder: Path
) -> None:
    """A folder without leave to write is what a read-only disk is to SQLite."""
    closed = open_folder / "closed"
    closed.mkdir()
    (closed / "done.sqlite").write_bytes(settle("forked").read_bytes())
    running = make("waiting").path
    for tail in ("", "-wal"):
        (closed / f"live.sqlite{tail}").write_bytes(
            running.with_name(f"{running.name}{tail}").read_bytes()
        )
    for path in closed.iterdir():
        path.chmod(0o444)
    closed.chmod(0o555)
    before = folder_state(closed)
    # Python's own files may be closed to other users: all is imported before the user changes.
    code = (
        "import os, sys\n"
        "from viewer.sources import open_sources\n"
        "def lengths(place):\n"
        "    sources, problems = open_sources((place,))\n"
        "    return [len(s.chain(s.threads[0]).checkpoints) for s in sources], list(problems)\n"
        "lengths(sys.argv[2])\n"
        "os.setuid(65534)\n"
        "assert not os.access(sys.argv[1], os.W_OK)\n"
        "print(*lengths(sys.argv[1]))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-B", "-c", code, str(closed), str(running.parent)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ran.stdout, ran.returncode) == ("[6, 3] []\n", 0), ran.stderr
    assert folder_state(closed) == before


def test_a_folder_of_a_store_keeps_every_name_size_byte_and_time(settle: Any) -> None:
    folder = settle("answered").parent
    (folder / "notes.json").write_text('{"n": 1}', "utf-8")
    before, stamp = folder_state(folder), folder.stat().st_mtime_ns
    time.sleep(0.01)
    sources, problems = open_sources((folder,))
    assert problems == ()
    assert [s.reader.name for s in sources] == ["json-folder", "langgraph-sqlite"]
    for source in sources:
        assert all(source.chain(ref).checkpoints for ref in source.threads)
    assert (folder_state(folder), folder.stat().st_mtime_ns) == (before, stamp)


def test_keys_that_are_no_text_are_read_as_text_and_said(build: Build) -> None:
    odd = (
        ("t", "", b"\x00\xff", "c2", "msgpack", blob(3), b"{}"),
        ("t", "", 7, b"\x00\xff", "msgpack", blob(4), b"{}"),
        (b"t", "", "x", 7, "msgpack", blob(5), b"{}"),
        (5, "", "y", None, "msgpack", blob(6), b"{}"),
    )
    path = build(*map(row, range(3)), *odd)
    found = chains(path)
    ids = [c.checkpoint_id for c in found["t", ""].checkpoints]
    assert ids == ["c0", "c1", "c2", "\x00\udcff", "7", "x"]
    assert [c.parent for c in found["t", ""].checkpoints] == [None, 0, 1, 2, 3, 4]
    assert found["5", ""].state(0) == {"n": 6}
    (problem,) = open_source(path).problems
    assert problem.keyword == "key_type"
    assert problem.reason.startswith("4 rows")


def test_rows_of_nothing_but_null_are_one_lost_record_each(build: Build) -> None:
    nothing = (None,) * 7
    path = build(
        *map(row, range(3)),
        nothing,
        ("t", *nothing[1:]),
        after=(
            ("INSERT INTO writes VALUES (?,?,?,?,?,?,?,?)", (None,) * 8),
            ("INSERT INTO writes VALUES ('t','','c2',?,?,?,?,?)", (None,) * 5),
        ),
    )
    found = chains(path)
    assert sum(c.has_state for c in found["t", ""].checkpoints) == 3
    assert [p.no_state for p in found["t", ""].problems].count(True) == 1
    assert [c.has_state for c in found["", ""].checkpoints] == [False]


def test_columns_of_the_wrong_type_cost_their_own_row(build: Build) -> None:
    path = build(
        *map(row, range(3)),
        ("t", "", "c3", "c2", 5, 17, 3.5),
        ("t", "", "c4", "c3", "msgpack", "text", "[1]"),
        after=("INSERT INTO writes VALUES ('t', '', 'c2', 'k', 'first', 5, 6, 7)",),
    )
    (chain,) = chains(path).values()
    assert [c.has_state for c in chain.checkpoints] == [True, True, True, False, False]
    reasons = " ".join(p.reason for p in chain.problems)
    assert "channel 5: unknown blob tag '6'" in reasons
    assert "checkpoint c3: unknown blob tag '5'" in reasons


@pytest.mark.parametrize(
    "parents",
    [
        pytest.param(("c0", "c0", "c1"), id="its own parent"),
        pytest.param(("c2", "c0", "c1"), id="a circle of all"),
        pytest.param((None, "c2", "c1"), id="a circle of two"),
    ],
)
def test_parents_in_a_circle_are_opened_and_named(build: Build, parents: tuple[str, ...]) -> None:
    (chain,) = chains(build(*(row(n, p) for n, p in enumerate(parents)))).values()
    assert len(chain.checkpoints) == 3
    assert sorted(chain.state(c.index)["n"] for c in chain.checkpoints) == [0, 1, 2]
    (problem,) = (p for p in chain.problems if p.keyword == "circle")
    assert "descends from it" in problem.reason
    assert "missing_parent" not in {p.keyword for p in chain.problems}


def test_an_id_that_stands_twice_is_two_checkpoints_and_a_violation(build: Build) -> None:
    from viewer.analysis.check import check

    (chain,) = chains(build(*map(row, range(3)), row(1))).values()
    assert [c.checkpoint_id for c in chain.checkpoints] == ["c0", "c1", "c2", "c1"]
    (violation,) = check(chain).violations
    assert violation.keyword == "unique_checkpoint_ids"


@pytest.mark.parametrize("table", ["checkpoints", "writes"])
def test_a_value_that_claims_a_gigabyte_costs_its_row_only(build: Build, table: str) -> None:
    claim = "zeroblob(3000000)"
    after = {
        "checkpoints": (f"UPDATE checkpoints SET checkpoint = {claim} WHERE checkpoint_id = 'c1'",),
        "writes": (
            f"INSERT INTO writes VALUES ('t', '', 'c1', 'k', 0, 'n', 'msgpack', {claim})",
            "INSERT INTO writes VALUES ('t', '', 'c2', 'k', 0, 'n', 'msgpack', x'05')",
        ),
    }[table]
    path = build(*map(row, range(3)), schema=(CHECKPOINTS, WRITES), after=after)
    (chain,) = open_source(path, limits=SMALL).reading.threads
    chain = open_source(path, limits=SMALL).chain(chain)
    (problem,) = (p for p in chain.problems if p.keyword == "limit")
    assert "limit: file_bytes" in problem.reason
    left = {c.checkpoint_id for c in chain.checkpoints}
    assert left == ({"c0", "c2"} if table == "checkpoints" else {"c0", "c1", "c2"})
    written = [w.value for c in chain.checkpoints for w in c.writes]
    assert written == ([] if table == "checkpoints" else [5])


def test_a_newest_checkpoint_that_claims_a_gigabyte_still_lets_the_store_open(
    build: Build,
) -> None:
    last = "UPDATE checkpoints SET checkpoint = zeroblob(3000000) WHERE checkpoint_id = 'c2'"
    path = build(*map(row, range(3)), schema=(CHECKPOINTS, WRITES), after=(last,))
    source = open_source(path, limits=SMALL)
    assert [c.checkpoint_id for c in source.chain(source.threads[0]).checkpoints] == ["c0", "c1"]


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param((f"{CHECKPOINTS} WITHOUT ROWID", f"{WRITES} WITHOUT ROWID"), id="no rowid"),
        pytest.param(
            (CHECKPOINTS.replace("metadata BLOB", "metadata BLOB, rowid TEXT"), WRITES),
            id="a column called rowid",
        ),
        pytest.param(
            (
                CHECKPOINTS.replace(
                    "metadata BLOB", "metadata BLOB, big AS (zeroblob(1000000000)) VIRTUAL"
                ),
                WRITES,
            ),
            id="a generated column beside",
        ),
    ],
)
def test_tables_of_another_make_are_read_alike(build: Build, schema: tuple[str, ...]) -> None:
    names = "thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint"
    rows = tuple(
        (f"INSERT INTO checkpoints ({names}, metadata) VALUES (?,?,?,?,?,?,?)", row(n))
        for n in range(3)
    )
    written = "INSERT INTO writes VALUES ('t', '', 'c2', 'k', 0, 'n', 'msgpack', x'05')"
    (chain,) = chains(build(schema=schema, after=(*rows, written))).values()
    assert [chain.state(c.index) for c in chain.checkpoints] == [{"n": n} for n in range(3)]
    assert [w.value for w in chain.checkpoints[2].writes] == [5]


VIEWS = (
    "CREATE TABLE a (x)",
    "CREATE VIEW checkpoints AS SELECT 't' AS thread_id, '' AS checkpoint_ns, 'c' AS checkpoint_id,"
    " NULL AS parent_checkpoint_id, 'msgpack' AS type, zeroblob(1000000000) AS checkpoint,"
    " NULL AS metadata",
    "CREATE VIEW writes AS SELECT 't' AS thread_id, '' AS checkpoint_ns, 'c' AS checkpoint_id,"
    " 'k' AS task_id, 0 AS idx, 'n' AS channel, 'msgpack' AS type, x'01' AS value",
)
POSING = {
    "views": VIEWS,
    "a generated column": (
        CHECKPOINTS.replace("metadata BLOB", "metadata BLOB AS (zeroblob(1000000000)) VIRTUAL"),
        WRITES,
    ),
    "a virtual table": (
        "CREATE VIRTUAL TABLE checkpoints USING fts5(thread_id, checkpoint_ns, checkpoint_id,"
        " parent_checkpoint_id, type, checkpoint, metadata)",
        WRITES,
    ),
    "views of the first schema": (
        "CREATE VIEW checkpoints AS SELECT 1 AS thread_id, 2 AS thread_ts, 3 AS parent_ts,"
        " zeroblob(1000000000) AS checkpoint",
    ),
}


@pytest.mark.parametrize("schema", POSING.values(), ids=POSING)
def test_what_only_poses_as_the_tables_is_no_store(build: Build, schema: tuple[str, ...]) -> None:
    with pytest.raises(SourceError, match="no LangGraph store"):
        open_source(build(schema=schema))


def test_triggers_and_indexes_on_expressions_run_nothing(build: Build) -> None:
    path = build(
        *map(row, range(3)),
        schema=(CHECKPOINTS, WRITES),
        after=(
            "CREATE TABLE hits (x)",
            "CREATE TRIGGER one AFTER UPDATE ON checkpoints BEGIN INSERT INTO hits VALUES (1); END",
            "CREATE TRIGGER two BEFORE DELETE ON writes BEGIN SELECT load_extension('x'); END",
            "CREATE INDEX three ON checkpoints (length(checkpoint))",
        ),
    )
    before = folder_state(path.parent)
    (chain,) = chains(path).values()
    assert len(chain.checkpoints) == 3
    assert chain.problems == ()
    assert folder_state(path.parent) == before


def test_blobs_that_nest_or_claim_without_end_are_named(build: Build) -> None:
    deep, claim = b"\x91" * 200_000, b"\xdd\x3f\xff\xff\xff"
    path = build(
        *map(row, range(2)),
        (*row(2)[:5], deep, b"[" * 200_000),
        (*row(3)[:5], claim, b"{}"),
        (*row(4)[:5], blob(4), b"9" * 5000),
    )
    (chain,) = chains(path).values()
    assert [c.has_state for c in chain.checkpoints] == [True, True, False, False, True]
    assert {p.checkpoint_id for p in chain.problems} == {"c2", "c3", "c4"}
