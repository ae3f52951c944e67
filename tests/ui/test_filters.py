"""What passes the filters of the Runs page, in which order, and what is exported."""

import csv
import io
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from viewer.analysis.usage import UsageReport, UsageStep
from viewer.model import Usage
from viewer.ui import exports, filters
from viewer.ui.judging import sparkline


def row(name: str, phase: str | None = "done", day: int = 1, **more: Any) -> dict[str, Any]:
    updated = datetime(2026, 1, day, tzinfo=UTC)
    found = {"thread": name, "phase": phase, "updated": updated, "nested": False, "checked": True}
    return {**found, **more}


ROWS = [
    row("done"),
    row("unread", None, 9, checked=False),
    row("waits", "waiting", 2),
    row("broke-old", "failed", 3),
    row("broke-new", "failed", 4),
    row("wrong", violations=2),
    row("odd", findings=1),
    row("half-way", "unknown", stops=True),
    row("plain", "unknown"),
    row("inner", "waiting", 8, nested=True),
]


def names(rows: Any) -> list[str]:
    return [one["thread"] for one in rows]


def test_what_needs_a_person_comes_first_and_the_newest_of_it() -> None:
    assert names(filters.ordered(ROWS, "attention")) == [
        *("broke-new", "broke-old", "waits", "half-way", "wrong", "odd"),
        *("unread", "inner", "done", "plain"),
    ]
    assert names(filters.ordered(ROWS, "updated"))[:3] == ["unread", "inner", "broke-new"]


def test_look_first_names_nothing_where_all_is_well() -> None:
    assert filters.most_urgent([row("a"), row("b", None, checked=False)]) is None
    first = filters.most_urgent(ROWS)
    assert first is not None
    assert first["thread"] == "broke-new"


@pytest.mark.parametrize(
    ("chips", "text", "passing"),
    [
        (("failed",), "", ["broke-old", "broke-new"]),
        (("failed", "findings"), "", ["broke-old", "broke-new", "odd"]),
        (("failed",), " OLD ", ["broke-old"]),
        ((), "inner", ["inner"]),
        (
            filters.SAVED["needs attention"],
            "",
            ["waits", "broke-old", "broke-new", "wrong", "odd", "inner"],
        ),
    ],
    ids=str,
)
def test_a_row_passes_where_any_chip_holds_and_the_text_stands(
    chips: tuple[str, ...], text: str, passing: list[str]
) -> None:
    assert names(filters.filtered(ROWS, chips, text)) == passing


def report(*tokens: int | None) -> UsageReport:
    steps = tuple(
        UsageStep(
            index=i,
            checkpoint_id=f"c{i}",
            usage=Usage(total_tokens=n),
            total_computed=False,
            cumulative=Usage(),
        )
        for i, n in enumerate(tokens)
    )
    return UsageReport(
        steps=steps, totals=Usage(), budget={}, recorded=True, total_computed=False, answers={}
    )


def test_a_sparkline_keeps_the_sum_in_at_most_sixty_points() -> None:
    assert sparkline(report(None, None)) is None
    assert sparkline(report(3, None, 0)) == [3.0, 0.0, 0.0]
    drawn = sparkline(report(*range(1999)))
    assert drawn is not None
    assert len(drawn) <= 60
    assert sum(drawn) == sum(range(1999))


def test_exports_are_exact_and_tell_nothing_from_zero() -> None:
    when = datetime(2026, 1, 1, 12, tzinfo=UTC)
    rows = [
        {"n": 2**70, "none": None, "zero": 0, "text": 'a,"b"\n\ud800', "at": when, "l": [1.0, 2]}
    ]
    (told,) = json.loads(exports.as_json(rows))
    assert (told["n"], told["none"], told["zero"]) == (2**70, None, 0)
    assert told["at"] == "2026-01-01T12:00:00+00:00"
    (line,) = csv.DictReader(io.StringIO(exports.as_csv(rows).decode()))
    assert (line["n"], line["none"], line["zero"]) == (str(2**70), "", "0")
    assert line["text"] == 'a,"b"\n\\ud800'
    assert line["l"] == "[1.0, 2]"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "\uff1d1"])
def test_no_text_of_a_table_becomes_a_formula(text: str) -> None:
    (line,) = csv.DictReader(io.StringIO(exports.as_csv([{"thread": text}]).decode()))
    assert line["thread"].startswith("'")
