import json
import os
import subprocess
import sys
from unicodedata import category

import pytest

from viewer.reports.terminal import columns, cut, one_line, revealed, safe, table


def viewer(*arguments, **more):
    return subprocess.run(
        [sys.executable, "-m", "viewer", *map(str, arguments)], capture_output=True, **more
    )


@pytest.mark.parametrize("locale", ["C", "POSIX", "en_US.ISO-8859-1"])
def test_output_is_utf8_under_any_locale(root, write_json, locale):
    state = {"name": "Zoë \U0001f600 \u202e", "half": "\ud83d", "\udc00": [float("nan"), 10**40]}
    source = write_json("run.json", state)
    environment = {**os.environ, "LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    result = viewer("show", source, "--checkpoint", "head", "--json", cwd=root, env=environment)
    assert result.stderr == b""
    found = json.loads(result.stdout.decode("utf-8"))["state"]
    assert found["name"] == state["name"]
    assert found["half"] == "\ud83d"
    assert found["\udc00"] == [{"$type": "float", "value": "NaN"}, 10**40]


def test_a_reader_that_goes_away_ends_the_output_quietly(root, write_json):
    source = write_json("run.json", {"rows": ["x" * 100] * 20_000})
    command = [sys.executable, "-m", "viewer", "show", source, "--checkpoint", "head"]
    with subprocess.Popen(
        command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as shown:
        assert shown.stdout is not None
        assert shown.stderr is not None
        shown.stdout.read(10)
        shown.stdout.close()
        assert shown.stderr.read() == b""
        assert shown.wait() == 0


@pytest.mark.parametrize(
    "command", ["identify", "runs --check", "show", "diff", "check", "usage", "transcript"]
)
def test_a_command_imports_nothing_that_it_does_not_need(root, command):
    words = [*command.split(), "sample_runs/T-80001"]
    code = (
        f"import sys; from viewer.cli import run; run({words!r}); "
        "heavy = {'streamlit', 'pandas', 'plotly', 'deepdiff'} & set(sys.modules); "
        "sys.exit(', '.join(heavy) or 0)"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True)
    assert result.stdout
    assert result.stderr == b""
    assert result.returncode == 0


def test_hostile_text_cannot_drive_the_terminal(cli, write_json):
    evil = "\x1b]0;owned\x07\x1b[2J\r\x9b31m\u202egpj.exe\u2028"
    chain = [
        {"checkpoint_id": evil, "state": {"status": evil, evil: 1}},
        {"checkpoint_id": "b", "state": {"status": "x", evil: evil}},
    ]
    source = write_json("run.json", chain)
    for arguments in (
        ("runs",),
        ("show",),
        ("show", "--field", "/status"),
        ("diff",),
        ("check",),
        ("usage",),
        ("show", "--checkpoint", "@0"),
        ("show", "--checkpoint", "@0", "--field", "/status"),
    ):
        result = cli(arguments[0], source, *arguments[1:])
        printed = set(result.out) | set(result.err)
        assert not printed & set("\x1b\x07\r\x9b\u202e\u2028"), arguments


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
