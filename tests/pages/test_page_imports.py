"""pages/ is no package, so import-linter cannot hold it: this does."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "pages").glob("*.py"))
ALLOWED = (
    "streamlit",
    "viewer.ui",
    "viewer.panels",
    "viewer.tables",
    "viewer.charts",
    "viewer.analysis",
)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_page_only_chooses_and_shows(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 60
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            full = [f"{node.module}.{name.name}" for name in node.names]
        elif isinstance(node, ast.Import):
            full = [name.name for name in node.names]
        else:
            continue
        for name in full:
            assert name.startswith(ALLOWED), f"{page.name} may not import {name}"


def test_pages_are_those_that_the_menu_lists() -> None:
    from viewer.ui.page import PAGES as LISTED

    assert sorted(stem for _, stem, _, _ in LISTED) == [page.stem for page in PAGES]
