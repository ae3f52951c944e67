"""The search over all steps, in a real browser."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import axe_playwright_python
import pytest

pytestmark = pytest.mark.browser

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")
JUDGE = """async () => {
  const hosts = [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")];
  const host = hosts.find((one) => [one, ...one.querySelectorAll("*")].some((e) => e.shadowRoot?.querySelector(".find")));
  const { violations, passes } = await axe.run(host);
  return [passes.length, violations.map(({ id, nodes }) => `${id}: ${nodes.map((n) => n.html + n.any.map((c) => c.message).join(" ")).join(" ")}`)];
}"""
LISTEN = """() => {
  window.went = [];
  document.addEventListener("checkpointgo", ({ detail }) => window.went.push([detail.index, detail.at]));
}"""


def test_a_text_is_found_in_every_step_and_gone_to(
    open_at: Callable[[str], Any], samples: str
) -> None:
    page = open_at(f"{samples}/timeline?source=T-80001")
    page.evaluate(LISTEN)
    line, strip = page.locator(".find"), page.locator(".strip[data-position]")
    assert line.bounding_box()["height"] <= 32
    page.keyboard.press("g")
    page.keyboard.type("other_customer")
    page.locator(".find[data-found='3']").wait_for()
    row = line.get_by_role("option").filter(has_text="/evidence/0/code")
    assert row.inner_text().split() == [
        *("other_customer", "/evidence/0/code", "first", "@1", "last", "@3"),
        *("in", "3", "of", "4"),
    ]
    assert row.locator("mark").inner_text() == "other_customer"
    assert "other_customer" not in page.url
    page.add_script_tag(path=str(AXE))
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(
            "(scheme) => getComputedStyle(document.querySelector('[data-testid=stApp]'))"
            ".colorScheme === scheme",
            arg=scheme,
        )
        rules, wrong = page.evaluate(JUDGE)
        assert rules > 5
        assert not wrong, "\n".join([scheme, *wrong])
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.locator(".strip[data-position='1']").wait_for()
    assert not line.get_by_role("listbox").is_visible()
    page.keyboard.press("g")
    page.keyboard.press("Shift+Enter")
    page.locator(".strip[data-position='3']").wait_for()
    page.keyboard.press("ArrowLeft")  # keys belong to the strip again
    page.locator(".strip[data-position='2']").wait_for()
    assert strip.count() == 1
    assert page.evaluate("window.went") == [[1, "/evidence/0/code"], [3, "/evidence/0/code"]]

    page.keyboard.press("g")
    page.keyboard.type("other_[")
    line.get_by_role("button", name="Regular expression").click()
    line.get_by_text("no regular expression").first.wait_for()
    assert line.locator("input").get_attribute("aria-invalid") == "true"
    page.keyboard.press("End")
    page.keyboard.type("c]")
    page.locator(".find[data-found='3']").wait_for()
    page.keyboard.press("Escape")
    assert not line.get_by_role("listbox").is_visible()
    page.keyboard.press("Home")
    page.locator(".strip .where", has_text="@0").wait_for()
    page.keyboard.press("g")
    page.keyboard.type("max_steps")
    page.keyboard.press("Enter")
    page.locator(".strip .where", has_text="@3").wait_for()


def test_a_page_without_places_leads_to_one_that_shows_them(
    open_at: Callable[[str], Any], samples: str, settled: Callable[[Any], None]
) -> None:
    page = open_at(f"{samples}/usage?source=T-80001")
    page.keyboard.press("g")
    page.keyboard.type("get_customer_orders")
    row = page.locator(".find").get_by_role("option").filter(has_text="/evidence/1/tool")
    row.get_by_text("Timeline").click()
    page.wait_for_url("**/timeline?**")
    settled(page)
    asked = parse_qs(urlsplit(page.url).query)
    assert (asked["checkpoint"], asked["at"]) in [
        (["@2"], ["/evidence/1/tool"]),
        (["T-80001-2"], ["/evidence/1/tool"]),
    ]
    assert page.locator(".strip").get_attribute("data-position") == "2"
