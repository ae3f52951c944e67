"""The diff's pure parts: rows, filters, words, deltas; and the answers about a pair."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jsonpatch
import pytest

from viewer.analysis.diff import diff
from viewer.analysis.shown_places import VERDICTS
from viewer.chain import assemble
from viewer.model import MISSING, Change, Record, Thread, ThreadRef
from viewer.panels.diff3 import diff_payload, share
from viewer.panels.modules import FOLDER
from viewer.profiles import load_profile
from viewer.ui import pair_answers

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")
ROWS = """import { Changes, headAndTail } from "./diff3_model.js";
import { noFilters, readFilter, writeFilter } from "./diff3_filters.js";
const given = GIVEN;
const changes = new Changes(given);
const shown = ({ filters = {}, open = [], ignored = [], known = [], ...look }) => {
  const wanted = { ...noFilters() };
  for (const [name, value] of Object.entries(filters)) wanted[name] = name === "query" ? value : new Set(value);
  const { rows } = changes.rows({ filters: wanted, open: new Set(open), ignored: new Set(ignored), known: new Map(known), ...look });
  return rows.map((row) => `${"  ".repeat(row.depth ?? 0)}${row.side ? `${row.side} ` : ""}${row.entry?.name ?? row.text ?? row.label ?? row.kind}`);
};
"""


def run(body: str, folder: Path, payload: Any = None) -> Any:
    """Run ``body``, which prints one JSON value, beside the panels' modules."""
    for module in FOLDER.glob("*.js"):
        shutil.copy(module, folder / module.name)
    (folder / "package.json").write_text('{"type": "module"}')
    text = body.replace("GIVEN", json.dumps(payload))
    (folder / "run.js").write_text(text, encoding="utf-8")
    assert NODE is not None
    done = subprocess.run(
        [NODE, str(folder / "run.js")], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@needs_node
def test_rows_are_grouped_filtered_set_aside_and_folded(tmp_path: Path) -> None:
    rows = [
        {"op": "add", "path": "/a/x", "new": "1"},
        {"op": "replace", "path": "/a/y", "old": "1", "new": "2", "seen": '"Seen"'},
        {"op": "replace", "path": "/b", "old": "1", "new": "2", "verdict": "leak"},
        {"op": "replace", "path": "/tick", "old": "1", "new": "2", "noise": True},
        {"op": "remove", "path": "/l/0", "old": "1"},
        {"op": "add", "path": "/l/0", "new": "2"},
    ]
    given = {
        "rows": rows,
        "groups": {"a": [4, 2]},
        "unchanged": ["z"],
        "written": {"a": ["n"], "b": ["n", "m"]},
        "planes": [[["a"], True, "plan"]],
    }
    body = f"""{ROWS}
    console.log(JSON.stringify([
      shown({{}}), shown({{ open: ["noise", "unchanged", "-a"] }}), shown({{ filters: {{ ops: ["add"] }} }}),
      shown({{ filters: {{ query: "SEEN" }} }}), shown({{ filters: {{ verdicts: ["leak"] }} }}),
      shown({{ filters: {{ nodes: ["m"] }} }}), shown({{ filters: {{ planes: ["plan"] }} }}),
      shown({{ ignored: ["/a", "/l/0"] }}), shown({{ byNode: true }}), shown({{ unified: true, filters: {{ query: "/b" }} }}),
      changes.counts(new Set(["/l"])), changes.touched("a"),
      headAndTail("/messages/0/content"), headAndTail("/a/0"), headAndTail("/x"),
    ]));"""
    found = run(body, tmp_path, given)
    plain, opened, added, seen, leak, node, plane, aside, by_node, unified, counts, *rest = found
    tail = ["noise", "unchanged"]
    lists = ["group", "/l/0", "add:/l/0"]
    assert plain == ["group", "/a/x", "/a/y", "rest", "/b", *lists, *tail]
    assert opened == ["group", "/b", *lists, "noise", "/tick", "unchanged", "/z"]
    assert added == ["group", "/a/x", "group", "add:/l/0"]
    assert (seen, leak, node) == (["group", "/a/y"], ["/b"], ["/b"])
    assert plane == ["group", "/a/x", "/a/y"]
    assert aside == ["/b", *tail]
    assert by_node == ["group", "/a/x", "/a/y", "group", "/b", *lists, *tail]
    assert unified == ["old /b", "new /b"]
    assert counts == {
        "ops": {"add": 1, "replace": 2},
        "verdicts": {"leak": 1},
        "planes": {"plan": 2},
        "nodes": {"n": 3, "m": 1},
    }
    assert rest == [["x", "y"], ["/messages", "/0/content"], ["", "/a/0"], ["", "/x"]]


@needs_node
def test_what_changed_inside_a_moved_item_stands_below_the_move(tmp_path: Path) -> None:
    base = {"plan": [{"id": i, "n": 0, "gone": 1} for i in "abcd"]}
    moved = {"id": "d", "n": 1, "in": {"deep": 2}}
    target = {"plan": [moved, *base["plan"][:3]]}
    changes = diff(base, target)
    given = diff_payload(changes, base_title="", target_title="", target=target)
    body = f"""{ROWS}
    console.log(JSON.stringify([
      shown({{}}), shown({{ filters: {{ ops: ["remove"] }} }}), shown({{ filters: {{ query: "plan/3" }} }}),
    ]));"""
    rows, alone, found = run(body, tmp_path, given)
    assert rows[:2] == ["group", "/plan/0"]
    assert set(rows[2:5]) == {"  /plan/0/n", "  /plan/0/in", "  /plan/3/gone"}
    assert alone == ["group", "/plan/3/gone"]
    # A move is found by where it came from too.
    assert found[:2] == ["group", "/plan/0"]
    assert set(found[2:]) == {"  /plan/0/n", "  /plan/3/gone"}


@needs_node
def test_an_unfolded_place_shows_its_value_in_a_few_lines(tmp_path: Path) -> None:
    value = json.dumps(list(range(30)))
    given = {
        "rows": [{"op": "add", "path": "/a/1", "new": "1"}],
        "groups": {"a": [2, 1]},
        "unchanged": ["z"],
    }
    body = f"""import {{ Value }} from "./diff3_model.js";
    {ROWS}
    const rest = {{ children: [["/a/0", "7"]], left: 3 }};
    const known = [["/z", new Value(JSON.stringify([...Array(30).keys()]))], ["rest:/a", rest], ["/a/0", new Value("7")]];
    const open = ["unchanged", "same:/z", "rest:/a", "same:/a/0"];
    console.log(JSON.stringify([shown({{ open, known }}), shown({{ open: [...open, "all:/z"], known }}).length]));"""
    rows, all_of_it = run(body, tmp_path, given)
    more = "and 3 more that are unchanged"
    assert rows[:7] == ["group", "/a/1", "rest", "/a/0", "7", more, "unchanged"]
    assert rows[7:] == ["/z", "[", *[f"  {i}," for i in range(11)], "more"]
    assert all_of_it == 8 + json.loads(value)[-1] + 1 + 2


@needs_node
def test_filters_survive_the_address(tmp_path: Path) -> None:
    body = """import { readFilter, writeFilter } from "./diff3_filters.js";
    const text = "op:add,verdict:not shown,node:a%2Cb%25,group:node,noise:on";
    const once = readFilter(text);
    console.log(JSON.stringify([writeFilter(once), [...once.filters.nodes], writeFilter(readFilter("nonsense,op:,:x")), writeFilter(readFilter(null))]));"""
    text, nodes, nothing, none = run(body, tmp_path)
    assert text == "op:add,verdict:not shown,node:a%2Cb%25,group:node,noise:on"
    assert (nodes, nothing, none) == (["a,b%"], None, None)


@needs_node
def test_words_are_found_in_long_texts_in_little_time(tmp_path: Path) -> None:
    body = """import { nearDifference, nearOther, wordDifference } from "./text.js";
    const long = "some words here ".repeat(60000);
    const started = performance.now();
    const [old, now] = wordDifference(`${long}red end ${long}`, `${long}blue end ${long}`);
    const took = performance.now() - started;
    const back = (parts) => parts.map(([text]) => text).join("");
    const pairs = [["a b", "a b"], ["", "x"], ["pay 4 now", "pay 40 now"], ["one two", "one"], ["x\\ny", "x\\nz\\ny"], ["e e\\u0301", "e e"]];
    const same = pairs.every(([a, b]) => { const [p, q] = wordDifference(a, b); return back(p) === a && back(q) === b; });
    console.log(JSON.stringify([old.filter((p) => p[1]), now.filter((p) => p[1]), back(now).length, took, same, wordDifference("pay 4 now", "pay 40 now"), nearOther("x".repeat(300) + "END", "x".repeat(300) + "other", 40),
      nearDifference("4".repeat(50) + "one more", "4".repeat(50) + "two more", 160, 40), nearDifference("one " + "4".repeat(50), "two " + "4".repeat(50), 160, 40)]));"""
    old, now, length, took, same, short, near, hidden, seen = run(body, tmp_path)
    assert (old, now) == ([["red", True]], [["blue", True]])
    assert length == 2 * 960_000 + len("blue end ")
    assert took < 1_000
    assert same
    assert short == [
        [["pay ", False], ["4", True], [" now", False]],
        [["pay ", False], ["40", True], [" now", False]],
    ]
    assert near.startswith("…")
    assert near.endswith("END")
    # A difference that a narrow column would hide moves into sight; one in sight stays in place.
    assert hidden == ["…" + "4" * 31 + "one more", "…" + "4" * 31 + "two more"]
    assert seen == ["one " + "4" * 50, "two " + "4" * 50]


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        pytest.param(990, 1250, "+26.3 %", id="more"),
        pytest.param(4, 3, "-25 %", id="less"),
        pytest.param(1, 2, "+100 %", id="twice"),
        pytest.param(3, 10, "+233 %", id="over a hundred"),
        pytest.param(-2, -1, "+50 %", id="towards zero is more"),
        pytest.param(0, 5, None, id="from zero"),
        pytest.param(-1, 5, None, id="across zero"),
        pytest.param(1, 5000, None, id="far apart"),
        pytest.param(10**9, 10**9 + 1, None, id="next to nothing"),
    ],
)
def test_a_number_says_its_share_where_that_says_something(
    old: float, new: float, text: str | None
) -> None:
    assert share(old, new) == text


def test_what_the_page_knows_travels_and_the_address_is_no_reason_to_draw_anew() -> None:
    change = Change("add", ("a",), (), MISSING, 1)
    titles = {"base_title": "", "target_title": ""}
    one = diff_payload([change], **titles, summary="s", paired={"/l": "/id"}, index=3)
    assert (one["summary"], one["paired"], one["index"]) == ("s", {"/l": "/id"}, 3)
    assert (one["base_index"], one["since"], one["swaps"]) == (None, None, False)
    other = diff_payload(
        [change], **titles, summary="s", paired={"/l": "/id"}, index=3, panel={"turn": 4}
    )
    assert (one["rev"], other["panel"]) == (other["rev"], {"turn": 4})


class _Pair:
    """What the answers read of what a person chose."""

    def __init__(self, *states: Any) -> None:
        records = tuple(
            Record(place=f"line:{i}", made_id=f"c{i}", state=state)
            for i, state in enumerate(states)
        )
        thread = Thread(ref=ThreadRef(thread_id="T"), records=records)
        self.chain = assemble("x", "jsonl", thread, load_profile("plain"))


def test_the_patch_of_a_pair_turns_its_base_into_its_target() -> None:
    base = {"plan": [{"id": "a"}, {"id": "b", "n": 1}], "t": "x"}
    target = {"plan": [{"id": "b", "n": 2}, {"id": "a"}], "s": [1.0]}
    pair: Any = _Pair(base, target)
    answer = pair_answers.patch(pair, {"base": 0, "target": 1})
    operations = json.loads(answer["patch"])
    assert answer["operations"] == len(operations) == 4
    assert jsonpatch.JsonPatch(operations).apply(base) == target


def test_a_base_from_elsewhere_is_the_one_that_the_page_keeps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pair: Any = _Pair({"n": 1})
    monkeypatch.setattr(pair_answers, "kept_base", lambda: {"n": 1, "far": [7]})
    answer = pair_answers.patch(pair, {"base": None, "target": 0})
    assert json.loads(answer["patch"]) == [{"op": "remove", "path": "/far"}]
    assert pair_answers.base_value(pair, {"pointer": "/far/0"}) == "7"


def test_what_a_change_did_not_touch_is_told_with_its_values() -> None:
    long = "x" * 30_000
    pair: Any = _Pair({"l": [1, [2], 3], "d": {"a/b": None, "c": long}, "m": list(range(300))})
    answer = pair_answers.untouched(pair, {"index": 0, "pointer": "/l", "touched": ["0"]})
    assert answer == {"children": [["/l/1", "[2]"], ["/l/2", "3"]], "left": 0}
    inside = pair_answers.untouched(pair, {"index": 0, "pointer": "/d", "touched": []})
    assert inside["children"][0] == ["/d/a~1b", "null"]
    assert inside["children"][1][1][1:] == [30_002, "string"]
    many = pair_answers.untouched(pair, {"index": 0, "pointer": "/m", "touched": ["7"]})
    assert (len(many["children"]), many["left"]) == (200, 99)
    assert pair_answers.values(pair, {"index": 0, "pointers": ["/l", "/d/a~1b"]}) == [
        "[1,[2],3]",
        "null",
    ]


@needs_node
def test_every_verdict_has_its_look_and_its_word_in_the_address(tmp_path: Path) -> None:
    body = """
    import { verdictLook } from "./diff3_cells.js";
    import { readFilter, writeFilter } from "./diff3_filters.js";
    const kept = (word) => writeFilter(readFilter(`verdict:${word}`)) === `verdict:${word}`;
    console.log(JSON.stringify(GIVEN.map((word) => [verdictLook(word), kept(word)])));
    """
    found = run(body, tmp_path, list(VERDICTS))
    looks = dict(zip(VERDICTS, (look for look, _ in found), strict=True))
    assert all(kept for _, kept in found)
    assert looks.pop("unknown") == ""
    assert len(set(looks.values())) == len(looks)


@needs_node
def test_only_what_is_recorded_was_shown(tmp_path: Path) -> None:
    body = """
    import { shownModal } from "./diff3_model.js";
    console.log(JSON.stringify(["recorded", "computed", "unknown"].map(shownModal)));
    """
    assert run(body, tmp_path) == ["was", "would be", "was"]


@needs_node
def test_the_words_that_differ_are_in_sight_in_a_narrow_column(tmp_path: Path) -> None:
    body = """
    import { nearDifference } from "./text.js";
    console.log(JSON.stringify(GIVEN.map(([a, b, room]) => nearDifference(a, b, 160, room))));
    """
    base = "List the customer's own orders"
    rooms = [14, 18, 22, 26, 34]
    found = run(body, tmp_path, [[base, f"{base} again", room] for room in rooms])
    for room, (before, after) in zip(rooms, found, strict=True):
        assert "again" in after[:room], (room, after)
        assert before.startswith("…")
