"""Measure the loader and the diff against their bars: ratios only, correctness first.

    python bench/run.py [--only B1,B2,B12] [--quick] [--json FILE]

Exit 1 when the gate or a bar fails, else 2 when a peer or node is missing, else 0. README.md beside
this file says what each number is.
"""

import argparse
import gc
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import gate  # noqa: E402
import langgraph_store  # noqa: E402
import orjson  # noqa: E402
import peers  # noqa: E402
import workloads  # noqa: E402

from viewer.analysis.diff import diff  # noqa: E402
from viewer.equality import same_number  # noqa: E402
from viewer.sources.sharing import SharedLoader  # noqa: E402

ENOUGH = 0.02
"""Seconds that a sample should take; shorter work is repeated."""


class Row(NamedTuple):
    """One measured ratio beside its bar; ``value`` None is "not measured"."""

    bench: str
    workload: str
    what: str
    value: float | None
    bar: float
    sense: str
    """``<=`` or ``>=``"""
    note: str = ""

    @property
    def verdict(self) -> str:
        if self.value is None:
            return "not measured"
        held = self.value <= self.bar if self.sense == "<=" else self.value >= self.bar
        return "ok" if held else "FAILS"


def slack(bar: float, sense: str, quick: bool) -> float:
    """Return the bar; twice as easy with ``--quick``, whose chains are short and rounds few."""
    return (bar * 2 if sense == "<=" else bar / 2) if quick else bar


def clock(work: Callable[[], Any], repeats: int = 1, wall: bool = False) -> float:
    """Return the seconds of one ``work``, with the collector off and run before.

    CPU time of this thread, which a busy machine disturbs least; ``wall`` for work done elsewhere.
    Work that returns a float has timed itself.
    """
    now = time.perf_counter if wall else time.thread_time
    gc.collect()
    gc.disable()
    own: list[Any] = []
    try:
        start = now()
        for _ in range(repeats):
            own.append(work())
        seconds = now() - start
    finally:
        gc.enable()
    return (sum(own) if isinstance(own[0], float) else seconds) / repeats


def repeats_for(seconds: float) -> int:
    """Return how often to repeat work so that one sample takes `ENOUGH`."""
    return max(1, min(50, round(ENOUGH / max(1e-5, seconds))))


def parse_all(lines: Sequence[bytes]) -> None:
    for line in lines:
        orjson.loads(line)


def ratios(
    base: Callable[[], Any], contenders: dict[str, Callable[[], Any]], rounds: int, slow_rounds: int
) -> dict[str, list[float]]:
    """Return each contender's ratios to the base measured right before and after it, by round.

    A contender whose round takes over a second runs ``slow_rounds`` times only.
    """
    found: dict[str, list[float]] = {name: [] for name in contenders}
    base_repeats = repeats_for(clock(base))
    repeats: dict[str, int] = {}
    slow: set[str] = set()
    for turn in range(rounds):
        for name, work in contenders.items():
            if name in slow and turn >= slow_rounds:
                continue
            wall = name in peers.ELSEWHERE
            before = clock(base, base_repeats, wall)
            start = time.perf_counter()
            seconds = clock(work, repeats.get(name, 1), wall)
            if time.perf_counter() - start > 1:
                slow.add(name)
            repeats.setdefault(name, repeats_for(seconds))
            after = clock(base, base_repeats, wall)
            found[name].append(seconds / ((before + after) / 2))
    return found


def engine(lines: Sequence[bytes]) -> int:
    """Load every document of a chain and diff it with the one before; return all changes."""
    loader = SharedLoader()
    changes = 0
    before = loader.load(lines[0])
    for line in lines[1:]:
        now = loader.load(line)
        changes += len(diff(before, now))
        before = now
    return changes


BARS = {"deepdiff": 120, "jsonpatch": 8, "deepdiff-rs": 4, "jsondiffpatch": 2}


def b1(quick: bool, rounds: int) -> list[Row]:
    """B1: bytes of a chain to the change lists of all neighbours."""
    names = ("t200_200k", "a200_200k", "t200_2m", "a2000_20k")
    if quick:
        names = ("t20_200k", "a20_200k", "t20_2m", "a20_20k")
    rows = []
    for name in names:
        lines = workloads.chain(name)
        small = name.startswith("a20") and name.endswith("_20k")
        contenders: dict[str, Callable[[], Any]] = {
            "engine": lambda lines=lines: engine(lines) and None
        }
        for peer, work in peers.on_chain(name, lines, quick).items():
            if work is not None:
                contenders[peer] = work
        slow = 1 if quick else 3
        found = ratios(lambda lines=lines: parse_all(lines), contenders, rounds, slow)
        ours = statistics.median(found["engine"])
        size = f"N {len(lines)}, {sum(map(len, lines)):,} bytes, {engine(lines):,} changes"
        rows.append(
            Row(
                "B1",
                name,
                "engine ÷ P1",
                ours,
                slack(3.0 if small else 0.8, "<=", quick),
                "<=",
                size,
            )
        )
        for peer, bar in BARS.items():
            if quick and peer == "jsondiffpatch":
                continue
            times = found.get(peer)
            value = statistics.median(times) / ours if times else None
            bar = 1.5 if small and peer == "jsondiffpatch" else bar
            bar = slack(bar, ">=", quick)
            rows.append(Row("B1", name, f"{peer} ÷ engine", value, bar, ">="))
        if not quick:
            rows.append(fewer(name, lines))
        report(rows[-(len(BARS) + 2) :] if not quick else rows[-len(BARS) :])
        workloads.chain.cache_clear()
    return rows


def fewer(name: str, lines: Sequence[bytes]) -> Row:
    """Return in how many neighbours we report more changes than jsondiffpatch does.

    1 → 1.0 is left out: JavaScript cannot tell them apart.
    """
    what = "pairs with more changes than jsondiffpatch"
    theirs = peers.node("count", workloads.chain_file(name))
    if theirs is None:
        return Row("B1", name, what, None, 0, "<=")
    loader = SharedLoader()
    before, more = loader.load(lines[0]), 0
    for line, count in zip(lines[1:], theirs["changes"], strict=True):
        now = loader.load(line)
        more += sum(not same_number(c.old, c.new) for c in diff(before, now)) > count
        before = now
    return Row("B1", name, what, more, 0, "<=", f"theirs {sum(theirs['changes']):,} changes")


def b2(quick: bool, rounds: int) -> list[Row]:
    """B2: one pair, walked on shared trees, and loaded and walked after its base."""
    names = [n for n in workloads.PAIRS if not quick or n not in ("5m", "far_2m", "churn_2m")]
    rows = []
    for name in names:
        base, target = workloads.PAIRS[name]()
        loader = SharedLoader()
        shared = loader.load(base), loader.load(target)

        def load_and_walk(base: bytes = base, target: bytes = target) -> float:
            warm = SharedLoader()
            before = warm.load(base)
            start = time.thread_time()
            diff(before, warm.load(target))
            return time.thread_time() - start

        found = ratios(
            lambda base=base, target=target: parse_all((base, target)),
            {"walk": lambda shared=shared: diff(*shared) and None, "load + walk": load_and_walk},
            rounds,
            rounds,
        )
        changes = len(diff(*shared))
        note = f"{len(base):,} and {len(target):,} bytes, {changes:,} changes"
        rows.append(
            Row(
                "B2",
                name,
                "walk ÷ P2",
                statistics.median(found["walk"]),
                slack(0.5, "<=", quick),
                "<=",
                note,
            )
        )
        value = statistics.median(found["load + walk"])
        rows.append(Row("B2", name, "load + walk ÷ P2", value, slack(2.0, "<=", quick), "<="))
        if name == "shift_200k":
            rows.append(Row("B2", name, "changes", changes, 3, "<="))
        report(rows[-3:] if name == "shift_200k" else rows[-2:])
    return rows


def b12(quick: bool, rounds: int) -> list[Row]:
    """B12: a LangGraph thread of growing messages, beside LangGraph's own history of it."""
    rows = [
        Row("B12", f.workload, f.what, f.value, f.bar, "<=", f.note)
        for f in langgraph_store.measured(clock, quick, min(rounds, 3))
    ]
    report(rows)
    return rows


def report(rows: Sequence[Row]) -> None:
    for row in rows:
        value = "–" if row.value is None else f"{row.value:,.2f}"
        line = f"{row.bench} {row.workload:<12} {row.what:<42} {value:>9}"
        print(f"{line}  {row.sense} {row.bar:g}  {row.verdict}  {row.note}", flush=True)


BENCHES = {"B1": b1, "B2": b2, "B12": b12}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="B1,B2,B12", help="benches to run, by comma")
    parser.add_argument("--quick", action="store_true", help="short chains, no node")
    parser.add_argument("--json", type=Path, help="also write the rows to this file")
    parser.add_argument("--rounds", type=int, help="interleaved rounds (7)")
    args = parser.parse_args(arguments)
    chosen = [name.strip().upper() for name in args.only.split(",") if name.strip()]
    if unknown := [name for name in chosen if name not in (*BENCHES, "C0")]:
        parser.error(f"no bench {', '.join(unknown)}; there are C0, {', '.join(BENCHES)}")
    sizes = (1_000, 8, 20_000, (1,)) if args.quick else (20_000, 30, 60_000, (1, 2, 3))
    failed = gate.failures(*sizes)
    print(f"C0 correctness gate: {len(failed)} failures", flush=True)
    for why in failed[:20]:
        print(f"  {why}")
    if failed:
        return 1
    rows: list[Row] = []
    for name in chosen:
        if name in BENCHES:
            rows += BENCHES[name](args.quick, args.rounds or (5 if args.quick else 7))
    if args.json:
        found = [row._asdict() | {"verdict": row.verdict} for row in rows]
        args.json.write_text(json.dumps({"format_version": 1, "rows": found}, indent=1) + "\n")
    verdicts = [row.verdict for row in rows]
    print(
        f"{verdicts.count('ok')} ok, {verdicts.count('FAILS')} fail, "
        f"{verdicts.count('not measured')} not measured"
    )
    return 1 if "FAILS" in verdicts else 2 if "not measured" in verdicts else 0


if __name__ == "__main__":
    sys.exit(main())
