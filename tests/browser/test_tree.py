"""The state tree in a real Chromium: address, inspector, pins, search, filters, reader."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

HARNESS = Path(__file__).parent / "harness" / "panels.py"
Opener = Callable[..., Any]

TELL = """(answers) => {
  window.asked = [];
  document.addEventListener("checkpointask", ({ detail: { id, kind, args } }) => {
    window.asked.push([kind, args]);
    const found = kind in answers ? { answer: answers[kind] } : { error: "nobody answers" };
    setTimeout(() => document.dispatchEvent(
      new CustomEvent("checkpointanswer", { detail: { id, ...found } })), 0);
  });
  for (const name of ["checkpointaddress", "checkpointgo"]) {
    document.addEventListener(name, ({ detail }) => (window[name] = detail));
  }
  document.dispatchEvent(new CustomEvent("checkpointasklistens"));
}"""


@pytest.fixture
def open_tree(page: Any, serve: Callable[..., str], settled: Callable[[Any], None]) -> Opener:
    """Return a function that opens the tree of a harness case; ``answers`` stand in for Python."""

    def go(case: str, answers: dict[str, Any] | None = None, **parameters: str) -> Any:
        more = "".join(f"&{name}={value}" for name, value in parameters.items())
        page.goto(f"{serve(HARNESS)}/?case=tree-{case}{more}")
        page.locator(".tree[data-rev]").wait_for()
        settled(page)
        page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        page.evaluate(TELL, answers or {})
        return page

    return go


def pointer(page: Any) -> Any:
    return page.locator(".crumbs").get_attribute("data-pointer")


def names(page: Any) -> list[str]:
    order = """(nodes) => nodes.sort((a, b) => Number(a.dataset.row) - Number(b.dataset.row))
      .map((node) => node.querySelector(".key").textContent)"""
    found: list[str] = page.locator(".tree .row").evaluate_all(order)
    return found


def copied(page: Any, label: str) -> str:
    place = page.locator(".path .copy").all_text_contents().index(label)
    button = page.locator(".path .copy").nth(place)
    button.click()
    expect(button).to_have_text("copied")
    return str(page.evaluate("navigator.clipboard.readText()"))


def test_the_address_is_followed_and_kept(open_tree: Opener) -> None:
    page = open_tree("small", at="/plan/1/done", filter="plane:derived context", view="reader")
    assert pointer(page) == "/plan/1/done"
    assert page.locator(".reader").inner_text().endswith("false")
    assert names(page)[:2] == ["state", "plan"]
    expect(page.get_by_label("Plane of state")).to_have_value("derived context")
    page.get_by_role("button", name="clear filters").click()
    assert "status" in names(page)
    assert page.evaluate("window.checkpointaddress") == {"params": {"filter": None}, "push": True}
    page.get_by_role("button", name="only 10 changes").click()
    page.locator(".row", has_text="tokens").click()
    page.wait_for_function("window.checkpointaddress.params.at === '/tokens'")
    told = page.evaluate("window.checkpointaddress")
    assert told == {
        "params": {"at": "/tokens", "view": "reader", "filter": "changed"},
        "push": False,
    }
    # A link to another step: selected once that step is drawn, and not before.
    page.evaluate(
        """document.dispatchEvent(
          new CustomEvent("checkpointgo", { detail: { index: 5, at: "/fresh/inside" } }))"""
    )
    assert pointer(page) == "/tokens"
    page.get_by_role("button", name="other checkpoint").click()
    page.locator('.crumbs[data-pointer="/fresh/inside"]').wait_for()
    assert page.locator(".row.selected").text_content() == "inside1"


def test_the_inspector_tells_what_is_known_of_a_place(open_tree: Opener) -> None:
    run = {"value": "false", "kind": "changed", "nodes": ["loop"], "text": ""}
    runs = [{**run, "from": 0, "to": 3, "value": None}, {**run, "from": 4, "to": 9}]
    answers = {
        "biography": {"runs": runs, "first": 0, "last": 9, "changes": 1},
        "reducers": {"plan": "replaced by each write", "tokens": "added"},
    }
    page = open_tree("small", answers, at="/tokens")
    page.locator(".row", has_text="tokens").click()
    inspector = page.locator(".inspector")
    inspector.get_by_text("reducer").wait_for()
    shown = inspector.inner_text()
    for part in (
        "integer",
        "added",
        "would not be shown, by the projection",
        "since @3",
        "was 990",
        "+260",
    ):
        assert part in shown, part
    page.locator(".row", has_text="step").first.click()
    shown = inspector.inner_text()
    for part in (
        "the loop and the runner",
        "never falls (step_monotone)",
        "Model calls so far.",
        "minimum",
    ):
        assert part in shown, part
    page.locator(".row", has_text=re.compile("^1{")).locator(".caret").click()
    page.locator(".row", has_text="donefalse").click()
    inspector.get_by_text("done in 3 items · 2 distinct").wait_for()
    lines = inspector.locator("details").first.locator(".line")
    assert lines.all_text_contents() == ["0 true", "1 false", "2 false"]
    lines.first.click()
    assert pointer(page) == "/plan/0/done"
    biography = inspector.locator("details").last
    biography.locator(".line").first.wait_for()
    assert page.evaluate("window.asked.at(-1)") == [
        "biography",
        {"index": 4, "pointer": "/plan/0/done"},
    ]
    assert biography.locator(".line").all_text_contents() == [
        "@0–@3 absent · loop",
        "@4–@9 false · loop",
    ]
    assert biography.locator("[aria-current=true]").inner_text().startswith("@4–@9")
    biography.locator(".line").first.click()
    assert page.evaluate("window.checkpointgo") == {"index": 0, "at": "/plan/0/done"}
    # It can be closed, stays so, and is below the tree where there is no room beside it.
    page.locator(".tree .viewport").focus()
    page.keyboard.press("i")
    assert inspector.is_hidden()
    assert page.evaluate("localStorage.getItem('checkpoint-viewer inspector')") == "false"
    page.keyboard.press("i")
    page.set_viewport_size({"width": 1024, "height": 900})
    page.locator(".tree:not(.beside)").wait_for()
    tree, beside = page.locator(".tree .viewport").bounding_box(), inspector.bounding_box()
    assert beside["y"] >= tree["y"] + tree["height"]
    page.set_viewport_size({"width": 1440, "height": 900})


def test_pins_stay_in_sight_and_names_are_copied(open_tree: Opener) -> None:
    page = open_tree("small", at="/tokens")
    page.locator(".row", has_text="tokens").click()
    page.keyboard.press("m")
    page.locator(".row", has_text="old_field").click()
    page.get_by_role("button", name="pin", exact=True).click()
    pins = page.locator(".pinned")
    assert pins.locator(".pinned-name").all_text_contents() == ["/tokens", "/old_field"]
    assert "changed" in pins.first.inner_text()
    page.get_by_role("button", name="other checkpoint").click()
    page.locator('.pinned[data-pointer="/old_field"] .absent').wait_for()
    assert re.search(r"/tokens.*1250", pins.first.inner_text(), re.DOTALL)
    assert "not in this state: /old_field" in page.locator(".notes").inner_text()
    assert '["/tokens","/old_field"]' in page.evaluate(
        "JSON.stringify({...sessionStorage})"
    ).replace("\\", "")
    pins.first.locator(".pinned-name").click()
    assert pointer(page) == "/tokens"
    page.get_by_role("button", name="unpin /tokens").click()
    assert pins.count() == 1
    page.locator(".row", has_text="score").click()
    assert copied(page, "JSONPath") == "$['score']"
    assert copied(page, "source") == "1.0"
    assert copied(page, "key") == "score"
    # All below opens and closes, and stays so in the next checkpoint.
    page.locator(".row .key.root").click()
    page.keyboard.press("Shift+ArrowLeft")
    assert names(page) == ["state"]
    page.keyboard.press("Shift+ArrowRight")
    assert "inside" in names(page)
    page.get_by_role("button", name="other checkpoint").click()
    page.locator(".row", has_text="kept").wait_for()


def test_search_by_case_and_expression_never_hangs(open_tree: Opener) -> None:
    page = open_tree("small")
    search, note = page.get_by_label("Search keys and values"), page.locator(".search-note")
    count = page.locator(".tree .count")
    search.fill("STATUS")
    expect(count).to_contain_text("1 of 1 hit")
    page.get_by_role("button", name="Match case").click()
    expect(count).to_contain_text("0 hits")
    page.get_by_role("button", name="Match case").click()
    page.get_by_role("button", name="Regular expression").click()
    search.fill("^.{4,5}$")
    expect(count).to_contain_text(re.compile(r"1 of \d+ hits"))
    assert page.locator(".row mark").first.inner_text() in (
        "limits",
        "draft",
        "score",
        "name",
        "goal",
        "plan",
        "done",
        "step",
    )
    search.press("Enter")
    expect(count).to_contain_text(re.compile(r"2 of \d+ hits"))
    search.fill("(")
    expect(note).to_contain_text("no regular expression")
    expect(search).to_have_attribute("aria-invalid", "true")
    assert len(names(page)) > 5
    search.fill(r"^([\w\s.-]+)+!$")
    expect(note).to_contain_text("searching")
    page.locator(".row", has_text="step").first.click()  # While it runs, the page answers.
    expect(note).to_contain_text("stopped after 2 s")
    page.get_by_role("button", name="Regular expression").click()
    search.fill("a")
    expect(count).to_contain_text("hits")
    page.get_by_role("button", name="only 2 marked places").click()
    expect(count).to_contain_text("1 hit · ")
    expect(count).to_contain_text("outside the filter")


def test_the_reader_parses_and_fetches_what_was_cut(open_tree: Opener) -> None:
    whole = '["' + "word " * 3 + '","the end"]'
    page = open_tree("cut", {"value": whole}, at="/answer", view="reader")
    reader = page.locator(".reader")
    assert "characters" in reader.locator(".reader-bar").inner_text()
    reader.get_by_role("button", name="parse as JSON").first.click()
    assert '"tool": "refund"' in reader.inner_text()
    reader.get_by_role("button", name="parse as JSON").nth(1).click()
    assert '"amount": 899.00' in reader.locator(".nested").inner_text()
    reader.get_by_role("button", name="wrap").click()
    assert page.locator(".reader.unwrapped").count() == 1
    page.locator(".row", has_text="saved_at").click()
    assert "2026-06-15 09:12:11.000Z" in page.locator(".inspector").inner_text()
    page.locator(".row", has_text="expires").click()
    assert "Unix time in seconds" in page.locator(".inspector").inner_text()
    page.locator(".row", has_text="gone").click()
    reader.get_by_role("button", name="whole value").click()
    reader.get_by_text("the end").wait_for()
    assert ["value", {"index": 3, "pointer": "/gone"}] in page.evaluate("window.asked")


def test_a_field_leads_to_the_step_that_wrote_it(
    open_at: Callable[[str], Any], samples: str
) -> None:
    page = open_at(f"{samples}/timeline?source=T-80001&checkpoint=@3&at=/stop_reason")
    assert pointer(page) == "/stop_reason"
    lines = page.locator(".inspector details").last.locator(".line")
    lines.first.wait_for()
    assert (
        lines.all_text_contents() == ["@0–@2 null · start", "@3 max_steps · loop"]
        or lines.count() == 2
    )
    lines.first.click()
    page.locator('.strip[data-position="0"]').wait_for()
    page.locator(".row.selected", has_text="null").wait_for()
    assert pointer(page) == "/stop_reason"
    assert "at=%2Fstop_reason" in page.url
