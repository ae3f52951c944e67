"""Any pair on the Diff page: picked, linked, uploaded, exported."""

import json
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser


def rows(page: Any) -> str:
    return str(page.locator(".diff3, .panel").locator("visible=true").all_inner_texts())


def test_a_base_of_another_source_is_picked_and_its_link_opens_the_same_pair(
    samples: str, open_at: Any, open_context: Any, settled: Any, tmp_path: Path
) -> None:
    page = open_at(f"{samples}/diff?source=T-80001&thread=T-80001&checkpoint=%402")
    page.get_by_role("button", name="Other base").click()
    page.get_by_label("Source of the base").click()
    page.get_by_role("option", name="T-90103", exact=True).click()
    settled(page)
    # The list of the source before may still stand beside the new one.
    page.locator("input[aria-label='Checkpoint of the base'][value*='waiting_approval']").click()
    page.get_by_role("option", name="@1 ·").click()
    settled(page)
    page.get_by_role("button", name="Compare with this").click()
    page.wait_for_function("location.search.includes('against_thread=T-90103')")
    settled(page)
    head = "T-90103 · T-90103 · @1 · step 1 · loop"
    page.get_by_text(head, exact=True).first.wait_for()
    said = page.get_by_text("messages").first.inner_text()
    link = page.url

    # Another browser: nothing but the address tells it what to show.
    other = open_context().new_page()
    other.goto(link)
    other.locator(".frame .title").wait_for()
    settled(other)
    other.get_by_text(head, exact=True).first.wait_for()
    assert other.get_by_text("messages").first.inner_text() == said
    assert other.url == link

    # Back leaves the pair.
    page.go_back()
    page.wait_for_function("!location.search.includes('against_thread')")
    page.get_by_text("@1 · step 1 · loop", exact=True).first.wait_for()

    other.get_by_role("button", name="Export").click()
    with other.expect_download() as download:
        other.get_by_role("button", name="Diff as JSON").click()
    document = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert document["base"]["thread_id"] == "T-90103"
    assert document["target"]["index"] == 2


def test_an_uploaded_file_is_compared_and_leaves_no_trace_in_the_link(
    samples: str, open_at: Any, settled: Any, tmp_path: Path
) -> None:
    file = tmp_path / "mine.json"
    file.write_text('{"status": "dreaming", "__secret_place": 1}')
    page = open_at(f"{samples}/diff?source=T-80001&thread=T-80001&checkpoint=%402")
    before = page.url
    page.get_by_role("button", name="Other base").click()
    page.locator("input[type=file]").set_input_files(str(file))
    page.get_by_text("uploaded mine.json", exact=True).first.wait_for()
    settled(page)
    assert page.get_by_text("not part of the link").count() >= 1
    assert page.url == before
    page.keyboard.press("Escape")
    # The patch of a pair whose base is in no chain is written too.
    page.get_by_text("patch", exact=True).first.click()
    page.get_by_text('"path": "/__secret_place"').first.wait_for()
