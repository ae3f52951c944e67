"""Runs and Usage in a browser: filters and Back, a click on a sentence, a click on a chart."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import TimeoutError

pytestmark = pytest.mark.browser
FILTERED = "decodeURIComponent(location.href).includes('/runs?filter=failed,waiting')"
FORK = "langgraph-interrupt-fork/checkpoints.sqlite"


def click_until(page: Any, across: int, seen: Callable[[], object]) -> None:
    """Click into the first row, again where the table was being drawn anew, until ``seen`` holds."""
    for left in (3, 2, 1, 0):
        box = page.locator("[data-testid=stDataFrame]").first.bounding_box()
        page.mouse.click(box["x"] + across, box["y"] + 52)
        try:
            seen()
            return
        except TimeoutError:
            if not left:
                raise


@pytest.mark.slow
def test_back_restores_the_filter_and_a_sentence_shows_whole(
    samples: str, open_at: Any, settled: Any
) -> None:
    page = open_at(f"{samples}/runs?filter=failed,waiting")
    page.get_by_text("with violations").click()
    page.wait_for_url("**/runs?filter=violations*")
    page.go_back()
    page.wait_for_function(FILTERED)
    settled(page)
    # Which thread comes first tells that the page, not only the address, is the one before.
    page.locator(".st-key-first", has_text="restock-204").wait_for()
    settled(page)
    first = page.locator(".st-key-first")
    click_until(page, 600, lambda: first.get_by_text("Why").wait_for(timeout=4_000))
    assert "503 after 3 tries" in first.inner_text()
    settled(page)
    click_until(page, 60, lambda: page.wait_for_url("**/timeline?**", timeout=4_000))
    assert "filter" not in page.url
    settled(page)
    page.go_back()
    page.wait_for_function(FILTERED)


@pytest.mark.slow
def test_the_first_click_after_a_search_counts_and_chips_are_there_on_return(
    samples: str, open_at: Any, settled: Any
) -> None:
    page = open_at(f"{samples}/runs")
    page.locator(".st-key-runs_chips").get_by_text("violations").click()
    page.wait_for_url("**/runs?filter=violations*")
    settled(page)
    page.get_by_placeholder("Search in thread").fill("broken")
    page.keyboard.press("Enter")
    page.wait_for_timeout(600)
    settled(page)
    box = page.locator("[data-testid=stDataFrame]").first.bounding_box()
    page.mouse.click(box["x"] + 60, box["y"] + 52)
    page.wait_for_url("**/timeline?**")
    settled(page)
    page.get_by_text("Runs", exact=True).first.click()
    page.wait_for_url("**/runs?filter=violations*")


def test_a_click_on_a_bar_opens_its_step_and_the_choice_is_in_the_address(
    samples: str, open_at: Any, settled: Any
) -> None:
    page = open_at(f"{samples}/usage?source={FORK}&filter=total_tokens")
    bar = page.locator(".js-plotly-plot .bars .point").nth(2)
    bar.wait_for()
    bar.locator("path").click(force=True)
    page.locator(".strip .where", has_text="@2").wait_for()
    settled(page)
    page.get_by_text("cumulative", exact=True).click()
    page.wait_for_function("location.search.includes('view=cumulative')")
    settled(page)
    # The step that the click chose stands; the chart's own selection asks for it no second time.
    page.locator(".frame .title").click()
    page.keyboard.press("Home")
    page.locator(".strip .where", has_text="@0").wait_for()
    settled(page)
    assert page.locator(".strip .where").inner_text().startswith("@0")
    page.go_back()
    page.wait_for_function("!location.search.includes('view=')")
    settled(page)
    assert "filter=total_tokens" in page.url
