"""What the strip is sent, and what its pure parts make of it."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from viewer.analysis.changed_fields import changed_fields
from viewer.chain import Chain, assemble
from viewer.limits import DEFAULT_LIMITS
from viewer.model import Record, Thread, ThreadRef
from viewer.panels.modules import FOLDER
from viewer.panels.strip import CHANGED_CHARACTERS, strip_payload
from viewer.profiles import load_profile
from viewer.sources import Source, open_sources
from viewer.ui import cache
from viewer.ui.chosen import Chosen
from viewer.ui.nested import nested

ROOT = Path(__file__).parents[2]
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")
START = datetime(2026, 11, 30, 12, tzinfo=UTC)


def run(body: str, folder: Path, **given: Any) -> Any:
    """Run ``body`` as a module beside the panels' modules; returns what it passes to ``tell``."""
    start = f"const given = {json.dumps(given)};\n"
    start += "const tell = (x) => console.log(JSON.stringify(x));\n"
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


def chain_of(states: list[Any], nodes: list[tuple[str, ...]] | None = None) -> Chain:
    records = tuple(
        Record(
            place=f"line:{i}",
            made_id=f"c{i}",
            state=state,
            step=i,
            created_at=START + timedelta(seconds=i),
            size_bytes=100,
            nodes=nodes[i] if nodes else ("agent",),
        )
        for i, state in enumerate(states)
    )
    thread = Thread(ref=ThreadRef(thread_id="T"), records=records)
    return assemble("x", "jsonl", thread, load_profile("plain"))


# what is sent


def test_a_set_of_changed_fields_is_sent_once_and_counts_what_it_does_not_name() -> None:
    wide = {f"f{i}": 0 for i in range(20)}
    chain = chain_of([wide, {**wide, "f3": 1}, {**wide, "f3": 2}, dict.fromkeys(wide, 5)])
    payload = strip_payload(chain, changed=changed_fields(chain))
    assert payload["changed"] == "~ 0 0 1"
    assert payload["changes"][0] == "0"
    assert payload["changes"][1].split()[-1] == "+4"
    assert payload["fields"][0] == "f3"


def test_changed_fields_of_two_thousand_checkpoints_stay_within_sixty_kilobytes() -> None:
    names = [f"a field with a long name {i}" for i in range(400)]
    changed = {i: [names[(i * 7 + k * 13) % 400] for k in range(30)] for i in range(1, 2000)}
    chain = chain_of([{}] * 2000)
    more = len(json.dumps(strip_payload(chain, changed=changed)))
    assert more - len(json.dumps(strip_payload(chain))) < 60_000
    hostile = {i: [f"{i} " + "x" * 5000] for i in range(1, 2000)}
    payload = strip_payload(chain, changed=hostile)
    assert sum(map(len, (*payload["fields"], *payload["changes"]))) < CHANGED_CHARACTERS + 10_000


def test_nodes_that_worked_together_can_be_told_apart() -> None:
    chain = chain_of([{}, {}, {}], nodes=[("a",), ("a", "b, c"), ("b, c",)])
    payload = strip_payload(chain, nests={1: 2}, way=[("", "root", 3)], called="inner")
    together = payload["nodes"].index("a, b, c")
    assert payload["members"] == {str(together): ["a", "b, c"]}
    assert (payload["nests"], payload["way"]) == ("0 2 0", [["", "root", 3]])
    assert payload["called"] == "inner"


@pytest.fixture(scope="module")
def failed() -> Source:
    """The sample whose third supplier failed."""
    sources, _ = open_sources(
        [ROOT / "sample_runs/langgraph-failed"], reader=None, profile=None, limits=DEFAULT_LIMITS
    )
    return sources[0]


@pytest.fixture
def choose(failed: Source) -> Callable[[str], Chosen]:
    def chosen(namespace: str) -> Chosen:
        ref = cache.ref_of(failed, "restock-204", namespace)
        chain, result = cache.chain(failed, ref), cache.result(failed, ref)
        return Chosen(source=failed, ref=ref, chain=chain, result=result, target=0, base=None)

    return chosen


def test_a_cell_s_subgraphs_come_with_their_strips_the_unfinished_first(
    choose: Callable[[str], Chosen], failed: Source
) -> None:
    answer = nested(choose(""), {"namespace": "", "index": 3})
    assert [row["standing"] for row in answer["chains"]] == ["live", "finished", "finished"]
    assert [row["count"] for row in answer["chains"]] == [2, 4, 4]
    assert {row["node"] for row in answer["chains"]} == {"supplier"}
    first = answer["chains"][0]
    assert first["strip"]["way"] == [["", "root", 3]]
    assert first["strip"]["called"] == "supplier"
    assert nested(choose(first["namespace"]), {"namespace": "", "index": 0})["chains"] == []
    root = cache.strip(failed, cache.ref_of(failed, "restock-204", ""))
    assert (root["nests"], root["way"]) == ("0*3 3", [])
    assert root["changes"], "the app sends the names of changed fields"


# what the browser makes of it


@needs_node
def test_a_time_axis_is_as_wide_as_time_with_idle_time_folded(tmp_path: Path) -> None:
    body = """import { duration, idleGaps, stepAxis, timeAxis } from "./strip_axis.js";
    //start
    const time = [0, 1000, 3000, null, 4000, 7_204_000, 7_205_000];
    const gaps = idleGaps(time);
    const axis = timeAxis(time, 0, 7, 700, gaps, 10);
    const open = timeAxis(time, 0, 7, 700, new Map(), 10);
    const equal = stepAxis(2, 6, 400);
    const wide = (a, i) => Math.round(a.right(i) - a.left(i));
    tell({
      gaps: [...gaps],
      wide: [0, 1, 2, 3, 4, 5, 6].map((i) => wide(axis, i)),
      open: [0, 1, 2, 3, 4, 5, 6].map((i) => wide(open, i)),
      end: Math.round(axis.right(6)),
      back: [0, 1, 2, 3, 4, 5, 6].map((i) => axis.at((axis.left(i) + axis.right(i)) / 2)),
      inBreak: axis.at((axis.breaks[0].left + axis.breaks[0].right) / 2),
      equal: [equal.left(2), equal.right(5), equal.at(399), equal.at(401), equal.at(-1)],
      none: [...idleGaps([0, 1000, 2000, 9000])].length + [...idleGaps([null, null])].length,
      words: [500, 1340, 61_000, 7_383_000, 90_000_000, 86_400_000].map(duration),
    });"""
    told = run(body, tmp_path)
    assert told["gaps"] == [[5, 7_200_000]]
    # 700 - 46 of the break - 7 × 10 leaves 584 for 5 s.
    assert told["wide"] == [10, 127, 244, 10, 127, 10, 127]
    assert told["open"][5] > 600
    assert told["end"] == 700
    assert told["back"] == [0, 1, 2, 3, 4, 5, 6]
    assert told["inBreak"] is None
    assert told["equal"] == [0, 400, 5, None, None]
    assert told["none"] == 0
    assert told["words"] == ["500 ms", "1.3 s", "1 min 1 s", "2 h 3 min", "1 d 1 h", "1 d"]


@needs_node
def test_a_filter_keeps_any_value_of_a_facet_and_all_facets(tmp_path: Path) -> None:
    states = [{}] * 6
    nodes = [("a",), ("a", "b"), ("b",), ("c",), ("a",), ("b",)]
    payload = strip_payload(chain_of(states, nodes=nodes), {1: 1, 4: 1})
    body = """import { chainFrom } from "./strip_model.js";
    import { facetCounts, filters, matching, noFilter, skipped, toggled } from "./strip_filter.js";
    //start
    const chain = chainFrom(given.payload);
    const a = toggled(noFilter(), "node", "a");
    const ab = toggled(a, "node", "b");
    const broken = toggled(a, "mark", 1);
    const kept = (filter) => { const { hit, count } = matching(chain, filter); return [hit && [...hit], count]; };
    const { hit } = matching(chain, a);
    tell({
      none: [filters(noFilter()), ...kept(noFilter())],
      a: kept(a), ab: kept(ab), broken: kept(broken), again: filters(toggled(a, "node", "a")),
      skipped: [skipped(hit, 0, 1), skipped(hit, 1, 1), skipped(hit, 4, 1), skipped(hit, 5, -10), skipped(hit, -1, 1)],
      counts: facetCounts(chain, "node"), marks: facetCounts(chain, "mark"),
    });"""
    told = run(body, tmp_path, payload=payload)
    assert told["none"] == [False, None, 6]
    assert told["a"] == [[1, 1, 0, 0, 1, 0], 3]
    assert told["ab"] == [[1, 1, 1, 0, 1, 1], 5]
    assert told["broken"] == [[0, 1, 0, 0, 1, 0], 2]
    assert told["again"] is False
    assert told["skipped"] == [1, 4, None, 0, 0]
    assert told["counts"] == [["a", 3], ["b", 3], ["c", 1]]
    assert told["marks"] == [[1, 2]]


@needs_node
def test_a_pixel_of_the_overview_shows_what_most_have_and_the_worst_mark(tmp_path: Path) -> None:
    body = """import { binned } from "./strip_overview.js";
    import { stepAxis } from "./strip_axis.js";
    //start
    const count = 40;
    const fill = (value) => new Array(count).fill(value);
    const phase = fill(0).map((_, i) => (i < 20 ? 0 : i % 4 === 0 ? 3 : 1));
    const mark = fill(0); mark[4] = 2; mark[5] = 1;
    const chain = { count, rows: 1, row: fill(0), phase, mark, phases: ["r", "w", "d", "f"] };
    const layout = { width: 10, whole: stepAxis(0, count, 10) };
    const hit = Uint8Array.from(phase, (one) => (one === 3 ? 1 : 0));
    const shown = ({ phases, kept, worst }) => [[...phases[0]], [...kept[0]], [...worst]];
    tell([shown(binned(chain, layout, null)), shown(binned(chain, layout, hit))]);"""
    plain, filtered = run(body, tmp_path)
    assert plain[0] == [0] * 5 + [1] * 5
    assert plain[1] == [1] * 10
    assert plain[2][1] == 0
    assert plain[2][0] == 255
    assert filtered[0] == [0] * 5 + [3] * 5
    assert filtered[1] == [0] * 5 + [1] * 5


SPELLED = {" ": "Space", "Escape": "Esc", "ArrowLeft": "←", "ArrowRight": "→"}
SPELLED |= {"ArrowUp": "↑", "ArrowDown": "↓"}


@pytest.mark.parametrize(
    ("section", "module", "least"),
    [
        pytest.param("Anywhere", "strip_keys.js", 13, id="strip"),
        pytest.param("In the state", "tree_controls.js", 10, id="tree"),
        pytest.param("In the diff", "diff3_keys.js", 10, id="diff"),
    ],
)
def test_the_help_lists_every_key_that_a_panel_acts_on(
    section: str, module: str, least: int
) -> None:
    code = (FOLDER / module).read_text(encoding="utf-8")
    acted = re.findall(r'^ {4,6}(?:"([^"]+)"|(\w+)): \(\) =>', code, re.MULTILINE)
    keys = [SPELLED.get(key, key) for pair in acted for key in [pair[0] or pair[1]]]
    assert len(keys) >= least
    help_text = (FOLDER / "strip_help.js").read_text(encoding="utf-8")
    sections = help_text.split("\n  [\n")[1:]
    (own,) = (part for part in sections if f'"{section}"' in part)
    rows = re.findall(r"\[\[(.*?)\],", sections[0] + own)
    named = {key for row in rows for key in re.findall(r'"([^"]+)"', row)}
    assert [key for key in keys if key not in named] == []


@needs_node
def test_the_parent_is_no_base_where_the_page_compares_with_another_thread(tmp_path: Path) -> None:
    body = """import { baseOf } from "./strip_paint.js";
    //start
    const chain = { parent: [null, 0, 1] };
    const base = (at) => baseOf(chain, { position: 2, base: null, outside: false, ...at });
    tell([base({}), base({ base: 0 }), base({ outside: true }), base({ outside: true, base: 0 })]);"""
    assert run(body, tmp_path) == [1, 0, None, 0]
