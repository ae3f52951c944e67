"""The handed cases that are about what a person sees, in the real app in a real Chromium."""

import gzip
import json
import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from viewer.pointer import join

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "cases"
HOSTILE = CASES / "111-markdown-and-streamlit-syntax"
RELOAD = CASES / "116-selection-after-reload"
WORD_JOINER = "\u2060"
SIDES = ("base", "target")

pytestmark = pytest.mark.browser


def case(number: str) -> Path:
    """Return the folder of a handed case."""
    (folder,) = CASES.glob(f"{number}-*")
    return folder


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture
def open_at(page: Any, settled: Any) -> Callable[[str], Any]:
    """Return a function that opens an address, waits until it stands still, returns the page."""

    def go(url: str) -> Any:
        page.goto(url)
        page.locator(".frame .title").wait_for()
        settled(page)
        return page

    return go


def app(serve: Any, *sources: Path) -> str:
    places = json.dumps([str(source) for source in sources])
    return str(serve(ROOT / "app.py", {"CHECKPOINT_VIEWER_SOURCES": places}))


@pytest.fixture(scope="session")
def files(serve: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app on each case: a.json and b.json as neighbouring checkpoints of ``caseNN``."""
    root = tmp_path_factory.mktemp("cases")
    for number in ("19", "21", "27", "69", "112", "117"):
        folder = root / f"case{number}"
        folder.mkdir()
        for side in ("a", "b"):
            shutil.copy(case(number) / f"{side}.json", folder)
    for number, name in (("61", "run.jsonl"), ("66", "py.json"), ("67", "state.json")):
        shutil.copy(case(number) / name, root / f"case{number}{Path(name).suffix}")
    return app(serve, *sorted(root.iterdir()))


def changed(page: Any, pointer: str) -> tuple[str, str]:
    """Return the old and the new value of a change as the diff shows them."""
    (row,) = [
        row
        for row in page.locator(".diff3 .row.change").all()
        if row.locator(".path").get_attribute("title") == pointer
    ]
    base, target = (row.locator(f".cell.{side} > .text").inner_text() for side in SIDES)
    return base, target


def test_19_a_change_that_looks_like_none_is_marked(files: str, open_at: Any) -> None:
    page = open_at(f"{files}/diff?source=case19")
    assert changed(page, "/name") == ("caf\u00e9", "cafe\u0301")
    assert page.locator(".diff3 .row.change .chip.alike").inner_text() == "looks the same"
    page.locator(".diff3 .row.change").click()
    about = page.locator(".diff3 .detail-bar").inner_text()
    assert "U+00E9" in about
    assert "U+0301" in about
    page = open_at(f"{files}/timeline?source=case19")
    row = page.locator(".tree [role=treeitem]", has_text="name")
    assert "looks the same" in row.inner_text()
    row.click()
    assert "U+0301" in page.locator(".tree .notes").inner_text()


def test_21_all_digits_of_both_numbers_are_shown(files: str, open_at: Any) -> None:
    page = open_at(f"{files}/diff?source=case21")
    assert changed(page, "/sum") == ("0.30000000000000004", "0.3")
    assert page.locator(".diff3 .row.change").count() == 1


def test_27_the_changed_word_is_in_sight_and_no_emoji_is_cut(files: str, open_at: Any) -> None:
    page = open_at(f"{files}/diff?source=case27")
    row = page.locator(".diff3 .row.change").first
    for side, tag, word in (("base", "del", "40"), ("target", "ins", "45")):
        cell = row.locator(f".cell.{side}")
        mark = cell.locator(tag)
        assert mark.inner_text() == word
        inside, outside = mark.bounding_box(), cell.bounding_box()
        assert inside["x"] + inside["width"] <= outside["x"] + outside["width"]
    old, new = (read(case("27") / f"{side}.json")["mood"] for side in "ab")
    assert changed(page, "/mood") == (old, new)


def test_61_the_record_that_is_missing_is_said_beside_the_diff(files: str, open_at: Any) -> None:
    page = open_at(f"{files}/diff?source=case61.jsonl&checkpoint=%402")
    assert page.get_by_text("1 record is missing between @1 and @2").is_visible()
    assert "gap" in page.locator(".strip .where").inner_text()


def test_66_chart_and_diff_work_and_what_is_downloaded_is_json(files: str, open_at: Any) -> None:
    for stem in ("usage", "diff"):
        page = open_at(f"{files}/{stem}?source=case66.json")
        assert page.locator("[data-testid=stException]").count() == 0, stem
    page = open_at(f"{files}/timeline?source=case66.json")
    assert "NaN" in page.locator(".tree").inner_text()
    assert exported(page)["loss"] == {"$type": "float", "value": "NaN"}


def test_67_keys_that_stand_twice_are_told_on_the_page(files: str, open_at: Any) -> None:
    page = open_at(f"{files}/timeline?source=case67.json")
    told = page.locator("[data-testid=stExpander]", has_text="2 problems")
    told.locator("summary").click()
    told.get_by_text("/budget").wait_for()
    text = told.inner_text()
    assert "/steps/0/id" in text
    assert "the last value is used" in text


def test_69_half_an_emoji_is_marked_and_downloads(files: str, open_at: Any) -> None:
    page = open_at(f"{files}/diff?source=case69")
    assert "U+D83D" in changed(page, "/title")[0]
    page = open_at(f"{files}/timeline?source=case69&checkpoint=%400")
    rows = page.locator(".tree").inner_text()
    assert "U+DC00" in rows
    assert "U+D800" in rows
    assert exported(page) == read(case("69") / "a.json")


def exported(page: Any) -> Any:
    """Return the state that the Timeline's menu of exports hands out."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    page.get_by_role("button", name="Export").click()
    button = page.get_by_role("button", name="State as JSON")
    with page.expect_download() as started:
        button.click()
    return json.loads(Path(started.value.path()).read_text("utf-8"), parse_constant=refuse)


def test_111_names_are_literal_in_list_diff_and_headings(
    serve: Any, open_at: Any, tmp_path: Path
) -> None:
    state = read(HOSTILE / "state.json")
    names = [*state, ":red[not red]", "~~gone~~", ":smile:"]
    folder = tmp_path / "run"
    folder.mkdir()
    last = len(names) - 1
    for number, name in enumerate(names):
        changing = {**state, "line\nbreak": f"{number} tab\there"}
        wrapper = {"checkpoint_id": name, "thread_id": names[0], "node": name, "state": changing}
        (folder / f"{number:02}.json").write_text(json.dumps(wrapper))
    url = app(serve, folder)
    page = open_at(f"{url}/timeline?checkpoint=%40{last}")
    assert page.locator(".frame .title").inner_text() == names[0]
    rows = page.locator(".tree").inner_text()
    for name, value in state.items():
        assert name.replace("\n", "\\n") in rows
        if name != "line\nbreak":
            assert value.replace("\n", "\\n") in rows
    assert "tab\\there" in rows
    for index, name in list(enumerate(names))[::3]:
        page = open_at(f"{url}/timeline?checkpoint=%40{index}")
        heading = page.locator("[data-testid=stMarkdown] code").first.inner_text()
        assert heading.replace(WORD_JOINER, "") == name.replace("\n", "⏎")
    page = open_at(f"{url}/diff?checkpoint=%40{last}")
    assert changed(page, "/line\nbreak")[1] == f"{last} tab\\there"
    path = page.locator(".diff3 .row.change .cell.path").inner_text()
    assert path == "/line\\nbreak"
    fold = page.locator(".diff3 .row.unchanged")
    others = [name for name in state if name != "line\nbreak"]
    assert fold.inner_text().endswith(", ".join(others))
    fold.click()
    unfolded = page.locator(".diff3 .row.name .tail").all_inner_texts()
    assert unfolded == [join((name,)) for name in others]
    # Every page with hostile names: tests/browser/test_hostile.py.
    for stem in ("runs", "transcript"):
        page = open_at(f"{url}/{stem}")
        main = page.locator("[data-testid=stMain]")
        assert main.locator(".katex, img").count() == 0, stem
        styled = main.locator(
            "h1, strong, em, del, li, [style*=color], [data-testid=stIconMaterial]"
        )
        words = re.compile("^(head|bold|not red|gone|init|case_name|cost|list|delete)$")
        assert styled.filter(has_text=words).count() == 0, stem
        assert "😄" not in page.evaluate("document.body.innerText"), stem


def test_112_what_cannot_be_seen_is_named_and_turns_nothing_around(
    files: str, open_at: Any
) -> None:
    page = open_at(f"{files}/diff?source=case112")
    wanted = read(case("112") / "case.json")["expect"]["changes"]
    assert page.locator(".diff3 .row.change").count() == len(wanted)
    assert changed(page, "/b") == ("payU+200B", "pay")
    assert changed(page, "/c")[0] == "userU+202Etxt.exe"
    row = page.locator(".diff3 .row.change").first
    assert row.locator(".chip.alike").inner_text() == "looks the same"
    row.click()
    assert "ZERO WIDTH SPACE" in page.locator(".diff3 .detail-bar").inner_text()
    page.get_by_role("button", name="copy old").click()
    page.wait_for_function("async () => (await navigator.clipboard.readText()) === 'pay\\u200b'")
    page = open_at(f"{files}/timeline?source=case112")
    rows = page.locator(".tree [role=tree]").inner_text()
    for seen in (
        "U+202Eevil",
        "bellU+0007",
        "escU+001B[31m",
        "\u0645\u0631\u062d\u0628\u0627 42 (x)",
    ):
        assert seen in rows
    # The override is drawn by its number: as itself it would turn around what follows it.
    assert "\u202e" not in page.evaluate("document.body.innerText") + rows
    direction = "(node) => getComputedStyle(node).direction"
    assert page.locator(".tree").evaluate(direction) == "ltr"
    # What is copied is the value itself.
    page.get_by_role("button", name="copy value").click()
    page.wait_for_function(
        "async (wanted) => JSON.stringify(JSON.parse(await navigator.clipboard.readText()))"
        " === JSON.stringify(wanted)",
        arg=read(case("112") / "b.json"),
    )


@pytest.mark.slow
def test_114_a_hundred_thousand_items_and_two_million_characters(
    serve: Any, open_at: Any, tmp_path: Path
) -> None:
    for side in ("a", "b"):
        text = gzip.decompress((case("114") / f"{side}.json.gz").read_bytes())
        (tmp_path / f"{side}.json").write_bytes(text)
    url = app(serve, tmp_path)
    began = time.monotonic()
    page = open_at(f"{url}/timeline?checkpoint=%401")
    assert time.monotonic() - began < 10
    rows = page.locator(".tree [role=tree]")
    assert "[100,001 items]" in rows.inner_text()
    assert "2,000,000 characters" in rows.inner_text()
    nodes = ".querySelectorAll('*').length"
    assert page.locator(".tree").evaluate(f"(node) => node{nodes}") < 1000
    page.locator(".tree [role=treeitem]", has_text="2,000,000").click()
    page.get_by_role("button", name="copy value").click()
    page.wait_for_function(
        "async () => (await navigator.clipboard.readText()).length >= 2_000_000", timeout=10_000
    )
    began = time.monotonic()
    page = open_at(f"{url}/diff?checkpoint=%401")
    assert time.monotonic() - began < 10
    (row,) = page.locator(".diff3 .row.change").all()
    assert row.locator(".path").get_attribute("title") == "/arr/100000"
    assert row.locator(".op").inner_text() == "+ added"


def test_117_json_in_a_text_stays_text_and_is_read_on_demand(files: str, open_at: Any) -> None:
    page = open_at(f"{files}/diff?source=case117")
    wanted = read(case("117") / "case.json")["expect"]["changes"][0]
    assert changed(page, wanted["path"]) == (wanted["old"], wanted["new"])
    page.locator(".diff3 .row.change").click()
    assert "string" in page.locator(".diff3 .detail-bar .about").inner_text()
    page.get_by_role("button", name="as JSON").click()
    # Read by name: the order of its members alone is no change.
    sides = page.locator(".diff3 .detail .side")
    assert sides.nth(0).locator("del").all_inner_texts() == ["40"]
    assert sides.nth(1).locator("ins").all_inner_texts() == ["45"]
    page = open_at(f"{files}/timeline?source=case117")
    rows = page.locator(".tree [role=tree]").inner_text()
    assert "\u201c007\u201d" in rows
    assert "\u201c1e3\u201d" in rows


def test_116_a_shorter_file_in_its_place_leaves_no_step_behind(
    serve: Any, open_at: Any, settled: Any, tmp_path: Path
) -> None:
    source = tmp_path / "run.jsonl"
    shutil.copy(RELOAD / "ten.jsonl", source)
    page = open_at(f"{app(serve, source)}/diff?checkpoint=%409&base=%407")
    assert changed(page, "/n") == ("7", "9")
    source.write_bytes((RELOAD / "two.jsonl").read_bytes())
    page.reload()
    page.locator(".frame .title").wait_for()
    settled(page)
    assert page.locator(".strip .where").inner_text().startswith("@1")
    assert page.locator("[data-testid=stException]").count() == 0
    assert changed(page, "/n") == ("0", "1")
    assert page.locator(".diff3 .row.change").count() == 1


def test_116_a_shorter_file_is_noticed_while_stepping(
    serve: Any, open_at: Any, settled: Any, tmp_path: Path
) -> None:
    source = tmp_path / "run.jsonl"
    shutil.copy(RELOAD / "ten.jsonl", source)
    page = open_at(f"{app(serve, source)}/diff?checkpoint=%409")
    source.write_bytes((RELOAD / "two.jsonl").read_bytes())
    page.locator(".frame .title").click()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(
        "() => [...document.querySelectorAll('*')].some((e) =>"
        " e.shadowRoot?.querySelector('.strip .where')?.textContent.startsWith('@1 / @1'))"
    )
    settled(page)
    assert changed(page, "/n") == ("0", "1")
