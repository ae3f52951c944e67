"""The pages as a person meets them: cold links, Back, keys, hostile text, a narrow window."""

import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
APP = ROOT / "app.py"
SAMPLES = ROOT / "sample_runs"
STEMS = sorted(page.stem for page in (ROOT / "pages").glob("*.py"))

pytestmark = pytest.mark.browser


def sources(*places: Path) -> dict[str, str]:
    return {"CHECKPOINT_VIEWER_SOURCES": json.dumps([str(place) for place in places])}


@pytest.mark.parametrize("stem", STEMS)
def test_every_page_opens_cold_on_a_fresh_server(serve: Any, open_at: Any, stem: str) -> None:
    url = serve(APP, sources(SAMPLES / "T-80001"), fresh=True)
    page = open_at(f"{url}/{stem}?source=T-80001&thread=T-80001&checkpoint=%402")
    assert page.get_by_role("dialog").count() == 0
    assert (
        page.locator("[data-testid=stSidebarNav]").get_by_text("State vs transcript").count() == 1
    )
    if stem not in ("runs", "approvals"):
        assert page.locator(".strip .where").inner_text().startswith("@2")


def test_root_shows_the_runs(samples: str, open_at: Any) -> None:
    page = open_at(samples)
    assert page.locator(".frame .title").inner_text() == "Runs"


def test_stepping_replaces_the_address_and_back_leaves_the_page(
    samples: str, open_at: Any, settled: Any
) -> None:
    page = open_at(f"{samples}/timeline?source=thr_invoice_42")
    page.get_by_role("link", name="Usage").click()
    page.wait_for_url("**/usage?**")
    settled(page)
    depth = page.evaluate("history.length")
    page.locator(".frame .title").click()
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
    page.wait_for_function(
        "location.search.includes('checkpoint=%404') || location.search.includes('ckpt_4')"
    )
    settled(page)
    assert page.evaluate("history.length") == depth
    page.go_back()
    page.wait_for_url("**/timeline?**")
    settled(page)
    page.locator("[data-testid=stSidebarNav] [aria-current=page]", has_text="Timeline").wait_for()
    assert page.locator(".strip .where").inner_text()


def test_back_returns_to_the_thread_before(samples: str, open_at: Any, settled: Any) -> None:
    page = open_at(f"{samples}/timeline?source=T-80001")
    picker = page.locator("[data-testid=stSidebar] [data-testid=stSelectbox]").first
    picker.click()
    page.get_by_role("option", name="T-90103", exact=True).click()
    page.wait_for_function("location.search.includes('T-90103')")
    settled(page)
    assert page.locator(".frame .title").inner_text() == "T-90103"
    page.go_back()
    page.wait_for_function("location.search.includes('T-80001')")
    page.locator(".frame .title", has_text="T-80001").wait_for()
    settled(page)
    assert "T-80001" in page.url
    page.go_forward()
    page.locator(".frame .title", has_text="T-90103").wait_for()
    settled(page)
    assert "T-90103" in page.url


def test_a_click_in_runs_opens_the_thread(samples: str, open_at: Any, settled: Any) -> None:
    page = open_at(f"{samples}/runs")
    page.locator("[data-testid=stTextInput] input").fill("T-90103-approved")
    page.get_by_text("1 of 20 threads").wait_for()
    settled(page)
    grid = page.locator("[data-testid=stDataFrame]").first
    box = grid.bounding_box()
    page.mouse.click(box["x"] + 60, box["y"] + 52)
    page.wait_for_url("**/timeline?**")
    page.locator(".frame .title", has_text="T-90103-approved").wait_for()
    page.go_back()
    page.locator(".frame .title", has_text="Runs").wait_for()
    settled(page)
    assert "/timeline" not in page.url


def test_d_opens_the_diff_of_the_same_pair(samples: str, open_at: Any, settled: Any) -> None:
    page = open_at(f"{samples}/timeline?source=T-80001&thread=T-80001&checkpoint=%402")
    page.locator(".frame .title").click()
    page.keyboard.press("d")
    page.wait_for_url("**/diff?**")
    settled(page)
    assert page.locator(".strip .where").inner_text().startswith("@2")


@pytest.mark.slow
def test_no_page_scrolls_sideways_at_1024_and_zoomed(
    samples: str, open_context: Any, settled: Any
) -> None:
    page = open_context(viewport={"width": 1024, "height": 768}, color_scheme="dark").new_page()
    for stem in STEMS:
        page.goto(f"{samples}/{stem}?source=thr_invoice_42-fork")
        page.locator(".frame .title").wait_for()
        settled(page)
        # The second is 1440 at 200 % zoom.
        for width in (1024, 720):
            page.set_viewport_size({"width": width, "height": 768})
            page.wait_for_function(
                "() => [document.querySelector('[data-testid=stMain]'), document.documentElement]"
                ".every((node) => node.scrollWidth <= node.clientWidth)",
                timeout=5_000,
            )


def test_a_page_that_lags_behind_the_strip_is_dimmed(samples: str, open_at: Any) -> None:
    page = open_at(f"{samples}/timeline?source=thr_invoice_42")
    page.evaluate(
        "() => { window.dimmed = 0; new MutationObserver(() => {"
        " if ('stepping' in document.body.dataset) window.dimmed += 1; })"
        ".observe(document.body, { attributes: true }); }"
    )
    page.locator(".frame .title").click()
    page.keyboard.press("Home")
    page.wait_for_function("window.dimmed > 0 && !('stepping' in document.body.dataset)")
    assert page.locator(".strip .where").inner_text().startswith("@0")
    assert page.locator("[data-testid=stMarkdown] code").first.inner_text() == "ckpt_0"


def test_the_count_of_violations_leads_to_them(samples: str, open_at: Any) -> None:
    page = open_at(f"{samples}/timeline?source=broken-step-back")
    page.locator(".frame button.bad").click()
    page.wait_for_url("**/violations?**")
