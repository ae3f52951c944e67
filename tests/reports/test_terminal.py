import sys
import time
from unicodedata import category

import pytest

from viewer.jsontext import dumps
from viewer.reports.terminal import columns, cut, one_line, revealed, safe, table, value


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("plain", "plain", id="plain"),
        pytest.param(
            "Zoë 日本 👩‍👩‍👧", "Zoë 日本 👩‍👩‍👧", id="letters, wide letters, a joined emoji"
        ),
        pytest.param("a\nb\tc\r", "a\\nb\\tc\\r", id="line breaks and tabs"),
        pytest.param("\x1b[31m\x00\x7f\x85", "\\u001b[31m\\u0000\\u007f\\u0085", id="controls"),
        pytest.param("\u202e\u2066\u200b\ufeff", "\\u202e\\u2066\\u200b\\ufeff", id="direction"),
        pytest.param("\ud83d", "\\ud83d", id="half a pair"),
        pytest.param("\U000e0041", "\\U000e0041", id="a tag character"),
    ],
)
def test_unsafe_characters_are_escaped(text, shown):
    assert safe(text) == shown
    assert one_line(text).count("\n") == 0


def test_every_character_that_drives_or_hides_is_escaped():
    # Joiners spell words and emoji; the prepended marks of Arabic, Syriac and Kaithi are seen.
    seen = {0x200C, 0x200D, *range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2}
    seen |= {0x110BD, 0x110CD}
    for code in range(sys.maxunicode + 1):
        if category(chr(code)) in ("Cc", "Cf", "Cs", "Zl", "Zp") and code not in seen:
            assert safe(chr(code)) != chr(code), hex(code)


def test_revealed_text_has_nothing_but_ascii():
    assert revealed("e\u0301 é \u200b") == "e\\u0301 \\u00e9 \\u200b"


def test_columns_line_up_under_wide_letters_and_accents():
    lines = table(["NAME", "N"], [["日本", 1], ["e\u0301a", 10], ["abcde", None]]).split("\n")
    assert {columns(line) for line in lines} == {9}
    assert lines[3].endswith(" -")


def test_a_table_leaves_out_columns_without_a_value():
    assert table(["A", "B"], [["x", None], ["y", None]]) == "A\nx\ny"


def test_a_cut_text_keeps_its_width_and_is_marked():
    assert cut("日本語テキスト", 6) == "日本…"
    assert cut("abcdef", 6) == "abcdef"
    assert cut("abcdefg", 6) == "abcde…"


@pytest.mark.parametrize(
    ("found", "shown"),
    [
        pytest.param("a\x1b", '"a\\u001b"', id="text in quotes"),
        pytest.param(float("nan"), "NaN", id="NaN"),
        pytest.param(None, "null", id="null"),
        pytest.param({"$type": "a.b.Message", "value": {"x": 1}}, 'Message {"x":1}', id="tagged"),
        pytest.param({"$type": 5, "value": 1}, '{"$type":5,"value":1}', id="no tag"),
        pytest.param(list(range(99)), "[0,1,2,3,4,5,6,7,8,9,…", id="cut"),
    ],
)
def test_a_value_is_one_line(found, shown):
    assert value(found, 22) == shown


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a" * 5_000_000, id="letters"),
        pytest.param("\u202e" * 5_000_000, id="direction marks"),
    ],
)
def test_a_preview_of_a_long_text_costs_no_more_than_one_of_a_short_text(text: str) -> None:
    long = dumps(text)
    started = time.process_time()
    for _ in range(20):
        assert value(long) == value(long[:1_000])
    assert time.process_time() - started < 5


def test_a_preview_ends_where_the_whole_text_would() -> None:
    for text in ("e" + "\u0301" * 1_000 + "x" * 100, "\u0301" * 1_000, "日" * 500, "\n" * 300):
        assert value(text, 20) == cut(safe(dumps(text)), 20)
