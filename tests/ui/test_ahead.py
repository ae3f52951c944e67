"""Neighbours as what differs from the state at hand: exact, small, and within their budgets."""

import json
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from viewer.analysis.check import check
from viewer.analysis.diff import diff
from viewer.chain import assemble
from viewer.errors import SelectionError
from viewer.model import Record, Thread, ThreadRef
from viewer.panels.ahead import Layout, splices
from viewer.panels.modules import FOLDER
from viewer.panels.wire import text_of
from viewer.profiles import load_profile
from viewer.ui import ahead
from viewer.ui.chosen import Chosen

NODE = shutil.which("node")
TEXT = st.text(st.characters(codec=None), max_size=40) | st.sampled_from(["", "😀" * 30, "\ud83d"])
LEAF = st.none() | st.booleans() | st.integers() | st.floats() | TEXT
VALUE = st.recursive(
    LEAF, lambda inner: st.lists(inner, max_size=6) | st.dictionaries(TEXT, inner, max_size=6)
)


def units(text: str) -> bytes:
    """Two halves of a surrogate pair are one character in the browser."""
    return text.encode("utf-16-le", "surrogatepass")


def spliced(text: str, made: Sequence[int | str]) -> str:
    """Return the text that splices make of another one, as ``ahead.js`` does."""
    held = units(text)
    found: list[bytes] = []
    steps = iter(made)
    for step in steps:
        if isinstance(step, str):
            found.append(units(step))
        else:
            length = next(steps)
            assert isinstance(length, int)
            found.append(held[2 * step : 2 * (step + length)])
    return b"".join(found).decode("utf-16-le", "surrogatepass")


def long_of(value: Any, times: int) -> Any:
    """Return a value whose parts are too long to be written at once."""
    return {
        "messages": [value] * times,
        "": value,
        "long 😀": "x" * 1500,
        "last": [[value] * 9] * 9,
    }


@settings(max_examples=60, deadline=None)
@given(old=VALUE, new=VALUE, times=st.integers(0, 40), more=st.lists(VALUE, max_size=3))
def test_what_is_spliced_is_the_text_of_the_new_state(
    old: Any, new: Any, times: int, more: list[Any]
) -> None:
    was = long_of(old, times)
    now = {**was, "messages": [*more, *was["messages"][1:], new], "long 😀": "x" * 700 + str(new)}
    layout = Layout()
    for one, other in ((was, now), (now, was), (old, now), (was, new)):
        before = layout.of(one)
        after = layout.of(other, before)
        assert before.text == text_of(one)
        assert after.text == text_of(other)
        assert units(spliced(before.text, splices(before, after))) == units(after.text)


def chain_of(states: list[Any]) -> Any:
    records = tuple(
        Record(place=str(i), made_id=str(i), checkpoint_id=f"c{i}", state=state)
        for i, state in enumerate(states)
    )
    thread = Thread(ref=ThreadRef(thread_id="t"), records=records)
    return assemble("s", "r", thread, load_profile("plain"))


def grown(steps: int, size: int = 100_000) -> list[Any]:
    """States of ``size`` characters and more: one message a step, a counter, an edit in a plan."""
    first = [{"id": i, "text": f"message {i} 😀 " + "y" * 400} for i in range(size // 430)]
    states: list[Any] = []
    for step in range(steps):
        plan = [{"n": n, "done": n < step} for n in range(200)]
        said = [*first, *({"id": -s, "text": f"turn {s}"} for s in range(step))]
        states.append({"step": step, "plan": plan, "messages": said, "big": "z" * 5_000})
    return states


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> Chosen:
    chain = chain_of(grown(40))
    monkeypatch.setattr(ahead.st, "session_state", {"ahead_sent": "key"})
    monkeypatch.setattr(ahead, "changes_here", lambda c: changes_of(c.chain, c.base, c.target))
    monkeypatch.setattr(ahead, "messages_by_pointer", lambda chosen: {})
    monkeypatch.setattr(ahead, "thread_name", lambda chosen: "t")
    monkeypatch.setattr(ahead, "SECONDS", 60.0)
    return Chosen(
        source=None,  # type: ignore[arg-type]
        ref=ThreadRef(thread_id="t"),
        chain=chain,
        result=check(chain),
        target=20,
        base=19,
    )


def changes_of(chain: Any, base: int | None, target: int) -> Any:
    return () if base is None else diff(chain.state(base), chain.state(target), chain.profile.lists)


def question(**more: Any) -> dict[str, Any]:
    return {
        "chain": "key",
        "base_set": None,
        "from": 20,
        "index": 21,
        "towards": 1,
        "count": 16,
        **more,
    }


def test_neighbours_are_small_and_each_makes_the_next(chosen: Chosen) -> None:
    parts = ahead.states(chosen, question())
    assert [part["index"] for part in parts] == list(range(21, 37))
    text = text_of(chosen.chain.state(20))
    for part in parts:
        assert part["from"] == part["index"] - 1
        assert part["base"] == part["index"] - 1
        assert part["changes"]
        text = spliced(text, part["state"])
        assert text == text_of(chosen.chain.state(part["index"]))
    assert len(text_of(parts)) < 0.15 * len(text)


def test_a_base_set_by_hand_and_the_other_direction(chosen: Chosen) -> None:
    parts = ahead.states(chosen, question(base_set=3, index=19, towards=-1, count=99))
    assert [part["index"] for part in parts] == list(range(19, -1, -1))
    assert {part["base"] for part in parts} == {3}
    assert parts[1]["changes"][-1][:2] == ["add", "/messages/249"]


def test_an_answer_keeps_to_its_budget(chosen: Chosen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "BYTES", 3_000)
    parts = ahead.states(chosen, question())
    assert 1 < len(parts) < 16
    assert len(text_of(parts[1:])) <= 3_000 + len(parts)


def test_a_question_about_another_chain_is_refused(chosen: Chosen) -> None:
    with pytest.raises(SelectionError, match="changed"):
        ahead.states(chosen, question(chain="older"))
    with pytest.raises(SelectionError, match="40 checkpoints"):
        ahead.states(chosen, question(index=40))


def test_a_checkpoint_without_a_state_is_words(chosen: Chosen) -> None:
    points = chosen.chain.checkpoints
    gone = replace(points[22], has_state=False)
    chain = replace(chosen.chain, checkpoints=(*points[:22], gone, *points[23:]))
    parts = ahead.states(replace(chosen, chain=chain), question(count=3))
    assert [part["state"] is None for part in parts] == [False, True, False]
    assert parts[1]["words"] == "Checkpoint @22 is listed without a state."
    assert [part["from"] for part in parts] == [20, None, 21]


RUN = """
import { AtHand } from "./ahead.js";
const { parts, far, limit } = given;
const hand = new AtHand(limit);
for (const part of parts) hand.put(part);
const seen = [];
for (const index of far) {
  const part = hand.take(index);
  seen.push(part && part.state);
}
tell({ seen, bytes: hand.bytes, held: hand.parts.size });
"""


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_the_browser_makes_the_same_text_of_it(chosen: Chosen, tmp_path: Path) -> None:
    forward = ahead.states(chosen, question(**{"from": None, "index": 20}))
    back = ahead.states(chosen, question(index=19, towards=-1, count=8))
    parts = json.loads(json.dumps([*forward, *back]))
    asked = [33, 21, 12, 20, 35, 39]
    found = node(tmp_path, parts=parts, far=asked, limit=10_000_000)
    texts = [text_of(chosen.chain.state(index)) for index in asked[:-1]]
    assert found["seen"] == [*texts, None]
    small = node(tmp_path, parts=parts, far=asked, limit=600_000)
    assert small["bytes"] <= 600_000
    assert all(
        text in (None, real) for text, real in zip(small["seen"], [*texts, None], strict=True)
    )
    assert small["seen"][0] == texts[0]


def node(folder: Path, **given: Any) -> Any:
    shutil.copy(FOLDER / "ahead.js", folder / "ahead.js")
    (folder / "package.json").write_text('{"type": "module"}')
    start = (
        f"const given = {json.dumps(given)};\nconst tell = (x) => console.log(JSON.stringify(x));\n"
    )
    (folder / "run.js").write_text(
        RUN.replace('from "./ahead.js";', f'from "./ahead.js";\n{start}'), encoding="utf-8"
    )
    assert NODE is not None
    done = subprocess.run(
        [NODE, str(folder / "run.js")], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_page_that_stands_is_sent_no_state_again(monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(__file__).parents[2]
    monkeypatch.setenv("CHECKPOINT_VIEWER_SOURCES", str(root / "sample_runs" / "T-80001"))
    app = AppTest.from_file(str(root / "app.py"), default_timeout=60)

    def sent() -> dict[str, Any]:
        found = {e.proto.component_name: e.proto.json for e in app.get("bidi_component")}
        told: dict[str, Any] = json.loads(found["checkpoint_viewer_tree"])
        return told

    app.query_params["checkpoint"] = "@1"
    first = sent() if app.switch_page("pages/timeline.py").run() else {}
    assert (first["index"], first["base"], first["base_set"]) == (1, 0, None)
    assert json.loads(first["state"])["step"] == 1
    assert {part["index"] for part in first["ahead"]} == {0, 2, 3}
    app.session_state["strip"] = {"selected": 2, "base": 0}
    app.run()
    assert (sent()["index"], sent()["base_set"], sent()["ahead"]) == (2, 0, [])
    assert "state" not in sent()
    assert sent()["rev"] != first["rev"]
    app.switch_page("pages/diff.py").run()
    app.switch_page("pages/timeline.py").run()
    assert "state" in sent()
