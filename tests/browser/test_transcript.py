"""State vs transcript as a teacher uses it: follow an identifier, try a change, present the run."""

import json
import re
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest

ROOT = Path(__file__).parents[2]
AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")
RUN = "/transcript?source=T-80001&thread=T-80001"

pytestmark = pytest.mark.browser


def numbers(page: Any) -> list[str]:
    return [n.inner_text() for n in page.locator(".conversation .mention .number").all()]


def test_messages_are_read_and_an_identifier_is_followed_through_the_evidence(
    samples: str, open_at: Any, settled: Any
) -> None:
    page = open_at(f"{samples}{RUN}")
    message = page.locator(".conversation article.message").nth(3)
    assert message.get_attribute("aria-label") == "message 3, tool refusal"
    message.get_by_role("button", name="as written").click()
    text = message.locator(".body").inner_text()
    assert text.startswith('{"tool": "get_order", "ok": false')
    message.get_by_role("button", name="as stored").click()
    message.locator(".stored", has_text='"role": "user"').wait_for()
    call = page.locator(".conversation article.message").nth(2).locator(".arguments")
    assert call.inner_text().split() == ["order_id", "LK-615204"]
    page.locator(".conversation .message .mention").first.press("Enter")
    who = ["1 user", "2 model", "3 tool refusal", "4 model", "5 model"]
    assert numbers(page) == who
    facts = page.locator(".conversation .chosen")
    assert "5 mentions: user 1, model 3, tool refusal 1" in facts.first.inner_text()
    assert "0 rows of evidence returned it · 1 row only names it" in facts.last.inner_text()
    assert page.locator(".evidence.names").count() == 1
    assert page.locator(".evidence.holds").count() == 0
    assert "LK-615204" not in page.url, "an identifier is data"
    for key, where in (
        ("n", "2 of 5"),
        ("n", "3 of 5"),
        ("p", "2 of 5"),
        ("p", "1 of 5"),
        ("p", "5 of 5"),
    ):
        page.keyboard.press(key)
        assert facts.first.locator(".count").inner_text() == where
    current = page.locator(".conversation .mention.current")
    seen = current.bounding_box()
    box = page.locator(".conversation .scroller").bounding_box()
    assert box["y"] <= seen["y"] <= box["y"] + box["height"] - seen["height"]
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == 0
    # It survives stepping, and its first place is one click away.
    facts.last.get_by_role("button", name="@0").click()
    page.wait_for_function(
        "location.search.includes('T-80001-0') || location.search.includes('%400')"
    )
    page.locator(".conversation .column-head", has_text="2 messages").wait_for()
    settled(page)
    assert numbers(page) == ["1 user"]
    page.locator(".conversation .mention.on").first.focus()
    page.keyboard.press("Escape")
    assert numbers(page) == []
    # Any other text is followed the same way, and stays out of the address.
    page.get_by_label("Follow any text").fill("garden shed")
    page.keyboard.press("Enter")
    page.locator(".conversation .mention.current", has_text="garden shed").wait_for()
    assert numbers(page) == ["1 user"]
    assert page.locator(".conversation .chosen .count").inner_text() == "1 of 1"
    facts.last.get_by_role("link", name="open on Timeline").wait_for()
    settled(page)
    assert "shed" not in page.url
    page.locator(".conversation .now .link", has_text="goal").click()
    page.wait_for_url("**/timeline?**")
    settled(page)
    assert "at=%2Fgoal" in page.url


def test_a_change_in_memory_is_judged_again(samples: str, open_at: Any, settled: Any) -> None:
    page = open_at(f"{samples}{RUN}")
    page.locator(".evidence.refused").get_by_role("button", name="what if").click()
    page.wait_for_function("location.search.includes('view=what-if')")
    settled(page)
    page.get_by_role("button", name="What if the tool had returned it?").click()
    page.get_by_text("Changed its verdict").wait_for()
    settled(page)
    assert page.get_by_text("lets it pass: a tool returned every identifier.").count() == 1
    page.go_back()
    page.locator(".conversation .scroller").wait_for()
    settled(page)
    assert "view=" not in page.url


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_the_run_is_presented_in_five_steps(
    samples: str, open_context: Any, settled: Any, scheme: str
) -> None:
    page = open_context(viewport={"width": 1280, "height": 720}, color_scheme=scheme).new_page()
    page.goto(f"{samples}{RUN}&view=present&at=%2Fsteps%2F1")
    page.locator(".stage .next").wait_for()
    settled(page)
    where = page.locator(".stage .where")
    assert where.inner_text() == "part 2 of 5"
    page.keyboard.press("Home")
    smallest = (
        "d => Math.min(...[...d.querySelectorAll('p,dt,dd,span,b,button,h2,h3,mark')]"
        ".filter(e => e.textContent && e.checkVisibility()).map(e => parseFloat(getComputedStyle(e).fontSize)))"
    )
    over = "d => [d, ...d.querySelectorAll('.side')].map(e => e.scrollHeight - e.clientHeight)"
    page.add_script_tag(path=str(AXE))
    for step in range(1, 6):
        assert where.inner_text() == f"part {step} of 5"
        stage = page.locator(".stage")
        assert max(stage.evaluate(over)) <= 0, f"step {step} scrolls"
        assert stage.evaluate(smallest) >= 22
        if step in (2, 5):
            found = page.evaluate(
                "async () => (await axe.run('.st-key-presenter')).violations.map(v => [v.id, v.nodes[0].html.slice(0, 200)])"
            )
            assert found == []
        page.keyboard.press("ArrowRight" if step % 2 else " ")
    assert "would let it pass" in page.locator(".stage .trap").inner_text()
    assert "refuses it" in page.locator(".stage .refuses").inner_text()
    assert "at=%2Fsteps%2F4" in page.url
    address = page.url
    page.keyboard.press("Escape")
    page.wait_for_function("!location.search.includes('view=present')")
    page.locator(".conversation .scroller").wait_for()
    settled(page)
    assert page.locator("dialog[open]").count() == 0
    assert re.search(r"checkpoint=(%403|T-80001-3)", page.url)
    if scheme == "light":
        page.goto(address)
        page.locator(".stage .where", has_text="part 5 of 5").wait_for()


@pytest.mark.slow
def test_thousands_of_messages_are_read_as_they_are_needed(
    serve: Any, open_at: Any, tmp_path: Path
) -> None:
    order = "LK-615204"
    listed = [
        {"role": "user" if i % 2 else "assistant", "content": f"message {i}"} for i in range(3_000)
    ]
    for at in (1, 2_500, 2_990):
        listed[at]["content"] += f" about {order}"
    state = {"goal": "g", "evidence": [], "messages": listed}
    path = tmp_path / "run.json"
    path.write_text(json.dumps([state]))
    url = serve(ROOT / "app.py", {"CHECKPOINT_VIEWER_SOURCES": json.dumps([str(path)])})
    page = open_at(f"{url}/transcript")
    assert page.locator(".conversation .pair").count() == 200
    page.locator(".conversation .chip").click()
    facts = page.locator(".conversation .chosen .count")
    assert facts.inner_text() == "3 of 3"
    page.keyboard.press("p")
    page.locator(".conversation .mention .number", has_text="2 ").wait_for()
    page.wait_for_function(
        "() => [...document.querySelectorAll('*')].some(e => e.shadowRoot?.querySelector('.chosen .count')?.textContent === '2 of 3')"
    )
    assert page.locator(".conversation .pair").count() == 600
    inside = page.locator(".conversation .mention.current").bounding_box()
    box = page.locator(".conversation .scroller").bounding_box()
    assert box["y"] <= inside["y"] <= box["y"] + box["height"]
