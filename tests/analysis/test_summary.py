import time

import pytest

from viewer.analysis.diff import diff
from viewer.analysis.summary import summary
from viewer.profiles import load_profile

TASK = load_profile("task-state")
AGENT = load_profile("agent-state")


def said(base, target, profile=TASK):
    return summary(diff(base, target, profile.lists), base, target, profile)


def message(role, text="x", **more):
    return {"role": role, "content": text, **more}


def test_the_sentence_of_the_issue():
    plan = ["look", "ask", "pay", "close"]
    base = {
        "plan": plan,
        "usage": {"model_calls": 1, "input_tokens": 10, "cost": {"usd": 0.1}},
        "status": "running",
        "messages": [message("user")],
    }
    target = {
        **base,
        "plan": ["pay", *plan[:2], "close"],
        "usage": {"model_calls": 2, "input_tokens": 30, "cost": {"usd": 0.2}},
        "status": "waiting_approval",
        "messages": [message("user"), message("assistant", "a"), message("tool", "b")],
    }
    assert said(base, target) == (
        "2 messages appended (assistant, tool), status running → waiting_approval, "
        "/plan reordered, /usage grew"
    )


def test_nothing_changed():
    assert said({"a": 1}, {"a": 1}) == "no difference"


@pytest.mark.parametrize(
    ("base", "target", "words"),
    [
        pytest.param({"n": 1}, {"n": 2}, "n 1 → 2", id="number"),
        pytest.param({"a b": 1}, {"a b": 2}, "/a b 1 → 2", id="name that is no word"),
        pytest.param({"n": 1}, {"n": "1"}, 'n 1 → "1"', id="a text that looks like a number"),
        pytest.param({"n": None}, {"n": "null"}, 'n null → "null"', id="null and its text"),
        pytest.param({"t": "x" * 50}, {"t": "y" * 50}, "t edited", id="long text"),
        pytest.param({"p": None}, {"p": {"a": 1}}, "p null → {1 field}", id="became an object"),
        pytest.param({"l": [1]}, {"l": [1, 2, 3]}, "2 appended to /l", id="appended"),
        pytest.param({"l": [1, 2]}, {"l": [0, 1, 2]}, "1 inserted in /l", id="inserted"),
        pytest.param({"l": [1, 2, 3]}, {"l": [2, 3]}, "1 removed from /l", id="removed"),
        pytest.param(
            {"l": [{"id": 1, "s": 1}, {"id": 2}]},
            {"l": [{"id": 2}, {"id": 1, "s": 2}]},
            "1 edited in /l (reordered)",
            id="moved and edited",
        ),
        pytest.param({"u": {"a": 3, "b": 2}}, {"u": {"a": 2, "b": 1}}, "/u shrank", id="shrank"),
        pytest.param(
            {"u": {"a": 3, "b": 2}}, {"u": {"a": 2, "b": 9}}, "/u/a 3 → 2, /u/b 2 → 9", id="both"
        ),
        pytest.param({}, {"a": [1], "b": 2}, "2 fields added (/a, /b)", id="fields added"),
        pytest.param({"a": 5}, {}, "a 5 removed", id="a removed value is named"),
        pytest.param([1, 2], [1, 2, 3], "1 appended to the document", id="a list as document"),
        pytest.param(
            [1], {"a": 1}, "the whole document [1 item] → {1 field}", id="another document"
        ),
        pytest.param(
            {"w": {c: {"x": 1, "y": "a"} for c in "abcd"}},
            {"w": {c: {"x": 2, "y": "b"} for c in "abcd"}},
            "8 changes in /w",
            id="many changes in one field",
        ),
    ],
)
def test_one_change(base, target, words):
    assert said(base, target) == words


@pytest.mark.parametrize(
    ("base", "target", "words"),
    [
        ([message("user", id="a")], [message("user", "z", id="a")], "1 message edited"),
        ([message("user", id="a"), message("tool", id="b")], [message("tool", id="b")],
         "1 message removed (user)"),
        ([message("user")], [message("system", "s"), message("user")],
         "1 message inserted (system)"),
        ([], [message("user")] * 5, "5 messages appended"),
        ([message("user", id="a"), message("tool", id="b")],
         [message("tool", id="b"), message("user", id="a")], "messages reordered"),
    ],
)  # fmt: skip
def test_messages(base, target, words):
    assert said({"messages": base}, {"messages": target}) == words


def test_what_the_profile_calls_status_and_node_comes_first(make_profile):
    fields = {"status": "/run/state", "node": "/at"}
    base = {"a": 1, "at": "plan", "run": {"state": "on"}}
    target = {"a": 2, "at": "act", "run": {"state": "off"}}
    words = said(base, target, make_profile(fields=fields))
    assert words == "/run/state on → off, at plan → act, a 1 → 2"


def test_a_list_of_messages_that_came_whole_is_counted():
    assert said({}, {"messages": [message("user")] * 3}) == "3 messages added"
    assert said({"messages": [message("user")] * 3}, {}) == "3 messages removed"


def test_noise_comes_last_and_is_counted():
    base = {"schemaVersion": 1, "runId": "r", "checkpointId": "1", "status": "running"}
    words = said(base, {**base, "checkpointId": "2", "status": "failed"}, AGENT)
    assert words == "status running → failed; 1 as noise"
    only = said(base, {**base, "checkpointId": "2"}, AGENT)
    assert only == "only noise: 1 change"


def test_the_sentence_stays_short():
    base = {f"field{i}": i for i in range(50)}
    words = said(base, {name: [value] for name, value in base.items()})
    assert words.endswith(" and 43 more")
    huge = {"k" * 5000: "v" * 5000, "status": "\u202e" + "x" * 5000, "n": 10**5000}
    changed = {name: {} for name in huge}
    assert len(said(huge, changed)) < 400


def test_hostile_names_and_values_are_shown_as_escapes():
    words = said({"a\u202eb": 1, "s": "x"}, {"a\u202eb": 2, "s": "\u200b\n\ud800"})
    assert all(c.isprintable() for c in words)
    assert "\\u202e" in words
    assert "\\n" in words
    words.encode()


def test_a_big_diff_is_told_as_quickly_as_it_is_counted():
    base = {"rows": [{"id": i, "n": i, "t": str(i)} for i in range(20_000)], "u": {}}
    target = {"rows": [{"id": i, "n": -i, "t": "x"} for i in range(20_000)], "u": {}}
    changes = diff(base, target, TASK.lists)
    begun = time.perf_counter()
    words = summary(changes, base, target, TASK)
    took = time.perf_counter() - begun
    assert words == "20,000 edited in /rows"
    begun = time.perf_counter()
    diff(base, target, TASK.lists)
    assert took < 3 * (time.perf_counter() - begun) + 0.05
