"""What the pages say of LangGraph stores: why a thread stopped, its tasks, its subgraphs."""

import json
import shutil
import sqlite3
from operator import add
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

from viewer.ui.cache import stamp


class State(TypedDict, total=False):
    log: Annotated[list[str], add]
    fail: bool


def work(state: State) -> State:
    if state.get("fail"):
        raise ValueError("the gateway is down")
    return {"log": ["work"]}


def graph(saver: SqliteSaver) -> Any:
    def ask(state: State) -> State:
        return {"log": [interrupt({"question": "refund 40 EUR?"})]}

    inner = StateGraph(State).add_node("ask", ask).add_edge(START, "ask").compile()
    outer = StateGraph(State).add_node("work", work).add_node("team", inner)
    return outer.add_edge(START, "work").add_edge("work", "team").compile(checkpointer=saver)


def run(path: Path, thread: str, *, fail: bool = False) -> None:
    connection = sqlite3.connect(path, check_same_thread=False)
    try:
        app = graph(SqliteSaver(connection))
        config = {"configurable": {"thread_id": thread}}
        try:
            app.invoke({"log": ["in"], "fail": fail}, config)
        except ValueError:
            assert fail
    finally:
        connection.close()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with a thread that waits in a subgraph and one that failed."""
    path = tmp_path_factory.mktemp("made") / "store.sqlite"
    run(path, "waits")
    run(path, "broke", fail=True)
    return path


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made, tmp_path / "store.sqlite"))


def texts(app: Any) -> str:
    return "\n".join(str(one.value) for one in app.markdown)


def test_runs_say_why_and_point_at_the_worst(open_app: Any, store: Path) -> None:
    app = open_app("runs", store)
    assert not app.exception
    table = app.dataframe[0].value
    # The one that failed comes first: it needs a person most.
    assert list(table["thread"]) == ["broke", "waits"]
    assert "the gateway is down" in table["why"][0]
    assert table["why"][1].startswith('Waits for an answer in team › ask: "refund 40 EUR?"')
    assert "Look at first** `broke`" in texts(app)


def test_chains_of_subgraphs_are_listed_when_asked_for(open_app: Any, store: Path) -> None:
    app = open_app("runs", store)
    [switch] = [one for one in app.toggle if one.label == "subgraphs"]
    switch.set_value(True).run()
    assert sorted(app.dataframe[0].value["thread"]) == ["broke", "waits", "waits"]


def test_timeline_leads_into_the_subgraph_and_back(open_app: Any, store: Path) -> None:
    app = open_app("timeline", store, thread="waits")
    assert not app.exception
    assert "`team` waits for an answer to" in texts(app)
    [down] = [one for one in app.button if one.label == "Open the subgraph of team"]
    down.click().run()
    assert not app.exception
    assert "`ask` waits for an answer to" in texts(app)
    assert "Subgraph of `team`, live" in texts(app)
    [up] = [one for one in app.button if one.label == "Up to the chain that ran it"]
    up.click().run()
    assert "Subgraph of" not in texts(app)
    assert "`team` waits for an answer to" in texts(app)


def test_of_several_subgraphs_the_failed_one_stands_first(open_app: Any) -> None:
    app = open_app("timeline", "langgraph-failed")
    labels = [one.label for one in app.button if one.label.startswith("Open the subgraph")]
    finished = "Open the subgraph of supplier (finished)"
    assert labels == ["Open the subgraph of supplier (failed)", finished, finished]
    [first, *_] = [one for one in app.button if one.label == labels[0]]
    first.click().run()
    assert "`ask_supplier` failed" in texts(app)


def test_timeline_names_who_wrote_and_who_failed(open_app: Any, store: Path) -> None:
    app = open_app("timeline", store, thread="broke")
    assert "`work` failed: `ValueError('the gateway is down')`" in texts(app)
    app = open_app("timeline", store, thread="waits", checkpoint="@2")
    assert "**Written by** `work` → `log`" in texts(app)


def test_timeline_names_what_the_caller_gave(open_app: Any, store: Path) -> None:
    connection = sqlite3.connect(store, check_same_thread=False)
    config = {"configurable": {"thread_id": "waits"}}
    try:
        graph(SqliteSaver(connection)).invoke(Command(update={"log": ["by hand"]}), config)
    finally:
        connection.close()
    app = open_app("timeline", store, thread="waits")
    assert "the caller, outside any task → `log`" in texts(app)


def test_a_chain_that_grew_keeps_the_selection(open_app: Any, store: Path) -> None:
    app = open_app("timeline", store, thread="broke", checkpoint="@0")
    first = texts(app)
    run(store, "broke")
    app.run()
    assert not app.exception
    assert [one.value for one in app.toast] == ["3 new checkpoints"]
    assert texts(app).split(" · origin")[0] == first.split(" · origin")[0]
    [newest] = [one for one in app.toggle if one.label == "Follow the newest"]
    newest.set_value(True).run()
    run(store, "broke", fail=True)
    app.run()
    assert "failed" in texts(app)


def test_resume_page_offers_the_places_of_the_answer(open_app: Any, store: Path) -> None:
    app = open_app("resume", store, thread="broke")
    assert not app.exception
    [panel] = [
        one
        for one in app.get("bidi_component")
        if one.proto.component_name.endswith("checkpoint_viewer_verdict")
    ]
    sent = json.loads(panel.proto.json)
    assert sent["phase"] == "failed"
    labels = [row[0] for row in sent["rows"]]
    assert labels[:3] == ["stopped at", "error", "input"]


def test_each_message_is_sent_with_all_its_parts(open_app: Any, tmp_path: Path) -> None:
    said = {"type": "ai", "content": [{"type": "reasoning", "reasoning": "hm"}], "id": "m1"}
    path = tmp_path / "state.json"
    path.write_text(json.dumps({"messages": [{"type": "human", "content": "hi"}, said]}))
    app = open_app("transcript", path)
    assert not app.exception
    [panel] = [
        one
        for one in app.get("bidi_component")
        if one.proto.component_name.endswith("checkpoint_viewer_conversation")
    ]
    rows = json.loads(panel.proto.json)["rows"]
    assert rows[1]["pointer"] == "/messages/1", "the panel asks for what stands there"
    assert rows[1]["others"] == [{"kind": "reasoning", "text": "hm"}]


def test_a_recording_that_grows_is_seen(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    store.write_bytes(b"x")
    before = stamp(store)
    beside = tmp_path / "store.sqlite.observations.jsonl"
    beside.write_text("{}\n")
    assert stamp(store) != before


def test_a_good_head_of_a_failed_thread_is_not_green(open_app: Any, store: Path) -> None:
    app = open_app("resume", store, thread="broke")
    assert not app.success
    assert any("they say nothing about the error" in one.value for one in app.info)


def test_a_task_that_a_new_input_left_behind_never_finished(open_app: Any, tmp_path: Path) -> None:
    path = tmp_path / "left.sqlite"
    run(path, "t", fail=True)
    run(path, "t")
    with sqlite3.connect(path) as store:
        # A process that was killed leaves no error.
        store.execute("delete from writes where channel = '__error__'")
    app = open_app("timeline", path, thread="t", checkpoint="@1")
    assert "`work` never finished: the run was started anew at @2" in texts(app)
