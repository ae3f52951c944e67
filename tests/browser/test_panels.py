"""The strip, the tree and the diff in a real Chromium."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

HARNESS = Path(__file__).parent / "harness" / "panels.py"
Opener = Callable[..., Any]


@pytest.fixture
def open_case(
    page: Any, serve: Callable[..., str], settled: Callable[[Any], None]
) -> Callable[..., Any]:
    """Return a function that opens a case of the harness and waits until it is drawn."""

    def open_one(case: str, **parameters: str) -> Any:
        more = "".join(f"&{name}={value}" for name, value in parameters.items())
        page.goto(f"{serve(HARNESS)}/?case={case}{more}")
        page.locator(".panel[data-rev]").first.wait_for()
        settled(page)
        return page

    return open_one


def aside(page: Any) -> None:
    """Put the focus nowhere, so that keys are the strip's."""
    page.locator("[data-testid=stMain]").click(position={"x": 8, "y": 500})


def text_becomes(page: Any, text: str) -> None:
    page.get_by_text(text, exact=True).wait_for()


def texts(locator: Any) -> list[str]:
    return [text.strip() for text in locator.all_text_contents()]


# strip


def test_thirty_quick_presses_are_thirty_steps_and_the_last_one_counts(open_case: Opener) -> None:
    page = open_case("strip-2000")
    aside(page)
    for _ in range(30):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(30)
    assert page.locator(".strip").get_attribute("data-position") == "31"
    text_becomes(page, "selected=31 base=None action=None")
    assert "checkpoint=%4031" in page.url


def test_a_step_is_painted_before_the_server_hears_of_it(open_case: Opener) -> None:
    page = open_case("strip-200")
    aside(page)
    painted = page.evaluate(
        """() => {
          const strip = [...document.querySelectorAll("*")].find((e) => e.shadowRoot?.querySelector(".strip")).shadowRoot;
          document.dispatchEvent(new KeyboardEvent("keydown", { key: "j", bubbles: true }));
          return strip.querySelector(".where").textContent;
        }"""
    )
    assert painted.startswith("@2 / @199")


# Keys and where the strip stands after them, one after the other, from 10 of 200.
STEPS = [
    ("j j k", 11),
    ("Shift+ArrowRight", 21),
    ("Shift+K", 11),
    ("ArrowLeft", 10),
    ("v", 56),
    ("Shift+V", 3),
    ("Shift+ArrowLeft", 0),
    ("End", 199),
    ("v", 3),
    ("End Home", 0),
]


def test_keys_move_the_strip(open_case: Opener) -> None:
    page = open_case("strip-200", start="10")
    aside(page)
    for keys, position in STEPS:
        for key in keys.split():
            page.keyboard.press(key)
        assert page.locator(".strip").get_attribute("data-position") == str(position), keys
    text_becomes(page, "selected=0 base=None action=None")


def test_the_base_is_set_named_in_the_url_and_taken_back(open_case: Opener) -> None:
    page = open_case("strip-200", start="10")
    aside(page)
    page.keyboard.press("b")
    page.keyboard.press("ArrowRight")
    text_becomes(page, "selected=11 base=10 action=None")
    assert "checkpoint=c11&base=c10" in page.url
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("b")
    text_becomes(page, "selected=10 base=None action=None")
    assert "base=" not in page.url


def test_steps_leave_no_entry_to_go_back_to(open_case: Opener) -> None:
    page = open_case("strip-200")
    before = page.evaluate("history.length")
    aside(page)
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    text_becomes(page, "selected=6 base=None action=None")
    assert page.evaluate("history.length") == before


def test_d_asks_for_the_diff_once(open_case: Opener) -> None:
    page = open_case("strip-4")
    aside(page)
    page.keyboard.press("d")
    text_becomes(page, "selected=1 base=None action=diff")
    page.keyboard.press("ArrowRight")
    text_becomes(page, "selected=2 base=None action=None")


def test_keys_typed_into_a_field_are_text(open_case: Opener) -> None:
    page = open_case("strip-4")
    page.get_by_label("type here").fill("")
    page.get_by_label("type here").press_sequentially("jjvb?")
    assert page.get_by_label("type here").input_value() == "jjvb?"
    assert page.locator(".strip").get_attribute("data-position") == "1"
    assert not page.locator("dialog[open]").count()


def test_help_opens_and_holds_the_keys_until_it_is_closed(open_case: Opener) -> None:
    page = open_case("strip-4")
    aside(page)
    page.keyboard.press("?")
    page.locator("dialog[open]").wait_for()
    page.keyboard.press("ArrowRight")
    assert page.locator(".strip").get_attribute("data-position") == "1"
    page.keyboard.press("Escape")
    page.locator("dialog[open]").wait_for(state="detached")
    page.keyboard.press("ArrowRight")
    assert page.locator(".strip").get_attribute("data-position") == "2"


def test_python_can_send_the_strip_somewhere(open_case: Opener) -> None:
    page = open_case("strip-200", start="10")
    page.get_by_role("button", name="go to 2").click()
    text_becomes(page, "selected=2 base=None action=None")
    page.locator('.strip[data-position="2"]').wait_for()
    aside(page)
    page.keyboard.press("ArrowRight")
    text_becomes(page, "selected=3 base=None action=None")


def test_clicks_drags_and_the_legend_move_and_the_tip_tells(open_case: Opener) -> None:
    page = open_case("strip-4")
    canvas = page.locator(".strip .drawing canvas")
    box = canvas.bounding_box()
    canvas.click(position={"x": 520, "y": 40})
    text_becomes(page, "selected=2 base=None action=None")
    page.mouse.move(box["x"] + 310, box["y"] + 40)
    tip = page.locator(".strip .tip")
    assert "@1 · step 1" in tip.inner_text()
    assert "changed: messages, status" in tip.inner_text()
    assert "2026-11-30T12:00:0" in tip.inner_text()
    page.locator(".legend button", has_text="violation").click(modifiers=["Shift"])
    text_becomes(page, "selected=3 base=None action=None")


def test_dragging_along_the_overview_passes_through_the_chain(open_case: Opener) -> None:
    page = open_case("strip-2000")
    box = page.locator(".strip .drawing canvas").bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 14)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 14, steps=8)
    page.mouse.up()
    text_becomes(page, "selected=1000 base=None action=None")


def test_the_strip_is_a_slider_that_says_where_it_is(open_case: Opener) -> None:
    page = open_case("strip-4")
    slider = page.get_by_role("slider", name="Checkpoint")
    assert slider.get_attribute("aria-valuenow") == "1"
    assert "checkpoint 1, step 1" in (slider.get_attribute("aria-valuetext") or "")
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert slider.get_attribute("aria-valuenow") == "2"


# tree


FIELDS = ("status", "old_field", "draft", "score")


def rows(page: Any) -> list[str]:
    order = """(nodes) => nodes.sort((a, b) => Number(a.dataset.row) - Number(b.dataset.row))
      .map((node) => node.textContent)"""
    return page.locator(".tree .row").evaluate_all(order)


def test_numbers_and_unseen_characters_are_shown_as_they_are(open_case: Opener) -> None:
    page = open_case("tree-hostile")
    shown = "\n".join(rows(page))
    for text in ("123456789012345678901234567890", "one point zero", "1.0", "NaN", "-Infinity"):
        assert text in shown
    for text in ("U+202E", "U+200B", "U+D800", "\\n", "\\t", "\\0", "empty key", ":red[red] **b**"):
        assert text in shown
    assert page.locator(".row", has_text="family").locator(".unseen").count() == 0


def test_no_element_is_born_from_a_state(open_case: Opener) -> None:
    for case in ("tree-hostile", "diff-hostile"):
        page = open_case(case)
        rows_of = page.locator(".row")
        rows_of.nth(1).click()
        page.keyboard.press("Space")
        for search in ("script", "born"):
            page.keyboard.press("Escape")
            page.keyboard.press("/")
            page.keyboard.type(search)
            page.keyboard.press("Enter")
        page.wait_for_timeout(200)
        assert page.evaluate("window.born") is None
        assert page.locator(".panel :is(img, script, iframe, svg, a)").count() == 0
        assert "onerror" in "\n".join(texts(page.locator(".row")))


def test_what_changed_is_marked_in_place_with_word_sign_and_old_value(open_case: Opener) -> None:
    page = open_case("tree-small")
    shown = {name: row for row in rows(page) for name in FIELDS if row.lstrip("!").startswith(name)}
    assert re.search(r"running.*→.*waiting_approval.*~ changed", shown["status"], re.DOTALL)
    assert "− removed" in shown["old_field"]
    assert re.search(r"refused it.*approved it", shown["draft"], re.DOTALL)
    assert re.search(r"1.*→.*1\.0", shown["score"], re.DOTALL)
    moved = page.locator(".row.moved").inner_text()
    assert "→ moved" in moved
    assert "/plan/1" in moved
    assert "+ added" in page.locator(".row.added").first.inner_text()


def test_a_violation_is_marked_and_told_also_where_the_field_is_absent(open_case: Opener) -> None:
    page = open_case("tree-small")
    page.locator(".row", has_text="status").first.click()
    assert "no such word" in page.locator(".notes").inner_text()
    page.locator(".row .key.root").click()
    assert "/missing/field: required" in page.locator(".notes").inner_text()
    page.get_by_role("button", name="only 2 marked places").click()
    assert len(rows(page)) == 2


def test_owner_and_plane_stand_beside_the_field(open_case: Opener) -> None:
    page = open_case("tree-small")
    page.locator(".row", has_text="goal").first.click()
    row = page.locator(".row", has_text="goal").first
    said = row.locator(".meaning").inner_text()
    what = page.locator(".path .what").inner_text()
    owner = said.split(" · ")[0]
    assert owner
    assert f"written by {owner}" in what


def test_search_counts_marks_and_goes_from_hit_to_hit(open_case: Opener) -> None:
    page = open_case("tree-200000")
    aside(page)
    page.locator(".tree .viewport").focus()
    page.keyboard.press("/")
    page.keyboard.type("LATENCY")
    page.keyboard.press("Enter")
    page.locator(".tree .count", has_text="hits").wait_for()
    page.locator(".row mark").first.wait_for()
    count = page.locator(".tree .count").inner_text()
    assert count.startswith("1 of ")
    hits = int(count.split(" hits")[0].removeprefix("1 of ").replace(",", ""))
    assert hits > 100
    assert page.locator(".row mark").first.inner_text() == "latency"
    first = page.locator(".row.selected").get_attribute("data-row")
    page.keyboard.press("Enter")
    expect(page.locator(".row.selected")).not_to_have_attribute("data-row", first)
    page.keyboard.press("Escape")
    expect(page.locator(".tree .count")).not_to_contain_text("hits")


def test_only_changes_shows_them_with_the_way_to_them(open_case: Opener) -> None:
    page = open_case("tree-200000")
    page.get_by_role("button", name=re.compile("only .* changes")).click()
    kinds = page.locator(".tree .row").evaluate_all("(nodes) => nodes.map((n) => n.className)")
    assert any("removed" in kind for kind in kinds)
    assert sum("changed" in kind for kind in kinds) > 3
    assert "was here" not in rows(page)


def test_what_is_open_and_selected_stays_in_the_next_checkpoint(open_case: Opener) -> None:
    page = open_case("tree-200000")
    page.locator(".row", has_text="messages").first.locator(".caret").click()
    page.locator(".row", has_text=re.compile(r"^2\[|^2\{")).first.locator(".caret").click()
    page.locator(".row", has_text="m2").first.click()
    page.wait_for_timeout(400)
    revision = page.locator(".tree").get_attribute("data-rev")
    page.get_by_role("button", name="other checkpoint").click()
    page.locator(f'.tree:not([data-rev="{revision}"])').wait_for()
    assert page.locator(".crumbs").get_attribute("data-pointer") == "/messages/2/id"
    assert page.locator(".row.selected").text_content() == "id“m2”"


def test_keys_walk_open_and_close_the_tree_and_leave_the_strip_alone(open_case: Opener) -> None:
    page = open_case("all")
    page.locator(".tree .row .key.root").click()
    page.keyboard.press("Home")
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    assert page.locator(".crumbs").get_attribute("data-pointer") == "/limits"
    selected = page.locator(".tree .row.selected")
    opened = selected.get_attribute("aria-expanded")
    page.keyboard.press("Enter")
    assert selected.get_attribute("aria-expanded") != opened
    page.keyboard.press("ArrowLeft" if opened == "false" else "ArrowRight")
    assert selected.get_attribute("aria-expanded") == opened
    assert page.locator(".strip").get_attribute("data-position") == "1"
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    assert page.locator(".strip").get_attribute("data-position") == "2"


def test_stepping_goes_on_from_the_tree_and_from_the_diff(open_case: Opener) -> None:
    page = open_case("all")
    page.locator(".tree .row", has_text="goal").click()
    page.keyboard.press("j")
    assert page.locator(".strip").get_attribute("data-position") == "2"
    text_becomes(page, "selected=2 base=None action=None")
    assert page.locator(".crumbs").get_attribute("data-pointer") == "/goal"
    page = open_case("both")
    page.locator(".row.change").first.click()
    page.keyboard.press("j")
    assert page.locator(".strip").get_attribute("data-position") == "1"
    page.keyboard.press("ArrowRight")
    assert page.locator(".strip").get_attribute("data-position") == "2"
    assert page.locator(".detail .place").get_attribute("data-pointer") == "/draft"


def test_a_slash_anywhere_searches_the_state(open_case: Opener) -> None:
    page = open_case("all")
    aside(page)
    page.keyboard.press("/")
    page.keyboard.type("refund")
    page.locator(".tree .count", has_text="hits").wait_for()


def test_pointer_and_value_are_copied_exactly(open_case: Opener) -> None:
    page = open_case("tree-hostile")
    page.locator(".row", has_text="a/b~c").click()
    page.get_by_role("button", name="copy pointer").click()
    page.get_by_role("button", name="copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == "/a~1b~0c"
    page.locator(".row", has_text="big").click()
    page.get_by_role("button", name="copy value").click()
    page.get_by_role("button", name="copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == "123456789012345678901234567890"
    page.locator(".row .key.root").click()
    page.get_by_role("button", name="copy value").click()
    page.get_by_role("button", name="copied").wait_for()
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert copied["nan"] == {"$type": "float", "value": "NaN"}
    assert copied["zero"] == "pay\u200bpal"


def test_long_text_is_read_wrapped_with_its_words_counted_and_its_change_marked(
    open_case: Opener,
) -> None:
    page = open_case("tree-small")
    page.locator(".row", has_text="draft").first.click()
    page.keyboard.press("Enter")
    assert "363 words" in page.locator(".path .what").inner_text()
    assert texts(page.locator(".reader del")) == ["refused"]
    assert texts(page.locator(".reader ins")) == ["approved"]
    # The changed word is in sight although 1,800 equal characters stand before it.
    reader = page.locator(".reader").bounding_box()
    word = page.locator(".reader ins").bounding_box()
    assert reader["y"] <= word["y"] <= reader["y"] + reader["height"]
    page.locator(".reader .hidden-part").first.click()
    assert page.locator(".reader .page").last.inner_text().count("LK-615204") == 30


def test_a_pointer_asked_for_is_opened_and_selected(open_case: Opener) -> None:
    page = open_case("tree-200000", at="/messages/150/usage/cost")
    assert page.locator(".row.selected").text_content() == "cost0.25"
    box = page.locator(".row.selected").bounding_box()
    view = page.locator(".tree .viewport").bounding_box()
    assert view["y"] <= box["y"] <= view["y"] + view["height"]


def test_five_megabytes_stay_small_in_the_document(open_case: Opener) -> None:
    page = open_case("tree-5000000")
    panel = page.locator(".tree")
    assert int(panel.get_attribute("data-rows") or 0) > 100_000
    page.get_by_role("button", name="all", exact=True).click()
    view = page.locator(".tree .viewport")
    for part in (0.3, 0.7, 1.0):
        view.evaluate("(node, part) => { node.scrollTop = node.scrollHeight * part; }", part)
        page.wait_for_timeout(80)
        assert panel.evaluate("(node) => node.querySelectorAll('*').length") < 1000
        assert covered(view), part
    assert page.locator(".tree .row").last.text_content() == "step4"


def covered(view: Any) -> bool:
    """Whether rows stand everywhere in a viewport, without a gap."""
    return bool(
        view.evaluate(
            """(node) => {
              const box = node.getBoundingClientRect();
              const rows = [...node.querySelectorAll(".row")].map((row) => row.getBoundingClientRect());
              for (let y = box.top + 3; y < box.bottom - 3; y += 9) {
                if (!rows.some((row) => row.top <= y && y <= row.bottom)) return false;
              }
              return true;
            }"""
        )
    )


# every panel


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("case", ["all", "diff-small"])
def test_panels_stay_inside_the_window_and_are_readable(
    open_case: Opener, page: Any, case: str, scheme: str
) -> None:
    page.emulate_media(color_scheme=scheme)
    open_case(case)
    for width in (1024, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(100)
        for panel in page.locator(".panel").all():
            box = panel.bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            assert panel.evaluate("(node) => node.scrollWidth <= node.clientWidth + 1")
    assert page.locator(".panel").evaluate_all(LOW_CONTRAST) == []


LOW_CONTRAST = """(panels) => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) => top.slice(0, 3).map((c, i) => c * top[3] + below[i] * (1 - top[3]));
  const behind = (node) => {
    const layers = [];
    for (let at = node; at; at = at.parentElement ?? at.getRootNode().host) layers.push(rgba(getComputedStyle(at).backgroundColor));
    return layers.reduceRight((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = [];
  for (const panel of panels) for (const node of panel.querySelectorAll("*")) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
    if (!own || node.disabled || !node.checkVisibility() || node.matches(".visually-hidden")) continue;
    const back = behind(node);
    const text = over(rgba(getComputedStyle(node).color), back);
    const [low, high] = [light(text), light(back)].sort((a, b) => a - b);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < 4.5) found.push(`${node.className}: ${node.textContent.slice(0, 30)} ${ratio.toFixed(2)}`);
  }
  return [...new Set(found)];
}"""
