import pytest

COMMANDS = (
    *("open", "identify", "runs", "why", "show", "diff", "check", "usage", "transcript", "report"),
)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(cli, command):
    result = cli(command, "--help")
    assert result.code == 0
    assert "--json" in result.out
    assert result.err == ""


def test_the_overview_names_every_command_and_no_other(cli):
    result = cli("--help")
    listed = [line.split()[0] for line in result.out.splitlines() if line.startswith("  ")]
    assert result.code == 0
    assert tuple(listed) == COMMANDS


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param((), id="nothing"),
        pytest.param(("decide", "x"), id="a command of a later issue"),
        pytest.param(("runs",), id="no source"),
        pytest.param(("runs", "x", "--jso"), id="an abbreviation"),
        pytest.param(("runs", "x", "--thread"), id="an option without its value"),
        pytest.param(("diff", "x", "--significant", "few"), id="no number"),
        pytest.param(("open", "--port", "99999"), id="no port"),
        pytest.param(("open", "--port", "8\u0665"), id="a digit that is not ASCII"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(cli, arguments):
    result = cli(*arguments)
    assert result.code == 2
    assert result.out == ""
    assert result.err.startswith("checkpoint-viewer: ")
    assert result.err.count("\n") == 1


@pytest.mark.parametrize(
    "order",
    [
        pytest.param(("--json", "--thread", "T-80001", "runs", "SOURCE"), id="options first"),
        pytest.param(("runs", "--json", "SOURCE", "--thread", "T-80001"), id="around the source"),
        pytest.param(("runs", "SOURCE", "--thread=T-80001", "--json"), id="options last"),
    ],
)
def test_options_may_stand_anywhere(cli, sample, order):
    result = cli(*(sample("T-80001") if word == "SOURCE" else word for word in order))
    assert [row["thread_id"] for row in result.document["threads"]] == ["T-80001"]


def test_sources_may_stand_around_options(cli, sample):
    result = cli("runs", sample("T-80001"), "--json", sample("T-90103"))
    assert [row["thread_id"] for row in result.document["threads"]] == ["T-80001", "T-90103"]


def test_version_is_printed(cli):
    result = cli("--version")
    assert result.code == 0
    assert result.out.startswith("checkpoint-viewer ")


def test_the_help_of_why_names_the_findings(cli):
    from viewer.analysis.finding_words import KEYWORDS

    lines = cli("why", "--help").out.splitlines()
    assert all(any(line.split()[:1] == [word] for line in lines) for word in KEYWORDS)
