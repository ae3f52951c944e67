import json
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph

from viewer.sources import open_source
from viewer.sources.otel_spans import Spans
from viewer.sources.recorded_call import recording_kind

DATA = Path(__file__).parents[1] / "data" / "otel"
JOINS = {
    "langsmith.metadata.thread_id": "t",
    "langsmith.metadata.langgraph_checkpoint_ns": "sub:1|agent:2",
    "langsmith.metadata.langgraph_node": "agent",
}


def wrapped(value: Any) -> Any:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [wrapped(v) for v in value]}}
    if isinstance(value, dict):
        pairs = [{"key": k, "value": wrapped(v)} for k, v in value.items()]
        return {"kvlistValue": {"values": pairs}}
    return {"stringValue": value}


def listed(found: dict[str, Any]) -> list[Any]:
    return [{"key": key, "value": wrapped(value)} for key, value in found.items()]


def span(found: dict[str, Any], name: str = "1", **more: Any) -> dict[str, Any]:
    times = {"startTimeUnixNano": "1700000000000000000", "endTimeUnixNano": "1700000001500000000"}
    return {"traceId": "a", "spanId": name, **times, "attributes": listed(found), **more}


def traces(*spans: Any) -> dict[str, Any]:
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"spans": [*spans]}]}]}


def calls(*documents: Any) -> list[Any]:
    found = Spans()
    for document in documents:
        found.add(document, "p", 400)
    return [*found.calls()]


PARTS: list[Any] = [
    {"role": "user", "parts": [{"type": "text", "content": "hi"}]},
    {
        "role": "assistant",
        "parts": [
            {"type": "reasoning", "content": "hm"},
            {"type": "tool_call", "id": "c", "name": "f", "arguments": {"a": 1}},
        ],
    },
    {
        "role": "tool",
        "parts": [
            {"type": "tool_call_response", "id": "c", "response": "r"},
            {"type": "tool_call_response", "id": "d", "response": {"n": 1}},
        ],
    },
    {"role": "user", "parts": [{"type": "text", "content": "a"}, {"type": "uri", "uri": "u"}]},
]
PLAIN = [
    {"role": "system", "content": "be kind"},
    {"role": "user", "content": "hi"},
    {
        "role": "assistant",
        "content": [{"type": "reasoning", "reasoning": "hm"}],
        "tool_calls": [{"id": "c", "name": "f", "args": {"a": 1}}],
    },
    {"role": "tool", "tool_call_id": "c", "content": "r"},
    {"role": "tool", "tool_call_id": "d", "content": '{"n": 1}'},
    {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "uri", "uri": "u"}]},
]
SYSTEM = [{"type": "text", "content": "be kind"}]


@pytest.mark.parametrize("as_text", [True, False])
def test_the_newest_convention_as_text_and_as_values(as_text: bool) -> None:
    told = {"gen_ai.input.messages": PARTS, "gen_ai.system_instructions": SYSTEM}
    tools = [{"type": "function", "name": "f"}]
    spelled: dict[str, Any] = {**told, "gen_ai.tool.definitions": tools}
    if as_text:
        spelled = {key: json.dumps(value) for key, value in spelled.items()}
    more = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m",
        "gen_ai.request.temperature": 0.5,
        "gen_ai.usage.input_tokens": 12,
        "gen_ai.usage.output_tokens": 3,
    }
    [call] = calls(traces(span({**spelled, **more, **JOINS})))
    assert call.value["messages"] == PLAIN
    assert call.value["tools"] == tools
    assert (call.thread_id, call.path, call.value["node"]) == ("t", "sub:1|agent:2", "agent")
    assert call.value["task_id"] == "2"
    assert call.value["usage"] == {"input_tokens": 12, "output_tokens": 3}
    assert call.value["parameters"] == {"model": "m", "temperature": 0.5}
    assert (call.value["seconds"], call.value["error"]) == (1.5, None)
    assert call.value["started_at"] == "2023-11-14T22:13:20+00:00"


HI = [{"role": "user", "content": "hi"}]


@pytest.mark.parametrize(
    ("told", "messages"),
    [
        pytest.param(
            {"langsmith.span.kind": "llm", "gen_ai.prompt": json.dumps({"messages": [[{"lc": 1, "kwargs": {"content": "hi"}}]]})},
            [{"lc": 1, "kwargs": {"content": "hi"}}],
            id="langsmith",
        ),
        pytest.param(
            {"gen_ai.prompt": json.dumps({"messages": HI})}, HI, id="langsmith-wrapping-openai"
        ),
        pytest.param({"gen_ai.prompt": "hi"}, HI, id="one-text"),
        pytest.param(
            {
                "llm.request.type": "chat",
                "gen_ai.prompt.1.role": "assistant",
                "gen_ai.prompt.1.tool_calls.0.id": "c",
                "gen_ai.prompt.1.tool_calls.0.name": "f",
                "gen_ai.prompt.1.tool_calls.0.arguments": "{}",
                "gen_ai.prompt.0.role": "user",
                "gen_ai.prompt.0.content": "hi",
                "gen_ai.prompt.2.role": "tool",
                "gen_ai.prompt.2.content": "r",
                "gen_ai.prompt.2.tool_call_id": "c",
            },
            [
                *HI,
                {"content": "", "role": "assistant", "tool_calls": [{"id": "c", "name": "f", "arguments": "{}"}]},
                {"role": "tool", "content": "r", "tool_call_id": "c"},
            ],
            id="traceloop",
        ),
        pytest.param(
            {
                "openinference.span.kind": "LLM",
                "llm.input_messages.0.message.role": "user",
                "llm.input_messages.0.message.content": "hi",
                "llm.input_messages.1.message.role": "assistant",
                "llm.input_messages.1.message.tool_calls.0.tool_call.function.name": "f",
                "llm.input_messages.1.message.tool_calls.0.tool_call.function.arguments": "{}",
                "llm.input_messages.1.message.tool_calls.0.tool_call.id": "c",
            },
            [
                *HI,
                {"content": "", "role": "assistant", "tool_calls": [{"name": "f", "arguments": "{}", "id": "c"}]},
            ],
            id="openinference",
        ),
    ],
)  # fmt: skip
def test_what_instrumentations_wrote_before_the_convention(told: Any, messages: Any) -> None:
    [call] = calls(traces(span(told)))
    assert call.value["messages"] == messages


def event(name: str, **told: Any) -> dict[str, Any]:
    return {"name": name, "attributes": listed(told)}


def test_the_older_events_of_a_span_are_its_messages() -> None:
    events = [
        event("gen_ai.system.message", content="be kind"),
        event("gen_ai.user.message", content="hi"),
        event(
            "gen_ai.assistant.message",
            tool_calls=json.dumps([{"id": "c", "function": {"name": "f", "arguments": "{}"}}]),
        ),
        event("gen_ai.tool.message", content="r", id="c"),
        event("gen_ai.choice", message="no input"),
    ]
    [call] = calls(traces(span({"gen_ai.operation.name": "chat"}, events=events)))
    assert [(m["role"], m["content"]) for m in call.value["messages"]] == [
        ("system", "be kind"),
        ("user", "hi"),
        ("assistant", ""),
        ("tool", "r"),
    ]
    assert call.value["messages"][2]["tool_calls"][0]["id"] == "c"
    assert call.value["messages"][3]["tool_call_id"] == "c"


def test_events_written_as_records_of_their_own_find_their_span() -> None:
    def record(name: str, body: Any) -> Any:
        return {"traceId": "a", "spanId": "1", "eventName": name, "body": wrapped(body)}

    records = [record("gen_ai.user.message", {"content": "hi"})]
    beside = {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}
    [call] = calls(beside, traces(span({"gen_ai.operation.name": "chat"})))
    assert call.value["messages"] == HI


def test_the_details_event_counts_as_attributes() -> None:
    told = {"gen_ai.input.messages": json.dumps(PARTS[:1])}
    details = event("gen_ai.client.inference.operation.details", **told)
    [call] = calls(traces(span({"gen_ai.operation.name": "chat"}, events=[details])))
    assert call.value["messages"] == HI


@pytest.mark.parametrize(
    "told",
    [
        pytest.param({"gen_ai.operation.name": "execute_tool"}, id="tool"),
        pytest.param({"gen_ai.operation.name": "invoke_agent"}, id="agent"),
        pytest.param({"langsmith.span.kind": "chain", "gen_ai.operation.name": "chat"}, id="chain"),
        pytest.param({"openinference.span.kind": "AGENT"}, id="openinference-agent"),
    ],
)
def test_other_spans_are_no_calls(told: dict[str, Any]) -> None:
    assert calls(traces(span({**told, "gen_ai.prompt": "hi"}))) == []


def test_a_call_whose_input_was_not_captured_says_nothing() -> None:
    assert calls(traces(span({"gen_ai.operation.name": "chat"}))) == []


@pytest.mark.parametrize(
    ("outer", "thread", "path"),
    [
        pytest.param(JOINS, "t", "sub:1|agent:2", id="langsmith"),
        pytest.param(
            {"traceloop.association.properties.thread_id": "t", "traceloop.association.properties.langgraph_checkpoint_ns": "a:1"},
            "t",
            "a:1",
            id="traceloop",
        ),
        pytest.param(
            {"metadata": json.dumps({"thread_id": "t", "langgraph_checkpoint_ns": "a:1"})},
            "t",
            "a:1",
            id="openinference",
        ),
        pytest.param({"gen_ai.conversation.id": "t"}, "t", "", id="conversation"),
        pytest.param({}, None, "", id="nothing"),
    ],
)  # fmt: skip
def test_thread_and_task_may_stand_on_a_span_around_the_call(
    outer: Any, thread: Any, path: str
) -> None:
    inner = span({"gen_ai.prompt": "hi"}, "1", parentSpanId="2")
    middle = span({"gen_ai.operation.name": "invoke_agent"}, "2", parentSpanId="3")
    [call] = calls(traces(inner), traces(middle, span(outer, "3", parentSpanId="3")))
    assert (call.thread_id, call.path) == (thread, path)


def test_a_failed_call_says_why() -> None:
    status = {"code": 2, "message": "rate limit"}
    [call] = calls(traces(span({"gen_ai.prompt": "hi"}, status=status)))
    assert call.value["error"] == "rate limit"


def test_a_file_is_known_by_its_first_bytes() -> None:
    assert recording_kind(json.dumps(traces(span({}))).encode()) == "opentelemetry"
    assert recording_kind(b'\n{ "resourceLogs": []}') == "opentelemetry"
    assert recording_kind(b'{"format": "checkpoint-viewer.recording"') == "recorder"
    assert recording_kind(b'{"messages": ["resourceSpans"]}') is None
    assert recording_kind(b"") is None


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", ["s.db.otlp.json", "otlp.json", "traces.jsonl"])
def test_a_trace_beside_a_store_joins_its_checkpoints(
    name: str, indent: int | None, tmp_path: Path
) -> None:
    seen: dict[str, Any] = {}

    def agent(state: Any, config: RunnableConfig) -> Any:
        seen.update(config["metadata"])
        return {"messages": [("ai", "hello")]}

    graph = StateGraph(MessagesState)
    graph.add_node(agent)
    graph.add_edge(START, "agent")
    connection = sqlite3.connect(tmp_path / "s.db", check_same_thread=False)
    graph.compile(checkpointer=SqliteSaver(connection)).invoke(
        {"messages": [("user", "hi")]}, {"configurable": {"thread_id": "t"}}
    )
    connection.close()
    joins = {f"langsmith.metadata.{k}": v for k, v in seen.items() if isinstance(v, str)}
    told = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(PARTS[:1])}
    (tmp_path / name).write_text(json.dumps(traces(span({**told, **joins})), indent=indent))
    source = open_source(tmp_path / "s.db")
    chain = source.chain(source.threads[0])
    assert (source.problems, chain.problems) == ((), ())
    [(checkpoint_id, observed)] = chain.sidecars.observations.items()
    assert [c.next for c in chain.checkpoints if c.checkpoint_id == checkpoint_id] == [("agent",)]
    assert observed["calls"][0]["messages"] == HI


@pytest.mark.parametrize("kind", ["traceloop", "openinference", "langsmith"])
def test_what_the_real_instrumentations_export_is_what_the_model_saw(kind: str) -> None:
    source = open_source(DATA / f"{kind}.db")
    chain = source.chain(source.threads[0])
    assert (source.problems, chain.problems) == ((), ())
    seen = [
        (checkpoint, call)
        for checkpoint in chain.checkpoints
        if checkpoint.checkpoint_id in chain.sidecars.observations
        for call in chain.sidecars.observations[checkpoint.checkpoint_id]["calls"]
    ]
    assert [checkpoint.next for checkpoint, _ in seen] == [("model",), ("model",)]
    assert [len(call["messages"]) for _, call in seen] == [2, 4]
    for _, call in seen:
        assert "lookup" in json.dumps(call["tools"])
        assert call["usage"] == {"input_tokens": 10, "output_tokens": 2}
        assert call["node"] == "model"
        assert "assistant of the invoice desk" in json.dumps(call["messages"][0])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *(
                        "resourceSpans",
                        "scopeSpans",
                        "spans",
                        "attributes",
                        "events",
                        "key",
                        "value",
                    ),
                    *("stringValue", "intValue", "arrayValue", "kvlistValue", "values", "name"),
                    *("traceId", "spanId", "parentSpanId", "status", "code", "body"),
                    *("gen_ai.prompt", "gen_ai.input.messages", "role", "parts", "type", "content"),
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=25,
)


@settings(max_examples=50)
@given(JSON, JSON)
def test_no_document_raises(spans: Any, told: Any) -> None:
    body = told if isinstance(told, dict) else {"gen_ai.input.messages": told}
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in body.items()]
    calls({"resourceSpans": spans}, traces({"spanId": "1", "attributes": attributes}))
    calls(traces({"spanId": "1", "attributes": body, "events": told}))


@pytest.mark.parametrize("content", [5, None, {"a": 1}, ["x"]])
def test_a_text_part_whose_content_is_no_text_stays_a_part(content: Any) -> None:
    part = {"type": "text", "content": content}
    told = json.dumps([{"role": "user", "parts": [part]}])
    (call,) = calls(traces(span({"gen_ai.input.messages": told})))
    assert call.value["messages"] == [{"role": "user", "content": [part]}]


def test_what_one_span_says_is_read_once_for_all_calls_in_it() -> None:
    copied = json.dumps({"thread_id": "t", "rest": [1] * 20_000})
    outer = [span({"metadata": copied}, f"o{n}", parentSpanId=f"o{n - 1}") for n in range(60)]
    inner = [span({"gen_ai.prompt": "hi"}, f"i{n}", parentSpanId="o59") for n in range(2_000)]
    started = time.process_time()
    found = calls(traces(*outer, *inner))
    assert {call.thread_id for call in found} == {"t"}
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "told",
    [
        pytest.param({"gen_ai.prompt": json.dumps({"question": "hi"})}, id="prompt"),
        pytest.param({"gen_ai.prompt": {"question": "hi"}}, id="prompt as values"),
        pytest.param({"gen_ai.input.messages": {"question": "hi"}}, id="messages"),
    ],
)
def test_an_input_in_no_known_shape_is_counted_with_its_place(told: Any, tmp_path: Path) -> None:
    from viewer.limits import DEFAULT_LIMITS
    from viewer.sources.recordings import Recordings

    lost = [span({"gen_ai.operation.name": "chat", **told}, str(n)) for n in range(2)]
    untold = span({"gen_ai.operation.name": "chat"}, "3")
    beside = tmp_path / "s.sqlite.otlp.json"
    beside.write_text(json.dumps(traces(*lost, untold)))
    [problem] = Recordings(tmp_path / "s.sqlite", DEFAULT_LIMITS).problems(())
    assert problem.place.startswith(str(beside))
    assert problem.reason.startswith("2 model calls left out")
