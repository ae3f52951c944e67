"""Live follow in a real browser, on a store that a real LangGraph app is writing to."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from operator import add
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph

IDLE_SECONDS = 7
TICK_BYTES = 2048


class State(TypedDict):
    log: Annotated[list[str], add]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("follow") / "live.sqlite"


@pytest.fixture
def turn(store: Path) -> Iterator[Callable[[str], None]]:
    """Return a function that lets an app add a turn (three checkpoints) to a thread."""
    connection = sqlite3.connect(store, check_same_thread=False)
    builder = StateGraph(State)
    builder.add_node("work", lambda state: {"log": [f"work {len(state['log'])}"]})
    builder.add_edge(START, "work")
    graph = builder.compile(checkpointer=SqliteSaver(connection))

    def run(thread: str) -> None:
        graph.invoke({"log": ["in"]}, {"configurable": {"thread_id": thread}})

    yield run
    connection.close()


@pytest.fixture
def app(serve: Any, store: Path) -> str:
    return str(
        serve(
            Path(__file__).parents[2] / "app.py",
            {"CHECKPOINT_VIEWER_SOURCES": str(store) + os.pathsep},
        )
    )


def test_new_checkpoints_appear_and_the_selection_stays(
    app: str, page: Any, settled: Any, turn: Callable[[str], None]
) -> None:
    turn("grows")
    page.goto(f"{app}/timeline?thread=grows&checkpoint=@1")
    settled(page)
    page.get_by_text("@1 / @2").first.wait_for()
    turn("grows")
    page.get_by_text("@1 / @5").first.wait_for(timeout=20_000)
    settled(page)
    before = page.url
    page.get_by_text("Follow the newest").click()
    settled(page)
    turn("grows")
    page.get_by_text("@8 / @8").first.wait_for(timeout=20_000)
    page.wait_for_function("(before) => location.href !== before", arg=before)
    assert "thread=grows" in page.url
    page.get_by_role("link", name="Diff").click()
    settled(page)
    page.locator("[data-testid=stSidebar] [data-testid=stCheckbox] input").wait_for(
        state="attached"
    )
    assert page.locator("[data-testid=stSidebar] [data-testid=stCheckbox] input").is_checked()


def test_a_look_that_finds_nothing_new_sends_next_to_nothing(
    app: str, page: Any, settled: Any, turn: Callable[[str], None]
) -> None:
    turn("rests")
    frames: list[int] = []
    page.on(
        "websocket",
        lambda socket: socket.on("framereceived", lambda data: frames.append(len(data))),
    )
    page.goto(f"{app}/timeline?thread=rests")
    settled(page)
    page.wait_for_timeout(4_000)
    frames.clear()
    page.wait_for_timeout(IDLE_SECONDS * 1_000)
    assert frames, "no look reached the browser: the page does not follow"
    ticks = IDLE_SECONDS // 2
    assert sum(frames) / ticks < TICK_BYTES, frames
