"""The report opens from disk in a browser that can reach nothing, and its strip works."""

import json
from pathlib import Path
from typing import Any

import pytest

from viewer.cli import run

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.browser


def test_a_report_works_from_disk_without_a_request(open_context: Any, tmp_path: Path) -> None:
    to = tmp_path / "report.html"
    assert run(["report", str(ROOT / "sample_runs" / "T-80001"), "--to", str(to)]) == 0
    page = open_context(color_scheme="dark").new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(to.as_uri())
    page.locator("body[data-ready]").wait_for()
    page.locator(".diff3 .row.change", has_text="/stop_reason").wait_for()
    page.keyboard.press("ArrowLeft")
    page.locator(".diff3 .row.change", has_text="/stop_reason").wait_for(state="detached")
    assert page.url.endswith("#@2")
    page.reload()
    page.locator("body[data-ready]").wait_for()
    assert page.locator(".strip .where").inner_text().startswith("@2")
    assert page.get_by_text("Stopped at step 3").count() == 1
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(14, 17, 23)"
    assert [url for url in asked if not url.startswith(to.as_uri())] == []


def test_markup_in_a_state_stays_text_in_a_report(open_context: Any, tmp_path: Path) -> None:
    markup = "</script><img src=x onerror=\"window.born='img'\"><script>window.born=1</script>"
    source, to = tmp_path / "run.jsonl", tmp_path / "report.html"
    states = [{"step": 0}, {"step": 1, markup: {markup: markup}, "status": markup}]
    source.write_text("\n".join(json.dumps(state) for state in states))
    assert run(["report", str(source), "--to", str(to)]) == 0
    page = open_context().new_page()
    page.goto(to.as_uri())
    page.locator("body[data-ready]").wait_for()
    page.locator(".diff3 .row.change").first.wait_for()
    assert page.evaluate("window.born") is None
    assert page.locator("img").count() == 0
