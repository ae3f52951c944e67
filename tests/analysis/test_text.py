import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viewer.analysis.graphemes import boundary, cluster_pattern
from viewer.analysis.text import Segment, invisible_difference, preview, word_segments

FAMILY = "👩\u200d👩\u200d👧"
OTHER = "👩\u200d👩\u200d👦"
PARTS = st.lists(
    st.sampled_from(
        ["a", "word", " ", ". ", "\n", "\r\n", "e\u0301", FAMILY, OTHER, "🇩🇪", "🇫🇷", "क्षि", "한",
         "\u1112\u1161\u11ab", "👍🏽", "1️⃣", "\ud83d\ude00", "\ud800", "東京", "\u0301", "long" * 20]
    ),
    max_size=40,
)  # fmt: skip


def sides(segments: list[Segment]) -> tuple[str, str]:
    old = "".join(text for kind, text in segments if kind != "new")
    return old, "".join(text for kind, text in segments if kind != "old")


def cuts(text: str) -> set[int]:
    return {found.end() for found in cluster_pattern().finditer(text)} | {0}


@settings(max_examples=300, deadline=None)
@given(PARTS, PARTS, PARTS, PARTS)
def test_segments_make_up_both_texts_and_never_cut_a_character(
    front: list[str], old: list[str], new: list[str], back: list[str]
) -> None:
    a, b = "".join(front + old + back), "".join(front + new + back)
    segments = word_segments(a, b)
    assert sides(segments) == (a, b)
    for text, skipped in ((a, "new"), (b, "old")):
        position, allowed = 0, cuts(text)
        for kind, part in segments:
            if kind != skipped:
                position += len(part)
                assert position in allowed


@pytest.mark.parametrize(
    "character",
    [
        FAMILY,
        "e\u0301",
        "🇩🇪",
        "👍🏽",
        "1\ufe0f\u20e3",
        "\u1112\u1161\u11ab",
        "\r\n",
        "🏴\U000e0067\U000e007f",
    ],
)
def test_what_a_reader_sees_as_one_character_is_one(character: str) -> None:
    assert cluster_pattern().findall(f"a{character}b") == ["a", character, "b"]
    assert all(boundary(f"a{character}b", at) in (0, 1) for at in range(1 + len(character)))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param("a b c", "a x c", [("same", "a "), ("old", "b"), ("new", "x"), ("same", " c")], id="word"),
        pytest.param(f"{FAMILY} ok", f"{OTHER} ok", [("old", FAMILY), ("new", OTHER), ("same", " ok")], id="emoji"),
        pytest.param("caf\u00e9", "cafe\u0301", [("old", "caf\u00e9"), ("new", "cafe\u0301")], id="accent"),
        pytest.param("one two x", "six ten x", [("old", "one two"), ("new", "six ten"), ("same", " x")], id="lone-space"),
        pytest.param("", "a", [("new", "a")], id="from-nothing"),
        pytest.param("a", "a", [("same", "a")], id="equal"),
        pytest.param("東京に行く", "東京へ行く", [("same", "東京"), ("old", "に"), ("new", "へ"), ("same", "行く")], id="no-spaces"),
        pytest.param("x" * 50 + "1" + "y" * 50, "x" * 50 + "2" + "y" * 50,
                     [("same", "x" * 50), ("old", "1"), ("new", "2"), ("same", "y" * 50)], id="inside-a-long-word"),
    ],
)  # fmt: skip
def test_segments_say_what_changed(old: str, new: str, expected: list[tuple[str, str]]) -> None:
    assert word_segments(old, new) == expected


def test_one_word_in_a_long_line_is_all_that_changes() -> None:
    line = "The agent wrote a plan. " * 3_000
    segments = word_segments(line + "Budget: 40 EUR." + line, line + "Budget: 45 EUR." + line)
    assert [s for s in segments if s.kind != "same"] == [("old", "40"), ("new", "45")]


@settings(max_examples=200, deadline=None)
@given(PARTS, PARTS, PARTS, PARTS, st.integers(8, 60))
def test_preview_shows_the_first_difference(
    front: list[str], old: list[str], new: list[str], back: list[str], width: int
) -> None:
    a, b = "".join(front + old + back), "".join(front + new + back)
    shown = preview(a, b, width)
    for text, part in zip((a, b), shown, strict=True):
        assert part.strip("…") in text
        assert len(cluster_pattern().findall(part)) <= width
    if a != b:
        assert shown[0] != shown[1]


def test_preview_marks_what_it_cuts_off() -> None:
    old = "start " + "x " * 500 + "HERE " + "y " * 500
    a, b = preview(old, old.replace("HERE", "THERE"), 60)
    assert a[0] == a[-1] == b[0] == b[-1] == "…"
    assert "HERE" in a
    assert "THERE" in b
    assert preview("short", "shorter") == ("short", "shorter")


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        pytest.param("caf\u00e9", "cafe\u0301", ["U+00E9", "U+0301 COMBINING ACUTE ACCENT"], id="nfc-nfd"),
        pytest.param("ab", "a\u200bb", ["nothing", "U+200B ZERO WIDTH SPACE"], id="zero-width"),
        pytest.param("a b", "a\u00a0b", ["U+0020 SPACE", "U+00A0 NO-BREAK SPACE"], id="no-break"),
        pytest.param("a\r\nb", "a\nb", ["U+000D", "nothing"], id="line-end"),
        pytest.param("a", "a ", ["nothing", "U+0020 SPACE"], id="space-at-the-end"),
        pytest.param("pay", "p\u0430y", ["U+0061", "U+0430 CYRILLIC SMALL LETTER A"], id="twin-letter"),
        pytest.param("abc", "a\u202ebc", ["U+202E RIGHT-TO-LEFT OVERRIDE"], id="direction"),
        pytest.param("x" * 9_000 + "e\u0301" + "y" * 9_000, "x" * 9_000 + "\u00e9" + "y" * 9_000, ["U+00E9"], id="long"),
    ],
)  # fmt: skip
def test_texts_that_look_the_same_are_told_apart_by_code_points(
    old: str, new: str, named: list[str]
) -> None:
    said = invisible_difference(old, new)
    assert said is not None
    assert all(name in said for name in named)
    assert invisible_difference(new, old) is not None


@pytest.mark.parametrize(
    ("old", "new"), [("a", "a"), ("a", "b"), ("a b", "ab"), ("x" * 9_000, "x" * 9_001), ("", "a")]
)
def test_visible_or_no_differences_are_not_named(old: str, new: str) -> None:
    assert invisible_difference(old, new) is None
