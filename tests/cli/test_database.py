"""Commands on a PostgreSQL address: all that files can do, and nothing secret in what they say."""

from collections.abc import Callable
from typing import Any

import pytest
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt

SECRETS = ("pass/", "pass%2F", "wörd", "postgres:pass", "csearch_path", "hidden", "annabel")


@pytest.fixture(scope="module")
def address(postgres: Any) -> str:
    """A database with one thread that waits for an answer."""
    found: str = postgres.schema()
    graph = StateGraph(dict)
    graph.add_node("ask", lambda state: interrupt("pay?"))
    graph.add_edge(START, "ask")
    graph.add_edge("ask", END)
    with PostgresSaver.from_conn_string(found) as saver:
        saver.setup()
        graph.compile(checkpointer=saver).invoke({"n": 1}, {"configurable": {"thread_id": "t"}})
    return found


@pytest.fixture
def name(postgres: Any) -> str:
    return f"postgresql:127.0.0.1:{postgres.port}/postgres"


@pytest.mark.parametrize(
    ("command", "code"),
    [
        pytest.param(("runs",), 0, id="runs"),
        pytest.param(("identify",), 0, id="identify"),
        pytest.param(("show",), 0, id="show"),
        pytest.param(("show", "--checkpoint", "head"), 0, id="a state"),
        pytest.param(("diff",), 1, id="diff"),
        pytest.param(("check",), 0, id="check"),
        pytest.param(("usage",), 0, id="usage"),
        pytest.param(("why",), 0, id="why"),
        pytest.param(("transcript",), 0, id="transcript"),
    ],
)
def test_every_command_takes_an_address_and_shows_its_name(
    cli: Callable[..., Any], address: str, name: str, command: tuple[str, ...], code: int
) -> None:
    for result in (cli(*command, address), cli(*command, address, "--json")):
        assert (result.code, result.err) == (code, "")
        assert not any(secret in result.out for secret in SECRETS)
    assert f'"{name}"' in result.out


def test_the_environment_says_what_the_address_leaves_out(
    cli: Callable[..., Any], address: str, postgres: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for word, value in {
        "PGHOST": "127.0.0.1",
        "PGPORT": str(postgres.port),
        "PGUSER": "postgres",
        "PGPASSWORD": postgres.PASSWORD,
        "PGDATABASE": "postgres",
        "PGOPTIONS": f"-c search_path={address.rpartition('%3D')[2]}",
    }.items():
        monkeypatch.setenv(word, value)
    threads = cli("runs", "postgresql:", "--json").document["threads"]
    assert [(row["source"], row["thread_id"], row["phase"]) for row in threads] == [
        (f"postgresql:127.0.0.1:{postgres.port}/postgres", "t", "waiting")
    ]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(("ADDRESS",), "postgresql:127.0.0.1:1/x", id="no command"),
        pytest.param(
            ("runs", "ADDRESS"), "postgresql:127.0.0.1:1/x: connection refused", id="down"
        ),
        pytest.param(("runs", "ADDRESS", "--port"), "unrecognized arguments: --port", id="option"),
        pytest.param(("show", "ADDRESS", "--format", "json"), "no reader 'json'", id="reader"),
        pytest.param(("runs", ".", "--profile", "ADDRESS"), "postgresql:127.0", id="profile"),
        pytest.param(("runs", "--format"), "--format: expected one argument", id="no address"),
        pytest.param(("open", "--port", "ADDRESS"), "postgresql:127.0.0.1:1/x", id="value"),
    ],
)
def test_a_command_line_that_fails_tells_no_secret(
    cli: Callable[..., Any], arguments: tuple[str, ...], says: str
) -> None:
    address = "postgresql://annabel:hidden'1@127.0.0.1:1/x?application_name=hidden"
    result = cli(*(address if word == "ADDRESS" else word for word in arguments))
    assert result.code == 2
    assert says in result.err
    assert not any(secret in result.out + result.err for secret in SECRETS)
