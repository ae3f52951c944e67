"""Measure the pages in a real Chromium against the bars of the issue: ratios, correctness first.

    python bench/browser/run.py [--quick] [--only steps,big,cold,search,diff,long] [--json FILE]

Exit 1 when the gate or a bar fails, else 0. What each number is: README.md of ``bench``.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

import made  # noqa: E402
from driving import ROOT, browsing, serving, settled, viewer  # noqa: E402

REFERENCE = HERE / "reference.py"


class Row(NamedTuple):
    """One measured number beside its bar; None as bar is told only."""

    what: str
    value: float
    bar: float | None
    note: str = ""

    @property
    def verdict(self) -> str:
        if self.bar is None:
            return "told"
        return "holds" if self.value <= self.bar else "MISSED"


class Bench:
    """The files, the browser and how often each thing is done."""

    def __init__(self, folder: Path, page: Callable[[], Any], quick: bool) -> None:
        self.folder = folder
        self.page = page
        self.quick = quick
        self.count = 300 if quick else 2_000
        self.big = 500_000 if quick else 5_000_000
        self.rows = 1_000 if quick else 5_000
        self.long = made.chain(folder / "long.jsonl", 200_000, self.count)
        self.pair = made.pair(folder / "pair.jsonl", self.big)
        self.changed = made.rows(folder / "rows.jsonl", self.rows)
        self.environment = {"BENCH_STATE": str(self.pair), "BENCH_ROWS": str(self.changed)}

    def times(self, full: int) -> int:
        """Return how often something is measured."""
        return max(3, full // 5) if self.quick else full


def steps(bench: Bench) -> list[Row]:
    """Step through a chain of 2,000 states of 200 KB."""
    with ExitStack() as stack:
        ours = stack.enter_context(serving(*viewer(bench.long)))
        plain = stack.enter_context(serving(REFERENCE, bench.environment))
        page, other = bench.page(), bench.page()
        page.goto(f"{ours}/timeline?checkpoint=c100")
        page.wait_for_function("() => shows(100)", timeout=600_000)
        settled(page)
        other.goto(f"{plain}/?show=empty")
        other.get_by_text("at 0", exact=True).wait_for()
        wrong = _gate(page, bench.long, [100, 101, 102, 99, bench.count - 1, 0, bench.count // 2])
        held, late = _held(page, bench)
        ahead: list[float] = []
        jumps: list[float] = []
        empty: list[float] = []
        for turn in range(bench.times(50)):
            at = 100 + turn
            _go(page, at)
            _rest(page)
            ahead.append(page.evaluate(_TIMED_KEY, ["ArrowRight", at + 1]))
            _rest(page)
            # Far from everything that was shown: not at hand.
            far = (at * 37 + bench.count // 2) % bench.count
            jumps.append(page.evaluate(_TIMED_JUMP, far))
            empty.append(other.evaluate(_TIMED_BUTTON, f"at {turn + 1}"))
    base = statistics.median(empty)
    note = f"{bench.count} checkpoints of 200 KB, median of {len(ahead)}"
    return [
        Row("states painted that differ from the source (gate)", wrong, 0, "7 checkpoints"),
        Row("held key: |steps moved − 30 presses|", abs(held - 30), 0, "30 ms apart"),
        Row("held key: frames under a wrong label, and 1 if the last is never shown", late, 0),
        Row(
            "key to painted tree, sent ahead ÷ empty fragment rerun", _mid(ahead) / base, 0.5, note
        ),
        Row(
            "key to painted tree, not sent ahead ÷ empty fragment rerun",
            _mid(jumps) / base,
            1.5,
            note,
        ),
    ]


_TIMED_KEY = "([name, index]) => timed(() => key(name), () => shows(index))"
_TIMED_JUMP = """(index) => timed(
  () => document.dispatchEvent(new CustomEvent("checkpointgo", { detail: { index, at: null } })),
  () => shows(index))"""
_TIMED_BUTTON = """(text) => timed(
  () => [...document.querySelectorAll("button")].find((b) => b.textContent === "next").click(),
  () => document.body.textContent.includes(text))"""


def _go(page: Any, index: int) -> None:
    page.evaluate(_TIMED_JUMP, index)


def _rest(page: Any) -> None:
    """Wait until the page has followed and the neighbours are there, as for a person who looks."""
    page.wait_for_timeout(700)
    settled(page)
    page.wait_for_timeout(300)


def _mid(numbers: Sequence[float]) -> float:
    return statistics.median(numbers)


def _gate(page: Any, file: Path, indices: Sequence[int]) -> int:
    """Return of how many checkpoints the tree holds another state than the source."""
    from viewer.settings import settings
    from viewer.sources import open_sources
    from viewer.sources.dsn import locate

    (source,), _ = open_sources((locate(str(file)),), limits=settings().limits)
    chain = source.chain(source.threads[0])
    wrong = 0
    for index in indices:
        _go(page, index)
        text = page.evaluate(
            """async () => {
              window.copied = null;
              [...tree().querySelectorAll("button")].find((b) => b.textContent === "copy value").click();
              await until(() => window.copied !== null, 10000);
              return window.copied;
            }"""
        )
        wrong += json.loads(text) != chain.state(index)
    return wrong


def _held(page: Any, bench: Bench) -> tuple[int, int]:
    """Hold a key for 30 presses; return how far it moved and how many frames told a wrong thing."""
    start = bench.count // 3
    _go(page, start)
    _rest(page)
    page.evaluate(
        """() => {
          window.wrong = 0;
          const watch = () => {
            const at = Number(tree().dataset.index);
            const position = Number(panel("strip").dataset.position);
            const waits = tree().dataset.waiting === String(position);
            const row = [...tree().querySelectorAll(".row")].find((r) => r.textContent.startsWith("marker"));
            if (!row?.textContent.includes(`at ${at}”`) || (at !== position && !waits)) window.wrong += 1;
            window.watching = requestAnimationFrame(watch);
          };
          watch();
        }"""
    )
    for _ in range(30):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(30)
    page.wait_for_timeout(300)
    moved = page.evaluate("() => Number(panel('strip').dataset.position)") - start
    # The last one may be on its way, and says so: that is no wrong label.
    late = page.evaluate(
        "(index) => timed(() => {}, () => shows(index)).then(() => 0, () => 1)", start + moved
    )
    wrong = page.evaluate("() => { cancelAnimationFrame(window.watching); return window.wrong; }")
    return moved, wrong + late


def big(bench: Bench) -> list[Row]:
    """Step between two states of 5 MB; count what the tree keeps in the document and the heap."""
    with ExitStack() as stack:
        ours = stack.enter_context(serving(*viewer(bench.pair, bench.changed)))
        plain = stack.enter_context(serving(REFERENCE, bench.environment))
        page, other, small = bench.page(), bench.page(), bench.page()
        page.goto(f"{ours}/timeline?source=pair.jsonl&checkpoint=c0")
        page.wait_for_function("() => shows(0)", timeout=600_000)
        settled(page)
        other.goto(f"{plain}/?show=json")
        other.get_by_text("at 0").wait_for()
        tree: list[float] = []
        jsons: list[float] = []
        for turn in range(bench.times(15)):
            _rest(page)
            to = 1 - turn % 2
            name = "ArrowRight" if to else "ArrowLeft"
            tree.append(page.evaluate(_TIMED_KEY, [name, to]))
            jsons.append(other.evaluate(_TIMED_BUTTON, f"at {to}"))
        nodes = page.evaluate("() => nodes(tree())")
        small.goto(f"{ours}/timeline?source=rows.jsonl&checkpoint=c0")
        settled(small)
        heap = _heap(page) - _heap(small)
    size = bench.big / 1e6
    return [
        Row(
            "key to painted tree of 5 MB ÷ st.json(expanded=1) of it",
            _mid(tree) / _mid(jsons),
            1.5,
            f"{size:g} MB, median of {len(tree)}",
        ),
        Row("live DOM nodes of a 5 MB tree", nodes, 1_000),
        Row("heap of a 5 MB tree, MB over a small one's page", heap, 40),
    ]


def _heap(page: Any) -> float:
    client = page.context.new_cdp_session(page)
    for _ in range(3):
        client.send("HeapProfiler.collectGarbage")
    return float(client.send("Runtime.getHeapUsage")["usedSize"]) / 1e6


def cold(bench: Bench) -> list[Row]:
    """Start a server and open a page in a new browser, until the verdict stands there."""
    small = made.chain(bench.folder / "small.jsonl", 20_000, 20)
    ours: list[float] = []
    bare: list[float] = []
    for _ in range(bench.times(5)):
        ours.append(_first(bench, *viewer(small), "/timeline", ".frame .verdict"))
        bare.append(_first(bench, REFERENCE, bench.environment, "/?show=bare", "text=at 0"))
    return [
        Row(
            "cold server to first verdict ÷ bare Streamlit page",
            _mid(ours) / _mid(bare),
            1.5,
            f"median of {len(ours)}",
        )
    ]


def _first(bench: Bench, script: Path, env: Mapping[str, str], path: str, wanted: str) -> float:
    page = bench.page()
    started = time.perf_counter()
    with serving(script, env) as url:
        page.goto(f"{url}{path}")
        page.locator(wanted).first.wait_for()
        seconds = time.perf_counter() - started
        page.context.close()
    return seconds


def search(bench: Bench) -> list[Row]:
    """Search all keys and values of 5 MB, as the tree does, and parse the same bytes."""
    from viewer.panels.modules import script
    from viewer.panels.tree import tree_payload

    first = json.loads(bench.pair.read_text("utf-8").splitlines()[0])["state"]
    page = bench.page()
    page.goto("about:blank")
    module = script("tree_model.js") + "\nexport { StateTree };\n"
    found = page.evaluate(
        """async ([module, payload, needles, times]) => {
          const url = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
          const { StateTree } = await import(url);
          const tree = new StateTree(payload);
          const middle = (all) => all.sort((a, b) => a - b)[all.length >> 1];
          const clock = (work) => { const t = performance.now(); work(); return performance.now() - t; };
          const parse = [];
          const seek = needles.map(() => []);
          for (let turn = 0; turn < times; turn += 1) {
            parse.push(clock(() => JSON.parse(payload.state)));
            needles.forEach((needle, n) => seek[n].push(clock(() => tree.search(needle))));
          }
          return { parse: middle(parse), seek: seek.map(middle), hits: needles.map((n) => tree.search(n).length) };
        }""",
        [module, tree_payload(first), ["a", "token", "nowhere at all"], bench.times(15)],
    )
    every, *rare = (seek / found["parse"] for seek in found["seek"])
    note = f"{bench.big / 1e6:g} MB, {found['hits'][1:]} hits; median of {bench.times(15)}"
    return [
        Row(
            "search over keys and values ÷ JSON.parse, the slower of two words", max(rare), 3, note
        ),
        Row(f"… one letter that {found['hits'][0]} rows hold", every, None),
    ]


def diffs(bench: Bench) -> list[Row]:
    """Open a diff of 5,000 changed rows beside a table of them; and one of a value of 1 MB."""
    added = made.added(bench.folder / "added.jsonl", bench.big // 5)
    with ExitStack() as stack:
        ours = stack.enter_context(serving(*viewer(bench.changed, added)))
        plain = stack.enter_context(serving(REFERENCE, bench.environment))
        first: list[float] = []
        table: list[float] = []
        for _ in range(bench.times(5) + 1):
            page, other = bench.page(), bench.page()
            first.append(_paints(page, f"{ours}/diff?source=rows.jsonl", _ROWS))
            table.append(_paints(other, f"{plain}/?show=table", _TABLE))
            other.context.close()
        settled(page)
        nodes = page.evaluate("() => nodes(panel('diff3'))")
        gaps = page.evaluate(_SCROLL)
        page.goto(f"{ours}/diff?source=added.jsonl")
        page.wait_for_function(_ROWS)
        settled(page)
        page.locator(".diff3 .row", has_text="/added").first.click()
        page.wait_for_timeout(1_000)
        whole = page.evaluate("() => nodes(panel('diff3'))")
        more = page.evaluate("() => /show all/i.test(panel('diff3').textContent)")
    note = f"{bench.rows} rows, median of {len(first) - 1}, servers warm"
    return [
        Row(
            "first paint of a diff ÷ st.html table of its rows",
            _mid(first[1:]) / _mid(table[1:]),
            0.7,
            note,
        ),
        Row("live DOM nodes of a diff", nodes, 1_500),
        Row("blank frames while scrolling a diff", gaps, 0),
        Row("DOM nodes where a value of 1 MB was added whole", whole, 4_999),
        Row("… and not capped with a way to see it all", 0 if more else 1, 0),
    ]


_ROWS = "() => (panel('diff3')?.querySelectorAll('.viewport .row').length ?? 0) > 0"
_TABLE = "() => document.querySelectorAll('td').length > 0"
_SCROLL = """async () => {
  const view = panel("diff3").querySelector(".viewport");
  let blank = 0;
  const height = view.scrollHeight - view.clientHeight;
  for (let turn = 1; turn <= 60; turn += 1) {
    view.scrollTop = (height * ((turn * 37) % 61)) / 61;
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const box = view.getBoundingClientRect();
    const rows = [...view.querySelectorAll(".row")].map((row) => row.getBoundingClientRect());
    for (let y = box.top + 60; y < box.bottom - 4; y += 24) {
      if (!rows.some((row) => row.top <= y && row.bottom >= y - 2)) { blank += 1; break; }
    }
  }
  return blank;
}"""


def _paints(page: Any, url: str, holds: str) -> float:
    """Return the seconds from asking for a page to the frame that shows what is waited for."""
    started = time.perf_counter()
    page.goto(url)
    page.wait_for_function(holds)
    page.evaluate("() => frames2()")
    return time.perf_counter() - started


def long(bench: Bench) -> list[Row]:
    """Open a chain of 2,000 steps beside one of 20, servers warm; and use one of 20,000."""
    short = made.chain(bench.folder / "short.jsonl", 200_000, 20)
    huge = made.chain(bench.folder / "huge.jsonl", 20_000, 2_000 if bench.quick else 20_000)
    with serving(*viewer(bench.long, short, huge)) as ours:
        times: dict[str, list[float]] = {"long": [], "short": []}
        for turn in range(bench.times(5) + 1):
            for name, seen in times.items():
                page = bench.page()
                started = time.perf_counter()
                page.goto(f"{ours}/timeline?source={name}.jsonl&checkpoint=c10")
                page.wait_for_function("() => shows(10)", timeout=600_000)
                if turn:
                    seen.append(time.perf_counter() - started)
                page.context.close()
        page = bench.page()
        page.goto(f"{ours}/timeline?source=huge.jsonl&checkpoint=c10")
        page.wait_for_function("() => shows(10)", timeout=600_000)
        settled(page)
        _rest(page)
        press = [page.evaluate(_TIMED_KEY, ["ArrowRight", 11 + n]) for n in range(20)]
        end = page.evaluate(_TIMED_KEY, ["End", (2_000 if bench.quick else 20_000) - 1])
    return [
        Row(
            "a long chain opens ÷ a 20-step one",
            _mid(times["long"]) / _mid(times["short"]),
            2,
            f"{bench.count} against 20 checkpoints of 200 KB, read and checked before",
        ),
        Row("20,000 checkpoints: ms from key to painted tree", _mid(press), None, "median of 20"),
        Row("20,000 checkpoints: ms from End to painted tree", end, None),
    ]


PARTS: dict[str, Callable[[Bench], list[Row]]] = {
    "steps": steps, "big": big, "cold": cold, "search": search, "diff": diffs, "long": long,
}  # fmt: skip


def main() -> int:
    """Measure, print a table, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small states, few repeats")
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder, browsing() as page:
        bench = Bench(Path(folder), page, args.quick)
        for name in args.only.split(","):
            load = os.getloadavg()[0]
            found = PARTS[name](bench)
            rows += found
            print(f"\n{name}, at a load of {load:.1f} on {os.cpu_count()} cores", flush=True)
            for row in found:
                bar = "" if row.bar is None else f"≤ {row.bar:g}"
                print(
                    f"| {row.what} | {row.value:.2f} | {bar} | {row.verdict} | {row.note} |",
                    flush=True,
                )
    if args.json:
        args.json.write_text(
            json.dumps([{**r._asdict(), "verdict": r.verdict} for r in rows], indent=1)
        )
    return 1 if any(row.verdict == "MISSED" for row in rows) else 0


if __name__ == "__main__":
    os.chdir(ROOT)
    raise SystemExit(main())
