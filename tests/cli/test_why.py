"""``why`` answers once a thread, with its subgraphs inside, and tells ages in text alone."""

from datetime import UTC, datetime, timedelta

import pytest

from viewer.reports.why_text import age

NOW = datetime(2026, 12, 1, tzinfo=UTC)


@pytest.fixture
def nested(root):
    return root / "tests" / "data" / "langgraph" / "04_subgraphs.sqlite"


def test_a_thread_is_answered_once_with_its_subgraphs_inside(cli, nested):
    result = cli("why", nested, "--thread", "sub-waiting", "--json")
    (row,) = result.document["threads"]
    assert result.code == 0
    assert row["namespace"] == ""
    assert row["sentence"].startswith('Waits for an answer in child › nest › deep: "confirm?"')
    assert row["stopped_at"]["node"] == "deep"
    assert [rerun["node"] for rerun in row["reruns"]] == ["child", "nest", "deep"]


def test_a_namespace_is_answered_for_itself(cli, nested):
    (row,) = cli("why", nested, "--thread", "sub-waiting", "--json").document["threads"]
    space = row["reruns"][1]["namespace"]
    (inner,) = cli(
        "why", nested, "--thread", "sub-waiting", "--namespace", space, "--json"
    ).document["threads"]
    assert inner["namespace"] == space
    assert inner["sentence"].startswith("Waits for an answer in child › nest › deep")


def test_all_threads_are_answered_and_an_unknown_one_is_refused(cli, nested):
    found = cli("why", nested, "--json").document["threads"]
    assert len({row["thread_id"] for row in found}) == len(found) > 3
    refused = cli("why", nested, "--thread", "nobody")
    assert refused.code == 2
    assert "no thread 'nobody'" in refused.err


def test_text_names_stop_input_and_resume(cli, nested, monkeypatch):
    monkeypatch.setattr("viewer.cli.why.now", lambda: NOW)
    out = cli("why", nested, "--thread", "sub-waiting").out
    for word in ("stopped at", "waits for", "input", "last write", "a resume would"):
        assert f"\n    {word}" in out
    assert "run deep from its start: it has saved nothing" in out


def test_what_a_store_says_cannot_drive_the_terminal(cli, write_json):
    state = {"goal": "\x1b[2J", "evidence": [], "messages": [], "status": "stopped", "step": 1}
    source = write_json(
        "run.json", {"checkpoints": [{"state": {**state, "stop_reason": "\x1b[2J"}}]}
    )
    assert "\x1b" not in cli("why", source).out


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        pytest.param(10, "less than a minute ago", id="now"),
        pytest.param(60, "1 minute ago", id="a minute"),
        pytest.param(7300, "2 hours ago", id="hours"),
        pytest.param(86400 * 3, "3 days ago", id="days"),
        pytest.param(-5, "in the future", id="a clock that goes wrong"),
    ],
)
def test_ages_are_told_in_words(seconds, expected):
    assert age((NOW - timedelta(seconds=seconds)).isoformat(), NOW) == expected


def test_no_time_has_no_age():
    assert age(None, NOW) == ""
