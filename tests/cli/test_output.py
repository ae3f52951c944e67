import json
import os
import subprocess
import sys

import pytest


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
