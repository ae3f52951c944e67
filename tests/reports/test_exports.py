"""What leaves as Markdown and CSV: nothing in it is live, no secret is in it, numbers stay exact."""

import csv
import io
import re

import pytest

from viewer.analysis.diff import diff
from viewer.model import MISSING, Change
from viewer.profiles import load_profile
from viewer.reports import diff_markdown, state_markdown
from viewer.reports.diff_document import Sides, diff_document, unnamed_row
from viewer.reports.markdown_text import code
from viewer.reports.masked import masked_changes, masked_value
from viewer.reports.tables_csv import changes_csv, state_csv

PLAIN = load_profile("plain")
KEY = "sk-" + "Abcd1234" * 4


def document(base, target, profile=PLAIN):
    sides = Sides(
        base=base,
        target=target,
        base_row=unnamed_row("a.json"),
        target_row=unnamed_row("b.json"),
        profile=profile,
    )
    return diff_document(sides, diff(base, target, profile.lists))


def rows(text):
    return list(csv.reader(io.StringIO(text, newline="")))


def cells(line):
    """Split a table's row as GFM does: at pipes that no backslash escapes, pair by pair."""
    inner = re.findall(r"(?:\\.|[^|\\])+", line.strip().strip("|"))
    return [cell.strip() for cell in inner]


def spans(text):
    """Return what stands outside of code spans."""
    return re.sub(r"(?<!`)(`+)(?!`)(?:.*?)(?<!`)\1(?!`)", "", text)


@pytest.mark.parametrize(
    "text",
    ["a|b", "a\\|b", "\\", "`x`", "``", "` `` ```", "|", "<b>x</b>", "x\ny", "\u202ex", " ", "a\\"],
)
def test_a_code_span_holds_any_text(text):
    shown = code(text)
    assert spans(shown).strip() in ("", "(empty)")
    assert "\n" not in shown
    assert "\u202e" not in shown
    cell, _ = cells(f"| {shown} | end |")
    if text.strip() and text.isprintable():
        inside = cell.strip("`").removeprefix(" ").removesuffix(" ") if "`" in text else cell[1:-1]
        read = inside.replace("\\|", "|").replace("\\u007c", "|")
        assert read.strip("`") == text.strip("`")


HOSTILE = "<img src=x onerror=alert(1)> **b** [l](javascript:1) @someone #1 | `x` www.x.test"


def test_no_text_of_the_data_is_markup_in_markdown():
    found = diff_markdown.text(
        document({HOSTILE: HOSTILE, "n": 1}, {HOSTILE: "y", "n": 2, "| |": "|"}),
        HOSTILE,
        ["shown"] * 3,
    )
    bare = spans(found)
    for live in ("<img", "**b", "[l]", "@someone", "#1", "www."):
        assert live not in bare
    table = [line for line in found.splitlines() if line.startswith("|")]
    assert len(table) == 2 + 3
    assert {len(cells(line.replace("|  |", "| - |"))) for line in table} == {5}


def test_markdown_tells_what_the_table_leaves_out():
    profile = load_profile("agent-state")
    base = {"checkpointId": "a", "rows": {str(i): i for i in range(600)}}
    target = {"checkpointId": "b", "rows": {str(i): -i - 1 for i in range(600)}}
    found = diff_markdown.text(document(base, target, profile))
    assert "100 changes more, not listed here." in found
    assert "1 change folded as noise: `/checkpointId`" in found
    assert found.splitlines()[2] == "**`/rows shrank; 1 as noise`**"
    assert "| changed | `/rows/5` | `5` | `-6` (-11) |" in found


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx", "＝1"])
def test_text_that_a_spreadsheet_may_run_gets_an_apostrophe(text):
    line = rows(state_csv({"v": text}))[1]
    assert line[:2] == ["/v", "string"]
    assert line[2].startswith("'")


def test_numbers_stay_as_they_are():
    state = {"a": -1, "b": 1.0, "c": 10**30, "d": float("-inf"), "e": "x", "f": None, "g": True}
    assert rows(state_csv(state)) == [
        ["pointer", "type", "value"],
        ["/a", "integer", "-1"],
        ["/b", "number", "1.0"],
        ["/c", "integer", "1" + "0" * 30],
        ["/d", "number", "-Infinity"],
        ["/e", "string", "x"],
        ["/f", "null", "null"],
        ["/g", "boolean", "true"],
    ]


def test_empty_containers_and_places_below_one():
    assert rows(state_csv({"a": [], "b": {"c": {}}}, ("top",)))[1:] == [
        ["/top/a", "array", "[]"],
        ["/top/b/c", "object", "{}"],
    ]
    assert rows(state_csv("=x"))[1:] == [["", "string", "'=x"]]


def test_a_row_of_csv_a_change():
    found = changes_csv(
        document(
            {"n": 1, "l": [{"id": 1}, {"id": 2}], "gone": None},
            {"n": 3, "l": [{"id": 2}, {"id": 1}], "t": 'a,"b"\nc\x00\ud800'},
        ),
        ["shown", "stale", "", ""],
    )
    head, *lines = rows(found)
    named = [dict(zip(head, line, strict=True)) for line in lines]
    by = {line["path"]: line for line in named}
    assert (by["/n"]["old"], by["/n"]["new"], by["/n"]["delta"]) == ("1", "3", "2")
    assert (by["/gone"]["op"], by["/gone"]["old"], by["/gone"]["new_type"]) == (
        "remove",
        "null",
        "",
    )
    move = next(line for line in named if line["op"] == "move")
    assert {move["path"], move["old_path"]} == {"/l/0", "/l/1"}
    assert by["/t"]["new"] == 'a,"b"\nc\\u0000\\ud800'
    assert by["/n"]["shown_to_model"] == "shown"
    found.encode()


def test_a_state_as_markdown_is_cut_and_counted():
    row = {
        **unnamed_row("s|x"),
        "checkpoint_id": "c|1",
        "index": 3,
        "thread_id": "t",
        "namespace": "",
    }
    found = state_markdown.text(row, {"a|b": HOSTILE, "n": [], "rows": list(range(1200))})
    assert found.startswith("## State of @3 `c\\|1`, thread `t` in `s\\|x`\n")
    assert "| `/a\\|b` | string | " in found
    assert "| `/n` | array | `[]` |" in found
    assert "202 places more, not listed here." in found
    assert "<img" not in spans(found)


def test_secrets_are_masked_by_name_and_shape_and_the_rest_stays():
    base = {"config": {"api_key": "first-secret-value"}, "note": f"key {KEY}", "n": 1}
    target = {"config": {"api_key": "other-secret-value"}, "note": "none", "n": 2}
    changes = diff(base, target)
    masked = masked_changes(changes)
    text = repr(masked)
    assert "secret-value" not in text
    assert KEY not in text
    key = next(c for c in masked if c.pointer == "/config/api_key")
    assert key.old != key.new
    assert (
        masked[[c.pointer for c in changes].index("/n")]
        is changes[[c.pointer for c in changes].index("/n")]
    )


def test_a_field_above_makes_a_value_secret():
    at = ("credentials", "first", 0)
    made = masked_changes([Change("add", at, at[:2], MISSING, {"user": "anna-maria"})])
    assert "anna-maria" not in repr(made)
    assert masked_value(("usage", "input_tokens"), 4000) == 4000
