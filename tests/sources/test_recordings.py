import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.func import entrypoint, task
from langgraph.graph import START, MessagesState, StateGraph

from viewer.chain import Chain
from viewer.limits import DEFAULT_LIMITS, Limits
from viewer.recorder import Recorder
from viewer.sources import open_source, open_sources
from viewer.sources.recordings import Recordings

Run = Callable[..., Path]
MODEL = FakeMessagesListChatModel(responses=[AIMessage("answer")])


def ask(state: Any) -> dict[str, Any]:
    return {"messages": [MODEL.invoke([SystemMessage("be kind"), *state["messages"]])]}


def asking(checkpointer: Any = None, *nodes: str) -> Any:
    graph = StateGraph(MessagesState)
    for node in nodes or ("agent",):
        graph.add_node(node, ask)
        graph.add_edge(START, node)
    return graph.compile(checkpointer=checkpointer)


def around(inner: Any) -> Callable[[Any], Any]:
    def build(checkpointer: Any) -> Any:
        graph = StateGraph(MessagesState)
        graph.add_node("sub", inner)
        graph.add_edge(START, "sub")
        return graph.compile(checkpointer=checkpointer)

    return build


def workflow(checkpointer: Any) -> Any:
    @task
    def think(text: str) -> str:
        return str(MODEL.invoke(text).content)

    @entrypoint(checkpointer=checkpointer)
    def flow(text: str) -> str:
        return think(text).result()

    return flow


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a function that runs a graph with a recorder and returns its store."""

    def made(
        build: Callable[[Any], Any],
        given: Any = None,
        *,
        beside: str = "s.db.observations.jsonl",
        thread: str | None = "t",
        **more: Any,
    ) -> Path:
        store = tmp_path / "s.db"
        connection = sqlite3.connect(store, check_same_thread=False)
        settings = {
            "configurable": {"thread_id": thread},
            "callbacks": [Recorder(tmp_path / beside)],
        }
        build(SqliteSaver(connection)).invoke(
            {"messages": [HumanMessage("hi", id="h")]} if given is None else given,
            settings,
            **more,
        )
        connection.close()
        return store

    return made


def calls_of(chain: Chain) -> dict[tuple[str, ...], list[str]]:
    """Return what was to run after each observed checkpoint, and the nodes that made its calls."""
    return {
        c.next: [call["node"] for call in chain.sidecars.observations[c.checkpoint_id]["calls"]]
        for c in chain.checkpoints
        if c.checkpoint_id in chain.sidecars.observations
    }


def chains(store: Path) -> dict[str, Chain]:
    source = open_source(store)
    assert source.problems == ()
    found = {ref.namespace.partition(":")[0]: source.chain(ref) for ref in source.threads}
    assert all(chain.problems == () for chain in found.values())
    return found


@pytest.mark.parametrize(
    "beside", ["s.db.observations.jsonl", "observations.jsonl", "observations/any-name.jsonl"]
)
def test_a_recording_beside_a_store_joins_the_checkpoint_whose_next_step_made_the_call(
    beside: str, run: Run
) -> None:
    chain = chains(run(asking, beside=beside))[""]
    assert calls_of(chain) == {("agent",): ["agent"]}
    [observed] = chain.sidecars.observations.values()
    [call] = observed["calls"]
    assert [m["content"] for m in call["messages"]] == ["be kind", "hi"]
    assert (call["recorded_by"], call["error"]) == ("viewer.recorder", None)
    assert call["task_id"] in {t.id for c in chain.checkpoints for t in c.tasks}


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        pytest.param(
            lambda saver: asking(saver, "writer", "critic"),
            {"": {("critic", "writer"): {"critic", "writer"}}},
            id="two-models-in-one-step",
        ),
        pytest.param(around(asking()), {"sub": {("agent",): {"agent"}}, "": {}}, id="subgraph"),
        pytest.param(
            around(asking(True)),
            {"sub": {("agent",): {"agent"}}, "": {}},
            id="subgraph-with-memory",
        ),
        pytest.param(
            around(asking(False)), {"": {("sub",): {"agent"}}}, id="subgraph-without-store"
        ),
    ],
)
def test_the_innermost_stored_task_made_the_call(build: Any, expected: Any, run: Run) -> None:
    found = {
        name: {tuple(sorted(n)): set(nodes) for n, nodes in calls_of(chain).items()}
        for name, chain in chains(run(build)).items()
    }
    assert found == expected


def test_a_call_in_a_functional_workflow_belongs_to_its_entrypoint(run: Run) -> None:
    chain = chains(run(workflow, "a question"))[""]
    assert list(calls_of(chain).values()) == [["think"]]


def test_a_recording_of_other_threads_is_counted_and_not_shown(run: Run, tmp_path: Path) -> None:
    store = run(asking)
    beside = tmp_path / "s.db.observations.jsonl"
    Recorder(beside).on_llm_start({}, ["q"], run_id="x", metadata={"thread_id": "gone"})
    Recorder(beside).on_llm_start({}, ["q"], run_id="y")
    source = open_source(store)
    assert {(p.keyword, p.reason) for p in source.problems} == {
        ("stray_calls", "1 recorded model call belongs to threads that the store does not hold"),
        ("stray_calls", "1 recorded model call belongs to no thread"),
    }
    assert len(source.chain(source.threads[0]).sidecars.observations) == 1


def test_a_call_whose_task_the_store_does_not_know_is_counted(run: Run) -> None:
    store = run(asking, durability="exit")
    chain = (source := open_source(store)).chain(source.threads[0])
    assert chain.sidecars.observations == {}
    [problem] = chain.problems
    assert problem.reason == "1 recorded model call belongs to no checkpoint of thread t/"
    assert problem.place.endswith("observations.jsonl")


def test_a_call_without_a_known_task_joins_by_the_checkpoint_it_read(
    run: Run, tmp_path: Path
) -> None:
    store = run(asking)
    beside = tmp_path / "s.db.observations.jsonl"
    text = beside.read_text()
    task_id = json.loads(text.splitlines()[0])["task_id"]
    beside.write_text(text.replace(task_id, "00000000-0000-0000-0000-000000000001"))
    assert calls_of(chains(store)[""]) == {("agent",): ["agent"]}


def test_a_call_that_never_ended_says_so(run: Run, tmp_path: Path) -> None:
    store = run(asking)
    beside = tmp_path / "s.db.observations.jsonl"
    beside.write_text(beside.read_text().splitlines()[0] + "\n")
    [observed] = chains(store)[""].sidecars.observations.values()
    assert observed["calls"][0]["not_ended"] is True


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        pytest.param('{"format": "checkp', "cut off", id="torn"),
        pytest.param('{"a": 1}', "no recorded call", id="something-else"),
        pytest.param("7", "no recorded call", id="number"),
        pytest.param(
            '{"format": "checkpoint-viewer.recording", "format_version": 9}',
            "format_version 9",
            id="newer-format",
        ),
        pytest.param(
            '{"format": "checkpoint-viewer.recording", "format_version": 1, "kind": "call"}',
            "without call_id",
            id="no-id",
        ),
    ],
)
def test_a_line_that_cannot_be_read_is_a_problem_and_the_rest_is_read(
    line: str, reason: str, run: Run, tmp_path: Path
) -> None:
    store = run(asking)
    beside = tmp_path / "s.db.observations.jsonl"
    first, *others = beside.read_text().splitlines()
    beside.write_text("\n".join([first, line, *others]) + "\n")
    source = open_source(store)
    [problem] = source.problems
    assert reason in problem.reason
    assert problem.place == f"{beside}:2"
    assert calls_of(source.chain(source.threads[0])) == {("agent",): ["agent"]}


def test_more_calls_than_the_limit_are_left_out_and_said(run: Run, tmp_path: Path) -> None:
    run(asking)
    for name in "abc":
        Recorder(tmp_path / "s.db.observations.jsonl").on_llm_start({}, ["q"], run_id=name)
    found = Recordings(tmp_path / "s.db", Limits(checkpoints=2))
    keywords = [p.keyword for p in found.problems(())]
    assert "limit" in keywords


def test_a_link_out_of_the_folder_is_not_followed(run: Run, tmp_path: Path) -> None:
    store = run(asking, beside="elsewhere/o.jsonl")
    inner = tmp_path / "own"
    inner.mkdir()
    moved = store.rename(inner / "s.db")
    (inner / "observations.jsonl").symlink_to(tmp_path / "elsewhere" / "o.jsonl")
    assert not Recordings(moved, DEFAULT_LIMITS).found


def test_the_recording_itself_is_no_source_and_hides_none(run: Run, tmp_path: Path) -> None:
    run(asking, beside="observations.jsonl")
    sources, problems = open_sources((tmp_path,))
    assert ([s.location.name for s in sources], problems) == (["s.db"], ())


def test_recorded_lines_in_a_run_folder_are_no_broken_observation(tmp_path: Path, run: Run) -> None:
    run(asking, beside="run/observations/calls.jsonl")
    folder = tmp_path / "run"
    (folder / "checkpoints").mkdir()
    (folder / "checkpoints" / "a.json").write_text(
        '{"checkpoint_id": "a", "state": {"messages": []}}'
    )
    (folder / "observations" / "a.json").write_text('{"shown": 1}')
    source = open_source(folder)
    assert [p.keyword for p in source.problems] == ["stray_calls"]
    assert source.chain(source.threads[0]).sidecars.observations == {"a": {"shown": 1}}


def test_a_call_that_both_the_recorder_and_opentelemetry_saw_counts_once(
    run: Run, tmp_path: Path
) -> None:
    store = run(asking)
    first = json.loads((tmp_path / "s.db.observations.jsonl").read_text().splitlines()[0])
    told = {"thread_id": "t", "langgraph_checkpoint_ns": first["path"], "gen_ai.prompt": "hi"}
    listed = [{"key": k, "value": {"stringValue": v}} for k, v in told.items()]
    spans = [{"traceId": "a", "spanId": "b", "attributes": listed}]
    traces = {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}
    (tmp_path / "otlp.json").write_text(json.dumps(traces))
    [observed] = chains(store)[""].sidecars.observations.values()
    assert [call["recorded_by"] for call in observed["calls"]] == ["viewer.recorder"]
    (tmp_path / "s.db.observations.jsonl").unlink()
    [observed] = chains(store)[""].sidecars.observations.values()
    assert [call["recorded_by"] for call in observed["calls"]] == ["OpenTelemetry"]


def test_equal_messages_of_many_calls_are_one_object(run: Run, tmp_path: Path) -> None:
    store = run(asking)
    run(asking)
    observed = [*chains(store)[""].sidecars.observations.values()]
    first, second = (o["calls"][0]["messages"] for o in observed)
    assert first[0] is second[0]
    assert first[1] is second[1]
