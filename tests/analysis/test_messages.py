import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.analysis.messages import messages, read_message
from viewer.model import Usage
from viewer.profiles import builtin_profiles, load_profile

FORMS = Path(__file__).parent / "langchain"
TRUTH = json.loads((FORMS / "truth.json").read_text())
ROLES = ["system", "user", "assistant", "tool", "tool", "assistant", "remove", "assistant"]
USAGE = Usage(
    model_calls=1,
    input_tokens=100,
    output_tokens=20,
    total_tokens=120,
    cache_read_tokens=50,
    reasoning_tokens=8,
)


def tagged(flat: list[Any]) -> list[Any]:
    """The spelling that our LangGraph reader makes of a LangChain message."""
    names = ["System", "Human", "AI", "Tool", "Tool", "AI", "Remove", "AI"]
    return [
        {
            "$type": f"langchain_core.messages.{name.lower()}.{name}Message",
            "$ctor": "pydantic2",
            "value": body,
            "$method": "model_validate_json",
        }
        for name, body in zip(names, flat, strict=True)
    ]


def form(name: str) -> list[Any]:
    if name == "tagged":
        return tagged(form("model_dump"))
    return list(json.loads((FORMS / f"{name}.json").read_text()))


@pytest.mark.parametrize(
    "name", ["dumpd", "messages_to_dict", "model_dump", "openai_format", "tagged"]
)
def test_every_spelling_of_the_same_messages_reads_the_same(name: str) -> None:
    listed = form(name)
    found = [read_message(i, entry, ("messages", i)) for i, entry in enumerate(listed)]
    assert [m.role for m in found] == ROLES[: len(listed)]
    assert [m.text for m in found] == TRUTH["text"][: len(listed)]
    assert [m.pointer for m in found] == [f"/messages/{i}" for i in range(len(listed))]
    first, *_ = found[2].tool_calls
    assert (first.id, first.name, first.args) == ("c1", "lookup", {"q": 1})
    assert [m.tool_call_id for m in found[3:5]] == ["c1", "c9"]
    assert found[1].name == "bob"


@pytest.mark.parametrize("name", ["dumpd", "messages_to_dict", "model_dump", "tagged"])
def test_what_openai_s_form_loses_is_kept_by_the_others(name: str) -> None:
    found = [read_message(i, entry, (i,)) for i, entry in enumerate(form(name))]
    assert found[2].usage == USAGE
    assert [m.usage for m in found if m is not found[2]] == [None] * 7
    assert [m.id for m in found] == ["s1", "h1", "a1", "t1", "t2", "a2", "h1", "a3"]
    assert [m.refused for m in found[3:5]] == [False, True]
    assert found[2].refused is None
    broken = found[2].tool_calls[1]
    assert (broken.id, broken.name, broken.args) == ("c9", "bad", "{oops")


@pytest.mark.parametrize(
    ("entry", "role", "text"),
    [
        pytest.param({"role": "developer", "content": "x"}, "system", "x", id="developer"),
        pytest.param({"role": "function", "name": "f", "content": "1"}, "tool", "1", id="function"),
        pytest.param({"type": "chat", "role": "critic", "content": "x"}, "critic", "x", id="chat"),
        pytest.param({"type": "AIMessageChunk", "content": "x"}, "assistant", "x", id="chunk"),
        pytest.param("hello", "unknown", "hello", id="bare-text"),
        pytest.param(["user", "hi"], "user", "hi", id="pair"),
        pytest.param(["ai", [{"type": "text", "text": "hi"}]], "assistant", "hi", id="pair-of-parts"),
        pytest.param(["user", "hi", "more"], "unknown", "", id="no-pair"),
        pytest.param({"type": "SystemMessageChunk", "content": "x"}, "system", "x", id="system-chunk"),
        pytest.param({"type": "remove", "id": "__remove_all__", "content": ""}, "remove", "", id="remove-all"),
        pytest.param({"type": "prompt", "content": "x"}, "user", "x", id="prompt"),
        pytest.param(
            {"$type": "langchain_core.messages.human.HumanMessage", "$ctor": "pickle", "state": {"__dict__": {"content": "x", "type": "human"}}, "value": {"__dict__": {"content": "x", "type": "human"}}},
            "user",
            "x",
            id="pickled",
        ),
        pytest.param(
            {"$type": "langchain_core.messages.function.FunctionMessage", "$ctor": "pickle", "value": {"args": [], "state": {"__dict__": {"content": "x"}, "__pydantic_fields_set__": []}}},
            "tool",
            "x",
            id="pickled-with-arguments",
        ),
        pytest.param(
            {"lc": 2, "type": "constructor", "id": ["langchain_core", "messages", "ai", "AIMessageChunk"], "kwargs": {"content": "x"}},
            "assistant",
            "x",
            id="lc-2",
        ),
        pytest.param(7, "unknown", "", id="number"),
        pytest.param(None, "unknown", "", id="null"),
        pytest.param({"role": 3, "content": "x"}, "unknown", "x", id="role-of-another-type"),
        pytest.param({"role": "user", "content": {"a": 1}}, "user", '{"a": 1}', id="object"),
        pytest.param({"role": "user", "content": ["a", "b"]}, "user", "ab", id="texts"),
        pytest.param(
            {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]},
            "assistant",
            "no",
            id="refusal",
        ),
        pytest.param(
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "x"}]},
            "assistant",
            "x",
            id="responses-message",
        ),
        pytest.param(
            {"type": "function_call_output", "call_id": "c", "output": "42"},
            "tool",
            "42",
            id="responses-result",
        ),
        pytest.param(
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "content": [{"type": "text", "text": "r"}], "is_error": True}
                ],
            },
            "tool",
            "r",
            id="anthropic-result",
        ),
        pytest.param(
            {"lc": 1, "type": "constructor", "id": ["HumanMessage"], "kwargs": {"content": "x"}},
            "user",
            "x",
            id="dumpd-without-type",
        ),
        pytest.param(
            {"lc": 1, "type": "not_implemented", "id": ["X"], "repr": "X()"},
            "unknown",
            "",
            id="dumpd-not-implemented",
        ),
    ],
)  # fmt: skip
def test_role_and_text(entry: Any, role: str, text: str) -> None:
    found = read_message(0, entry, (0,))
    assert (found.role, found.text) == (role, text)


@pytest.mark.parametrize(
    ("entry", "calls"),
    [
        pytest.param(
            {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{bad"}}]},
            [("c", "f", "{bad", "/0/tool_calls/0")],
            id="broken-arguments-stay-text",
        ),
        pytest.param(
            {"type": "ai", "content": "", "additional_kwargs": {"tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "[1]"}}]}},
            [("c", "f", [1], "/0/additional_kwargs/tool_calls/0")],
            id="old-langchain",
        ),
        pytest.param(
            {
                "type": "ai",
                "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}}],
                "tool_calls": [{"id": "c", "name": "f", "args": {"a": 1}}],
            },
            [("c", "f", {"a": 1}, "/0/tool_calls/0")],
            id="spelled-twice-counts-once",
        ),
        pytest.param(
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}}]},
            [("c", "f", {"a": 1}, "/0/content/0")],
            id="anthropic",
        ),
        pytest.param(
            {"type": "function_call", "call_id": "c", "id": "fc_1", "name": "f", "arguments": "{}"},
            [("c", "f", {}, "/0")],
            id="responses",
        ),
        pytest.param(
            {"role": "assistant", "tool_calls": ["x", None]},
            [(None, "", None, "/0/tool_calls/0"), (None, "", None, "/0/tool_calls/1")],
            id="rubbish",
        ),
        pytest.param({"role": "assistant", "tool_calls": {"a": 1}}, [], id="no-list"),
        pytest.param(
            {"type": "ai", "content": "", "additional_kwargs": {"function_call": {"name": "f", "arguments": "{}"}}},
            [(None, "f", {}, "/0/additional_kwargs/function_call")],
            id="oldest-openai",
        ),
        pytest.param(
            {
                "type": "ai",
                "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}],
                "tool_calls": [],
                "additional_kwargs": {"tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{bad"}}]},
                "invalid_tool_calls": [{"id": "c", "name": "f", "args": "{bad", "error": "no JSON"}],
            },
            [("c", "f", "{bad", "/0/invalid_tool_calls/0")],
            id="unreadable-call-spelled-three-times",
        ),
    ],
)  # fmt: skip
def test_tool_calls(entry: Any, calls: list[Any]) -> None:
    found = read_message(0, entry, (0,)).tool_calls
    assert [(c.id, c.name, c.args, c.pointer) for c in found] == calls


BLOCKS: list[Any] = [
    {"type": "reasoning", "reasoning": "first this"},
    {"type": "thinking", "thinking": "then that", "signature": "s"},
    {"type": "redacted_thinking", "data": "xx"},
    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "in short"}]},
    {"type": "text", "text": "hello", "annotations": [{"type": "citation", "url": "u"}]},
    "bare",
    {"type": "image_url", "image_url": {"url": "https://x/y.png"}},
    {"type": "image", "base64": "AAAA", "mime_type": "image/png"},
    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    {"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}},
    {"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": "r"}]},
    {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"q": 1}},
    {"type": "web_search_tool_result", "tool_use_id": "s", "content": "found"},
    {"type": "server_tool_result", "tool_call_id": "s", "output": "4"},
    {"type": "refusal", "refusal": "no"},
    {"type": "non_standard", "value": 1},
    7,
]


def test_each_part_of_a_content_says_what_it_is_and_where_it_stands() -> None:
    entry = {"type": "ai", "content": BLOCKS}
    found = read_message(0, {"$type": "m.AIMessage", "value": entry}, ("messages", 0))
    assert [(p.kind, p.text) for p in found.parts] == [
        ("reasoning", "first this"),
        ("reasoning", "then that"),
        ("reasoning", ""),
        ("reasoning", "in short"),
        ("text", "hello"),
        ("text", "bare"),
        ("image", "https://x/y.png"),
        ("image", "image/png"),
        ("image", "data:image/png;base64"),
        ("call", 'f {"a": 1}'),
        ("result", "r"),
        ("server call", 'web_search {"q": 1}'),
        ("server result", "found"),
        ("server result", "4"),
        ("refusal", "no"),
        ("other", ""),
        ("other", "7"),
    ]
    assert found.parts[4].citations == 1
    assert found.parts[4].pointer == "/messages/0/value/content/4"


def test_a_tool_s_artifact_is_a_pointer_to_what_the_model_never_saw() -> None:
    entry = {"type": "tool", "content": "r", "tool_call_id": "c", "artifact": {"rows": [1]}}
    found = read_message(0, entry, ("messages", 0))
    assert found.artifact == "/messages/0/artifact"
    assert read_message(0, {**entry, "artifact": None}, (0,)).artifact is None
    assert [(p.kind, p.text) for p in found.parts] == [("text", "r")]


def test_a_call_that_could_not_be_read_says_why() -> None:
    entry = {"type": "ai", "content": "", "invalid_tool_calls": [{"id": "c", "error": "no JSON"}]}
    assert read_message(0, entry, (0,)).tool_calls[0].error == "no JSON"


@pytest.mark.parametrize(
    ("body", "usage"),
    [
        pytest.param(
            {"response_metadata": {"token_usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}}},
            Usage(model_calls=1, input_tokens=3, output_tokens=4, total_tokens=7),
            id="response-metadata",
        ),
        pytest.param(
            {"usage": {"input_tokens": 3, "output_tokens": 4, "cache_read_input_tokens": 9, "cache_creation_input_tokens": 0}},
            Usage(model_calls=1, input_tokens=3, output_tokens=4, cache_read_tokens=9, cache_write_tokens=0),
            id="anthropic",
        ),
        pytest.param(
            {
                "usage_metadata": {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7},
                "response_metadata": {"token_usage": {"prompt_tokens": 300, "completion_tokens": 400}},
            },
            Usage(model_calls=1, input_tokens=3, output_tokens=4, total_tokens=7),
            id="written-twice-counts-once",
        ),
        pytest.param(
            {"usage_metadata": None, "usage": {"prompt_tokens": 3}},
            Usage(model_calls=1, input_tokens=3),
            id="null-is-no-record",
        ),
        pytest.param({"usage": {"input_tokens": -1}}, None, id="negative"),
        pytest.param({"usage": {"input_tokens": True}}, None, id="boolean"),
        pytest.param({"usage": {"input_tokens": float("nan")}}, None, id="nan"),
        pytest.param({"usage": {"input_tokens": 10**5000}}, None, id="huge"),
        pytest.param({"usage": {"input_tokens": "12"}}, None, id="text"),
        pytest.param({"usage": [1]}, None, id="list"),
        pytest.param({"usage": {}}, None, id="empty"),
    ],
)  # fmt: skip
def test_usage_of_a_message(body: dict[str, Any], usage: Usage | None) -> None:
    assert read_message(0, {"role": "assistant", "content": "x", **body}, (0,)).usage == usage


def test_a_graph_may_call_its_message_list_anything() -> None:
    state = {"note": [1], "chat": tagged(form("model_dump"))}
    assert [m.pointer for m in messages(state, load_profile("plain"))][:2] == ["/chat/0", "/chat/1"]
    assert messages({"chat": [{"content": "x"}]}, load_profile("plain")) == ()


def test_a_delta_channel_s_full_value_is_a_message_list() -> None:
    state = {"messages": {"$type": "delta_snapshot", "value": tagged(form("model_dump"))}}
    found = messages(state, load_profile("langgraph"))
    assert [m.role for m in found] == ROLES
    assert found[1].pointer == "/messages/value/1"


KEYS = st.sampled_from(
    [
        "messages",
        "role",
        "type",
        "content",
        "id",
        "lc",
        "kwargs",
        "$type",
        "value",
        "data",
        "usage",
        "usage_metadata",
        "tool_calls",
        "function",
        "arguments",
        "additional_kwargs",
        "status",
        "is_error",
        "text",
        "name",
        "evidence",
        "proposal",
        "actions",
    ]
)
WORDS = st.sampled_from(
    ["ai", "human", "tool", "assistant", "user", "tool_result", "tool_use", "constructor"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | WORDS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(KEYS | st.text(max_size=3), inner, max_size=5)
    ),
    max_leaves=30,
)


@given(state=JSON, listed=st.lists(JSON, max_size=5))
def test_no_state_raises_and_no_entry_is_lost(state: Any, listed: list[Any]) -> None:
    for profile in builtin_profiles():
        messages(state, profile)
    found = messages({"messages": listed}, load_profile("task-state"))
    assert [m.index for m in found] == list(range(len(listed)))


def test_depth_does_not_raise() -> None:
    deep: Any = "x"
    for _ in range(5000):
        deep = [deep]
    entry = {"role": "user", "content": {"a": deep}, "tool_calls": [{"args": deep}]}
    assert read_message(0, entry, (0,)).role == "user"
    arguments = "[" * 100_000
    call = {"role": "assistant", "tool_calls": [{"function": {"arguments": arguments}}]}
    assert read_message(0, call, (0,)).tool_calls[0].args == arguments
