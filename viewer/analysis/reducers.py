"""How an app joins a write with what a channel holds, learned from the steps that show it.

A store names no reducer. A step with its writes shows one: the value after it is the write itself
(replace), the old list with the write behind it (append), the sum, or the merged object. A channel
is known where every step agrees; else its reducer is the app's own and nothing is claimed of it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from viewer.analysis.differences import alike
from viewer.analysis.replay import Edge
from viewer.model import MISSING

Reducer = Literal["replace", "append", "add", "merge"]
_Reduce = Callable[[Any, Any], Any]


def _replace(_: Any, written: Any) -> Any:
    return written


def _append(old: Any, written: Any) -> Any:
    old = [] if old is MISSING else old
    return [*old, *written] if isinstance(old, list) and isinstance(written, list) else MISSING


def _add(old: Any, written: Any) -> Any:
    numbers = all(type(n) in (int, float) for n in (old, written))
    texts = isinstance(old, str) and isinstance(written, str)
    return old + written if numbers or texts else MISSING


def _merge(old: Any, written: Any) -> Any:
    old = {} if old is MISSING else old
    both = isinstance(old, dict) and isinstance(written, dict)
    return {**old, **written} if both else MISSING


_REDUCE: Mapping[Reducer, _Reduce] = {
    "replace": _replace,
    "append": _append,
    "add": _add,
    "merge": _merge,
}


def reduced(reducer: Reducer, old: Any, writes: Iterable[Any]) -> Any:
    """Return what ``reducer`` makes of ``old`` and the ``writes``; `MISSING` where it cannot."""
    value = old
    for written in writes:
        value = _REDUCE[reducer](value, written)
        if value is MISSING:
            return MISSING
    return value


def expected(edge: Edge, channel: str, reducer: Reducer) -> Any:
    """Return what ``channel`` should hold after ``edge``; `MISSING` where that is not known."""
    old = edge.before.get(channel, MISSING)
    return reduced(reducer, old, [write.value for write in edge.writes.get(channel, ())])


def known_reducers(steps: Sequence[Edge]) -> dict[str, Reducer]:
    """Return the reducer of each channel that some step shows and no step contradicts.

    A step whose value is on its way to what later tasks wrote, or holds more than was written,
    contradicts none: that is what findings are made of.
    """
    seen: dict[str, dict[Reducer, int]] = {}
    lost: set[tuple[str, Reducer]] = set()
    for edge in steps:
        if not edge.exact:
            continue
        for channel in edge.writes:
            if channel in edge.deltas or channel not in edge.after or channel in edge.taking:
                continue
            counts = seen.setdefault(channel, {})
            for reducer in _REDUCE:
                if (channel, reducer) in lost:
                    continue
                verdict = _shows(edge, channel, reducer)
                if verdict is None:
                    continue
                if verdict:
                    counts[reducer] = counts.get(reducer, 0) + 1
                else:
                    lost.add((channel, reducer))
    known: dict[str, Reducer] = {}
    for channel, counts in seen.items():
        fit = [r for r in counts if (channel, r) not in lost]
        if fit:
            known[channel] = max(fit, key=lambda r: counts[r])
    return known


def _shows(edge: Edge, channel: str, reducer: Reducer) -> bool | None:
    """Return whether a step shows ``reducer``, contradicts it (False), or tells nothing (None)."""
    made = expected(edge, channel, reducer)
    actual = edge.after[channel]
    if made is MISSING:
        # The first value of a channel is what was written, under any reducer.
        old = edge.before.get(channel, MISSING)
        return None if old is MISSING or old is None else False
    if alike(made, actual):
        old = edge.before.get(channel, MISSING)
        first = old is MISSING or old in (None, [], {}, "", 0)
        return None if first or alike(made, old) else True
    excused = went_on(edge, channel, made) or grown(made, actual)
    if excused or (reducer == "append" and slipped_in(made, edge, channel)):
        return None
    return False


def grown(made: Any, actual: Any) -> bool:
    """Return whether ``actual`` is ``made`` with more in it: entries at an end, keys, or inside.

    An object of a class has its keys from the class: one more only says that it was written by
    another release, or completed on the way as messages are.
    """
    try:
        return _grown(made, actual)
    except RecursionError:
        return False


def _grown(made: Any, actual: Any) -> bool:
    if isinstance(made, dict) and isinstance(actual, dict):
        inner, other = made.get("value"), actual.get("value")
        if "$type" in made and isinstance(inner, dict) and isinstance(other, dict):
            return set(inner) == set(other) and _grown(inner, other)
        return made.keys() <= actual.keys() and all(
            alike(old, actual[key]) or _grown(old, actual[key]) for key, old in made.items()
        )
    if isinstance(made, list) and isinstance(actual, list):
        if len(made) > len(actual):
            return False
        return alike(made, actual[: len(made)]) or all(
            alike(old, new) or _grown(old, new) for old, new in zip(made, actual, strict=False)
        )
    return False


def went_on(edge: Edge, channel: str, made: Any) -> bool:
    """Return whether the child holds, at least in part, what only tasks after it wrote."""
    actual = edge.after.get(channel, MISSING)
    return any(between(made, actual, write.value) for write in edge.later.get(channel, ()))


def between(old: Any, actual: Any, new: Any) -> bool:
    """Return whether ``actual`` is ``old`` on its way to ``new``: at each place one of the two."""
    try:
        return _between(old, actual, new)
    except RecursionError:
        return False


def _between(old: Any, actual: Any, new: Any) -> bool:
    if alike(actual, new) or alike(actual, old):
        return True
    if all(isinstance(v, dict) for v in (old, actual, new)):
        return all(
            _between(old.get(k, MISSING), actual.get(k, MISSING), new.get(k, MISSING))
            for k in {**old, **actual, **new}
        )
    if all(isinstance(v, list) for v in (old, actual, new)):
        if not len(old) <= len(actual) <= len(new):
            return False
        return all(between(a, b, c) for a, b, c in zip(old, actual, new, strict=False)) and all(
            alike(actual[i], new[i]) for i in range(len(old), len(actual))
        )
    return False


def slipped_in(made: Any, edge: Edge, channel: str) -> list[Any]:
    """Return the entries of an appended list that no write of the step holds; ``[]`` for none.

    They stand between the old entries and the written ones: the list itself was changed.
    """
    old, actual = edge.before.get(channel), edge.after.get(channel)
    if not isinstance(old, list) or not isinstance(actual, list) or not isinstance(made, list):
        return []
    written, more = len(made) - len(old), len(actual) - len(made)
    if more <= 0 or written < 0:
        return []
    if alike(actual[: len(old)], old) and alike(actual[len(old) + more :], made[len(old) :]):
        return actual[len(old) : len(old) + more]
    return []
