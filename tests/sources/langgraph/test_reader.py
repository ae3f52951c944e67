"""Which files the reader claims, what it says of others, and what a broken store still shows."""

import json
import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import ormsgpack
import pytest

from viewer.errors import SourceError, UnknownFormat, ViewerError
from viewer.jsontext import dumps
from viewer.limits import Limits
from viewer.model import MISSING
from viewer.sources import identify, open_source, open_sources

SAMPLE = Path(__file__).parents[3] / "sample_runs" / "langgraph-interrupt-fork"
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
Build = Callable[..., Path]


def blob(number: int, **more: Any) -> bytes:
    return ormsgpack.packb(
        {
            "v": 4,
            "ts": f"2026-01-02T03:04:0{number}+00:00",
            "channel_values": {"n": number},
            "channel_versions": {},
            "versions_seen": {},
            **more,
        }
    )


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Writes a store by hand: three checkpoints in a row, and what each test adds by SQL."""

    def building(*statements: Any, schema: tuple[str, ...] = (CHECKPOINTS, WRITES)) -> Path:
        path = tmp_path / "hand.db"
        connection = sqlite3.connect(path)
        for statement in schema:
            connection.execute(statement)
        if schema == (CHECKPOINTS, WRITES):
            for number in range(3):
                row = ("t", "", f"c{number}", f"c{number - 1}" if number else None, "msgpack")
                metadata = json.dumps({"source": "loop", "step": number}).encode()
                values = (*row, blob(number), metadata)
                connection.execute("INSERT INTO checkpoints VALUES (?,?,?,?,?,?,?)", values)
        for statement in statements:
            connection.execute(*(statement if isinstance(statement, tuple) else (statement,)))
        connection.commit()
        connection.close()
        return path

    return building


def only(path: Path) -> Any:
    source = open_source(path)
    (ref,) = source.threads
    return source.chain(ref)


def reason(path: Path) -> str:
    verdicts = {reader.name: verdict for reader, verdict in identify(path)}
    assert not verdicts["langgraph-sqlite"].claims
    return verdicts["langgraph-sqlite"].why


def test_the_name_proves_nothing_and_other_tables_do_not_disturb(build: Build) -> None:
    path = build("CREATE TABLE users (id, name)", "CREATE TABLE messages (id, body)")
    renamed = path.rename(path.with_name("notes.txt"))
    claims = [reader.name for reader, verdict in identify(renamed) if verdict.claims]
    assert claims == ["langgraph-sqlite"]
    assert len(only(renamed).checkpoints) == 3


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        pytest.param(
            ("CREATE TABLE user (id)", "CREATE TABLE checkpoint (id)"),
            "table checkpoints, table writes missing; its tables are checkpoint, user",
            id="tables of another program",
        ),
        pytest.param(
            ("CREATE TABLE checkpoints (id, created)", WRITES),
            "checkpoints.thread_id, checkpoints.checkpoint_ns",
            id="same name, other columns",
        ),
        pytest.param((CHECKPOINTS,), "table writes missing", id="half a store"),
        pytest.param(
            ("CREATE TABLE checkpoints (thread_id, thread_ts, checkpoint)", WRITES),
            "checkpoints.checkpoint_ns",
            id="half of the first schema",
        ),
        pytest.param(
            ("CREATE TABLE x (a)", "DROP TABLE x"), "its tables are none", id="an empty database"
        ),
    ],
)
def test_what_is_missing_for_a_store_is_said(
    build: Build, schema: tuple[str, ...], words: str
) -> None:
    path = build(schema=schema)
    assert words in reason(path)
    with pytest.raises(SourceError, match=r"hand\.db"):
        open_source(path)


def test_a_wal_alone_asks_for_its_database(make: Any, tmp_path: Path) -> None:
    made = make("waiting")
    lone = tmp_path / "lone"
    lone.mkdir()
    companion = lone / f"{made.path.name}-wal"
    companion.write_bytes(made.path.with_name(companion.name).read_bytes())
    assert "checkpoints.sqlite is needed beside it" in reason(companion)
    assert "checkpoints.sqlite-wal: this is the write-ahead log" in reason(lone)
    sources, (problem,) = open_sources((lone,))
    assert sources == ()
    assert "write-ahead log" in problem.reason


def test_a_database_whose_wal_was_left_behind_asks_for_it(make: Any, tmp_path: Path) -> None:
    made = make("waiting")
    lone = tmp_path / "lone.sqlite"
    lone.write_bytes(made.path.read_bytes())
    assert lone.stat().st_size == 4096
    assert "lone.sqlite-wal, which holds the rows, is needed" in reason(lone)


@pytest.mark.parametrize("tails", [("-wal",), ("-wal", "-shm")], ids=["wal", "wal and shm"])
def test_a_running_program_s_store_is_read_and_left_as_it_is(
    make: Any, tmp_path: Path, tails: tuple[str, ...]
) -> None:
    made = make("waiting")
    folder = tmp_path / "copied"
    folder.mkdir()
    for tail in ("", *tails):
        name = f"{made.path.name}{tail}"
        (folder / name).write_bytes(made.path.with_name(name).read_bytes())
    for path in (made.path, folder / made.path.name):
        before = contents(path.parent)
        chain = only(path)
        assert (len(chain.checkpoints), chain.checkpoints[-1].status) == (3, "interrupted")
        assert contents(path.parent) == before


def contents(folder: Path) -> dict[str, bytes | None]:
    """Return what must stay: all names, and all bytes but those of the shared lock file."""
    return {p.name: None if p.name.endswith("-shm") else p.read_bytes() for p in folder.iterdir()}


def test_opening_a_settled_store_changes_no_byte_and_no_name(settle: Any) -> None:
    path = settle("forked")
    before = {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in path.parent.iterdir()}
    assert only(path).heads
    assert {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in path.parent.iterdir()} == before


def test_nothing_that_a_store_names_is_imported(tmp_path: Path, build: Build) -> None:
    (tmp_path / "evil.py").write_text("open('touched', 'w').write('imported')")
    bomb = ormsgpack.Ext(0, ormsgpack.packb(["os", "system", "touch touched"]))
    foreign = ormsgpack.Ext(5, ormsgpack.packb(["evil", "Model", {"a": 1}, "model_validate_json"]))
    pickled = b"cos\nsystem\n(S'touch touched'\ntR."
    path = build(
        ("UPDATE checkpoints SET checkpoint = ? WHERE checkpoint_id = 'c1'",
         (blob(1, channel_values={"x": bomb, "y": foreign}),)),
        ("UPDATE checkpoints SET type = 'pickle', checkpoint = ? WHERE checkpoint_id = 'c2'",
         (pickled,)),
    )  # fmt: skip
    code = (
        "import sys; from viewer.sources import open_source; source = open_source(sys.argv[1]);"
        "chain = source.chain(source.threads[0]);"
        "print(chain.state(1)['x']['$type'], chain.state(1)['y']['$type']);"
        "print(*sorted(m for m in sys.modules if m.split('.')[0] in"
        " ('evil', 'langgraph', 'langchain_core', 'pickle', 'numpy')))"
    )
    root = str(Path(__file__).parents[3])
    done = subprocess.run(
        [sys.executable, "-c", code, path],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((root, str(tmp_path)))},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.splitlines() == ["os.system evil.Model", ""]
    assert not (tmp_path / "touched").exists()


def test_one_undecodable_checkpoint_is_named_and_the_rest_stands(build: Build) -> None:
    path = build("UPDATE checkpoints SET checkpoint = x'c1' WHERE checkpoint_id = 'c1'")
    chain = only(path)
    assert [c.has_state for c in chain.checkpoints] == [True, False, True]
    (problem,) = chain.problems
    assert problem.place == f"{path}!checkpoints[t//c1]"
    assert "no msgpack" in problem.reason
    assert chain.state(2) == {"n": 2}


@pytest.mark.parametrize(
    ("tag", "words"),
    [
        pytest.param("pickle", "a pickle of 85 bytes that is not read", id="pickle"),
        pytest.param("msgpack+aes", "encrypted", id="encrypted"),
    ],
)
def test_a_sealed_checkpoint_still_says_what_stands_in_clear(
    build: Build, tag: str, words: str
) -> None:
    question = ormsgpack.packb(
        [
            ormsgpack.Ext(
                2, ormsgpack.packb(["langgraph.types", "Interrupt", {"value": 1, "id": "i"}])
            )
        ]
    )
    path = build(
        f"UPDATE checkpoints SET type = '{tag}' WHERE checkpoint_id = 'c2'",
        ("INSERT INTO writes VALUES ('t','','c2','task',-3,'__interrupt__','msgpack',?)",
         (question,)),
    )  # fmt: skip
    chain = only(path)
    head = chain.checkpoints[chain.head]
    assert (head.step, head.origin, head.status, head.has_state) == (
        2,
        "loop",
        "interrupted",
        False,
    )
    assert [(i.id, i.value, i.task, i.open) for i in head.interrupts] == [("i", 1, "task", True)]
    (problem,) = chain.problems
    assert problem.keyword == "sealed"
    assert words in problem.reason


def test_a_write_that_cannot_be_read_is_named_by_its_row(build: Build) -> None:
    path = build("INSERT INTO writes VALUES ('t','','c2','task',0,'n','msgpack',x'93')")
    chain = only(path)
    (problem,) = chain.problems
    assert problem.place == f"{path}!writes[t//c2/task/0]"
    assert problem.checkpoint_id == "c2"
    assert [w.value["$type"] for w in chain.checkpoints[2].writes] == ["undecodable"]


def test_an_unknown_format_shows_values_only_and_says_so(build: Build) -> None:
    path = build(
        ("UPDATE checkpoints SET checkpoint = ? WHERE checkpoint_id = 'c2'", (blob(2, v=9),))
    )
    chain = only(path)
    head = chain.checkpoints[2]
    assert (chain.state(2), head.next, head.status, head.phase) == ({"n": 2}, (), None, "unknown")
    assert [p.reason.split(":")[0] for p in chain.problems] == [
        "checkpoint format v=9 is unknown (1 checkpoints)"
    ]


def test_metadata_that_is_no_json_is_told_and_the_state_stands(build: Build) -> None:
    path = build("UPDATE checkpoints SET metadata = x'7b' WHERE checkpoint_id = 'c1'")
    chain = only(path)
    (problem,) = chain.problems
    assert problem.place == f"{path}!checkpoints[t//c1].metadata"
    assert (chain.checkpoints[1].step, chain.state(1)) == (None, {"n": 1})


def test_order_is_by_parents_whatever_the_ids_are(build: Build) -> None:
    path = build(
        "UPDATE checkpoints SET checkpoint_id = 'z' WHERE checkpoint_id = 'c0'",
        "UPDATE checkpoints SET parent_checkpoint_id = 'z' WHERE checkpoint_id = 'c1'",
        "UPDATE checkpoints SET rowid = 99 WHERE checkpoint_id = 'z'",
    )
    chain = only(path)
    assert [c.checkpoint_id for c in chain.checkpoints] == ["z", "c1", "c2"]
    assert chain.checkpoints[chain.head].checkpoint_id == "c2"


def test_a_parent_that_is_gone_is_told(build: Build) -> None:
    path = build("DELETE FROM checkpoints WHERE checkpoint_id = 'c0'")
    chain = only(path)
    assert [p.keyword for p in chain.problems] == ["missing_parent"]


def test_damaged_pages_cost_only_their_rows(build: Build) -> None:
    path = build(
        ("UPDATE checkpoints SET checkpoint = ? WHERE checkpoint_id = 'c1'",
         (blob(1, channel_values={"text": "A" * 60_000}),)),
    )  # fmt: skip
    raw = path.read_bytes()
    at = raw.index(b"A" * 4_000)
    page = (at // 4096 + 3) * 4096
    assert raw[page + 100 : page + 200] == b"A" * 100
    path.write_bytes(raw[: page - 4096] + b"\xff" * 4096 + raw[page:])
    source = open_source(path)
    chain = source.chain(source.threads[0])
    assert [chain.states[c.index] for c in chain.checkpoints if c.checkpoint_id != "c1"] == [
        {"n": 0},
        {"n": 2},
    ]
    lost = [p for p in chain.problems if p.no_state]
    assert [(p.place, p.reason.split(":")[0]) for p in lost] == [
        (f"{path}!checkpoints[t/]", "damaged or incomplete database")
    ]


@pytest.mark.parametrize("seed", range(8))
def test_any_damage_gives_records_or_a_named_error(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    whole = (SAMPLE / "checkpoints.sqlite").read_bytes()
    path = tmp_path / "damaged.sqlite"
    for _ in range(10):
        raw = bytearray(whole)
        for _ in range(chance.choice((1, 10, 100, 1_000))):
            raw[chance.randrange(100, len(raw))] = chance.randrange(256)
        path.write_bytes(raw[: chance.choice((len(raw), chance.randrange(len(raw))))])
        with suppress(ViewerError):
            source = open_source(path)
            for ref in source.threads:
                with suppress(ViewerError):
                    chain = source.chain(ref)
                    assert dumps([s for s in chain.states if s is not MISSING])
                    assert dumps([w.value for c in chain.checkpoints for w in c.writes])


def test_names_that_are_no_utf8_are_found_again(build: Build) -> None:
    path = build("UPDATE checkpoints SET thread_id = CAST(x'61ff' AS TEXT)")
    source = open_source(path)
    (ref,) = source.threads
    assert ref.thread_id == "a\udcff"
    assert len(source.chain(ref).checkpoints) == 3


def test_more_checkpoints_than_the_limit_are_refused_by_name(build: Build) -> None:
    source = open_source(build(), limits=Limits(checkpoints=2))
    with pytest.raises(SourceError, match="more than 2 checkpoints in one thread"):
        source.chain(source.threads[0])


def test_problems_beyond_the_limit_are_counted(build: Build) -> None:
    rows = [
        f"INSERT INTO writes VALUES ('t','','c2','k',{n},'n','msgpack',x'93')" for n in range(5)
    ]
    source = open_source(build(*rows), limits=Limits(problems=2))
    problems = source.chain(source.threads[0]).problems
    assert [p.keyword for p in problems] == ["write", "write", "limit"]
    assert problems[-1].reason.startswith("3 more problems")


def test_a_delta_channel_that_cannot_be_rebuilt_says_so(build: Build) -> None:
    counters = json.dumps(
        {"source": "loop", "step": 2, "counters_since_delta_snapshot": {"log": []}}
    )
    path = build(
        ("UPDATE checkpoints SET checkpoint = ?, metadata = ? WHERE checkpoint_id = 'c2'",
         (blob(2, channel_versions={"log": "7", "n": "1"}), counters.encode())),
        ("UPDATE checkpoints SET checkpoint = ? WHERE checkpoint_id = 'c1'",
         (blob(1, channel_versions={"log": "6"},
               channel_values={"log": ormsgpack.Ext(7, ormsgpack.packb({"a": 1}))}),)),
    )  # fmt: skip
    chain = only(path)
    assert chain.state(1)["log"] == {"a": 1}
    assert chain.state(2)["log"]["$type"] == "delta_not_rebuilt"
    assert chain.state(2)["log"]["version"] == "7"
    assert "log" not in chain.state(0)
    assert [p.keyword for p in chain.problems] == ["not_rebuilt"]


def test_a_store_without_rows_opens_empty(build: Build) -> None:
    source = open_source(build("DELETE FROM checkpoints"))
    assert source.threads == ()


def test_a_thread_that_is_gone_loads_empty_not_wrong(build: Build) -> None:
    path = build()
    source = open_source(path)
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM checkpoints")
    connection.commit()
    connection.close()
    assert source.chain(source.threads[0]).checkpoints == ()


def test_a_file_that_is_no_database_is_no_store(tmp_path: Path) -> None:
    path = tmp_path / "checkpoints.sqlite"
    path.write_bytes(b"SQLite format 3\0" + b"\x01" * 4084)
    assert "damaged or incomplete" in reason(path)
    path.write_bytes(b"words")
    assert reason(path).startswith("no SQLite database: checkpoints.sqlite is damaged or")
    with pytest.raises(UnknownFormat):
        open_source(path)


def test_the_kept_script_makes_the_kept_store(tmp_path: Path) -> None:
    made = tmp_path / "again.sqlite"
    subprocess.run([sys.executable, SAMPLE / "make.py", made], check=True, timeout=120)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["again.sqlite"]
    again, kept = only(made), only(SAMPLE / "checkpoints.sqlite")
    assert [seen(again, c) for c in again.checkpoints] == [seen(kept, c) for c in kept.checkpoints]
    assert not list(SAMPLE.glob("*-wal")) + list(SAMPLE.glob("*-shm"))


def seen(chain: Any, checkpoint: Any) -> Any:
    """Return what a reader sees of a checkpoint; ids are the library's to choose."""
    return (
        checkpoint.parent,
        checkpoint.step,
        checkpoint.origin,
        checkpoint.nodes,
        checkpoint.status,
        checkpoint.next,
        [(i.value, i.open) for i in checkpoint.interrupts],
        chain.state(checkpoint.index),
    )
