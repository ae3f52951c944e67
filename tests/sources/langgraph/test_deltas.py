"""Delta channels: rebuilt values equal the library's, and what cannot be known is not guessed."""

import sqlite3
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import _messages_delta_reducer
from langgraph.types import Overwrite

from viewer.chain import Chain
from viewer.sources import open_source

CONFIG: Any = {"configurable": {"thread_id": "t"}}


def appended(value: list[Any], writes: list[Any]) -> list[Any]:
    return [*value, *(new for write in writes for new in write)]


def newest_first(value: list[Any], writes: list[Any]) -> list[Any]:
    return [*(new for write in reversed(writes) for new in write), *value]


def build(reducer: Any, every: int, saver: Any) -> Any:
    class State(TypedDict, total=False):
        messages: Annotated[list[Any], DeltaChannel(_messages_delta_reducer, snapshot_frequency=3)]
        events: Annotated[list[Any], DeltaChannel(reducer, snapshot_frequency=every)]
        n: int

    def bot(state: Any) -> Any:
        n = state.get("n", 0)
        said: list[Any] = [AIMessage(f"a{n}", id=f"a{n}")]
        if n == 2:
            said = [AIMessage("other", id="a1"), RemoveMessage(id="h0")]
        return {"messages": said, "events": [f"bot{n}"], "n": n + 1}

    def note(state: Any) -> Any:
        if state["n"] == 4:
            return {"events": Overwrite(["fresh"])}
        return {"events": [f"note{state['n']}", {"deep": [1]}]}

    builder = StateGraph(State)
    builder.add_node("bot", bot)
    builder.add_node("note", note)
    builder.add_edge(START, "bot")
    builder.add_edge("bot", "note")
    builder.add_edge("note", END)
    return builder.compile(checkpointer=saver)


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """Runs a graph for five turns with an edit in the past; gives it with its chain."""
    connections = []

    def running(reducer: Any, every: int) -> tuple[Any, Chain]:
        path = tmp_path / "checkpoints.sqlite"
        connection = sqlite3.connect(path, check_same_thread=False)
        connections.append(connection)
        graph = build(reducer, every, SqliteSaver(connection))
        for turn in range(5):
            graph.invoke({"messages": [HumanMessage(f"h{turn}", id=f"h{turn}")]}, CONFIG)
        past = [s for s in graph.get_state_history(CONFIG) if s.next == ("note",)][2]
        edit = {"events": ["edited"]}
        graph.invoke(None, graph.update_state(past.config, edit, as_node="bot"))
        source = open_source(path)
        return graph, source.chain(source.threads[0])

    yield running
    for connection in connections:
        connection.close()


@pytest.mark.filterwarnings("ignore")
def test_every_rebuilt_value_is_what_the_library_rebuilds(run: Any) -> None:
    graph, chain = run(appended, 1_000)
    by_id = {c.checkpoint_id: c.index for c in chain.checkpoints}
    seen = 0
    for snapshot in graph.get_state_history(CONFIG):
        state = chain.state(by_id[snapshot.config["configurable"]["checkpoint_id"]])
        said = [(m.id, m.content) for m in snapshot.values.get("messages", [])]
        bodies = [m["value"] for m in state.get("messages", [])]
        assert [(m["id"], m["content"]) for m in bodies] == said
        assert state.get("events", []) == snapshot.values.get("events", [])
        seen += bool(said)
    assert seen > 15
    assert {p.keyword for p in chain.problems} == {"rebuilt"}
    assert {p.reason.split()[1] for p in chain.problems} == {"events", "messages"}


@pytest.mark.filterwarnings("ignore")
def test_a_reducer_of_another_kind_is_noticed_and_nothing_is_claimed(run: Any) -> None:
    graph, chain = run(newest_first, 2)
    wanted = {
        s.config["configurable"]["checkpoint_id"]: s.values.get("events")
        for s in graph.get_state_history(CONFIG)
    }
    unknown = 0
    for checkpoint in chain.checkpoints:
        found = chain.state(checkpoint.index).get("events")
        if isinstance(found, dict):
            assert found["$type"] == "delta_not_rebuilt"
            unknown += 1
        elif found is not None:
            assert found == wanted[checkpoint.checkpoint_id]
    assert unknown
    assert f"not stored in {unknown} checkpoints: its value is unknown" in " ".join(
        p.reason for p in chain.problems if p.keyword == "not_rebuilt"
    )


@pytest.mark.filterwarnings("ignore")
def test_where_the_lineage_is_cut_the_value_is_unknown(run: Any, tmp_path: Path) -> None:
    _, whole = run(appended, 1_000)
    path = tmp_path / "checkpoints.sqlite"
    connection = sqlite3.connect(path)
    connection.execute(
        "DELETE FROM checkpoints WHERE checkpoint_id = ?", (whole.checkpoints[4].checkpoint_id,)
    )
    connection.commit()
    connection.close()
    source = open_source(path)
    chain = source.chain(source.threads[0])
    known = {c.checkpoint_id: whole.state(c.index)["events"] for c in whole.checkpoints[2:]}
    marked = 0
    for checkpoint in chain.checkpoints[2:]:
        found = chain.state(checkpoint.index).get("events")
        if isinstance(found, dict):
            marked += 1
        else:
            assert found == known[checkpoint.checkpoint_id]
    assert marked > 3
