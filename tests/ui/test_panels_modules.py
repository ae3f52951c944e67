"""The pure parts of the panels, run by node where node is; and how modules are joined."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from viewer.panels.modules import FOLDER, script, style
from viewer.panels.wire import text_of

PANELS = ("strip", "tree", "diff3")
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")


def run(body: str, folder: Path, **given: Any) -> Any:
    """Run ``body`` as a module beside the panels' modules; returns what it passes to ``tell``."""
    names = json.dumps(given)
    start = f"const given = {names};\nconst tell = (x) => console.log(JSON.stringify(x));\n"
    for module in FOLDER.glob("*.js"):
        shutil.copy(module, folder / module.name)
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "run.js").write_text(body.replace("//start", start), encoding="utf-8")
    assert NODE is not None
    done = subprocess.run(
        [NODE, str(folder / "run.js")], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("panel", PANELS)
def test_the_joined_module_has_one_export_and_no_import(panel: str) -> None:
    text = script(f"{panel}.js")
    assert re.findall(r"^export .*$", text, re.MULTILINE) == [
        f"export default function {panel}({{ data, {rest}"
        for rest in re.findall(
            rf"export default function {panel}\(\{{ data, (.*)$", text, re.MULTILINE
        )
    ]
    assert not re.search(r"^import\b", text, re.MULTILINE)


@pytest.mark.parametrize("panel", PANELS)
def test_no_two_files_of_a_panel_use_one_name_at_their_top(panel: str) -> None:
    names = re.findall(
        r"^(?:export default )?(?:async )?(?:function|class|const|let) (\w+)",
        script(f"{panel}.js"),
        re.MULTILINE,
    )
    assert len(names) > 20
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("panel", PANELS)
@needs_node
def test_the_joined_module_is_valid(panel: str, tmp_path: Path) -> None:
    (tmp_path / "panel.mjs").write_text(script(f"{panel}.js"), encoding="utf-8")
    assert NODE is not None
    done = subprocess.run([NODE, "--check", str(tmp_path / "panel.mjs")], capture_output=True)
    assert done.returncode == 0, done.stderr


def test_nothing_builds_markup_from_text() -> None:
    makers = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|Function\("
    )
    for module in FOLDER.glob("*.js"):
        assert not makers.search(module.read_text(encoding="utf-8")), module.name


def test_colours_come_from_the_theme() -> None:
    for sheet in FOLDER.glob("*.css"):
        assert not re.search(r"#[0-9a-fA-F]{3,8}\b", sheet.read_text(encoding="utf-8")), sheet.name
    assert "--st-text-color" in style("tree.css")


VALUE: dict[str, Any] = {
    "": {"a/b~c": [1, 1.0, -0.0, 10**30, 1e-7]},
    'quote " and \\ back': 'text " with \\ and \n and \u202e and 😀',
    "nan": [float("nan"), float("inf"), float("-inf")],
    "empty": [{}, [], "", None, True, False],
}


@needs_node
def test_columns_read_every_value_with_its_own_characters(tmp_path: Path) -> None:
    body = """import { Columns } from "./json.js";
    //start
    const columns = new Columns();
    columns.read(given.text);
    tell(Array.from({ length: columns.length }, (_, row) =>
      [columns.pointer(row), columns.isContainer(row) ? columns.count[row] : columns.shown(row)]));
    """
    rows = dict(map(tuple, run(body, tmp_path, text=text_of(VALUE))))
    assert rows["//a~1b~0c/0"] == "1"
    assert rows["//a~1b~0c/1"] == "1.0"
    assert rows["//a~1b~0c/2"] == "-0.0"
    assert rows["//a~1b~0c/3"] == "1" + "0" * 30
    assert rows["//a~1b~0c/4"] == "1e-07"
    assert rows['/quote " and \\ back'] == VALUE['quote " and \\ back']
    assert [rows[f"/nan/{i}"] for i in range(3)] == ["NaN", "Infinity", "-Infinity"]
    assert [rows[f"/empty/{i}"] for i in range(6)] == [0, 0, "", "null", "true", "false"]
    assert (rows[""], len(rows)) == (4, 20)


@needs_node
def test_pretty_json_is_json_with_numbers_as_written(tmp_path: Path) -> None:
    body = """import { Columns, prettyJson } from "./json.js";
    //start
    const columns = new Columns();
    columns.read(given.text);
    tell([prettyJson(columns, 0), prettyJson(columns, 0, 20), prettyJson(columns, 0, Infinity, true)]);
    """
    whole, cut, sorted_by_name = run(body, tmp_path, text=text_of(VALUE))
    assert list(json.loads(sorted_by_name)) == sorted(VALUE) != list(VALUE)
    assert json.loads(sorted_by_name) == json.loads(whole)
    read = json.loads(whole)
    assert read["nan"][1] == {"$type": "float", "value": "Infinity"}
    assert {**read, "nan": 0} == {**VALUE, "nan": 0}
    assert "1.0,\n" in whole
    assert cut.endswith("\n…")
    assert len(cut) == 22


@pytest.mark.parametrize(
    ("old", "new", "marked_old", "marked_new"),
    [
        pytest.param("We refused it.", "We approved it.", ["refused"], ["approved"], id="one word"),
        pytest.param("a b c", "a c", ["b "], [], id="one word gone"),
        pytest.param("", "all new", [], ["all new"], id="from nothing"),
        pytest.param("same", "same", [], [], id="equal"),
        pytest.param(
            "👩‍👩‍👧‍👦 ok", "👩‍👩‍👧 ok", ["👩‍👩‍👧‍👦"], ["👩‍👩‍👧"], id="one member of a family"
        ),
        pytest.param("x é y", "x e y", ["é"], ["e"], id="an accent"),
        pytest.param(
            "one two three four",
            "zero two four five",
            ["one", "three "],
            ["zero", " five"],
            id="several",
        ),
    ],
)
@needs_node
def test_only_the_words_that_differ_are_marked(
    old: str, new: str, marked_old: list[str], marked_new: list[str], tmp_path: Path
) -> None:
    body = """import { wordDifference } from "./text.js";
    //start
    tell(wordDifference(given.old, given.new));
    """
    before, after = run(body, tmp_path, old=old, new=new)
    assert ("".join(t for t, _ in before), "".join(t for t, _ in after)) == (old, new)
    assert [t for t, changed in before if changed] == marked_old
    assert [t for t, changed in after if changed] == marked_new


@needs_node
def test_texts_that_share_little_are_marked_whole(tmp_path: Path) -> None:
    """Looking for the few words that they share would take the square of their length."""
    body = """import { wordDifference } from "./text.js";
    //start
    const words = (seed) => Array.from({ length: 6000 }, (_, i) => `w${(i * seed) % 7919}`).join(" ");
    const parts = wordDifference(words(31), words(57));
    tell(parts.map((side) => side.map(([text, changed]) => [text.length, changed])));
    """
    old, new = run(body, tmp_path)
    # The word that both begin with, then all the rest as one change.
    assert [len(side) for side in (old, new)] == [2, 2], "cut into words: the guard did not hold"
    assert all(length > 20_000 and changed for _, [length, changed] in (old, new))


@needs_node
def test_previews_start_near_the_difference_and_cut_no_character(tmp_path: Path) -> None:
    body = """import { beginning, folded, nearDifference, wordDifference } from "./text.js";
    //start
    const same = "lorem ipsum ".repeat(100);
    const family = "👩‍👩‍👧‍👦";
    tell([
      nearDifference(same + "old end", same + "new end", 40),
      beginning("ab" + family + "cd", 5),
      folded(wordDifference(same + "old " + same, same + "new " + same)[0], 20),
    ]);
    """
    (old, new), cut, parts = run(body, tmp_path)
    assert old.startswith("…")
    assert "old end" in old
    assert "new end" in new
    assert cut == "ab…"
    assert [bool(hidden) for _, _, hidden in parts] == [True, False, False, False, True]
    assert sum(len(text) + hidden for text, _, hidden in parts) == 2404


TREE = """import { StateTree } from "./tree_model.js";
//start
const tree = new StateTree(given.payload);
const name = (row) => tree.name(row);
const all = new Uint8Array(tree.length).fill(1);
"""


def payload(state: Any, **more: Any) -> dict[str, Any]:
    empty = {"changes": [], "removed": [], "violations": {}, "owners": [], "planes": []}
    return {"state": text_of(state), **empty, **more}


@needs_node
def test_removed_rows_stand_in_place_and_are_named_by_the_base(tmp_path: Path) -> None:
    removed = [
        ["/l", "0", 0, "/l/0", '{"x":1}'],
        ["/l", "3", 2, "/l/3", "4"],
        ["", "k", -1, "/k", '"v"'],
    ]
    body = TREE + "tell([tree.rows(all).map(name), tree.find('-/l/0'), tree.nearest('/l/1/none')]);"
    names, found, nearest = run(
        body, tmp_path, payload=payload({"l": ["b", "c"], "z": 0}, removed=removed)
    )
    assert names == ["", "/l", "-/l/0", "-/l/0/x", "/l/0", "/l/1", "-/l/3", "/z", "-/k"]
    assert (found, nearest) == (2, 5)


@needs_node
def test_folded_fields_are_left_out_until_unfolded_or_kept(tmp_path: Path) -> None:
    state = {"log": [1], "branch:to:a": {"x": 1}, "n": 2}
    changes = [["add", "/log/0", None, None, None], ["add", "/branch:to:a", None, None, None]]
    removed = [["", "__start__", -1, "/__start__", '{"y":1}']]
    body = TREE + (
        "const kept = tree.withAncestors([...tree.folded]);"
        "tell([tree.rows(all), tree.rows(all, null, true), tree.rows(all, kept)]"
        ".map((rows) => rows.map(name)).concat([tree.changesIn(false).map(name)]));"
    )
    shown = payload(state, changes=changes, removed=removed, folded=["branch:to:a", "__start__"])
    folded, unfolded, filtered, stops = run(body, tmp_path, payload=shown)
    assert folded == ["", "/log", "/log/0", "/n"]
    everything = ["", "/log", "/log/0", "/branch:to:a", "/branch:to:a/x", "/n"]
    assert unfolded == [*everything, "-/__start__", "-/__start__/y"]
    assert filtered == ["", "/branch:to:a", "/branch:to:a/x", "-/__start__", "-/__start__/y"]
    assert stops == ["/log/0"]


@needs_node
def test_a_violation_of_an_absent_field_stands_at_the_place_above(tmp_path: Path) -> None:
    body = TREE + "tell([[...tree.violations], tree.brokenBelow[0]]);"
    marks = {"/a/b/c": ["required"], "/a": ["wrong"]}
    [[row, entries]], below = run(body, tmp_path, payload=payload({"a": {}}, violations=marks))
    assert (row, below) == (1, 1)
    assert [e["message"] for e in entries] == ["wrong", "required"]


@pytest.mark.parametrize(
    ("needle", "pointers"),
    [
        pytest.param("ALPHA", ["/alpha", "/list/0"], id="keys and values, any case"),
        pytest.param("n", ["/list/3", "-/gone"], id="an escape is not its letter"),
        pytest.param('"', ["/q"], id="a quote"),
        pytest.param('":', [], id="punctuation of JSON is no value"),
        pytest.param("1.0", ["/list/1"], id="a number as written"),
        pytest.param("\n", ["/list/2"], id="a line break"),
        pytest.param("null", ["/list/3"], id="a word"),
        pytest.param("straße", ["/s"], id="other letters"),
        pytest.param("gone", ["-/gone"], id="what was removed"),
        pytest.param("ax1", ["/x1"], id="a key that ends where the next begins"),
    ],
)
@needs_node
def test_search_finds_what_a_person_reads(needle: str, pointers: list[str], tmp_path: Path) -> None:
    state = {
        "alpha": {},
        "list": ["xAlphax", 1.0, "tw\no", None],
        "q": 'a"b',
        "s": "STRASSE straße",
        "x1": "ax1",
    }
    removed = [["", "gone", -1, "/gone", "1"]]
    body = TREE + "tell(tree.search(given.needle).map(name));"
    assert run(body, tmp_path, payload=payload(state, removed=removed), needle=needle) == pointers


@needs_node
def test_search_agrees_where_lower_case_is_longer(tmp_path: Path) -> None:
    body = TREE + "tell(tree.search('beta').map(name));"
    assert run(body, tmp_path, payload=payload({"İİİ": "İ", "b": "Beta"})) == ["/b"]


@needs_node
def test_a_filter_keeps_the_way_to_what_it_keeps(tmp_path: Path) -> None:
    changes = [["add", "/a/new", None, None], ["replace", "/b/x", None, "1"]]
    state = {"a": {"old": 1, "new": {"in": 1}}, "b": {"x": 2, "y": 3}, "c": 4}
    body = TREE + (
        "const none = new Uint8Array(tree.length);"
        "const kept = tree.withAncestors(tree.changes);"
        "tell([tree.rows(none, kept).map(name), tree.rows(all, kept).map(name), tree.rows(none).map(name)]);"
    )
    closed, opened, unfiltered = run(body, tmp_path, payload=payload(state, changes=changes))
    assert closed == ["", "/a", "/a/new", "/b", "/b/x"]
    assert opened == ["", "/a", "/a/new", "/a/new/in", "/b", "/b/x"]
    assert unfiltered == [""]


@needs_node
def test_branches_share_rows_when_they_do_not_overlap(tmp_path: Path) -> None:
    body = """import { magnified, nextWhere, packedRows } from "./strip_model.js";
    //start
    const lane = [0, 0, 1, 1, 0, 2, 2, 0, 3, 0, 4];
    const parent = [null, 0, 0, 2, 1, 4, 5, 4, 4, 7, 1];
    tell([
      packedRows(lane, parent),
      magnified(100, 50), magnified(2000, 0), magnified(2000, 1999), magnified(2000, 1000),
      nextWhere(10, 3, 1, (i) => i % 5 === 0), nextWhere(10, 3, -1, (i) => i > 5),
    ]);
    """
    rows, *windows, after, before = run(body, tmp_path)
    assert rows == [0, 0, 1, 1, 0, 1, 1, 0, 3, 0, 2]
    assert windows == [[0, 100], [0, 160], [1840, 2000], [920, 1080]]
    assert (after, before) == (5, None)


@needs_node
def test_a_value_in_its_class_wrapper_shows_what_stands_inside(tmp_path: Path) -> None:
    body = """import { unwrapped } from "./text.js";
//start
tell(given.texts.map(unwrapped));
"""
    wrapper = {"$type": "a.b.AIMessage", "$ctor": "pydantic2", "value": {"x": 1}}
    texts = [
        text_of({**wrapper, "$method": "m"}),
        text_of({"$type": "float", "value": "NaN"}),
        text_of({"value": 1, "$type": "x"}),
        text_of({"$type": 'q"uote.C', "value": [1]}),
    ]
    assert run(body, tmp_path, texts=texts) == [
        'AIMessage {"x":1}',
        'float "NaN"',
        texts[2],
        "C [1]",
    ]
