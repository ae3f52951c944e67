import ast
import asyncio
import fcntl
import json
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph

from viewer import recorder
from viewer.recorder import Recorder

ROOT = Path(recorder.__file__).parents[1]
SCHEMA = json.loads((ROOT / "schemas" / "recording.schema.json").read_text())


def lines(path: Path) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in path.read_text().splitlines()]
    for line in found:
        jsonschema.validate(line, SCHEMA)
    return found


def lookup(q: str) -> str:
    """Look up."""
    return q


class Model(FakeMessagesListChatModel):
    def bind_tools(self, tools: Any, **more: Any) -> Any:
        return self.bind(tools=[convert_to_openai_tool(t) for t in tools], **more)


def answers(*texts: str) -> list[Any]:
    usage = {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}
    return [AIMessage(content=t, usage_metadata=usage) for t in texts]


Ask = Callable[[MessagesState], dict[str, Any]]


@pytest.fixture
def graph_of() -> Callable[[Ask], Any]:
    def made(ask: Ask) -> Any:
        graph = StateGraph(MessagesState)
        graph.add_node("agent", ask)
        graph.add_edge(START, "agent")
        return graph.compile(checkpointer=InMemorySaver())

    return made


def test_a_call_in_a_graph_names_its_thread_its_task_and_the_checkpoint_it_read(
    tmp_path: Path, graph_of: Any
) -> None:
    model = Model(responses=answers("hello")).bind_tools([lookup])
    graph = graph_of(
        lambda s: {"messages": [model.invoke([SystemMessage("be kind"), *s["messages"]])]}
    )
    config = {"configurable": {"thread_id": "t"}}
    path = tmp_path / "run" / "observations.jsonl"
    graph.invoke(
        {"messages": [HumanMessage("hi", id="h1")]}, {**config, "callbacks": [Recorder(path)]}
    )
    call, outcome = lines(path)
    [(checkpoint, task)] = [
        (s.config["configurable"]["checkpoint_id"], t.id)
        for s in graph.get_state_history(config)
        for t in s.tasks
        if t.name == "agent"
    ]
    assert (call["thread_id"], call["namespace"], call["node"]) == ("t", "", "agent")
    assert (call["checkpoint_id"], call["task_id"]) == (checkpoint, task)
    assert [(m["type"], m["content"]) for m in call["messages"]] == [
        ("system", "be kind"),
        ("human", "hi"),
    ]
    assert call["messages"][1]["id"] == "h1"
    assert [t["function"]["name"] for t in call["tools"]] == ["lookup"]
    assert call["model"]["class"] == "Model"
    assert outcome["call_id"] == call["call_id"]
    assert outcome["usage"]["total_tokens"] == 7
    assert outcome["message_id"] == graph.get_state(config).values["messages"][-1].id
    assert outcome["error"] is None
    assert outcome["seconds"] >= 0


def test_a_call_in_a_subgraph_names_the_subgraph_s_namespace(tmp_path: Path) -> None:
    model = Model(responses=answers("a"))
    inner = StateGraph(MessagesState)
    inner.add_node("ask", lambda s: {"messages": [model.invoke(s["messages"])]})
    inner.add_edge(START, "ask")
    outer = StateGraph(MessagesState)
    outer.add_node("sub", inner.compile())
    outer.add_edge(START, "sub")
    graph = outer.compile(checkpointer=InMemorySaver())
    path = tmp_path / "o.jsonl"
    config = {"configurable": {"thread_id": "t"}}
    graph.invoke({"messages": [HumanMessage("q")]}, {**config, "callbacks": [Recorder(path)]})
    call = lines(path)[0]
    [sub] = [t.id for s in graph.get_state_history(config) for t in s.tasks if t.name == "sub"]
    assert call["namespace"] == f"sub:{sub}"
    below = {"configurable": {"thread_id": "t", "checkpoint_ns": call["namespace"]}}
    read = {
        s.config["configurable"]["checkpoint_id"]: [t.id for t in s.tasks]
        for s in graph.get_state_history(below)
    }
    assert read[call["checkpoint_id"]] == [call["task_id"]]


def test_async_calls_are_recorded_whole_and_in_order(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    seen = Recorder(path)
    model = Model(responses=answers(*"abcdefgh"))

    async def ask() -> None:
        config: Any = {"callbacks": [seen]}
        await asyncio.gather(*(model.ainvoke(f"q{i}", config) for i in range(8)))

    asyncio.run(ask())
    calls = [line for line in lines(path) if line["kind"] == "call"]
    assert [c["order"] for c in calls] == list(range(8))
    assert {c["messages"][0]["content"] for c in calls} == {f"q{i}" for i in range(8)}
    assert all(c["thread_id"] is None and c["path"] is None for c in calls)


def test_threads_and_processes_may_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    shutil.copy(recorder.__file__, tmp_path / "alone.py")
    script = (
        "import sys, types; sys.modules['langchain_core'] = None; import alone\n"
        f"r = alone.Recorder({str(path)!r})\n"
        "for i in range(10): r.on_llm_start({}, ['x' * 9000], run_id=f'p{i}')\n"
        "assert r.failures == 0, r.last_failure\n"
    )
    other = subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path)
    seen = Recorder(path)

    def many(n: int) -> None:
        for i in range(8):
            seen.on_llm_start({}, ["y" * 9000], run_id=f"{n}-{i}")

    workers = [threading.Thread(target=many, args=(n,)) for n in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert other.wait() == 0
    assert len({line["call_id"] for line in lines(path)}) == 42
    own = [line["order"] for line in lines(path) if not line["call_id"].startswith("p")]
    assert sorted(own) == list(range(32))


def test_the_file_needs_nothing_but_the_standard_library() -> None:
    tree = ast.parse(Path(recorder.__file__).read_text())
    named = [n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)]
    modules = {a.name for n in named if isinstance(n, ast.Import) for a in n.names}
    modules |= {n.module for n in named if isinstance(n, ast.ImportFrom) and n.module}
    assert {m.partition(".")[0] for m in modules} <= set(sys.stdlib_module_names)


def test_keys_and_headers_are_not_written_and_token_limits_are(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    Recorder(path).on_chat_model_start(
        {"kwargs": {"api_key": "sk-abcdefghijklmnop"}},
        [[HumanMessage("hi")]],
        run_id="r",
        metadata={"ls_provider": "p", "api_key": "sk-abcdefghijklmnop"},
        invocation_params={
            "model": "m",
            "max_tokens": 5,
            "openai_api_key": "sk-abcdefghijklmnop",
            "extra_headers": {"Authorization": "Bearer abcdefghijkl"},
            "default_headers": [1],
            "nested": {
                "access_token": "tok",
                "note": "use sk-abcdefghijklmnop or Bearer abcdefghij",
            },
            "base_url": "https://me:hunter2@host/v1",
        },
    )
    text = path.read_text()
    for secret in ("sk-abc", "Bearer abc", 'tok"', "hunter2", "Authorization"):
        assert secret not in text
    [call] = lines(path)
    assert call["parameters"]["max_tokens"] == 5
    assert call["parameters"]["base_url"] == "https://**********@host/v1"
    assert call["model"]["name"] == "m"


def test_a_failed_call_says_why_without_the_key(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    seen = Recorder(path)
    seen.on_llm_start({}, ["q"], run_id="r")
    seen.on_llm_error(ValueError("Incorrect API key provided: sk-abcdefghijklmnop"), run_id="r")
    call, outcome = lines(path)
    assert call["messages"] == [{"type": "prompt", "content": "q"}]
    assert outcome["error"] == "ValueError: Incorrect API key provided: **********"
    assert outcome["usage"] is None


class Hostile:
    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


def endless() -> Any:
    value: list[Any] = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(float("nan"), {"$type": "float", "value": "nan"}, id="nan"),
        pytest.param(b"x", {"$type": "builtins.bytes", "repr": "b'x'"}, id="bytes"),
        pytest.param({1: "a"}, {"1": "a"}, id="keys-that-are-no-text"),
        pytest.param("\ud800", "\ud800", id="lone-surrogate"),
        pytest.param({"a": (1, 2)}, {"a": [1, 2]}, id="tuple"),
    ],
)
def test_what_json_has_no_word_for_keeps_its_text(
    content: Any, expected: Any, tmp_path: Path
) -> None:
    path = tmp_path / "o.jsonl"
    message = SimpleNamespace(type="human", content=content)
    Recorder(path).on_chat_model_start({}, [[message]], run_id="r")
    assert lines(path)[0]["messages"][0]["content"] == expected


def test_an_endless_value_is_cut_and_a_huge_text_keeps_its_digest(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    seen = Recorder(path)
    for content in (endless(), "x" * (recorder.LONGEST_TEXT + 1), 10**5000):
        message = SimpleNamespace(type="human", content=content)
        seen.on_chat_model_start({}, [[message]], run_id="r")
    assert seen.failures == 0
    assert '"cut"' in path.read_text().splitlines()[0]
    assert lines(path)[1]["messages"][0]["content"]["length"] == recorder.LONGEST_TEXT + 1


def test_nothing_reaches_the_app_and_what_failed_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    seen = Recorder(path)
    seen.on_chat_model_start({}, [[Hostile()]], run_id="r")
    seen.on_llm_end(Hostile(), run_id="r")
    assert seen.failures == 2
    call, outcome = lines(path)
    assert call["messages"] is None
    assert "RuntimeError" in call["not_recorded"]
    assert outcome["usage"] is None
    blocked = Recorder(tmp_path / "o.jsonl" / "below-a-file.jsonl")
    blocked.on_llm_start({}, ["q"], run_id="r")
    assert (blocked.failures, "Error" in blocked.last_failure) == (1, True)


def test_a_writer_waits_for_another_process_s_line(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    with path.open("a") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        writer = threading.Thread(target=lambda: Recorder(path).on_llm_start({}, ["q"], run_id="r"))
        writer.start()
        writer.join(0.1)
        assert writer.is_alive()
        assert path.read_text() == ""
    writer.join()
    assert [line["call_id"] for line in lines(path)] == ["r"]


def test_async_calls_are_recorded_where_they_are_made(tmp_path: Path) -> None:
    threads = []

    class Seen(Recorder):
        def on_chat_model_start(self, *given: Any, **more: Any) -> None:
            threads.append(threading.get_ident())
            super().on_chat_model_start(*given, **more)

    model = Model(responses=answers("a"))
    asyncio.run(model.ainvoke("q", {"callbacks": [Seen(tmp_path / "o.jsonl")]}))
    assert threads == [threading.get_ident()]


def test_a_torn_last_line_of_a_killed_writer_spoils_no_other(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    path.write_text('{"format": "checkp')
    Recorder(path).on_llm_start({}, ["q"], run_id="r")
    torn, whole = path.read_text().splitlines()
    assert torn == '{"format": "checkp'
    assert json.loads(whole)["kind"] == "call"


def test_langchain_takes_it_as_one_of_its_own_handlers(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    model = Model(responses=answers("a"), callbacks=[Recorder(path)])
    model.invoke("q")
    assert [line["kind"] for line in lines(path)] == ["call", "outcome"]
    assert re.match(r"\d{4}-\d\d-\d\dT", lines(path)[0]["started_at"])
