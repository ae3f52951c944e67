"""The diff in a real Chromium."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

HARNESS = Path(__file__).parent / "harness" / "panels.py"
AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")
AXE_RUN = """async (panel) => (await axe.run(panel)).violations
  .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 120)}`))"""
Opener = Callable[..., Any]


@pytest.fixture
def open_case(
    page: Any, serve: Callable[..., str], settled: Callable[[Any], None]
) -> Callable[..., Any]:
    """Return a function that opens a diff of the harness and waits until it is drawn."""

    def open_one(case: str, **parameters: str) -> Any:
        more = "".join(f"&{name}={value}" for name, value in parameters.items())
        page.goto(f"{serve(HARNESS)}/?case=diff-{case}{more}")
        page.locator(".diff3[data-rev]").wait_for()
        settled(page)
        return page

    return open_one


def texts(locator: Any) -> list[str]:
    return [text.strip() for text in locator.all_text_contents()]


def paths(page: Any) -> list[str]:
    order = """(nodes) => nodes.sort((a, b) => Number(a.dataset.place) - Number(b.dataset.place))
      .map((node) => node.querySelector(".path").title)"""
    return list(page.locator(".diff3 .row.change").evaluate_all(order))


def copied(page: Any, button: str) -> str:
    """Press a copy button of the pane; return what is in the clipboard then."""
    node = page.locator(".detail").get_by_role("button", name=button).element_handle()
    node.click()
    page.wait_for_function("(node) => node.dataset.copied === 'true'", arg=node)
    return str(page.evaluate("navigator.clipboard.readText()"))


def nodes_in(page: Any) -> int:
    return int(page.locator(".diff3").evaluate("(node) => node.querySelectorAll('*').length"))


def test_a_change_says_what_it_is_by_sign_word_and_delta(open_case: Opener) -> None:
    page = open_case("small")
    assert set(texts(page.locator(".row.change .cell.op"))) == {
        "~ changed",
        "→ moved",
        "+ added",
        "− removed",
    }
    assert texts(page.locator(".heads .cell"))[2:4] == ["@3 running", "@4 waiting_approval"]
    assert "recorded" in texts(page.locator(".heads .cell"))[4]
    draft = page.locator(".row.change", has_text="/draft")
    assert texts(draft.locator("del")) == ["refused"]
    assert texts(draft.locator("ins")) == ["approved"]
    assert "+260  +26.3 %" in page.locator(".row.change", has_text="/tokens").text_content()
    assert "same number" in page.locator(".row.change", has_text="/score").inner_text()
    assert "U+202E" in page.locator(".row.change", has_text="/name").inner_text()
    # What is inside the moved item stands right below it, indented.
    move = page.locator(".row.move")
    assert "from /plan/1to /plan/0" in move.text_content()
    inside = page.locator(f".row[data-place='{int(move.get_attribute('data-place')) + 1}']")
    assert inside.locator(".path.nested").get_attribute("title") == "/plan/0/done"
    # A removed value stays in sight; noise and what is unchanged are folded and open.
    assert '{"kept":[1,2]' in page.locator(".row.remove .cell.base").inner_text()
    assert "/checkpointId" not in paths(page)
    page.locator(".row.noise", has_text="1 change of noise").click()
    assert "/checkpointId" in paths(page)
    page.locator(".row.unchanged", has_text="3 fields unchanged").click()
    assert texts(page.locator(".row.name .tail")) == ["/step", "/goal", "/limits"]
    group = page.locator(".viewport .rows .row.group", has_text="/plan")
    assert "3 changes · 1 of 3 inside unchanged" in group.text_content()
    group.click()
    assert not any(path.startswith("/plan") for path in paths(page))


def test_filters_count_and_combine(open_case: Opener) -> None:
    page = open_case("small")
    chips = texts(page.locator(".chips button"))
    assert chips[:4] == ["+ 1 added", "− 1 removed", "~ 6 changed", "→ 1 moved"]
    page.locator(".chips button", has_text="leak").click()
    assert paths(page) == ["/tokens"]
    assert "1 of 9 changes + 1 noise" in page.locator(".diff3 .count").inner_text()
    page.locator(".chips button", has_text="added").click()
    assert page.get_by_text("No change passes these filters.").is_visible()
    page.get_by_role("button", name="clear filters").click()
    page.locator(".diff3 .viewport").focus()
    page.keyboard.press("/")
    page.keyboard.type("LK-615204")
    page.keyboard.press("Enter")
    assert paths(page) == ["/draft"]


def test_keys_go_from_change_to_change_and_set_places_aside(open_case: Opener) -> None:
    page = open_case("small")
    page.locator(".diff3 .viewport").focus()
    page.keyboard.press("n")
    page.keyboard.press("j")
    detail = page.locator(".detail")
    place = detail.locator(".place")
    assert place.get_attribute("data-pointer") == "/draft"
    assert texts(detail.locator("ins"))[0] == "approved"
    box, word = detail.bounding_box(), detail.locator("ins").first.bounding_box()
    assert box["y"] <= word["y"] <= box["y"] + box["height"]
    assert "equal to the target" in detail.inner_text()
    page.keyboard.press("p")
    assert place.get_attribute("data-pointer") == "/status"
    page.keyboard.press("m")
    observed = page.locator(".observed")
    assert '"goal": "refund"' in observed.inner_text()
    assert detail.is_hidden()
    page.keyboard.press("Escape")
    observed.wait_for(state="hidden")
    page.keyboard.press("x")
    assert "/status" not in paths(page)
    assert place.get_attribute("data-pointer") == "/draft"
    page.locator(".rows .row.group", has_text="/plan").click(position={"x": 200, "y": 8})
    page.locator(".diff3 .viewport").focus()
    page.keyboard.press("x")
    assert not any(path.startswith("/plan") for path in paths(page))
    page.get_by_role("button", name="2 ignored").click()
    assert "/status" in paths(page)
    page.locator(".row.change", has_text="/draft").click()
    page.locator(".diff3 .viewport").focus()
    page.keyboard.press("Escape")
    detail.wait_for(state="hidden")


def test_equal_states_say_so(open_case: Opener) -> None:
    page = open_case("equal")
    assert page.get_by_text("No differences: base and target are the same.").is_visible()
    assert "0 changes" in page.locator(".diff3 .count").inner_text()


def test_emoji_and_accents_are_marked_whole_and_the_paths_widen(open_case: Opener) -> None:
    page = open_case("hostile")
    # The path column is widened by its handle, also with the keys.
    handle = page.get_by_role("separator", name="Width of the path column")
    before = page.locator(".heads .cell").nth(1).bounding_box()["width"]
    handle.focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".heads .cell").nth(1).bounding_box()["width"] == pytest.approx(
        before + 16, abs=1
    )
    family = page.locator(".row.change", has_text="/family")
    assert texts(family.locator("del")) == ["👩‍👩‍👧‍👦"]
    assert texts(family.locator("ins")) == ["👩‍👩‍👧"]
    assert "\ufffd" not in page.locator(".diff3").inner_text()


def test_five_thousand_changes_scroll_without_gaps(open_case: Opener) -> None:
    page = open_case("5000")
    panel, view = page.locator(".diff3"), page.locator(".diff3 .viewport")
    assert panel.get_attribute("data-rows") == "5000"
    # Each look is from the first frame after the scroll: what would be painted is there already.
    for part in (0.25, 0.5, 1.0):
        seen = view.evaluate(FIRST_FRAME, part)
        assert seen["gaps"] == 0, part
        assert nodes_in(page) <= 1500
        assert page.locator(".sticky .row.group").is_visible()
    page.locator(".chips button", has_text="added").click()
    assert len(set(texts(page.locator(".row.change .cell.op")))) == 1
    page.locator("[data-look=unified]").first.click()
    view.evaluate("(node) => { node.scrollTop = 4000; }")
    assert nodes_in(page) <= 1500


FIRST_FRAME = """(node, part) => new Promise((done) => {
  node.scrollTop = node.scrollHeight * part;
  requestAnimationFrame(() => {
    const box = node.getBoundingClientRect();
    const rows = [...node.querySelectorAll(".rows .row")].map((row) => row.getBoundingClientRect());
    let gaps = 0;
    for (let y = box.top + 3; y < box.bottom - 3; y += 9) {
      if (!rows.some((row) => row.top <= y && y <= row.bottom)) gaps += 1;
    }
    done({ gaps });
  });
})"""


def test_a_megabyte_added_whole_is_capped_until_all_is_asked_for(open_case: Opener) -> None:
    page = open_case("megabyte")
    page.locator(".row.change").click()
    assert nodes_in(page) < 5000
    words = page.locator(".detail .side").nth(1).locator(".words")
    assert 10_000 < len(words.text_content()) < 60_000
    page.locator(".detail").get_by_role("button", name="show all").click()
    assert len(words.text_content()) >= 1_000_000
    assert "characters, the beginning is shown" in page.locator(".detail").inner_text()
    assert nodes_in(page) < 5000


def test_one_change_is_copied_and_json_in_text_is_read(open_case: Opener) -> None:
    page = open_case("rich")
    page.locator(".row.change", has_text="/call").click()
    change = json.loads(copied(page, "copy change"))
    assert (change["op"], change["path"]) == ("replace", "/call")
    assert json.loads(change["value"])["args"] == {"amount": 40}
    assert copied(page, "copy pointer") == "/call"
    page.get_by_role("button", name="as JSON").click()
    side = page.locator(".detail .side").nth(1)
    assert '"amount": 40' in side.inner_text()
    assert texts(side.locator("ins")) == ["40"]
    page.get_by_role("button", name="swap").click()
    page.get_by_text("action=swap", exact=True).wait_for()


def test_headings_say_who_wrote_and_by_what_items_were_paired(open_case: Opener) -> None:
    page = open_case("rich")
    assert page.locator(".summary").inner_text() == "1 item added, /plan reordered"
    plan = page.locator(".rows .row.group", has_text="/plan")
    assert "by planner" in plan.text_content()
    assert "items paired by /id" in plan.text_content()
    looks = page.locator(".row.change .verdict").evaluate_all(
        "(nodes) => nodes.map((node) => [node.textContent, node.className])"
    )
    assert [word for word, _ in looks] == ["shown", "stale", "not shown", "leak", "unknown"]
    assert len({look for _, look in looks}) == 5
    page.get_by_role("button", name="by node").click()
    headings = texts(page.locator(".rows .row.group b"))
    assert headings == ["planner", "caller, planner", "caller", "no node known"]
    page.get_by_label("Filter by node").select_option("caller")
    assert set(paths(page)) == {"/call", "/usage/total"}


def test_what_is_new_for_the_model_stands_first(open_case: Opener) -> None:
    page = open_case("rich")
    page.get_by_role("button", name="model input").click()
    pane = page.locator(".observed")
    assert "New since @2: 1 message added, 1 edited, 1 dropped" in pane.inner_text()
    assert texts(pane.locator(".message .who b")) == ["~", "~", "+", "−"]
    assert texts(pane.locator("del")) == ["kind", "4"]
    assert texts(pane.locator("ins")) == ["brief", "40"]
    assert "7 messages as before" in pane.inner_text()
    assert "the whole input" not in pane.inner_text()
    pane.get_by_role("button", name="whole input").click()
    assert "the whole input" in pane.inner_text()
    page.add_script_tag(path=str(AXE))
    assert page.locator(".diff3").evaluate(AXE_RUN) == []
    pane.get_by_role("button", name="/call").click()
    expect(page.locator(".diff3")).to_have_attribute("data-selected", "/call")


def test_the_unified_view_puts_old_and_new_beneath_each_other(open_case: Opener) -> None:
    page = open_case("rich", view="unified", at="/usage/total")
    expect(page.locator(".diff3")).to_have_attribute("data-selected", "/usage/total")
    old, new = page.locator(".row.selected").all()
    assert (old.locator(".op b").inner_text(), new.locator(".op b").inner_text()) == ("−", "+")
    assert old.locator(".base").inner_text() == "100"
    assert "+50 %" in new.locator(".target").text_content()
    page.locator(".diff3 .viewport").focus()
    page.keyboard.press("n")
    assert page.locator(".diff3").get_attribute("data-selected") == "/l/1"
    assert page.locator(".row.selected .base").inner_text() == "“gone”"
    page.keyboard.press("n")
    assert page.locator(".row.selected .target").inner_text() == '{"came":true}'
    page.add_script_tag(path=str(AXE))
    assert page.locator(".diff3").evaluate(AXE_RUN) == []


def test_view_filter_and_place_are_in_the_address_and_stay_while_stepping(
    samples: str, open_at: Any, settled: Any
) -> None:
    page = open_at(f"{samples}/diff?source=T-80001&checkpoint=%403")
    panel = page.locator(".diff3")
    page.locator(".row.change", has_text="/usage/model_calls").click()
    page.wait_for_url("**at=%2Fusage%2Fmodel_calls*")
    page.locator("[data-look=unified]").first.click()
    page.locator(".chips button", has_text="changed").click()
    page.wait_for_url("**view=unified&filter=op%3Areplace*")
    page.locator(".row.change", has_text="/stop_reason").first.click()
    page.locator(".diff3 .viewport").focus()
    page.keyboard.press("x")
    # What was set aside, the view and the filter stay in the next pair; Back undoes the filter.
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".heads .cell").nth(2)).to_contain_text("@2")
    settled(page)
    assert page.get_by_role("button", name="1 ignored").is_visible()
    assert panel.get_attribute("data-look") == "unified"
    assert "filter=op%3Areplace" in page.url
    page.go_back()
    expect(page.locator(".chips button[aria-pressed=true]")).to_have_count(0)
    assert panel.get_attribute("data-look") == "unified"
    settled(page)
    page.locator("[data-look=patch]").first.click()
    expect(page.locator(".patch")).to_have_attribute("data-operations", "15")
    patch = json.loads(page.locator(".patch .words").text_content())
    assert {"op": "remove", "path": "/plan/1"} in patch


def test_a_link_to_one_change_and_what_is_unfolded_on_a_real_page(
    samples: str, open_at: Any, settled: Any
) -> None:
    page = open_at(
        f"{samples}/diff?source=T-80001&checkpoint=%403&at=%2Fevents%2F6&filter=op%3Aadd"
    )
    expect(page.locator(".diff3")).to_have_attribute("data-selected", "/events/6")
    assert set(texts(page.locator(".row.change .op"))) == {"+ added"}
    link = copied(page, "copy link")
    assert "at=%2Fevents%2F6" in link
    assert "filter=op%3Aadd" in link
    page.get_by_role("button", name="clear filters").click()
    page.locator(".row.rest", has_text="1 unchanged inside /plan").click()
    value = page.locator(".row.name", has_text="/plan/1")
    expect(value).to_contain_text("“Answer the customer”")
    page.locator(".diff3 .viewport").focus()
    page.keyboard.press("End")
    page.locator(".row.unchanged").click()
    page.keyboard.press("End")
    expect(page.locator(".row.name", has_text="/goal")).to_contain_text("my neighbour asked")
    page.evaluate(
        """() => document.dispatchEvent(
          new CustomEvent("checkpointgo", { detail: { index: 2, at: "/usage/input_tokens" } }))"""
    )
    expect(page.locator(".diff3")).to_have_attribute("data-selected", "/usage/input_tokens")
    assert "@2" in page.locator(".heads .cell").nth(3).inner_text()
