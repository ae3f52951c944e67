"""The strip in a real Chromium: links from other panels, filters, the clock, nested chains."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

HARNESS = Path(__file__).with_name("harness") / "panels.py"
GO = "index => document.dispatchEvent(new CustomEvent('checkpointgo', {detail: {index, at: null}}))"


def position(page: Any) -> int:
    return int(page.locator(".strip").get_attribute("data-position"))


def test_another_panel_steps_the_strip_and_the_frame_writes_the_address(
    open_at: Callable[[str], Any], samples: str, settled: Any
) -> None:
    page = open_at(f"{samples}/timeline?thread=T-80001&checkpoint=@0")
    entries = page.evaluate("history.length")
    page.evaluate(GO, 2)
    page.locator('.strip[data-position="2"]').wait_for()
    for nowhere in (99, -1, 1.5, None):
        page.evaluate(GO, nowhere)
    assert position(page) == 2
    page.wait_for_function("new URLSearchParams(location.search).get('checkpoint') !== '@0'")
    settled(page)
    page.keyboard.press("b")
    page.wait_for_function("new URLSearchParams(location.search).has('base')")
    page.keyboard.press("b")
    page.wait_for_function("!new URLSearchParams(location.search).has('base')")
    assert page.evaluate("history.length") == entries


@pytest.fixture
def open_case(page: Any, serve: Callable[..., str], settled: Callable[[Any], None]) -> Any:
    """Return a function that opens a case of the harness and waits until it is drawn."""

    def open_one(case: str, start: int | str) -> Any:
        page.goto(f"{serve(HARNESS)}/?case={case}&start={start}")
        page.locator(".panel[data-rev]").first.wait_for()
        settled(page)
        page.locator("[data-testid=stMain]").click(position={"x": 8, "y": 500})
        return page

    return open_one


def test_the_legend_filters_and_the_keys_pass_over_what_it_leaves_out(open_case: Any) -> None:
    page = open_case("strip-2000", 3)
    chips = page.locator(".legend button[aria-pressed]")
    count, clear = page.locator(".legend .count"), page.locator(".legend .clear")
    broken = chips.filter(has_text="violation")
    assert clear.is_hidden()
    broken.click()
    assert count.inner_text() == "38 of 2,000"
    assert broken.get_attribute("aria-pressed") == "true"
    assert position(page) == 3
    # From one violation to the next: every 53rd has one.
    for key, expected in (("j", 56), ("ArrowRight", 109), ("k", 56), ("Shift+ArrowRight", 586)):
        page.keyboard.press(key)
        assert position(page) == expected, key
    for key, expected in (("End", 1964), ("Home", 3)):
        page.keyboard.press(key)
        assert position(page) == expected, key
    chips.filter(has_text="router").click()
    kept = int(count.inner_text().split(" ")[0])
    assert 0 < kept < 38
    clear.click()
    assert (clear.is_hidden(), count.inner_text()) == (True, "")
    page.keyboard.press("j")
    assert position(page) == 4
    # With the keyboard alone: shift and Enter go to the next one, Enter filters.
    broken.focus()
    page.keyboard.press("Shift+Enter")
    assert (position(page), clear.is_hidden()) == (56, True)
    page.keyboard.press("Enter")
    assert count.inner_text() == "38 of 2,000"


def test_cells_stand_by_time_on_t_and_the_choice_outlives_a_step(open_case: Any) -> None:
    page = open_case("strip-4", 1)
    canvas = page.locator(".strip .drawing canvas")
    before = canvas.bounding_box()["height"]
    page.keyboard.press("t")
    by_time = page.locator(".strip button", has_text="by time")
    assert by_time.get_attribute("aria-pressed") == "true"
    assert canvas.bounding_box()["height"] == before + 16
    page.keyboard.press("j")
    page.get_by_text("selected=2 base=None action=None", exact=True).wait_for()
    assert by_time.get_attribute("aria-pressed") == "true"
    assert page.locator(".strip button", has_text="idle folded").is_hidden()
    box = canvas.bounding_box()
    # The last cell ends where the drawing ends: by step, four cells leave room.
    page.mouse.click(box["x"] + box["width"] - 12, box["y"] + 30)
    assert position(page) == 3
    by_time.click()
    assert canvas.bounding_box()["height"] == before
    # Two hours in which nothing was saved are folded between the second and the third cell.
    open_case("strip-4", "1&idle=1")
    page.keyboard.press("t")
    idle, tip = page.locator(".strip button", has_text="idle folded"), page.locator(".strip .tip")
    assert idle.get_attribute("aria-pressed") == "true"
    box = canvas.bounding_box()
    told = []
    for x in range(20, int(box["width"]), 20):
        page.mouse.move(box["x"] + x, box["y"] + 30)
        told.append(tip.inner_text())
        if "nothing was saved for 2 h" in told[-1]:
            break
    assert "nothing was saved for 2 h, before @2" in told[-1]
    page.mouse.down()
    page.mouse.up()
    assert idle.get_attribute("aria-pressed") == "false"
    assert position(page) == 1
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 30)
    assert "@2 · step 2" in tip.inner_text()
    idle.click()
    assert idle.get_attribute("aria-pressed") == "true"


def test_subgraphs_unfold_in_place_and_open_and_lead_back_up(
    open_at: Callable[[str], Any], samples: str, settled: Any
) -> None:
    page = open_at(f"{samples}/timeline?thread=restock-204&checkpoint=@1")
    button = page.locator(".strip button", has_text="subgraphs")
    assert button.is_disabled()
    page.keyboard.press("s")
    assert page.locator(".strip .nests").is_hidden()
    page.keyboard.press("End")
    settled(page)
    page.keyboard.press("s")
    rows = page.locator(".strip .nest-row")
    rows.nth(2).wait_for()
    assert button.get_attribute("aria-expanded") == "true"
    assert "supplier" in rows.first.inner_text()
    assert "not finished · 2 checkpoints" in rows.first.inner_text()
    cell = rows.nth(1).get_by_role("button", name="supplier checkpoint 2")
    assert "ask_supplier" in cell.get_attribute("aria-label")
    cell.click()
    page.locator(".strip .way b", has_text="supplier").wait_for()
    settled(page)
    assert position(page) == 2
    assert "namespace=supplier" in page.url
    assert "checkpoint=%402" in page.url
    page.locator(".strip .way button", has_text="root").click()
    page.locator('.strip[data-position="3"]').wait_for()
    settled(page)
    assert "namespace" not in page.url
    # What was unfolded is still unfolded.
    rows.nth(2).wait_for()
    page.keyboard.press("s")
    assert page.locator(".strip .nests").is_hidden()


def test_the_key_for_violations_leads_to_the_place_that_is_wrong(
    samples: str, open_at: Callable[[str], Any]
) -> None:
    page = open_at(f"{samples}/timeline?source=broken-illegal-transition&checkpoint=%400")
    page.keyboard.press("v")
    page.wait_for_url("**at=%2Fstatus**")
    assert "status" in page.locator(".tree .row.selected").inner_text()
    page.keyboard.press("End")
    page.keyboard.press("v")
    page.locator(".strip .where", has_text="@7").wait_for()
    # A tab or a button that has the focus keeps no letter for itself.
    page.goto(f"{samples}/usage?source=broken-illegal-transition&checkpoint=%400")
    page.get_by_role("radio", name="fields").click()
    page.keyboard.press("v")
    page.locator(".strip .where", has_text="@7").wait_for()
