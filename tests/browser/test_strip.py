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
