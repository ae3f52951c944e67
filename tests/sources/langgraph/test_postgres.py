"""Real PostgreSQL savers on a real server, held against what the library says of the same store."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.postgres.shallow import ShallowPostgresSaver
from psycopg.rows import dict_row

from viewer.chain import Chain
from viewer.sources import Source, database_stamp, open_source
from viewer.sources.dsn import Dsn, locate

SHOWN = ("answered", "forked", "half_answered", "fanned", "crashed", "nested_on", "functional")
"""Scenarios of ``conftest.py`` whose rows differ most; SQLite runs all of them."""


@pytest.fixture
def dsn(postgres: Any) -> str:
    """A new schema with PostgresSaver's tables."""
    found: str = postgres.schema()
    with PostgresSaver.from_conn_string(found) as saver:
        saver.setup()
    return found


def chains(source: Source) -> dict[str, Chain]:
    return {ref.namespace: source.chain(ref) for ref in source.threads}


@pytest.mark.parametrize("scenario", SHOWN)
def test_the_library_says_the_same_of_every_checkpoint(
    scenario: str, dsn: str, agree: Any, run_scenario: Any
) -> None:
    with PostgresSaver.from_conn_string(dsn) as saver:
        made = run_scenario(scenario, saver)
        found = chains(open_source(dsn))
        for namespace, chain in found.items():
            agree(made, namespace, chain, ordered=False)
            for index in range(len(chain.checkpoints)):  # JSONB would sort them by length
                assert list(chain.state(index)) == sorted(chain.state(index))
    assert "" in found


def test_pages_smaller_than_a_thread_lose_nothing(
    dsn: str, agree: Any, run_scenario: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("postgres_rows._PAGE", "postgres_rows._ROWS", "postgres_blobs._PAGE"):
        monkeypatch.setattr(f"viewer.sources.langgraph.{name}", 2)
    with PostgresSaver.from_conn_string(dsn) as saver:
        made = run_scenario("forked", saver)
        agree(made, "", chains(open_source(dsn))[""], ordered=False)


def test_the_asynchronous_saver_writes_the_same_tables(dsn: str, run_scenario: Any) -> None:
    async def running() -> str:
        async with AsyncPostgresSaver.from_conn_string(dsn) as saver:
            made = run_scenario("payment", saver)
            asked = await made.graph.ainvoke({"n": 1, "log": []}, made.config)
            live = await made.graph.aget_state(made.config)
            assert asked["__interrupt__"]
            return str(live.config["configurable"]["checkpoint_id"])

    head = asyncio.run(running())
    chain = chains(open_source(dsn))[""]
    assert chain.head is not None
    assert chain.checkpoints[chain.head].checkpoint_id == head
    assert chain.checkpoints[chain.head].status == "interrupted"


@pytest.fixture
def run_shallow(postgres: Any, run_scenario: Any) -> Callable[[str], tuple[str, Any]]:
    """Runs a scenario with a shallow saver; returns its address and what the library says."""

    def running(scenario: str) -> tuple[str, Any]:
        address = postgres.schema()
        with psycopg.connect(
            address, autocommit=True, prepare_threshold=0, row_factory=dict_row
        ) as connection:
            with pytest.warns(DeprecationWarning, match="ShallowPostgresSaver"):
                saver = ShallowPostgresSaver(connection)
            saver.setup()
            made = run_scenario(scenario, saver)
            return address, made.graph.get_state(made.config)

    return running


def test_a_shallow_saver_keeps_the_newest_checkpoint_and_who_wrote_it(run_shallow: Any) -> None:
    address, live = run_shallow("answered")
    source = open_source(address)
    chain = chains(source)[""]
    (own,) = chain.checkpoints
    assert own.checkpoint_id == live.config["configurable"]["checkpoint_id"]
    assert (own.parent_id, own.nodes, own.status) == (None, ("pay",), "done")
    state = {k: v for k, v in chain.state(0).items() if k in live.values}
    assert state == live.values
    assert chain.problems == ()
    (left,) = source.problems
    assert (left.keyword, "earlier checkpoints" in left.reason) == ("stray_writes", True)


def test_before_format_4_a_shallow_saver_keeps_sends_in_the_rows_of_the_step_before(
    run_shallow: Any,
) -> None:
    address, live = run_shallow("fanned")
    today = chains(open_source(address))[""].checkpoints[0]
    with psycopg.connect(address) as connection:
        connection.execute("DELETE FROM checkpoint_blobs WHERE channel = '__pregel_tasks'")
        connection.execute("UPDATE checkpoints SET checkpoint = jsonb_set(checkpoint, '{v}', '3')")
    (own,) = chains(open_source(address))[""].checkpoints
    assert own.next == today.next == tuple(task.name for task in live.tasks) == ("work",) * 4
    assert [task.input for task in own.tasks] == [{"i": number} for number in range(1, 5)]
    assert own.next_live == today.next_live == live.next


def test_a_thread_that_is_being_written_is_read_whole_each_time(
    dsn: str, run_scenario: Any
) -> None:
    done = threading.Event()

    def write() -> None:
        try:
            with PostgresSaver.from_conn_string(dsn) as saver:
                for number in range(12):
                    run_scenario("answered", saver, thread=f"t{number % 2}")
        finally:
            done.set()

    writer = threading.Thread(target=write)
    writer.start()
    seen = [0]
    try:
        while not done.is_set():
            for ref in open_source(dsn).threads:
                chain = open_source(dsn).chain(ref)
                assert {p.keyword for p in chain.problems} <= {"stray_writes"}
                assert all(c.has_state for c in chain.checkpoints)
                assert ref.checkpoints is not None
                assert len(chain.checkpoints) >= ref.checkpoints
                seen.append(len(chain.checkpoints))
    finally:
        writer.join()
    assert max(seen) > min(seen[1:])


@pytest.fixture
def stamp(dsn: str) -> Callable[[], str]:
    found = locate(dsn)
    assert isinstance(found, Dsn)
    return lambda: database_stamp(found)


def test_every_change_of_a_row_is_seen_at_once(
    dsn: str, stamp: Callable[[], str], run_scenario: Any
) -> None:
    stamps = [stamp()]
    assert stamp() == stamps[0]
    with (
        PostgresSaver.from_conn_string(dsn) as saver,
        psycopg.connect(dsn, autocommit=True) as other,
    ):
        run_scenario("answered", saver)
        stamps.append(stamp())
        for change in (
            "UPDATE checkpoints SET metadata = metadata WHERE checkpoint_id ="
            " (SELECT max(checkpoint_id) FROM checkpoints)",
            "UPDATE checkpoint_writes SET blob = blob WHERE channel = '__resume__'",
            "DELETE FROM checkpoint_writes WHERE channel = '__resume__'",
        ):
            other.execute(change)
            stamps.append(stamp())
        assert stamp() == stamps[-1]
    assert len(set(stamps)) == len(stamps)


def test_a_large_table_is_told_by_the_server_s_own_counters(
    dsn: str, stamp: Callable[[], str], run_scenario: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("viewer.sources.langgraph.postgres_changes._SMALL", -1)
    before = stamp()
    with PostgresSaver.from_conn_string(dsn) as saver:
        run_scenario("answered", saver)
        saver.conn.execute("SELECT pg_stat_force_next_flush()")
    after = stamp()
    assert (before == after, stamp() == after) == (False, True)
