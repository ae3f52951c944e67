"""Conversations that want to break their readers: nothing crashes, hangs or is lost in silence."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from viewer.analysis.messages import messages
from viewer.analysis.why import why
from viewer.chain import Chain
from viewer.errors import ViewerError
from viewer.sources import open_source
from viewer.sources.conversations import claude_code, growth

DATA = Path(__file__).parents[2] / "data" / "conversations"
JUNK = st.sampled_from(
    [None, True, 0, 1.5, "", "x", "\ud800", [], {}, [[]], [{}], {"a": 1}, [1, "a", None]]
)
MANY = 60
"""More entries than are looked at to tell whose words they are."""


def written(path: Path, entries: list[Any]) -> Path:
    lines = path.suffix == ".jsonl"
    path.write_text("\n".join(map(json.dumps, entries)) if lines else json.dumps(entries))
    return path


def chain_of(path: Path, number: int = 0) -> Chain:
    source = open_source(path)
    return source.chain(source.threads[number])


def said(uuid: str, parent: str | None, role: str, **more: Any) -> dict[str, Any]:
    message = {"role": role, "content": uuid}
    link = {"uuid": uuid, "parentUuid": parent}
    return {"type": role, "sessionId": "s", **link, "message": message, **more}


def dialects() -> list[list[Any]]:
    found = [json.loads(path.read_text()) for path in sorted(DATA.glob("*.json"))]
    return [*found, [said("a", None, "user"), said("b", "a", "assistant"), {"type": "summary"}]]


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    return [
        place
        for key, child in pairs
        for place in (
            (*at, key),
            *(places(child, (*at, key)) if isinstance(child, dict | list) else ()),
        )
    ]


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.data_too_large],
)
@given(data=st.data())
def test_wrong_types_anywhere_crash_nothing(tmp_path: Path, data: st.DataObject) -> None:
    entries = json.loads(json.dumps(data.draw(st.sampled_from(dialects()))))
    for _ in range(data.draw(st.integers(1, 3))):
        *way, last = data.draw(st.sampled_from(places(entries)))
        here = entries
        for token in way:
            here = here[token]
        here[last] = deepcopy(data.draw(JUNK))
    path = written(tmp_path / f"c.{data.draw(st.sampled_from(['json', 'jsonl']))}", entries)
    try:
        source = open_source(path)
    except ViewerError:
        return
    for ref in source.threads:
        chain = source.chain(ref)
        for point in chain.checkpoints:
            if point.has_state:
                messages(chain.state(point.index), chain.profile)
        why(chain)


@pytest.mark.parametrize("kind", [["x"], {"a": 1}, None, 7])
@pytest.mark.parametrize("name", ["role", "type", "part_kind", "kind", "id", "parts", "lc"])
def test_a_late_entry_of_another_shape_is_still_a_message(
    tmp_path: Path, name: str, kind: Any
) -> None:
    for number, entries in enumerate(dialects()[:-1]):
        odd = json.loads(json.dumps(entries[-1]))
        (odd["parts"][0] if name == "part_kind" and "parts" in odd else odd)[name] = kind
        many = [*entries, *entries[:1] * MANY]
        path = written(tmp_path / f"{number}.json", [*many, odd])
        chain = chain_of(path)
        assert chain.reader == "message-list"
        last = chain.state(chain.head or 0)["messages"][-1]
        assert odd in (last, last.get("stored"))


def test_keys_that_stand_twice_are_told_with_their_place(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(
        '[{"role":"user","content":"a"},{"role":"assistant","content":"b","content":"c"}]'
    )
    (problem,) = chain_of(path).problems
    assert "/messages/1/content" in f"{problem.place} {problem.reason}"
    twice = json.dumps(said("a", None, "user")).replace('"content"', '"content": "old", "content"')
    path = tmp_path / "c.jsonl"
    path.write_text(f"{twice}\n{json.dumps(said('b', 'a', 'assistant'))}")
    (problem,) = chain_of(path).problems
    assert "/messages/0/content" in f"{problem.place} {problem.reason}"


def test_what_a_pydantic_request_says_beside_its_parts_is_kept(tmp_path: Path) -> None:
    empty = {"kind": "request", "parts": [], "run_id": "r"}
    spoken = {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "hi"}]}
    chain = chain_of(written(tmp_path / "c.json", [empty, {**spoken, "metadata": {"a": 1}}]))
    first, second = chain.state(0)["messages"]
    assert first["request"] == {"kind": "request", "run_id": "r"}
    assert second["request"]["metadata"] == {"a": 1}


def test_lines_after_the_last_message_and_lost_lines_of_a_subagent_are_told(
    tmp_path: Path,
) -> None:
    aside = [said("a", None, "user", isSidechain=True), 7, {"type": "summary", "summary": "end"}]
    chain = chain_of(written(tmp_path / "agent.jsonl", aside))
    assert chain.state(0)["messages"][0]["entry"]["after"] == [aside[-1]]
    assert len(chain.problems) == 1


def test_two_answers_to_one_line_without_a_message_both_follow_what_it_follows(
    tmp_path: Path,
) -> None:
    between = {"type": "system", "uuid": "s", "parentUuid": "a", "sessionId": "s"}
    answers = [said(name, "s", "assistant") for name in ("b", "c")]
    chain = chain_of(written(tmp_path / "c.jsonl", [said("a", None, "user"), between, *answers]))
    assert [c.parent_id for c in chain.checkpoints] == [None, "a", "a"]
    assert not chain.problems


@pytest.mark.parametrize("link", ["itself", "the next", "in a ring", "between"])
def test_parents_that_go_round_end(tmp_path: Path, link: str) -> None:
    count = 8
    names = [f"u{n}" for n in range(count)]
    up = {"itself": 0, "the next": 1, "in a ring": count - 1, "between": 1}[link]
    lines = [
        said(name, names[(n + up) % count], ("user", "assistant")[n % 2])
        for n, name in enumerate(names)
    ]
    if link == "between":
        lines = [
            {"type": "system", "uuid": "s1", "parentUuid": "s2", "sessionId": "s"},
            {"type": "system", "uuid": "s2", "parentUuid": "s1", "sessionId": "s"},
            *(said(name, "s1", "user") for name in names),
        ]
    chain = chain_of(written(tmp_path / "c.jsonl", lines))
    kept = [m["entry"]["uuid"] for s in chain.states for m in s["messages"]]
    assert set(names) <= set(kept)
    why(chain)


def test_a_long_conversation_puts_steps_together_and_keeps_every_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growth, "HELD", 2_000)
    count = 500
    lines = [
        said(f"u{n}", f"u{n - 1}" if n else None, ("user", "assistant")[n % 2])
        for n in range(count)
    ]
    chain = chain_of(written(tmp_path / "c.jsonl", lines))
    assert 2 <= len(chain.checkpoints) <= 9
    assert [m["content"] for m in chain.state(chain.head or 0)["messages"]] == [
        one["uuid"] for one in lines
    ]
    assert chain.checkpoints[0].nodes == ("user", "model")


def test_forks_that_repeat_too_much_are_listed_and_the_last_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claude_code, "HELD", 500)
    lines = []
    for n in range(60):
        lines.append(said(f"u{n}", f"u{n - 1}" if n else None, ("user", "assistant")[n % 2]))
        lines.append(said(f"leaf{n}", f"u{n}", "user"))
    chain = chain_of(written(tmp_path / "c.jsonl", lines))
    assert len(chain.checkpoints) == len(lines)
    assert any("repeat more than" in problem.reason for problem in chain.problems)
    last = chain.checkpoints[-1]
    assert last.has_state
    assert len(chain.state(last.index)["messages"]) == 61
