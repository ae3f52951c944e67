"""axe-core finds nothing of ours on any page, light and dark."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")
ROOT = Path(__file__).parents[2]
STEMS = sorted(page.stem for page in (ROOT / "pages").glob("*.py"))
RUN = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target, html, any, all, none }) => ({
      id, impact, html: html.slice(0, 240), target: target.flat().join(" "),
      menu: Boolean(document.querySelector([target[0]].flat()[0])?.closest("[data-testid=stSidebarNav]")),
      why: [...any, ...all, ...none].map((check) => check.message).join("; ").slice(0, 240),
    })));
}"""
STREAMLIT = ("list", "listitem")
"""What axe says of Streamlit's own menu; nothing of ours can change it."""

pytestmark = pytest.mark.browser


def ours(found: list[dict[str, Any]]) -> list[str]:
    return [
        f"{one['id']} ({one['impact']}): {one['target']}: {one['why']} {one['html']}"
        for one in found
        if not (one["menu"] and one["id"] in STREAMLIT)
    ]


OFTEN = ("timeline", "diff", "transcript", "runs")
"""The rest is looked at with ``-m slow``: each visit takes seconds."""


@pytest.mark.parametrize(
    "stem",
    [pytest.param(s, marks=() if s in OFTEN else pytest.mark.slow) for s in STEMS],
)
def test_axe_finds_nothing_of_ours(
    samples: str, open_at: Callable[[str], Any], settled: Callable[[Any], None], stem: str
) -> None:
    page = open_at(f"{samples}/{stem}?source=T-80001")
    page.add_script_tag(path=str(AXE))
    light = ours(page.evaluate(RUN))
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(
        "getComputedStyle(document.querySelector('[data-testid=stApp]')).colorScheme === 'dark'"
    )
    settled(page)
    dark = ours(page.evaluate(RUN))
    page.emulate_media(color_scheme="light")
    assert not light, "\n".join(light)
    assert not dark, "\n".join(dark)
