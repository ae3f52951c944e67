"""LangGraph's first schema (``thread_ts``), in stores that those releases wrote themselves."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from viewer.analysis.messages import messages
from viewer.chain import Chain
from viewer.sources import open_source

FIRST = Path(__file__).parents[2] / "data" / "langgraph_first"
STORES = sorted(path.name for path in FIRST.glob("*.sqlite"))
INPUT = "__start__"


def chains(path: Path) -> dict[str, Chain]:
    source = open_source(path)
    assert source.reader.name == "langgraph-sqlite"
    assert source.problems == ()
    assert all(ref.updated_at is not None for ref in source.threads)
    return {ref.thread_id: source.chain(ref) for ref in source.threads}


@pytest.mark.parametrize("name", STORES)
def test_a_store_of_the_first_schema_says_what_its_release_said(name: str) -> None:
    truth = json.loads((FIRST / f"{name}.expected.json").read_text("utf-8"))
    found = chains(FIRST / name)
    assert found.keys() == truth.keys() == {"done", "paused"}
    for thread, told in truth.items():
        chain = found[thread]
        assert chain.problems == ()
        assert [c.checkpoint_id for c in chain.checkpoints] == [
            one["checkpoint"] for one in reversed(told)
        ]
        for own, one in zip(chain.checkpoints, reversed(told), strict=True):
            assert own.parent_id == one["parent"]
            assert list(own.next) == one["next"]
            assert {"source": own.origin, "step": own.step} == {
                "source": one["metadata"].get("source"),
                "step": one["metadata"].get("step"),
            }
            assert_values(chain, own.index, one)
        head = chain.checkpoints[-1]
        assert chain.head == head.index
        assert (head.status, head.phase) == (
            ("done", "done") if thread == "done" else ("pending", "unknown")
        )


def assert_values(chain: Chain, index: int, told: dict[str, Any]) -> None:
    state = chain.state(index)
    assert state.get("log") == told["log"]
    assert state.get("n") == told["n"]
    assert [m.text for m in messages(state, chain.profile)] == told["messages"]
    assert {m.role for m in messages(state, chain.profile)} <= {"user", "assistant"}


def test_the_stores_span_the_schema_s_forms() -> None:
    forms = set()
    for name in STORES:
        with sqlite3.connect(f"file:{FIRST / name}?mode=ro&immutable=1", uri=True) as connection:
            (blob,) = connection.execute("SELECT checkpoint FROM checkpoints").fetchone()
            tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            columns = connection.execute("SELECT * FROM checkpoints").description
            forms.add((blob[:1] == b"\x80", "metadata" in str(columns), len(tables.fetchall())))
    assert forms == {(True, False, 1), (False, False, 1), (False, True, 1), (False, True, 2)}


def test_writes_of_the_first_schema_belong_to_their_tasks() -> None:
    chain = chains(FIRST / "old_0.1.19.sqlite")["done"]
    assert [[t.node for t in c.tasks] for c in chain.checkpoints] == [
        [INPUT],
        ["a"],
        ["b"],
        ["c"],
        [],
    ]
    assert {w.node for w in chain.checkpoints[1].writes} == {"a"}
    assert ("log", ["a"]) in [(w.channel, w.value) for w in chain.checkpoints[1].writes]


def test_the_database_stays_closed_to_writing(tmp_path: Path) -> None:
    from viewer.limits import DEFAULT_LIMITS
    from viewer.sources.langgraph import old_rows
    from viewer.sources.sqlite_file import SqliteFile, tables

    copy = tmp_path / "old.sqlite"
    copy.write_bytes((FIRST / "old_0.1.19.sqlite").read_bytes())
    with SqliteFile(copy, DEFAULT_LIMITS).reading() as connection:
        old_rows.show_as_today(connection, tables(connection))
        assert connection.execute("PRAGMA query_only").fetchone() == (1,)
        for change in ("DELETE FROM main.checkpoints", "CREATE TABLE main.x (a)"):
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                connection.execute(change)
    assert [path.name for path in tmp_path.iterdir()] == ["old.sqlite"]
