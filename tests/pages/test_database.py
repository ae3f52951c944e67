"""Pages on a PostgreSQL address: what they show, when it changes, and what they never show."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]
SECRETS = ("pass/", "pass%2F", "wörd", "postgres:pass", "csearch_path", "opensesame", "annabel")
FRESH_SECONDS = 1.1


@pytest.fixture
def address(postgres: Any) -> str:
    found: str = postgres.schema()
    return found


@pytest.fixture
def run(address: str) -> Callable[[Any], None]:
    """Runs a graph that asks once, in thread ``t``."""

    def running(given: Any) -> None:
        graph = StateGraph(dict)
        graph.add_node("ask", lambda state: {"answer": interrupt("pay?")})
        graph.add_edge(START, "ask")
        graph.add_edge("ask", END)
        with PostgresSaver.from_conn_string(address) as saver:
            saver.setup()
            graph.compile(checkpointer=saver).invoke(given, {"configurable": {"thread_id": "t"}})

    return running


@pytest.fixture
def open_page(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., AppTest]]:
    def opening(page: str, *sources: str) -> AppTest:
        monkeypatch.setenv("CHECKPOINT_VIEWER_SOURCES", json.dumps(sources))
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        app.switch_page(f"pages/{page}.py")
        return app.run()

    yield opening
    st.cache_resource.clear()
    st.cache_data.clear()


def shown(app: AppTest) -> str:
    """Return everything that the page sends to the browser, and its address."""

    def walk(node: Any) -> Iterator[str]:
        yield str(getattr(node, "proto", ""))
        for child in getattr(node, "children", {}).values():
            yield from walk(child)

    return "\n".join([*walk(app._tree), str(app.query_params)])


@pytest.mark.parametrize("page", ["runs", "timeline", "diff", "approvals"])
def test_a_page_names_the_database_and_nothing_secret(
    page: str, address: str, postgres: Any, run: Any, open_page: Callable[..., AppTest]
) -> None:
    run({"n": 1})
    down = "postgresql://annabel:opensesame@127.0.0.1:1/x?application_name=opensesame"
    app = open_page(page, address, down)
    assert not app.exception
    told = shown(app)
    assert f"postgresql:127.0.0.1:{postgres.port}/postgres" in told
    assert "postgresql:127.0.0.1:1/x" in told or page != "runs"
    assert not any(secret in told for secret in SECRETS)


def test_a_page_shows_what_was_written_since_it_was_drawn(
    run: Any, address: str, open_page: Callable[..., AppTest]
) -> None:
    run({"n": 1})
    app = open_page("timeline", address)
    assert "granted-7" not in shown(app)
    run(Command(resume="granted-7"))
    time.sleep(FRESH_SECONDS)  # a database is asked once a second
    assert "granted-7" in shown(app.run())
