import pytest

from viewer.ui.say import file_name, literal, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("a_b", "`a_b`", id="plain"),
        pytest.param("`x`", "`` `x` ``", id="ticks"),
        pytest.param("a``b", "```a``b```", id="inner-ticks"),
        pytest.param("one\ntwo", "`one⏎two`", id="newline"),
        pytest.param("", "(empty)", id="empty"),
        pytest.param("  ", "(empty)", id="blank"),
        pytest.param(":smile: $x$ :red[y]", "`:smile: $x$ :red[y]`", id="streamlit-syntax"),
        pytest.param(":material/key:", "`:material\u2060/key:`", id="icon"),
    ],
)
def test_literal_is_one_code_span(text: str, shown: str) -> None:
    assert literal(text) == shown


@pytest.mark.parametrize("char", ["\u202e", "\u200b", "\x00", "\x1b", "\ufeff", "\ud83d", "\x7f"])
def test_characters_that_nobody_sees_are_written_out(char: str) -> None:
    assert visible(f"a{char}b") == f"a\\u{ord(char):04x}b"


def test_ordinary_text_of_any_script_stays() -> None:
    text = "größe 日本語 🙂 \t\n"
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        pytest.param("thr-1_a.b", "thr-1_a.b.csv", id="kept"),
        pytest.param("../../etc/passwd", "_.._etc_passwd.csv", id="no path"),
        pytest.param("a\u202egpj\ud800\n", "a_gpj__.csv", id="nothing invisible"),
        pytest.param("x" * 500, "x" * 80 + ".csv", id="short"),
        pytest.param("...", "thread.csv", id="not hidden"),
    ],
)
def test_a_download_has_a_plain_name(text: str, name: str) -> None:
    assert file_name(text, ".csv") == name
