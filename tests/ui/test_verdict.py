"""What the verdict panel is sent: every place a link, every value bounded."""

from dataclasses import replace
from datetime import UTC, datetime

from viewer.model import (
    MISSING,
    Finding,
    Interrupt,
    LastWrite,
    NodeInput,
    Stop,
    StoppedAt,
    Why,
)
from viewer.panels.verdict import Place, verdict_payload

AT = StoppedAt(namespace="team:1", checkpoint_id="c2", index=2, step=1, node="ask", task="t1")
SINCE = datetime(2026, 11, 30, 12, tzinfo=UTC)


def stop(value: object = MISSING, error: str | None = None) -> Stop:
    given = NodeInput(kind="state", value=value, namespace="team:1", checkpoint_id="c2", index=2)
    asked = Interrupt(id="i1", value={"question": "refund?"}, task="t1", open=True)
    return Stop(at=AT, error=error, interrupts=() if error else (asked,), input=given, since=SINCE)


def answer(*stops: Stop, findings: tuple[Finding, ...] = ()) -> Why:
    return Why(
        thread_id="t",
        namespace="",
        phase="waiting",
        status="interrupted",
        sentence="Waits.",
        head="c2",
        since=SINCE,
        stops=stops,
        last_write=None,
        reruns=(),
        kept=(),
        findings=findings,
        notes=("a note",),
    )


def test_a_stop_says_where_what_is_asked_and_what_the_node_was_given() -> None:
    payload, places = verdict_payload(answer(stop({"log": ["in"], "n": 1})))
    rows = dict(payload["rows"])
    assert rows["stopped at"] == [
        ["code", "ask"],
        ["text", " in "],
        ["code", "team:1"],
        ["link", "after @2, step 1", 0],
    ]
    assert rows["waits for"][0] == ["code", '{"question":"refund?"}']
    assert ["code", 'log=["in"]'] in rows["input"]
    assert places == (Place(namespace="team:1", checkpoint_id="c2"),) * 2
    assert payload["since"] == "2026-11-30T12:00:00+00:00"


def test_a_state_that_cannot_be_read_is_said_to_be_so() -> None:
    payload, _ = verdict_payload(answer(stop(error="ValueError('x')")))
    rows = dict(payload["rows"])
    assert rows["error"][0] == ["code", "ValueError('x')"]
    assert rows["input"][0] == ["text", "the state there, which cannot be read"]


def test_a_finding_links_to_its_place_and_to_its_evidence() -> None:
    found = Finding(
        keyword="list_shrank",
        message="It shrank.",
        namespace="",
        checkpoint_id="c1",
        index=1,
        step=0,
        node="work",
        channel="log",
        pointer="/log",
        count=3,
        last_index=7,
        last_checkpoint_id="c7",
    )
    payload, places = verdict_payload(answer(findings=(found,)))
    [row] = payload["findings"]
    assert (row["node"], row["channel"]) == ("work", "log")
    assert row["many"] == [["text", "3 checkpoints, the last"], ["link", "@7", 1]]
    assert places == (
        Place(namespace="", checkpoint_id="c1", pointer="/log"),
        Place(namespace="", checkpoint_id="c7", pointer="/log"),
    )


def test_long_values_are_cut_and_the_whole_error_is_a_click_away() -> None:
    payload, _ = verdict_payload(answer(stop({"log": "x" * 10_000}, error="y" * 10_000)))
    assert all(len(part[1]) <= 410 for _, parts in payload["rows"] for part in parts)
    [_, cut, whole] = dict(payload["rows"])["error"][0]
    assert (len(cut), whole) == (400, "y" * 10_000)
    payload, _ = verdict_payload(answer(stop(error="y" * 90_000)))
    assert dict(payload["rows"])["error"][0][2].endswith(
        "(40,000 more characters stand in the source)"
    )


def test_the_last_task_is_told_with_all_that_it_wrote() -> None:
    last = LastWrite(
        namespace="",
        checkpoint_id="c2",
        index=2,
        node="triage",
        task="t1",
        channel="mail",
        value="hello",
        channels=("tries", "mail", "action"),
    )
    payload, _ = verdict_payload(replace(answer(stop({})), last_write=last))
    said = dict(payload["rows"])["last write"]
    assert (
        "".join(part[1] for part in said[:-1])
        == 'triage wrote mail, tries and 1 more; mail = "hello"'
    )


def test_the_revision_changes_with_what_is_said() -> None:
    one, _ = verdict_payload(answer(stop({})))
    other, _ = verdict_payload(answer(stop({"n": 1})))
    assert one["rev"] != other["rev"]


def test_thousands_of_stops_are_counted_not_listed() -> None:
    payload, _ = verdict_payload(answer(*[stop({})] * 5_000))
    assert len(payload["rows"]) < 100
    assert payload["rows"][-1] == ["", [["muted", "and 4980 more tasks that stopped"]]]
