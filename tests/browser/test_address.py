"""The address reproduces the view: what a page shows is what its link shows in another browser."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

pytestmark = pytest.mark.browser

RUN = "source=T-80001&thread=T-80001"
OTHER = "against_source=T-90103&against_thread=T-90103&against=%401"

SHOWN = """() => {
  const said = [];
  const told = ["aria-pressed", "aria-checked", "aria-selected", "aria-expanded", "aria-valuetext"];
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) {
      const text = node.textContent.replace(/\\s+/g, " ").trim();
      if (text) said.push(text);
      return;
    }
    if (!(node instanceof Element) || node.matches("style, script, [data-testid=stToast]")) return;
    if (!node.checkVisibility({ visibilityProperty: true })) return;
    if (node.matches("input, select, textarea")) said.push(`=${node.checked === true} ${node.value}`);
    for (const name of told) if (node.hasAttribute(name)) said.push(`${name}=${node.getAttribute(name)}`);
    for (const child of (node.shadowRoot ?? node).childNodes) walk(child);
  };
  walk(document.querySelector("[data-testid=stMain]"));
  walk(document.querySelector("[data-testid=stSidebar]"));
  return said;
}"""
"""Every visible text of the page and its panels, what is typed and chosen, in order."""

# Where one starts, and what one does there, each with what the address then says.
Steps = Sequence[tuple[str, str]]
VIEWS: dict[str, tuple[str, Steps]] = {
    "timeline": (
        f"timeline?{RUN}&checkpoint=%402",
        (
            ("key b", "base=T-80001-2"),
            ("key ArrowRight", "checkpoint=T-80001-3"),
            ("button changes", "filter="),
            ("row stop_reason", "at=%2Fstop_reason"),
            ("button read", "view=reader"),
        ),
    ),
    "diff": (
        f"diff?{RUN}&checkpoint=%402&{OTHER}",
        (
            ("button unified", "view=unified"),
            ("button changed", "filter="),
            ("row /goal", "at=%2Fgoal"),
            ("", OTHER),
        ),
    ),
    "transcript": (f"transcript?{RUN}&at=%2Fmessages%2F4", (("", "at=%2Fmessages%2F4"),)),
    "presenter": (f"transcript?{RUN}&view=present", (("key ArrowRight", "at=%2Fsteps%2F1"),)),
    "usage": (
        f"usage?{RUN}&against_source=T-90103&against_thread=T-90103",
        (
            ("radio cumulative", "view=cumulative"),
            ("radio by clock", "view=cumulative%2Cclock"),
            ("radio output tokens", "filter=output_tokens"),
        ),
    ),
    "usage of fields": (f"usage?{RUN}&tab=fields", (("", "tab=fields"),)),
    "violations": ("violations?source=broken-tool-rubbish&gate=schema", (("", "gate=schema"),)),
    "runs": (
        "runs",
        (("button violations", "filter=violations"), ("radio by updated", "view=updated")),
    ),
}


@pytest.fixture(scope="module")
def elsewhere(browser: Any) -> Iterator[Any]:
    """A page of another browser, which has seen none of the views."""
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, reduced_motion="reduce", color_scheme="light"
    )
    yield context.new_page()
    context.close()


def quiet(page: Any, settled: Callable[[Any], None]) -> list[str]:
    """Wait until nothing changes any more; return what is shown."""
    settled(page)
    said: list[str] = page.evaluate(SHOWN)
    for _ in range(40):
        page.wait_for_timeout(150)
        settled(page)
        last, said = said, page.evaluate(SHOWN)
        if last == said:
            break
    return said


def do(page: Any, step: str) -> None:
    how, _, what = step.partition(" ")
    if how == "key":
        page.keyboard.press(what)
    elif how == "row":
        page.locator(".panel .row", has_text=what).first.click()
    else:
        page.get_by_role(how).filter(has_text=what).locator("visible=true").first.click()


@pytest.mark.slow  # Each view is two cold visits.
@pytest.mark.parametrize("view", list(VIEWS))
def test_the_address_shows_the_same_in_another_browser(
    samples: str, open_at: Any, settled: Any, elsewhere: Any, view: str
) -> None:
    start, steps = VIEWS[view]
    page = open_at(f"{samples}/{start}")
    for step, words in steps:
        if step:
            do(page, step)
        page.wait_for_function("(words) => location.search.includes(words)", arg=words)
    shown = quiet(page, settled)
    link = page.url

    elsewhere.goto(link)
    elsewhere.locator(".frame .title").wait_for(state="attached")
    assert quiet(elsewhere, settled) == shown
    assert elsewhere.url == link
