"""The handed load cases 61 to 81 and 114; each ``case.json`` states the right answer."""

import gzip
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from viewer.analysis.diff import diff
from viewer.chain import Chain
from viewer.jsontext import dumps
from viewer.model import Change
from viewer.sources import open_source

CASES = Path(__file__).parent


def expect(folder: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((CASES / folder / "case.json").read_text())["expect"]
    return found


def chain(*parts: str) -> Chain:
    source = open_source(CASES.joinpath(*parts))
    assert not source.problems
    (ref,) = source.threads
    return source.chain(ref)


@pytest.mark.parametrize("folder", ["61-jsonl-bad-line-in-the-middle", "62-jsonl-nul-bytes"])
def test_61_62_a_bad_line_loses_one_record_and_says_which(folder: str) -> None:
    wanted = expect(folder)
    found = chain(folder, "run.jsonl")
    assert len(found.checkpoints) == wanted["records"]
    assert [c.step for c in found.checkpoints] == wanted.get("steps", [0, 1, 3, 4])
    assert [found.state(i) for i in range(4)] == [{"n": n} for n in (0, 1, 3, 4)]
    lost, gap = found.problems
    place = CASES / folder / f"run.jsonl:{wanted['warning_names_line']}"
    assert lost.place.startswith(str(place))
    assert gap.keyword == "gap"
    assert gap.reason.startswith("1 record is missing before step 3")
    assert [c.gap for c in found.checkpoints] == [0, 0, 1, 0]


def test_64_utf_16_loads_and_latin_1_is_named() -> None:
    assert "loads: name = Zoë" in expect("64-utf16-file")["either"]
    assert chain("64-utf16-file", "state.json").state(0) == {"name": "Zoë", "n": 1}
    latin = chain("64-utf16-file", "latin1.json")
    assert not latin.checkpoints
    (problem,) = latin.problems
    assert problem.place == str(CASES / "64-utf16-file" / "latin1.json:1:13")
    assert problem.reason.startswith("not UTF-8: byte 0xeb at offset 12")
    assert "codec" not in problem.reason


def test_66_nan_loads_and_what_is_exported_is_valid_json() -> None:
    state = chain("66-nan-tokens", "py.json").state(0)
    assert math.isnan(state["loss"])
    assert (state["best"], state["worst"], state["n"]) == (math.inf, -math.inf, 1)

    def refuse(word: str) -> None:
        raise AssertionError(word)

    exported = json.loads(dumps(state), parse_constant=refuse)
    assert exported["loss"] == {"$type": "float", "value": "NaN"}
    assert "clear message" in expect("66-nan-tokens")["files"]["cpp.json"]
    (problem,) = chain("66-nan-tokens", "cpp.json").problems
    assert problem.reason == "not JSON: 'nan' is no JSON value"
    assert problem.place.endswith("cpp.json:1:10")


def test_67_keys_that_stand_twice_are_told_with_the_value_used() -> None:
    found = chain("67-duplicate-keys", "state.json")
    assert found.state(0) == {"budget": 50, "steps": [{"id": "b"}]}
    path = CASES / "67-duplicate-keys" / "state.json"
    assert [p.place for p in found.problems] == [f"{path}#/budget", f"{path}#/steps/0/id"]
    assert all("the last value is used" in p.reason for p in found.problems)


def test_69_half_a_surrogate_pair_loads_differs_and_is_exported() -> None:
    a = chain("69-lone-surrogate", "a.json").state(0)
    b = chain("69-lone-surrogate", "b.json").state(0)
    assert a["ok"] == "\U0001f600"
    assert (a["k\udc00"], a["k\ud800"]) == (1, 2)
    (wanted,) = expect("69-lone-surrogate")["changes"]
    assert diff(a, b) == [Change("replace", ("title",), ("title",), a["title"], wanted["new"])]
    exported = dumps(a)
    exported.encode()
    assert wanted["old"] in exported
    assert json.loads(exported) == a


def test_74_almost_json_is_told_with_line_and_column() -> None:
    folder = "74-trailing-comma-and-comments"
    wanted = dict(re.findall(r"(\w+\.json) line (\d)", expect(folder)["must"]))
    assert len(wanted) == 3
    for name, row in wanted.items():
        (problem,) = chain(folder, name).problems
        assert re.fullmatch(rf".*{name}:{row}:\d+", problem.place)
        assert problem.reason.startswith("not JSON: expecting")


def test_114_one_item_more_of_a_hundred_thousand_is_one_change() -> None:
    folder = CASES / "114-hundred-thousand-elements"
    a, b = (json.loads(gzip.decompress((folder / f"{s}.json.gz").read_bytes())) for s in "ab")
    (change,) = diff(a, b)
    assert (change.op, change.pointer, change.new) == ("add", "/arr/100000", 100_000)


def test_81_content_decides_and_not_the_extension() -> None:
    for name, count in expect("81-jsonl-named-json")["files"].items():
        found = chain("81-jsonl-named-json", name)
        assert len(found.checkpoints) == count
        assert [found.state(i) for i in range(3)] == [{"n": 0}, {"n": 1}, {"n": 2}]
