"""The pure parts of the state tree: names, moments, filters, search, schema words."""

import importlib.util
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from viewer.analysis.diff import diff
from viewer.analysis.projection import Projector
from viewer.model import MISSING
from viewer.panels.tree import chain_part, tree_payload
from viewer.panels.tree_schema import PLACES, schema_words
from viewer.pointer import join
from viewer.profiles import load_profile

_SPEC = importlib.util.spec_from_file_location(
    "panels_modules", Path(__file__).with_name("test_panels_modules.py")
)
assert _SPEC is not None
assert _SPEC.loader is not None
_MODULES = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(_MODULES)
run = _MODULES.run
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

START = """import { StateTree } from "./tree_model.js";
//start
const tree = new StateTree(given.payload);
const name = (row) => tree.name(row);
"""


def told(body: str, folder: Path, imports: str = "", **given: Any) -> Any:
    return run(imports + "\n" + START + body, folder, **given)


STATE: dict[str, Any] = {
    "messages": [{"id": "m0", "text": "hi"}, {"id": "m1"}, {"id": "m2", "text": "hi"}],
    "o'clock": {"a\n\x07": [1, 2]},
    "status": "running",
    "usage": {"tokens": 12, "at": "2026-06-15T09:12:11+02:00"},
    "branch:to:x": None,
}


@needs_node
def test_the_button_of_the_changes_counts_folded_ones_as_internal(tmp_path: Path) -> None:
    imports = 'import { changesLabel } from "./tree_toolbar.js";'
    body = "tell([changesLabel(5, 6), changesLabel(1, 1), changesLabel(0, 2), changesLabel(0, 0)]);"
    assert told(body, tmp_path, imports, payload=tree_payload(STATE)) == [
        "only 5 changes + 1 internal",
        "only 1 change",
        "only 0 changes + 2 internal",
        "no changes",
    ]


@needs_node
def test_the_runs_of_a_field_show_where_their_values_differ(tmp_path: Path) -> None:
    imports = 'import { runValues } from "./tree_inspector.js";'
    same = "the same long beginning of both of these texts, and then "
    body = 'tell(runValues([null, `${given.same}a tail`, `${given.same}another end`, "7"].map((value) => ({ value }))));'
    absent, first, second, last = told(
        body, tmp_path, imports, payload=tree_payload(STATE), same=same
    )
    assert (absent, last) == ("absent", "7")
    assert "a tail" in first[:38]
    assert first.startswith("…")
    assert second.startswith("…")
    assert "another end" in second[:38]


@needs_node
def test_paths_are_normalised_and_siblings_are_compared(tmp_path: Path) -> None:
    imports = 'import { jsonPath, sameAcrossSiblings } from "./tree_paths.js";'
    body = """
    const beside = sameAcrossSiblings(tree, tree.find("/messages/2/text"));
    tell([
      jsonPath(tree, 0), jsonPath(tree, tree.find("/messages/1/id")), jsonPath(tree, tree.find(given.odd)),
      name(beside.list), beside.path, beside.values.map(([at, row]) => [at, row === null ? null : tree.text(row)]),
      beside.distinct, sameAcrossSiblings(tree, tree.find("/status")), sameAcrossSiblings(tree, tree.find("/messages/1")),
    ]);"""
    found = told(body, tmp_path, imports, payload=tree_payload(STATE), odd="/o'clock/a\n\x07/1")
    assert found[:3] == ["$", "$['messages'][1]['id']", "$['o\\'clock']['a\\n\\u0007'][1]"]
    assert found[3:7] == ["/messages", ["text"], [[0, "hi"], [1, None], [2, "hi"]], 2]
    assert found[7:] == [None, None]


@needs_node
def test_only_what_looks_like_a_moment_is_read_as_one(tmp_path: Path) -> None:
    body = """import { momentLines } from "./tree_paths.js";
    import { NUMBER, STRING } from "./json.js";
    //start
    const now = Date.UTC(2026, 5, 16);
    const words = (kind, text) => momentLines(kind, text, now).map(([label, value]) => `${label}: ${value}`).join("|");
    tell([...given.texts.map((text) => words(STRING, text)), ...given.numbers.map((text) => words(NUMBER, text))]);
    """
    texts = ["2026-06-15T09:12:11+02:00", "2026-06-15 09:12:11", "2026-06-15", "2026-99-99", "v1"]
    numbers = ["1781507531", "1781507531000", "1781507531.25", "42", "9999999999"]
    found = run(body, tmp_path, texts=texts, numbers=numbers)
    assert "UTC: 2026-06-15 07:12:11.000Z · 16 hours ago" in found[0]
    assert "local: " in found[0]
    assert "without a zone" in found[1]
    assert "UTC: 2026-06-15 09:12:11.000Z" in found[1]
    assert found[2] == "date: Monday, 1 day ago"
    assert found[3:5] == ["", ""]
    assert "Unix time in seconds" in found[5]
    assert "Unix time in milliseconds" in found[6]
    assert "2026-06-15 07:12:11.250Z" in found[7]
    assert found[8:] == ["", ""]


def leaves(value: Any, at: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], Any]]:
    pairs: Any = ()
    if isinstance(value, dict):
        pairs = value.items()
    elif isinstance(value, list):
        pairs = enumerate(value)
    below = [leaf for key, child in pairs for leaf in leaves(child, (*at, key))]
    return below or [(at, value)]


SHOWN = {"would be shown": 2, "not": 1, "may be": 3}


@pytest.mark.parametrize("profile", ["task-state", "agent-state", "langgraph"])
@needs_node
def test_planes_and_what_is_shown_agree_with_python(profile: str, tmp_path: Path) -> None:
    held = load_profile(profile)
    state = {
        **STATE,
        "working": {"draft": "x", "facts": [1]},
        "goal": "g",
        "__pregel_x": {"y": 1},
        "evidence": [{"ok": True}],
        "jump_to": "z",
    }
    projector = Projector(held)
    expected = {}
    for at, value in leaves(state):
        shown = projector.part(at, value) is not MISSING
        kind = "would be shown" if shown else "may be" if projector.is_optional(at) else "not"
        expected[join(at)] = [held.plane(at), held.owner(at), SHOWN[kind]]
    imports = 'import { planesOf, shownOf } from "./tree_meaning.js";'
    body = """
    const { names, plane } = planesOf(tree);
    const shown = shownOf(tree);
    const { end } = tree.columns;
    const rows = Array.from(end.keys()).filter((row) => end[row] === row + 1);
    tell(Object.fromEntries(rows.map((row) => [name(row), [names[plane[row]], tree.owner(row), shown[row]]])));"""
    found = told(body, tmp_path, imports, payload=tree_payload(state, profile=held))
    assert found == expected


@needs_node
def test_filters_combine_and_count(tmp_path: Path) -> None:
    payload = tree_payload(
        STATE,
        profile=load_profile("task-state"),
        violations={"/status": ["bad"], "/usage/tokens": ["worse"]},
    )
    payload["changes"] = [
        ["replace", "/status", None, '"was"', None],
        ["add", "/messages/2", None, None, None],
    ]
    imports = 'import { Meanings, filterText, filterWords, inPlane, passing, switched } from "./tree_filter.js";'
    body = """
    const meanings = new Meanings(tree);
    const open = new Uint8Array(tree.length).fill(1);
    const shown = (text, changes = tree.changes) => {
      const { stops, kept, resting } = passing(meanings, filterWords(text), changes);
      return [stops && stops.map(name), kept && tree.rows(open, kept).map(name), [...resting]];
    };
    tell({
      all: shown(""), both: shown("changed,violating"), plane: shown("plane:execution"),
      model: shown("changed,shown"), hidden: shown("not-shown"), rests: shown("changed", []), unknown: shown("plane:none"),
      counts: [meanings.planeCounts(), meanings.shownCounts()],
      words: [filterText(switched(filterWords("shown, bogus"), "not-shown")), filterText(inPlane(filterWords("changed,plane:a"), "b")), filterText(filterWords(null))],
    });"""
    found = told(body, tmp_path, imports, payload=payload)
    assert found["all"] == [None, None, []]
    assert found["both"][0] == ["/status"]
    assert found["plane"][1] == ["", "/status"]
    assert found["model"][0] == ["/messages/2"]
    assert not any(p.startswith("/messages") for p in found["hidden"][1])
    assert "/usage/tokens" in found["hidden"][1]
    assert found["rests"] == [None, None, ["changed"]]
    assert found["unknown"] == [[], [], []]
    assert found["counts"][1] == {"shown": 5, "not-shown": 6, "may be": 0}
    assert ["execution", 1] in found["counts"][0]
    assert found["words"] == ["not-shown", "changed,plane:b", None]


@needs_node
def test_what_was_removed_is_counted_nowhere_and_a_word_without_places_rests(
    tmp_path: Path,
) -> None:
    profile = load_profile("task-state")
    base = {**STATE, "usage": {**STATE["usage"], "gone": 7}, "note": "gone"}
    payloads = {
        "without": tree_payload(STATE, profile=profile),
        "with": tree_payload(STATE, profile=profile, changes=diff(base, STATE)),
    }
    imports = (
        'import { Meanings, filterText, filterWords, passing, switched } from "./tree_filter.js";'
    )
    body = """
    const other = new StateTree(given.other);
    const counts = (one) => [new Meanings(one).planeCounts(), new Meanings(one).shownCounts()];
    const { resting, kept } = passing(new Meanings(tree), filterWords("violating"), tree.changes);
    tell({
      removed: [...Array(tree.length).keys()].filter((row) => tree.isRemoved(row)).map(name),
      counts: [counts(tree), counts(other)],
      rests: [[...resting], kept],
      words: filterText(switched(filterWords("not-shown,changed"), "shown")),
    });"""
    found = told(body, tmp_path, imports, payload=payloads["with"], other=payloads["without"])
    assert set(found["removed"]) == {"-/note", "-/usage/gone"}
    assert found["counts"][0] == found["counts"][1]
    assert found["rests"] == [["violating"], None]
    assert found["words"] == "changed,shown"


@needs_node
def test_case_and_regular_expressions(tmp_path: Path) -> None:
    state = {"Alpha": "alpha", "n": 1.50, "q": 'say "hi"\nnow', "list": ["a1", "b2"]}
    imports = 'import { expressionOf, patternHits, searchable } from "./tree_search.js";'
    body = """
    const matches = (source, cased = false) => {
      const { expression, error } = expressionOf(source, cased);
      if (error) return error;
      const found = [];
      patternHits(searchable(tree), expression, (hits) => found.push(...hits));
      return found.map(([row, key, value]) => [name(row), key, value]);
    };
    tell([
      tree.search("ALPHA", true).map(name), tree.search("Alpha", true).map(name), tree.search("ALPHA").map(name),
      matches("^a\\\\d$"), matches('"hi"\\n'), matches("^1\\\\.50?$"), matches("^Alpha$", true), matches("("), matches("\\\\-x"),
    ]);"""
    found = told(body, tmp_path, imports, payload=tree_payload(state))
    assert found[:3] == [[], ["/Alpha"], ["/Alpha"]]
    assert found[3] == [["/list/0", None, [0, 2]]]
    assert found[4] == [["/q", None, [4, 9]]]
    assert found[5] == [["/n", None, [0, 3]]]
    assert found[6] == [["/Alpha", [0, 5], None]]
    assert "Unterminated group" in found[7]
    assert found[8] == []


@needs_node
def test_json_inside_a_string_keeps_its_numbers_and_parses_again(tmp_path: Path) -> None:
    inner = '{"big":12345678901234567890,"one":1.0}'
    text = json.dumps({"a": [1.0], "inner": inner, "plain": "{no"})
    body = """import { isJson, jsonPieces } from "./tree_reader.js";
    //start
    tell([jsonPieces(given.text), [given.text, '"{}"', "12", '"x"', "{no", "[1,", " [1]"].map(isJson), jsonPieces(given.long, 3).at(-1)]);
    """
    pieces, valid, last = run(body, tmp_path, text=text, long=json.dumps(["[1]"] * 50))
    assert "".join(piece for piece, _ in pieces) == (
        '{\n  "a": [\n    1.0\n  ],\n  "inner": ' + json.dumps(inner) + ',\n  "plain": "{no"\n}'
    )
    assert [inside for _, inside in pieces if inside is not None] == [inner]
    assert valid == [True, True, False, False, False, False, True]
    assert last == ["\n…", None]


SCHEMA = {
    "properties": {
        "a": {"$ref": "#/$defs/a", "description": "outer"},
        "either": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
        "pair": {"prefixItems": [{"const": 1.0}], "items": {"type": "integer"}},
        "free": {"additionalProperties": {"enum": ["x", 2]}},
        "__proto__": {"title": "odd"},
    },
    "required": ["a"],
    "$defs": {"a": {"title": "A", "properties": {"next": {"$ref": "#/$defs/a"}}}},
    "allOf": [{"properties": {"a": {"deprecated": True}}}, {"$ref": "http://elsewhere/x"}],
}


@needs_node
def test_the_schema_is_looked_up_along_references_and_branches(tmp_path: Path) -> None:
    places = ["/a", "/a/next", "/either", "/pair/0", "/pair/7", "/free/any", "/__proto__", "/none"]
    body = """import { schemaWords } from "./tree_meaning.js";
    import { splitPointer } from "./json.js";
    //start
    tell(given.places.map((place) => Object.fromEntries(schemaWords(JSON.parse(given.schema), splitPointer(place)))));
    """
    found = run(body, tmp_path, schema=json.dumps(schema_words(SCHEMA)), places=places)
    assert found[0] == {
        "required": "yes",
        "description": "outer",
        "title": "A",
        "deprecated": "true",
    }
    assert found[1] == {"title": "A"}
    assert found[2] == {"type": "string or null", "format": '"date"'}
    assert found[3:] == [
        {"const": "1.0"},
        {"type": "integer"},
        {"enum": '"x" or 2'},
        {"title": "odd"},
        {},
    ]


def places_in(node: Mapping[str, Any]) -> int:
    below = [*node.get("at", {}).values(), *([node["any"]] if "any" in node else [])]
    return 1 + sum(places_in(child) for child in below)


def test_a_schema_without_end_is_described_in_part() -> None:
    names = [f"p{i}" for i in range(40)]
    wide = {"properties": {n: {"$ref": f"#/$defs/{n}"} for n in names}}
    endless = {**wide, "$defs": {n: {"title": n, **wide} for n in names}}
    found = schema_words(endless)
    assert found is not None
    assert places_in(found) == PLACES + 1
    assert schema_words(None) is None


def test_what_a_chain_shares_travels_apart_from_what_a_checkpoint_has() -> None:
    profile = load_profile("task-state")
    shared = chain_part(profile, thread="t")
    assert shared["projection"]["include"] == [[["messages"], True, ""]]
    assert [["step"], False, "never falls (step_monotone)"] in shared["rules"]
    assert any("only grows" in words for _, _, words in shared["rules"])
    assert chain_part(None)["projection"] is None
    assert chain_part(load_profile("plain"))["schema"] is None
    rows = chain_part(load_profile("langgraph"))["owners"]
    assert [[["branch:"]], True, "LangGraph"] in rows
    one = tree_payload({}, index=1, base=0)
    assert (one["index"], one["base"]) == (1, 0)
    assert one["rev"] == tree_payload({}, index=1, base=0, panel={"turn": 3})["rev"]
    assert one["rev"] != tree_payload({}, index=2, base=0)["rev"]


@pytest.mark.slow
@needs_node
def test_a_search_costs_at_most_three_readings_of_the_same_bytes(tmp_path: Path) -> None:
    words = ["order", "refund", "policy", "customer", "agent", "plan", "approve", "reject"]
    messages = [
        {"id": f"m{i}", "text": " ".join(words * (1 + i % 12)), "n": i, "tags": ["a", None, True]}
        for i in range(13_000)
    ]
    imports = 'import { plainHits } from "./tree_search.js";'
    body = """
    const median = (work) => {
      const times = [];
      for (let i = 0; i < 9; i += 1) {
        const started = performance.now();
        work();
        times.push(performance.now() - started);
      }
      return times.sort((a, b) => a - b)[4];
    };
    const parse = median(() => JSON.parse(given.payload.state));
    const search = (needle) => median(() => { tree.lower = undefined; plainHits(tree, needle); });
    tell([given.payload.state.length, search("reject") / parse, search("e") / parse, search("m12999") / parse]);"""
    size, *ratios = told(body, tmp_path, imports, payload=tree_payload({"messages": messages}))
    assert size > 5_000_000
    assert max(ratios) <= 3, ratios
