"""Names of sources, profiles and schemas that a file system refuses to look up."""

import pytest

from viewer.cli import run

LONG = "x" * 5000


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["runs", LONG], id="source"),
        pytest.param(["identify", LONG], id="identify"),
        pytest.param(["diff", ".", LONG], id="document of a diff"),
        pytest.param(["runs", ".", "--profile", LONG], id="profile"),
        pytest.param(["check", ".", "--schema", LONG], id="schema"),
        pytest.param(["open", LONG], id="open"),
    ],
)
def test_a_name_too_long_for_the_system_is_one_line_on_standard_error(
    arguments: list[str], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run(arguments) == 2
    out, err = capsysbinary.readouterr()
    assert not out
    assert err.count(b"\n") == 1
