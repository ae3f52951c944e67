"""Whether and where two values differ, for findings; the exact diff is in ``diff``."""

from collections.abc import Iterator
from typing import Any

from viewer.equality import same
from viewer.model import MISSING
from viewer.pointer import Tokens


def alike(a: Any, b: Any) -> bool:
    """Return whether two values are equal; whether ``1`` is ``1.0`` or ``true`` is not told apart.

    Long lists stand in every checkpoint: Python's own comparison is many times faster than ours,
    which is asked only where values differ (NaN) or nest too deep for it.
    """
    if a is b:
        return True
    try:
        return bool(a == b) or same(a, b)
    except RecursionError:
        return same(a, b)


def position(entry: Any, entries: list[Any]) -> int | None:
    """Return where ``entry`` first stands among ``entries``; None where it does not."""
    try:
        return entries.index(entry)
    except ValueError:
        return None
    except RecursionError:
        return next((i for i, other in enumerate(entries) if same(entry, other)), None)


def unshared(old: Any, new: Any, start: int = 0) -> Iterator[tuple[Tokens, Any]]:
    """Yield the parts of ``new`` with their places that are not the same object in ``old``.

    A part of an object is compared at its key, one of a list with all entries of the other list;
    a list counts from entry ``start`` on, and what is neither is one part.
    """
    if isinstance(new, list):
        before = set(map(id, old)) if isinstance(old, list) else set()
        for place in range(start, len(new)):
            if id(new[place]) not in before:
                yield (place,), new[place]
    elif isinstance(new, dict):
        was = old if isinstance(old, dict) else {}
        for key, part in new.items():
            if key not in was or was[key] is not part:
                yield (key,), part
    else:
        yield (), new


def first_difference(a: Any, b: Any) -> Tokens:
    """Return the place of the first difference of two values, in the order of ``b``'s keys."""
    waiting: list[tuple[Any, Any, Any]] = [(None, a, b)]
    while waiting:
        way, a, b = waiting.pop()
        if a is b:
            continue
        if isinstance(a, dict) and isinstance(b, dict):
            pairs = [(key, a.get(key, MISSING), b.get(key, MISSING)) for key in {**b, **a}]
        elif isinstance(a, list) and isinstance(b, list):
            pairs = list(_enumerated(a, b))
        elif not isinstance(a, dict | list) and alike(a, b):
            continue
        else:
            return _unrolled(way)
        waiting += [((way, key), x, y) for key, x, y in reversed(pairs)]
    return ()


def _enumerated(a: list[Any], b: list[Any]) -> Iterator[tuple[int, Any, Any]]:
    """Yield the entries of two lists by index, the first that only one of them has last."""
    for i, (x, y) in enumerate(zip(a, b, strict=False)):
        yield i, x, y
    most = min(len(a), len(b))
    if len(a) != len(b):
        yield most, (*a, MISSING)[most], (*b, MISSING)[most]


def _unrolled(way: Any) -> Tokens:
    found: list[str | int] = []
    while way is not None:
        way, token = way
        found.append(token)
    return tuple(reversed(found))


def reencoded(a: Any, b: Any) -> bool:
    """Return whether ``b`` may be ``a`` read and stored by another release of its class.

    Somewhere the class or the way it was written differs, or an object of a class has a key more
    or less.
    """
    waiting = [(a, b)]
    while waiting:
        a, b = waiting.pop()
        if a is b:
            continue
        if isinstance(a, dict) and isinstance(b, dict):
            if "$type" in a or "$type" in b:
                inner, other = a.get("value"), b.get("value")
                if (a.get("$type"), a.get("$ctor")) != (b.get("$type"), b.get("$ctor")):
                    return True
                if isinstance(inner, dict) and isinstance(other, dict) and set(inner) != set(other):
                    return True
            waiting += [(a[k], b[k]) for k in a if k in b]
        elif isinstance(a, list) and isinstance(b, list):
            waiting += zip(a, b, strict=False)
    return False
