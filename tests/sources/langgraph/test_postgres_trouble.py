"""Databases that cannot be reached or read, and rows that no saver would write."""

import base64
import json
import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from langgraph.checkpoint.postgres import PostgresSaver

from viewer.chain import Chain
from viewer.errors import LimitExceeded, SourceError
from viewer.limits import DEFAULT_LIMITS, Limits
from viewer.model import ThreadRef
from viewer.sources import identify, open_source, open_sources
from viewer.sources.dsn import Dsn, locate
from viewer.sources.langgraph.postgres_blobs import pages
from viewer.sources.langgraph.postgres_connection import _refusal, reading
from viewer.sources.langgraph.postgres_rows import PostgresRows
from viewer.sources.langgraph.postgres_tables import Tables, look

# "channel" holds an "ann": users here have longer names.
SECRETS = ("pass/", "pass%2F", "wörd", "w%C3%B6rd", "annabel", "hidden", "options", "search_path")
HASTY = replace(DEFAULT_LIMITS, statement_seconds=1, connect_seconds=2)


def database(text: str) -> Dsn:
    found = locate(text)
    assert isinstance(found, Dsn)
    return found


@pytest.fixture(scope="module")
def template(postgres: Any, run_scenario: Any) -> str:
    """The name of a schema with two threads: ``t`` is done, ``other`` waits for an answer."""
    found: str = postgres.schema()
    with PostgresSaver.from_conn_string(found) as saver:
        saver.setup()
        run_scenario("answered", saver)
        run_scenario("waiting", saver, thread="other")
    return found.rpartition("%3D")[2]


@pytest.fixture
def dsn(postgres: Any, template: str) -> str:
    """A copy of ``template`` of the test's own."""
    found: str = postgres.schema()
    with psycopg.connect(found) as connection:
        for name in ("checkpoints", "checkpoint_blobs", "checkpoint_writes"):
            there = f"{template}.{name}"
            connection.execute(f"CREATE TABLE {name} (LIKE {there} INCLUDING ALL)".encode())
            connection.execute(f"INSERT INTO {name} SELECT * FROM {there}".encode())
    return found


@pytest.fixture
def change(dsn: str) -> Callable[..., int]:
    """Runs one statement and returns how many rows it changed."""

    def changing(statement: str, *parameters: Any) -> int:
        with psycopg.connect(dsn, autocommit=True) as connection:
            return connection.execute(statement.encode(), parameters).rowcount

    return changing


def chain_of(dsn: str, thread: str = "t", limits: Limits = DEFAULT_LIMITS) -> Chain:
    source = open_source(dsn, limits=limits)
    return source.chain(next(ref for ref in source.threads if ref.thread_id == thread))


def fails(text: str, limits: Limits = DEFAULT_LIMITS) -> str:
    """Return why a database does not open, as every command would say it."""
    sources, (problem,) = open_sources((text,), limits=limits)
    assert sources == ()
    assert problem.place == str(locate(text))
    assert not any(secret in f"{problem}" for secret in SECRETS)
    return problem.reason


@pytest.fixture
def deaf() -> Iterator[int]:
    """A port where something listens and never answers."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield listening.getsockname()[1]


def test_a_server_that_never_answers_is_given_up(deaf: int) -> None:
    reason = fails(f"postgresql://annabel:hidden@127.0.0.1:{deaf}/x", HASTY)
    assert reason == "no answer within 2 s (limit: connect_seconds)"


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        pytest.param(
            "postgresql://annabel:hidden@127.0.0.1:1/x", "connection refused", id="refused"
        ),
        pytest.param("postgresql://annabel:hidden@no.invalid/x", "no such host", id="host"),
        pytest.param(
            "postgresql://annabel:hid%zzden@127.0.0.1/x", "no PostgreSQL address", id="text"
        ),
        pytest.param("postgresql:///x?host=/nowhere", "connection refused", id="socket"),
        pytest.param(
            "postgresql://annabel@127.0.0.1/x?hidden=1", "no PostgreSQL address", id="word"
        ),
    ],
)
def test_why_no_server_is_reached_is_named(address: str, reason: str) -> None:
    assert fails(address).startswith(reason)


def test_why_a_server_refuses_is_named(postgres: Any) -> None:
    wrong = f"postgresql://postgres:hidden@127.0.0.1:{postgres.port}/postgres"
    assert fails(wrong) == "authentication failed"
    assert fails(wrong.replace("postgres:", "annabel:")) == "authentication failed"
    assert fails(postgres.dsn("nowhere")) == "no such database"


def test_a_refusal_of_another_kind_is_repeated_without_what_is_secret(postgres: Any) -> None:
    reason = fails(f"{postgres.dsn('postgres')}?sslmode=require")
    assert reason.startswith("no connection: ")
    assert "SSL" in reason
    own = database("postgresql://annabel:hidden@127.0.0.1/x")
    assert (
        _refusal('no luck for "annabel"\n\tby hidden', own) == 'no connection: no luck for "…" by …'
    )


def test_what_a_database_holds_instead_is_listed(postgres: Any) -> None:
    address = postgres.dsn(postgres.create())
    assert fails(address).endswith("its tables are none")
    with psycopg.connect(address) as connection:
        connection.execute("CREATE SCHEMA app CREATE TABLE orders (id int)")
        connection.execute("CREATE TABLE checkpoints (thread_id text, checkpoint jsonb)")
    reason = fails(address)
    assert "checkpoints.checkpoint_ns, checkpoints.metadata, table checkpoint_blobs" in reason
    assert reason.endswith("its tables are app.orders, checkpoints")
    ((reader, verdict),) = identify(locate(address))
    assert (reader.name, verdict.claims, verdict.why) == ("langgraph-postgres", False, reason)


def test_columns_of_another_type_are_no_store(postgres: Any) -> None:
    address = postgres.dsn(postgres.create())
    with PostgresSaver.from_conn_string(address) as saver:
        saver.setup()
        saver.conn.execute("ALTER TABLE checkpoints ALTER COLUMN checkpoint TYPE text")
    assert "checkpoints.checkpoint of type jsonb missing" in fails(address)


def test_a_store_in_another_schema_is_found_where_the_address_says(
    postgres: Any, run_scenario: Any
) -> None:
    address = postgres.dsn(postgres.create())
    with psycopg.connect(address) as connection:
        connection.execute("CREATE SCHEMA agents")
    there = f"{address}?options=-csearch_path%3Dagents"
    with PostgresSaver.from_conn_string(there) as saver:
        saver.setup()
        run_scenario("answered", saver)
    sources, (problem,) = open_sources((address,))
    assert sources == ()
    assert "one in schema agents: add ?options=-csearch_path%3Dagents" in problem.reason
    assert chain_of(there).checkpoints[-1].status == "done"


def test_tables_that_the_user_may_not_read_are_named(
    postgres: Any, dsn: str, change: Callable[..., int]
) -> None:
    change("DROP ROLE IF EXISTS annabel")
    change("CREATE ROLE annabel LOGIN PASSWORD 'hidden'")
    address = dsn.replace(
        postgres.dsn(""), f"postgresql://annabel:hidden@127.0.0.1:{postgres.port}/"
    )
    assert address != dsn
    schema = dsn.rpartition("%3D")[2]
    change(f"GRANT USAGE ON SCHEMA {schema} TO annabel")
    assert fails(address) == (
        "permission denied by the database (permission denied for table checkpoints)"
    )
    change(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO annabel")
    assert chain_of(address).checkpoints[-1].status == "done"


def test_nothing_can_be_written(dsn: str) -> None:
    def write() -> None:
        with reading(database(dsn), DEFAULT_LIMITS) as connection:
            connection.execute("DELETE FROM checkpoints")

    with pytest.raises(SourceError, match="read-only transaction"):
        write()
    assert len(chain_of(dsn).checkpoints) == 5


def test_rows_come_from_a_cursor_that_the_server_keeps(dsn: str) -> None:
    query = "SELECT name FROM pg_cursors, generate_series(1, 5) WHERE name LIKE 'pages%%'"
    with reading(database(dsn), DEFAULT_LIMITS) as connection:
        found = list(pages(connection, query, (), 2))
        assert [len(page) for page in found] == [2, 2, 1]
        assert len({name for page in found for (name,) in page}) == 1
        assert connection.execute("SELECT count(*) FROM pg_cursors").fetchone() == (0,)


def test_a_statement_that_takes_too_long_is_given_up(dsn: str) -> None:
    with psycopg.connect(dsn) as holder:
        holder.execute("LOCK TABLE checkpoints")
        reason = fails(dsn, HASTY)
    assert reason == "a statement took longer than 1 s (limit: statement_seconds)"


def test_what_the_whole_store_tells_is_done_without_where_it_takes_too_long(dsn: str) -> None:
    with reading(database(dsn), HASTY) as connection:
        tables = look(connection)
        assert isinstance(tables, Tables)
        rows = PostgresRows(connection, tables, "here", limits=HASTY, known={})
        assert rows._store("SELECT pg_sleep(9)::text") == []
        assert rows.namespaces("t") == ("",)


def test_a_server_that_goes_away_is_said_to_have_gone(dsn: str, change: Any) -> None:
    def read() -> None:
        with reading(database(dsn), DEFAULT_LIMITS) as connection:
            change("SELECT pg_terminate_backend(%s, 5000)", connection.info.backend_pid)
            connection.execute("SELECT 1")

    with pytest.raises(SourceError, match="the server went away while it was read") as caught:
        read()
    assert caught.value.place == str(locate(dsn))
    assert caught.value.__cause__ is None


def test_a_server_that_comes_back_is_read_again(postgres: Any, dsn: str) -> None:
    source = open_source(dsn)
    postgres.stop()
    try:
        with pytest.raises(SourceError, match="connection refused"):
            source.chain(source.threads[0])
    finally:
        postgres.start()
    assert source.chain(source.threads[0]).checkpoints[-1].status == "done"


def test_a_table_that_is_gone_is_said_to_have_changed(dsn: str, change: Any) -> None:
    source = open_source(dsn)
    change("DROP TABLE checkpoint_writes")
    with pytest.raises(SourceError, match="its tables changed since it was opened"):
        source.chain(source.threads[0])


MIDDLE = "(SELECT checkpoint_id FROM checkpoints WHERE thread_id = 't' ORDER BY 1 OFFSET 2 LIMIT 1)"
DEEP = "[" * 3000 + "]" * 3000


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("null", id="null"),
        pytest.param("[]", id="a list"),
        pytest.param('"x"', id="text"),
        pytest.param('{"$type": "x"}', id="a tag of ours"),
        pytest.param('{"v": 4, "channel_values": 5}', id="values are a number"),
        pytest.param('{"v": 4, "channel_values": {"$type": 1}}', id="a channel like a tag"),
        pytest.param(f'{{"v": 4, "channel_values": {{"x": {DEEP}}}}}', id="nested too deep"),
        pytest.param(f'{{"v": {"9" * 5000}}}', id="a number of 5000 digits"),
    ],
)
def test_a_checkpoint_that_is_none_costs_itself_alone(
    body: str, dsn: str, change: Callable[..., int]
) -> None:
    before = chain_of(dsn)
    assert change(f"UPDATE checkpoints SET checkpoint = %s WHERE checkpoint_id = {MIDDLE}", body)
    after = chain_of(dsn)
    assert [c.checkpoint_id for c in after.checkpoints] == [
        c.checkpoint_id for c in before.checkpoints
    ]
    assert [c.has_state for c in after.checkpoints] == [True, True, False, True, True]
    for index in (0, 1, 3, 4):
        assert after.state(index) == before.state(index)
    assert sum(problem.no_state for problem in after.problems) == 1
    assert chain_of(dsn, "other").problems == ()


@pytest.mark.parametrize(
    "body",
    [
        pytest.param('{"v": {}}', id="no format"),
        pytest.param(
            '{"v": 4, "ts": 5, "channel_versions": [], "versions_seen": 1}', id="no parts"
        ),
        pytest.param('{"v": 4, "channel_versions": {"x": {}, "y": 1, "z": 1.5}}', id="no versions"),
        pytest.param('{"v": 4, "versions_seen": {"x": [], "y": {"z": {}}}}', id="nothing seen"),
        pytest.param('{"v": 1, "pending_sends": ["json", "!!"]}', id="sends of no base64"),
    ],
)
def test_parts_of_a_checkpoint_that_are_none_count_as_absent(
    body: str, dsn: str, change: Callable[..., int]
) -> None:
    before = chain_of(dsn)
    change(f"UPDATE checkpoints SET checkpoint = %s WHERE checkpoint_id = {MIDDLE}", body)
    after = chain_of(dsn)
    assert [c.has_state for c in after.checkpoints] == [True] * 5
    assert [after.state(i) == before.state(i) for i in range(5)] == [True, True, False, True, True]


def test_sends_kept_in_a_checkpoint_of_the_first_savers_are_read(
    dsn: str, change: Callable[..., int]
) -> None:
    send = {
        **{"lc": 2, "type": "constructor", "id": ["langgraph", "types", "Send"]},
        **{"args": [], "kwargs": {"node": "work", "arg": {"i": 1}}},
    }
    body = {
        **{"v": 1, "channel_values": {}, "channel_versions": {}, "versions_seen": {}},
        "pending_sends": ["json", base64.b64encode(json.dumps([send]).encode()).decode()],
    }
    change(
        f"UPDATE checkpoints SET checkpoint = %s WHERE checkpoint_id = {MIDDLE}", json.dumps(body)
    )
    assert chain_of(dsn).checkpoints[2].next == ("work",)


@pytest.mark.parametrize("body", ["[]", "5", "null", '{"step": {}, "source": 1, "parents": 2}'])
def test_metadata_that_is_none_costs_no_state(
    body: str, dsn: str, change: Callable[..., int]
) -> None:
    change(f"UPDATE checkpoints SET metadata = %s WHERE checkpoint_id = {MIDDLE}", body)
    after = chain_of(dsn)
    assert [c.has_state for c in after.checkpoints] == [True] * 5
    assert after.checkpoints[2].step is None


def test_a_blob_that_cannot_be_read_costs_its_channel_alone(
    dsn: str, change: Callable[..., int]
) -> None:
    before = chain_of(dsn)
    assert change(
        "UPDATE checkpoint_blobs SET blob = '\\xc1ff' WHERE thread_id = 't' AND channel = 'log'"
        " AND version = (SELECT max(version) FROM checkpoint_blobs"
        "                WHERE thread_id = 't' AND channel = 'log')"
    )
    after = chain_of(dsn)
    own = after.state(4)
    assert own["log"]["$type"] == "undecodable"
    assert {k: v for k, v in own.items() if k != "log"} == {
        k: v for k, v in before.state(4).items() if k != "log"
    }
    assert [after.state(i) == before.state(i) for i in range(4)] == [True] * 4
    (problem,) = after.problems
    assert "!blobs[t//log/" in problem.place
    assert problem.reason.startswith("channel log: no msgpack")


@pytest.mark.parametrize(
    ("setting", "kind"),
    [
        pytest.param("type = 'marshal'", "undecodable", id="unknown tag"),
        pytest.param("blob = NULL", "undecodable", id="no bytes"),
        pytest.param("type = 'msgpack+aes'", "encrypted", id="sealed"),
        pytest.param("type = 'pickle', blob = '\\x80'", "pickle", id="a broken pickle"),
    ],
)
def test_a_blob_of_another_kind_is_named(
    setting: str, kind: str, dsn: str, change: Callable[..., int]
) -> None:
    change(f"UPDATE checkpoint_blobs SET {setting} WHERE thread_id = 't' AND channel = 'log'")
    chain = chain_of(dsn)
    assert chain.state(4)["log"]["$type"] == kind
    assert chain.checkpoints[4].status == "done"
    assert chain.problems


def test_a_blob_larger_than_the_limit_is_named_and_not_fetched(dsn: str) -> None:
    chain = chain_of(dsn, limits=replace(DEFAULT_LIMITS, file_bytes=5))
    log = chain.state(4)["log"]
    assert (log["$type"], log["b64"]) == ("undecodable", "")
    assert "values up to 5 are read (limit: file_bytes)" in log["error"]
    assert {problem.keyword for problem in chain.problems} == {"unreadable", "write"}


def test_a_write_that_cannot_be_read_costs_itself_alone(
    dsn: str, change: Callable[..., int]
) -> None:
    assert change(
        "UPDATE checkpoint_writes SET blob = '\\xc1' WHERE thread_id = 't'"
        " AND channel = '__interrupt__'"
    )
    chain = chain_of(dsn)
    (problem,) = chain.problems
    assert (problem.keyword, "channel __interrupt__" in problem.reason) == ("write", True)
    assert [c.has_state for c in chain.checkpoints] == [True] * 5


def test_a_type_of_empty_is_no_value_and_a_blob_wins_over_what_stands_inline(
    dsn: str, change: Callable[..., int]
) -> None:
    change("UPDATE checkpoints SET checkpoint = jsonb_set(checkpoint, '{channel_values,log}', '7')")
    assert chain_of(dsn).state(4)["log"] == ["draft", "approve=yes", "paid"]
    change("UPDATE checkpoint_blobs SET type = 'empty', blob = NULL WHERE channel = 'log'")
    assert chain_of(dsn).state(4)["log"] == 7


def test_too_many_checkpoints_are_refused(dsn: str) -> None:
    with pytest.raises(LimitExceeded, match="more than 3 checkpoints"):
        chain_of(dsn, limits=replace(DEFAULT_LIMITS, checkpoints=3))


def test_writes_without_a_checkpoint_are_told(dsn: str, change: Callable[..., int]) -> None:
    change("DELETE FROM checkpoints WHERE thread_id = 'other'")
    (problem,) = open_source(dsn).problems
    assert (problem.keyword, problem.place.endswith("!writes[other/]")) == ("stray_writes", True)


@pytest.mark.parametrize("encoding", ["UTF8", "LATIN1", "SQL_ASCII", "EUC_JP"])
def test_names_in_any_encoding_are_listed_and_found(
    encoding: str, postgres: Any, run_scenario: Any
) -> None:
    thread = "手紙" if encoding == "EUC_JP" else "Zoë"
    name = postgres.create(f"TEMPLATE template0 LOCALE 'C' ENCODING '{encoding}'")
    address = postgres.dsn(name)
    with PostgresSaver.from_conn_string(f"{address}?client_encoding=UTF8") as saver:
        saver.setup()
        run_scenario("waiting", saver, thread=thread)
    source = open_source(address)
    assert [ref.thread_id for ref in source.threads] == [thread]
    assert source.chain(source.threads[0]).checkpoints[-1].status == "interrupted"


def test_bytes_that_are_no_text_keep_what_they_are(postgres: Any, run_scenario: Any) -> None:
    name = postgres.create("TEMPLATE template0 LOCALE 'C' ENCODING 'SQL_ASCII'")
    address = postgres.dsn(name)
    with PostgresSaver.from_conn_string(f"{address}?client_encoding=UTF8") as saver:
        saver.setup()
        run_scenario("waiting", saver)
    with psycopg.connect(address) as connection:
        for table in ("checkpoints", "checkpoint_blobs", "checkpoint_writes"):
            connection.execute(
                f"UPDATE {table} SET thread_id = convert_from('\\xff41', 'SQL_ASCII')".encode()
            )
    source = open_source(address)
    assert source.threads[0] == ThreadRef(
        thread_id="\udcffA", checkpoints=3, updated_at=source.threads[0].updated_at
    )
    chain = source.chain(source.threads[0])
    assert (len(chain.checkpoints), chain.problems) == (3, ())
    assert chain.state(2)["log"] == ["draft"]


def test_many_threads_are_listed_by_one_query(dsn: str, change: Callable[..., int]) -> None:
    change(
        "INSERT INTO checkpoints (thread_id, checkpoint_id, checkpoint, metadata)"
        " SELECT 'many-' || n, to_char(n, 'FM000000'), '{\"v\": 4}', '{}'"
        " FROM generate_series(1, 5000) AS n"
    )
    threads = open_source(dsn).threads
    assert len(threads) == 5002
    assert [ref.thread_id for ref in threads[:2]] == ["many-1", "many-2"]


def test_ids_of_type_uuid_are_read_as_text(dsn: str, change: Callable[..., int]) -> None:
    before = chain_of(dsn)
    thread = "7f0d6c9e-3c2b-4c67-9d0a-0c0f6a1b2c3d"
    for table, columns in {
        "checkpoints": ("thread_id", "checkpoint_id", "parent_checkpoint_id"),
        "checkpoint_blobs": ("thread_id",),
        "checkpoint_writes": ("thread_id", "checkpoint_id", "task_id"),
    }.items():
        change(f"DELETE FROM {table} WHERE thread_id = 'other'")
        change(f"UPDATE {table} SET thread_id = '{thread}'")
        for column in columns:
            change(f"ALTER TABLE {table} ALTER {column} TYPE uuid USING {column}::uuid")
    after = chain_of(dsn, thread)
    assert after.checkpoints[0].checkpoint_id == before.checkpoints[0].checkpoint_id
    assert [after.state(i) for i in range(5)] == [before.state(i) for i in range(5)]
    assert [c.writes for c in after.checkpoints] == [c.writes for c in before.checkpoints]
    assert after.problems == ()
