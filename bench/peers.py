"""The tools we compare with, each over the same chain of documents; None where one is missing.

Slow ones run on a seeded sample of neighbours, scaled by bytes to the whole chain.
"""

import json
import random
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import orjson

HERE = Path(__file__).parent
ELSEWHERE = frozenset(("jsondiffpatch",))
"""Peers that run in a process of their own, timed there by the wall clock."""

Work = Callable[[], float | None]


def on_chain(name: str, lines: Sequence[bytes], quick: bool) -> dict[str, Work | None]:
    """Return what each peer does with a chain; it returns its seconds, or None for "time me"."""
    from workloads import chain_file

    path = chain_file(name)
    return {
        "deepdiff": _deepdiff(lines, 1 if quick else 12),
        "jsonpatch": _jsonpatch(lines, 3 if quick else 40),
        "deepdiff-rs": _deepdiff_rs(lines),
        "jsondiffpatch": None if quick or not node_is_there() else lambda: node_seconds(path),
    }


def _sampled(lines: Sequence[bytes], count: int, work: Callable[[bytes, bytes], Any]) -> Work:
    rng = random.Random(4)
    places = sorted(rng.randrange(len(lines) - 1) for _ in range(count))
    some = sum(len(lines[i]) + len(lines[i + 1]) for i in places) / 2

    def run() -> float:
        start = time.thread_time()
        for i in places:
            work(lines[i], lines[i + 1])
        return (time.thread_time() - start) * sum(map(len, lines)) / some

    return run


def _deepdiff(lines: Sequence[bytes], count: int) -> Work | None:
    """json.loads and DeepDiff with its defaults, as one writes it first."""
    if not find_spec("deepdiff"):
        return None
    from deepdiff import DeepDiff

    return _sampled(lines, count, lambda a, b: DeepDiff(json.loads(a), json.loads(b)))


def _jsonpatch(lines: Sequence[bytes], count: int) -> Work | None:
    if not find_spec("jsonpatch"):
        return None
    import jsonpatch

    def work(a: bytes, b: bytes) -> Any:
        return jsonpatch.make_patch(orjson.loads(a), orjson.loads(b))

    return _sampled(lines, count, work)


def _deepdiff_rs(lines: Sequence[bytes]) -> Work | None:
    """Its own parser on text: the faster of its two ways."""
    if not find_spec("deepdiff_rs"):
        return None
    import deepdiff_rs

    def run() -> None:
        for a, b in pairwise(lines):
            orjson.loads(deepdiff_rs.diff_json(a.decode(), b.decode()))

    return run


def node_is_there() -> bool:
    """Return whether node and its packages can be used."""
    return bool(shutil.which("node")) and (HERE / "made/node_modules/jsondiffpatch").is_dir()


def node(mode: str, path: Path) -> dict[str, Any] | None:
    """Return what ``jsdiff.mjs`` says about a file; None where node is missing."""
    if not node_is_there():
        return None
    command = ["node", "--max-old-space-size=4000", "jsdiff.mjs", mode, str(path.resolve())]
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def node_seconds(path: Path) -> float:
    """Return how long node takes to parse a chain and diff all neighbours, without its start."""
    found = node("time", path)
    assert found is not None
    return float(found["seconds"])
