"""C0, the correctness gate: nothing is timed before all of this holds.

Every check returns what failed, in words; an empty list is a pass.
"""

import copy
import json
import math
import random
from collections.abc import Iterator
from typing import Any

import msgspec
from workloads import Spec, encoded, states

from viewer.analysis.diff import apply, diff, invert
from viewer.equality import same
from viewer.jsontext import walk
from viewer.model import Change
from viewer.sources.sharing import SharedLoader

FLIPS = 60
_LEAVES = (0, 1, True, False, None, 1.0, 0.0, -0.0, -1, -2, "", "a", "b", 2, 3, 2**70, math.nan)


def canonical(value: Any) -> bytes:
    """Return bytes that are equal exactly for equal states (-0.0 written as 0.0)."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return text.replace("-0.0,", "0.0,").replace("-0.0]", "0.0]").replace("-0.0}", "0.0}").encode()


def _told(changes: list[Change]) -> list[tuple[str, str]]:
    return [(change.op, change.pointer) for change in changes]


def _value(rng: random.Random, depth: int = 0) -> Any:
    kind = rng.random()
    if depth > 3 or kind < 0.5:
        return rng.choice(_LEAVES)
    if kind < 0.75:
        return [_value(rng, depth + 1) for _ in range(rng.randint(0, 6))]
    keys = ("a", "b", "id", "seq", "name", "__k")
    return {rng.choice(keys): _value(rng, depth + 1) for _ in range(rng.randint(0, 5))}


def _mutated(rng: random.Random, value: Any) -> Any:
    if rng.random() < 0.25:
        return _value(rng, 1)
    if isinstance(value, list):
        value = [_mutated(rng, x) if rng.random() < 0.4 else x for x in value]
        if value and rng.random() < 0.3:
            value.pop(rng.randrange(len(value)))
        if rng.random() < 0.3:
            value.insert(rng.randrange(len(value) + 1), _value(rng, 2))
        if rng.random() < 0.2:
            rng.shuffle(value)
        return value
    if isinstance(value, dict):
        kept = {k: v for k, v in value.items() if rng.random() < 0.9}
        return {k: _mutated(rng, v) if rng.random() < 0.5 else v for k, v in kept.items()}
    return value


def fuzz(documents: int, seed: int = 11) -> list[str]:
    """Diff random pairs, fresh and shared by a loader, and apply the changes both ways."""
    rng = random.Random(seed)
    failed = []
    for number in range(documents):
        base = _value(rng)
        target = _mutated(rng, copy.deepcopy(base))
        before = canonical([base, target])
        changes = diff(base, target)
        loader = SharedLoader()
        shared = loader.load(encoded(base)), loader.load(encoded(target))
        checks = {
            "apply": same(apply(base, changes), target),
            "invert": same(apply(target, invert(changes)), base),
            "empty": (not changes) == same(base, target),
            "load": same(list(shared), [base, target]),
            "shared": _told(diff(*shared)) == _told(changes),
            "mutated": canonical([base, target]) == before,
        }
        failed += [f"fuzz {seed}/{number}: {name}" for name, held in checks.items() if not held]
    return failed


def _formats(state: Any) -> Iterator[tuple[str, bytes]]:
    yield "json", encoded(state)
    yield "indented", json.dumps(state, indent=2).encode()
    yield "nested", encoded({"v": 4, "channel_values": state})
    yield "msgpack", msgspec.msgpack.encode(state)


def chains(documents: int, size: int, seeds: tuple[int, ...]) -> list[str]:
    """Load generated chains in four formats: each state as if parsed alone, each diff complete."""
    failed = []
    for seed in seeds:
        for kind in ("task", "agent"):
            for style in ("append", "mixed", "churn"):
                spec = Spec(kind, documents, size, style)
                failed += [f"chain {seed}/{kind}/{style}: {why}" for why in _chain(spec, seed)]
    return failed


def _chain(spec: Spec, seed: int) -> Iterator[str]:
    loaders: dict[str, SharedLoader] = {}
    before: dict[str, Any] = {}
    alone: dict[str, Any] = {}
    for step, state in enumerate(states(spec, seed)):
        for name, raw in _formats(state):
            fmt = "msgpack" if name == "msgpack" else "json"
            loader = loaders.setdefault(name, SharedLoader(fmt))
            now = loader.load(raw)
            fresh = msgspec.msgpack.decode(raw) if fmt == "msgpack" else json.loads(raw)
            wanted = canonical(fresh)
            if canonical(now) != wanted:
                yield f"step {step} {name}: shared is not fresh"
            if step:
                changes = diff(before[name], now)
                if canonical(apply(before[name], changes)) != wanted:
                    yield f"step {step} {name}: apply(old, diff) is not new"
                if canonical(before[name]) != canonical(alone[name]):
                    yield f"step {step} {name}: an older state changed"
                if name == "json" and _told(diff(alone[name], fresh)) != _told(changes):
                    yield f"step {step} {name}: sharing changes the answer"
            before[name], alone[name] = now, fresh


def missed_flips(document: bytes, seed: int = 1) -> int:
    """Return how many of `FLIPS` single changes of a leaf's type, not its worth, go unseen."""
    rng = random.Random(seed)
    base = json.loads(document)
    places = [at for at, value in walk(base) if type(value) in (bool, int) and abs(value) < 2**53]
    missed = 0
    for _ in range(FLIPS):
        target = copy.deepcopy(base)
        *way, last = rng.choice(places)
        here = target
        for token in way:
            here = here[token]
        value = here[last]
        here[last] = int(value) if type(value) is bool else float(value)
        loader = SharedLoader()
        shared = loader.load(document), loader.load(encoded(target))
        missed += not (len(diff(base, target)) == len(diff(*shared)) == 1)
    return missed


def failures(documents: int, chain_documents: int, size: int, seeds: tuple[int, ...]) -> list[str]:
    """Return everything that fails; sizes say how much is tried."""
    failed = fuzz(documents) + chains(chain_documents, size, seeds)
    *_, last = (encoded(state) for state in states(Spec("task", 10, 20_000)))
    if missed := missed_flips(last):
        failed.append(f"{missed} of {FLIPS} strict type flips missed")
    return failed
