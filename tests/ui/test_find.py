"""The search line: what it is sent, and its pure parts run by node."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from viewer.analysis.biography import biography
from viewer.analysis.search import Query, Search
from viewer.analysis.search_query import Matcher
from viewer.chain import Chain, assemble
from viewer.model import Record, Thread, ThreadRef
from viewer.panels.find import biography_payload, hits_payload, marked, short_json
from viewer.panels.modules import FOLDER, script
from viewer.profiles import load_profile

NODE = shutil.which("node")


def chain(*states: Any) -> Chain:
    records = tuple(
        Record(place=f"c{i}", made_id=f"c{i}", state=state) for i, state in enumerate(states)
    )
    thread = Thread(ref=ThreadRef(thread_id="t"), records=records)
    return assemble("made", "made", thread, load_profile("plain"))


def test_hits_are_sent_with_what_matched_marked() -> None:
    run = Search(chain({"code": "a CODE"}, {"code": {"x": 1}}), Query(text="code"))
    run.run()
    assert hits_payload([("", run)], total=2) == {
        "done": True,
        "full": False,
        "searched": 2,
        "total": 2,
        "unread": 0,
        "cut": 0,
        "found": 2,
        "rows": [
            ["key", ["", "code", ""], '"a CODE"', "", "/code", None, 0, 1, 2, 2, True],
            ["value", ["a ", "CODE", ""], None, "", "/code", None, 0, 0, 1, 2, False],
        ],
    }


def test_a_key_of_pointer_syntax_is_shown_as_it_is() -> None:
    run = Search(chain({"a/b~1": 0}), Query(text="B"))
    run.run()
    (row,) = hits_payload([("", run)], total=1)["rows"]
    assert (row[1], row[4]) == (["a/", "b", "~1"], "/a~1b~01")


def test_an_unfinished_search_says_how_far_it_is() -> None:
    run = Search(chain({"l": ["x"] * 150}, {"l": []}), Query(text="x"))
    run.run(0)
    early = hits_payload([("", run)], total=9)
    assert (early["done"], early["searched"], early["total"]) == (False, 1, 9)
    assert (early["found"], len(early["rows"])) == (150, 100)
    run.run()
    assert len(hits_payload([("", run)], total=2)["rows"]) == 150


@pytest.mark.parametrize(
    ("text", "query", "parts"),
    [
        ("abc", "b", ["a", "b", "c"]),
        ("-" * 90 + "needle" + "-" * 300, "needle", ["…" + "-" * 24, "needle", "-" * 170 + "…"]),
        ("\ud800b", "b", ["\\ud800", "b", ""]),
        ("İb", "b", ["İb", "", ""] if len("İ".lower()) > 1 else ["İ", "b", ""]),
    ],
)
def test_a_match_is_in_sight(text: str, query: str, parts: list[str]) -> None:
    found = marked(text, Matcher(Query(text=query)))
    if found[1]:
        assert found == parts
    else:
        assert "".join(found) == "".join(parts)


def test_a_short_value_is_not_written_in_full() -> None:
    huge: list[Any] = []
    huge.append(huge)  # writing all of it never ends
    assert short_json([[1, {"a": None}], "é"]) == '[[1,{"a":null}],"é"]'
    assert short_json(["x" * 9_000] * 9_000, 10) == '["xxxxxxxx…'
    assert short_json(float("nan")) == "NaN"
    assert short_json(huge, 10).endswith("…")


def test_a_long_biography_loses_its_middle() -> None:
    found = biography_payload(biography(chain(*({"n": 2**60 + i} for i in range(700))), 0, "/n"))
    assert (found["first"], found["last"], found["changes"]) == (0, 699, 699)
    assert (len(found["runs"]), found["left_out"], found["left_out_after"]) == (500, 200, 250)
    assert [found["runs"][i]["from"] for i in (0, 249, 250, 499)] == [0, 249, 450, 699]
    assert found["numbers"] == {"least": str(2**60), "most": str(2**60 + 699), "growth": "699"}
    assert found["runs"][0] == {
        "from": 0,
        "to": 0,
        "kind": "scalar",
        "value": str(2**60),
        "pointer": "/n",
        "nodes": [],
        "time": None,
    }


def test_the_modules_join_into_one() -> None:
    text = script("find.js")
    names = re.findall(
        r"^(?:export default )?(?:async )?(?:function|class|const|let) (\w+)", text, re.MULTILINE
    )
    assert sorted(names) == sorted(set(names))
    assert re.findall(r"^export .*?\(", text, re.MULTILINE) == ["export default function find("]


@pytest.fixture
def run(tmp_path: Path) -> Callable[[str], Any]:
    """Return a function that runs a module beside the panels' modules."""
    if NODE is None:
        pytest.skip("node is not installed")
    for module in FOLDER.glob("*.js"):
        shutil.copy(module, tmp_path / module.name)
    (tmp_path / "package.json").write_text('{"type": "module"}')

    def call(body: str) -> Any:
        (tmp_path / "run.js").write_text(body, encoding="utf-8")
        command = [str(NODE), str(tmp_path / "run.js")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return call


def test_the_words_of_the_line(run: Callable[[str], Any]) -> None:
    found = run(
        """import { chosenBy, hitOf, howFar, spaceName, spoken } from "./find_model.js";
const answer = { found: 2, rows: [1, 2], searched: 800, total: 2000, done: false, full: false, cut: 0, unread: 0 };
const row = ["value", ["a ", "b", ""], null, "", "/x/0", "/x/3", 2, 5, 4, 9, false];
console.log(JSON.stringify({
  far: [
    howFar(null),
    howFar(answer),
    howFar(answer, true),
    howFar({ ...answer, searched: 2000, done: true }),
    howFar({ ...answer, searched: 2000, done: true, found: 0, rows: [] }),
    howFar({ ...answer, done: true, full: true, found: 20000 }),
    howFar({ ...answer, done: true, found: 1500, cut: 1, unread: 2 }),
  ],
  hit: spoken(hitOf(row)),
  keys: [["ArrowDown", -1], ["ArrowDown", 4], ["ArrowUp", -1], ["ArrowUp", 0], ["ArrowUp", 3], ["PageDown", 0], ["Home", 2]]
    .map(([key, active]) => chosenBy(key, active, 5, 3)),
  spaces: ["", "child:cbd50e4b-10a0|nest:3b5efb44", "plain"].map(spaceName),
  none: chosenBy("ArrowDown", -1, 0),
}));"""
    )
    assert found["far"] == [
        "searching …",
        "2 places · searched 800 of 2,000 checkpoints …",
        "2 places · searched 800 of 2,000 checkpoints",
        "2 places · in 2,000 checkpoints",
        "nothing · in 2,000 checkpoints",
        "more than 20,000 places: narrow the search · stopped after 800 of 2,000 checkpoints",
        "1,500 places · in 2,000 checkpoints · the first 2 shown · "
        "1 long value searched only in the first 1,000,000 characters · 2 chains not readable",
    ]
    assert found["hit"] == (
        "value a b, /x/0, first at checkpoint 2, last at checkpoint 5, in 4 of 9, "
        "not in the live head"
    )
    assert found["keys"] == [0, 0, 4, 4, 2, 3, None]
    assert found["spaces"] == ["root", "child › nest", "plain"]
    assert found["none"] is None
