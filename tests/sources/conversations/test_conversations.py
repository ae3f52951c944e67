"""Lists of messages open as conversations: one step a side, every message once, nothing made up."""

import json
from pathlib import Path
from typing import Any

import pytest

from viewer.analysis.messages import messages
from viewer.analysis.usage import usage
from viewer.analysis.why import why
from viewer.chain import Chain
from viewer.sources import open_source
from viewer.sources.conversations.growth import Said, grown
from viewer.sources.conversations.signs import dialect_of

DATA = Path(__file__).parents[2] / "data" / "conversations"
LANGCHAIN = ("dumpd", "messages_to_dict", "model_dump")


def chain_of(path: Path, namespace: str = "") -> Chain:
    source = open_source(path)
    ref = next(ref for ref in source.threads if ref.namespace == namespace)
    return source.chain(ref)


def roles(chain: Chain) -> list[str]:
    return [m.role for m in messages(chain.state(chain.head or 0), chain.profile)]


@pytest.mark.parametrize("name", LANGCHAIN)
def test_langchain_reads_the_same_in_its_three_forms(name: str) -> None:
    chain = chain_of(DATA / f"langchain_{name}.json")
    assert chain.reader == "message-list"
    assert chain.profile.name == "conversation"
    told = ["system", "user", "assistant", "tool", "tool", "assistant", "remove", "assistant"]
    assert roles(chain) == told
    nodes = [c.nodes for c in chain.checkpoints]
    assert nodes == [
        ("system",),
        ("user",),
        ("model",),
        ("tools",),
        ("model",),
        ("other",),
        ("model",),
    ]
    spent = usage(chain).totals
    # truth.json of the sample: 100 in, 20 out, 50 of them read from a cache.
    assert (spent.model_calls, spent.input_tokens, spent.output_tokens) == (3, 100, 20)


def test_each_step_adds_messages_and_loses_none() -> None:
    chain = chain_of(DATA / "langchain_openai_format.json")
    stored = json.loads((DATA / "langchain_openai_format.json").read_text())
    assert chain.state(len(chain.checkpoints) - 1)["messages"] == stored
    for before, after in zip(chain.states, chain.states[1:], strict=False):
        assert after["messages"][: len(before["messages"])] == before["messages"]


def test_pydantic_parts_are_messages_with_their_calls_and_usage() -> None:
    chain = chain_of(DATA / "pydantic_done.json")
    assert roles(chain) == [
        *("system", "user", "assistant", "tool", "assistant", "tool", "tool", "assistant")
    ]
    read = messages(chain.state(chain.head or 0), chain.profile)
    assert read[0].text == "You are the refund desk."
    assert [(call.name, call.args) for call in read[4].tool_calls] == [
        ("issue_refund", {"order_id": "A-17"}),
        ("issue_refund", {"order_id": "A-18"}),
    ]
    assert [m.refused for m in read if m.role == "tool"] == [False, False, True]
    spent = usage(chain).totals
    assert (spent.input_tokens, spent.output_tokens, spent.cache_read_tokens) == (470, 65, 192)
    assert chain.checkpoints[-1].created_at is not None


def test_what_a_pydantic_message_came_from_stands_beside_it() -> None:
    stored = json.loads((DATA / "pydantic_done.json").read_text())
    chain = chain_of(DATA / "pydantic_done.json")
    kept = [m["stored"] for m in chain.state(chain.head or 0)["messages"] if "stored" in m]
    parts = [p for e in stored for p in ([e] if e["kind"] == "response" else e["parts"])]
    assert kept == parts


def line(uuid: str, parent: str | None, role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {
        "type": role,
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": "s1",
        "isSidechain": False,
        "timestamp": "2026-11-30T12:00:00Z",
        "message": {"role": role, "content": content},
        **more,
    }


def written(path: Path, lines: list[Any]) -> Path:
    path.write_text("\n".join(json.dumps(one) if one != "broken" else '{"a' for one in lines))
    return path


def test_claude_code_forks_sidechains_breaks_and_lost_lines(tmp_path: Path) -> None:
    result = [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]
    path = written(
        tmp_path / "c.jsonl",
        [
            {"type": "summary", "summary": "words", "leafUuid": "a2"},
            line("u1", None, "user", "hello"),
            line("a1", "u1", "assistant", "one"),
            line("a1b", "a1", "assistant", "two"),
            line("x1", None, "user", "aside", isSidechain=True),
            line("x2", "x1", "assistant", "aside too", isSidechain=True),
            line("t1", "a1b", "user", result),
            "broken",
            line("u2", "a1b", "user", "another way"),
            {"type": "system", "uuid": "sys", "parentUuid": None, "sessionId": "s1"},
            line("u3", "sys", "user", "after a compaction"),
        ],
    )
    source = open_source(path)
    assert source.reader.name == "claude-code"
    assert [(r.thread_id, r.namespace) for r in source.threads] == [
        ("s1", ""),
        ("s1", "sidechain:x1"),
    ]
    chain = chain_of(path)
    told = [(c.checkpoint_id, c.parent_id, c.nodes, c.origin) for c in chain.checkpoints]
    assert told == [
        ("u1", None, ("user",), None),
        ("a1b", "u1", ("model",), None),
        ("t1", "a1b", ("tools",), None),
        ("u2", "a1b", ("user",), None),
        ("u3", "u2", ("user",), "break"),
    ]
    assert len(chain.state(1)["messages"]) == 3
    assert chain.state(0)["messages"][0]["entry"]["before"][0]["summary"] == "words"
    assert [p.place.rsplit(":", 2)[-2] for p in chain.problems] == ["8"]
    assert len(chain_of(path, "sidechain:x1").checkpoints) == 2


def test_usage_without_parents_counts_each_answer_once() -> None:
    cases = Path(__file__).parents[2] / "cases"
    for name in ("119-usage-repeated-per-content-block", "121-usage-without-request-id"):
        expect = json.loads((cases / name / "case.json").read_text())["expect"]
        spent = usage(chain_of(cases / name / "session.jsonl")).totals
        assert spent.model_calls == expect["answers"]
        assert spent.input_tokens == expect["input_tokens"]
        assert spent.output_tokens == expect["output_tokens"]
        assert spent.cache_read_tokens == expect.get("cache_read", spent.cache_read_tokens)


def test_the_page_is_told_what_a_conversation_lacks() -> None:
    chain = chain_of(DATA / "pydantic_paused.json")
    assert chain.checkpoints[-1].status is None
    assert any("not a position" in note for note in why(chain).notes)


@pytest.mark.parametrize(
    "entries",
    [
        pytest.param([{"status": "running", "role": "user", "content": "x"}], id="a state"),
        pytest.param([{"messages": [{"role": "user", "content": "x"}]}], id="states with messages"),
        pytest.param([{"type": "add", "data": {"x": 1}}], id="events"),
        pytest.param([{"kind": "request", "parts": [{"name": "x"}]}], id="other parts"),
        pytest.param([{"role": "admin", "content": "x"}], id="an unheard-of role"),
        pytest.param([{"op": "add", "path": "/a", "value": 1}], id="a patch"),
        pytest.param([1, 2, 3, {"role": "user", "content": "x"}], id="mostly no objects"),
        pytest.param([], id="nothing"),
    ],
)
def test_what_is_no_list_of_messages_is_none(entries: list[Any]) -> None:
    assert dialect_of(entries) is None


def test_messages_one_a_line_open_too(tmp_path: Path) -> None:
    said = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    chain = chain_of(written(tmp_path / "m.jsonl", [*said, "broken", 7]))
    assert chain.reader == "message-list"
    assert [c.nodes for c in chain.checkpoints] == [("user",), ("model",)]
    assert len([p for p in chain.problems if p.keyword == "unreadable"]) == 2


def test_a_very_long_conversation_has_fewer_steps_and_every_message() -> None:
    said = [
        Said({"role": r, "content": str(n)}, s, f"x#/{n}", f"item:{n}", 10)
        for n in range(100)
        for r, s in (("user", "user"), ("assistant", "model"))
    ]
    records = grown(said, 7)
    assert len(records) == 7
    assert [len(r.state["messages"]) for r in records][-1] == 200
    assert records[0].nodes == ("user", "model")
