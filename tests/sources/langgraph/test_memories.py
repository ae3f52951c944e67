"""The long-term store's items as memories, from SQLite and from PostgreSQL alike."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.store.postgres import PostgresStore
from langgraph.store.sqlite import SqliteStore

from viewer.chain import when
from viewer.limits import DEFAULT_LIMITS
from viewer.model import Thread
from viewer.sources import identify, open_source
from viewer.sources.dsn import locate

SAMPLES = Path(__file__).parents[3] / ".." / "shared" / "samples" / "langgraph"
needs_samples = pytest.mark.skipif(not SAMPLES.is_dir(), reason="../shared/samples is absent")


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where an empty store is: a file's path or a database's address."""
    if request.param == "sqlite":
        yield str(tmp_path / "store.sqlite")
        return
    postgres = request.getfixturevalue("postgres")
    yield postgres.schema()


@pytest.fixture
def run(place: str) -> Callable[[str], None]:
    """Runs one statement, the same for both databases."""

    def running(statement: str) -> None:
        if place.startswith("postgresql:"):
            with psycopg.connect(place, autocommit=True) as database:
                database.execute(statement.encode())
        else:
            with closing(sqlite3.connect(place, isolation_level=None)) as file:
                file.execute(statement)

    return running


@pytest.fixture
def fill(place: str) -> Callable[..., None]:
    """Puts items into the store: ``(namespace, key, value)``; makes its tables."""

    def filling(*items: tuple[tuple[str, ...], str, Any], ttl: float | None = None) -> None:
        with _store(place) as store:
            store.setup()
            for namespace, key, value in items:
                store.put(namespace, key, value, ttl=ttl)

    return filling


def _store(place: str) -> Any:
    made = PostgresStore if place.startswith("postgresql:") else SqliteStore
    return made.from_conn_string(place)


def alone(place: str, **limits: int) -> Thread:
    source = open_source(place, limits=replace(DEFAULT_LIMITS, **limits))
    (ref,) = source.threads
    return source.reading.load(ref)


def test_every_item_is_a_memory_with_its_namespace_times_and_expiry(
    place: str, fill: Callable[..., None]
) -> None:
    fill((("memories", "u-42"), "m1", {"text": "tea", "n": [1, None, {"deep": True}]}))
    fill((("profiles",), "u-42", {"name": "Zoë"}), ttl=60)
    thread = alone(place)
    found = thread.sidecars.memories
    assert found is not None
    with _store(place) as store:
        truth = {f"{'.'.join(i.namespace)}/{i.key}": i for i in store.search(())}
    assert list(found) == sorted(truth) == ["memories.u-42/m1", "profiles/u-42"]
    for name, item in truth.items():
        own = found[name]
        assert (own["namespace"], own["key"]) == (list(item.namespace), item.key)
        assert own["value"] == item.value
        assert when(own["created_at"]) == when(str(item.created_at))
        assert when(own["updated_at"]) == when(str(item.updated_at))
    assert found["memories.u-42/m1"]["expires_at"] is None
    kept = found["profiles/u-42"]
    assert kept["ttl_minutes"] == 60
    lasts = when(kept["expires_at"]) - when(kept["updated_at"])  # type: ignore[operator]
    assert 59 * 60 < lasts.total_seconds() <= 61 * 60


def test_a_database_of_memories_alone_opens_as_one_made_checkpoint(
    place: str, fill: Callable[..., None]
) -> None:
    fill((("a",), "k", {"x": 1}), (("b",), "k", {"x": 2}))
    ((reader, verdict), *_) = identify(locate(place))
    assert (reader.name.startswith("langgraph-"), verdict.claims) == (True, True)
    source = open_source(place)
    chain = source.chain(source.threads[0])
    (own,) = chain.checkpoints
    assert (own.checkpoint_id, own.id_made, own.parent_id) == ("store", True, None)
    assert own.created_at is not None
    assert chain.state(0) == chain.sidecars.memories
    assert {name: one["value"]["x"] for name, one in chain.state(0).items()} == {"a/k": 1, "b/k": 2}


def test_memories_stand_beside_every_thread_of_their_database(
    place: str, fill: Callable[..., None], run_scenario: Any
) -> None:
    fill((("a",), "k", {"x": 1}))
    saver = PostgresSaver if place.startswith("postgresql:") else SqliteSaver
    with saver.from_conn_string(place) as made:
        made.setup()
        for thread in ("one", "other"):
            run_scenario("waiting", made, thread=thread)
    source = open_source(place)
    assert [ref.thread_id for ref in source.threads] == ["one", "other"]
    for ref in source.threads:
        chain = source.chain(ref)
        assert chain.sidecars.memories is not None
        assert list(chain.sidecars.memories) == ["a/k"]
        assert chain.checkpoints[-1].status == "interrupted"


def test_a_store_of_checkpoints_alone_has_no_memories(place: str, run_scenario: Any) -> None:
    saver = PostgresSaver if place.startswith("postgresql:") else SqliteSaver
    with saver.from_conn_string(place) as made:
        made.setup()
        run_scenario("waiting", made)
    source = open_source(place)
    assert source.chain(source.threads[0]).sidecars.memories is None


def test_a_store_before_items_could_expire_is_read(
    place: str, fill: Callable[..., None], run: Callable[[str], None]
) -> None:
    fill((("a",), "k", {"x": 1}))
    run("DROP INDEX idx_store_expires_at")
    run("ALTER TABLE store DROP COLUMN expires_at")
    run("ALTER TABLE store DROP COLUMN ttl_minutes")
    (own,) = (alone(place).sidecars.memories or {}).values()
    assert (own["value"], own["expires_at"], own["ttl_minutes"]) == ({"x": 1}, None, None)


def test_items_that_would_share_a_name_are_numbered(place: str, fill: Callable[..., None]) -> None:
    fill((("a",), "b/c", {"x": 1}), (("a/b",), "c", {"x": 2}))
    found = alone(place).sidecars.memories or {}
    assert {name: one["value"]["x"] for name, one in found.items()} == {"a/b/c": 1, "a/b/c (2)": 2}


def test_a_value_that_cannot_be_read_costs_one_item(
    place: str, fill: Callable[..., None], run: Callable[[str], None]
) -> None:
    fill((("a",), "good", {"x": 1}), (("a",), "deep", {"x": 2}))
    nested = "[" * 900 + "]" * 900
    run(f"UPDATE store SET value = '{nested}' WHERE key = 'deep'")
    thread = alone(place)
    assert list(thread.sidecars.memories or ()) == ["a/good"]
    (problem,) = thread.problems
    assert problem.place.endswith("!store[a/deep]")
    assert "nested more than 400 deep" in problem.reason


def test_more_items_than_the_limit_are_said_to_be_there(
    place: str, fill: Callable[..., None]
) -> None:
    fill(*((("a",), f"k{number}", {"x": number}) for number in range(4)))
    thread = alone(place, memories=3)
    assert list(thread.sidecars.memories or ()) == ["a/k0", "a/k1", "a/k2"]
    (problem,) = thread.problems
    assert (problem.keyword, "limit: memories" in problem.reason) == ("limit", True)


def test_a_table_called_store_is_not_enough(place: str, run: Callable[[str], None]) -> None:
    run("CREATE TABLE store (prefix TEXT, key TEXT, value TEXT, created_at TEXT, updated_at TEXT)")
    assert not any(verdict.claims for _, verdict in identify(locate(place)))


@needs_samples
@pytest.mark.parametrize("name", ["12_store.sqlite", "12_store.pg"])
def test_the_shared_sample_holds_the_items_that_langgraph_lists(
    name: str, request: pytest.FixtureRequest
) -> None:
    place = str(SAMPLES / name)
    if name.endswith(".pg"):
        postgres = request.getfixturevalue("postgres")
        place = postgres.restored(Path(f"{place}.sql").read_text("utf-8"))
    truth = json.loads((SAMPLES / f"{name}.expected.json").read_text("utf-8"))["items"]
    found = alone(place).sidecars.memories or {}
    assert len(found) == len(truth)
    for item in truth:
        own = found[f"{'.'.join(item['namespace'])}/{item['key']}"]
        assert (own["namespace"], own["value"]) == (item["namespace"], item["value"])
        for moment in ("created_at", "updated_at"):
            assert when(own[moment]) == when(item[moment])
