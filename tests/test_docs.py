"""Documents that are true: what README lists is what the program has."""

import re
from pathlib import Path

import pytest

from viewer.cli.arguments import COMMANDS
from viewer.profiles import builtin_names
from viewer.sources import READERS
from viewer.ui.page import PAGES

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]


def rows(heading: str) -> list[str]:
    """Return the first cells of the table under ``heading``, without their code marks."""
    body = README.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    cells = re.findall(r"^\| ([^|]+?) \|", body, re.MULTILINE)
    return [cell.strip("`") for cell in cells][1:]


def test_readers_are_those_in_readme() -> None:
    assert rows("Sources") == [reader.name for reader in READERS]


def test_pages_are_those_in_readme() -> None:
    assert sorted(rows("Pages")) == sorted(title for _, _, title, _ in PAGES)


def test_commands_are_those_in_readme() -> None:

    assert rows("Commands") == list(COMMANDS)


@pytest.mark.parametrize("name", builtin_names())
def test_profiles_are_named_in_readme(name: str) -> None:
    assert f"`{name}`" in README.split("## Profiles")[1]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_files_that_a_document_names_exist(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    places = re.findall(r"\]\(([^)#:]+)\)", text)
    places += re.findall(r"`((?:viewer|tests|schemas|sample_runs|bench|docs)/[\w./-]+)`", text)
    for place in places:
        inside = place if (ROOT / place).exists() else f"viewer/{place}"
        assert (ROOT / inside).exists(), f"{document} names {place}"


def test_ci_runs_the_test_command_of_readme() -> None:
    pattern = r"^(python3 -m venv .*pytest.*)$"
    assert len(re.findall(pattern, README, re.MULTILINE)) == 1
    assert "README.md" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
