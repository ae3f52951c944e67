"""Hostile words in every place of a run: the DOM holds them as text, and nothing is born of them."""

import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
APP = ROOT / "app.py"
STEMS = sorted(page.stem for page in (ROOT / "pages").glob("*.py"))
EVIL = (
    "<img src=x onerror=alert(1)><b>bold</b> :red[red] :red-badge[badge] $x^2$ :smile: **strong** "
    "[link](http://evil.invalid) ![i](http://evil.invalid/i.png) :material/delete: `c` <!--\u202e"
)
BORN = (
    "img[src=x], img[src*=evil], a[href*=evil], .katex, "
    "[data-testid=stIconMaterial]:text-is('delete'), .stMarkdownColoredText:text-is('red'), "
    ".stMarkdownBadge, "
    "b:text-is('bold'), strong:text-is('strong'), span[style*='color']:text-is('red')"
)

pytestmark = pytest.mark.browser


def hostile(value: Any) -> Any:
    """Return ``value`` with every string that is no status, id or type led by `EVIL`."""
    if isinstance(value, dict):
        return {k: v if k in ("status", "type", "role") else hostile(v) for k, v in value.items()}
    if isinstance(value, list):
        return [hostile(part) for part in value]
    return f"{EVIL} {value}" if isinstance(value, str) else value


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A waiting task-state run whose texts, names and files are all hostile."""
    folder = tmp_path_factory.mktemp("hostile") / "a :smile: **strong** $x^2$ [link](http:"
    (folder / "checkpoints").mkdir(parents=True)
    (folder / "what_if").mkdir()
    source = ROOT / "sample_runs" / "T-90103" / "checkpoints"
    for number, path in enumerate(sorted(source.glob("*.json"))):
        stored = json.loads(path.read_text())
        state = hostile(stored.get("state", stored))
        state[EVIL] = EVIL
        wrapper = {
            "checkpoint_id": f"{EVIL} {number}",
            "thread_id": EVIL,
            "namespace": EVIL,
            "node": EVIL,
            "origin": EVIL,
            "state": state,
        }
        (folder / "checkpoints" / f"{number} :smile: **strong**.json").write_text(
            json.dumps(wrapper)
        )
    (folder / "checkpoints" / "9 :smile: **strong** $x^2$.json").write_text("{torn")
    proposal = {"actions": [{"tool": EVIL, "args": {EVIL: EVIL, "order_id": "LK-615204"}}]}
    (folder / "what_if" / "a :smile: **strong** $x^2$.json").write_text(json.dumps(proposal))
    about = {"format_version": 1, "title": EVIL, "profile": "task-state"}
    (folder / "about.json").write_text(json.dumps(about))
    return folder


@pytest.mark.parametrize("stem", STEMS)
def test_nothing_is_born_from_data(
    serve: Any, page: Any, settled: Any, run: Path, stem: str
) -> None:
    url = serve(APP, {"CHECKPOINT_VIEWER_SOURCES": json.dumps([str(run)])})
    page.goto(f"{url}/{stem}?checkpoint=%3Asmile%3A%20**strong**%20%24x%5E2%24&gate=**strong**")
    page.locator(".frame .title").wait_for()
    settled(page)
    for summary in page.locator("[data-testid=stExpander] summary").all():
        summary.click()
    seen = [page.evaluate("document.body.innerText")]
    for picker in page.locator("[data-testid=stSelectbox]").all():
        picker.click()
        seen.append(page.evaluate("document.body.innerText"))
        assert page.locator(BORN).evaluate_all("found => found.map(e => e.outerHTML)") == []
        page.keyboard.press("Escape")
    page.wait_for_timeout(300)
    assert page.locator("[data-testid=stException]").count() == 0
    assert page.locator(BORN).evaluate_all("found => found.map(e => e.outerHTML)") == []
    for text in seen:
        assert [line for line in text.splitlines() if "😄" in line or "\u202e" in line] == []
