"""When two JSON values are the same: one rule, the same at every depth (design: "Diff")."""

from typing import Any


def same(a: Any, b: Any) -> bool:
    """Return whether ``a`` and ``b`` are the same JSON value.

    ``true`` is not ``1``; ``1`` is not ``1.0``; ``-0.0`` is ``0.0``; NaN is NaN; ``null`` is a
    value; the order of an object's keys means nothing; integers compare exactly.
    """
    if a is b:
        return True
    kind = type(a)
    if kind is not type(b):
        return False
    if kind is dict:
        return len(a) == len(b) and all(k in b and same(v, b[k]) for k, v in a.items())
    if kind is list:
        return len(a) == len(b) and all(map(same, a, b))
    if kind is float:
        return bool(a == b or (a != a and b != b))
    return bool(a == b)


def same_number(a: Any, b: Any) -> bool:
    """Return whether ``a`` and ``b`` are numbers of equal worth written differently (1 and 1.0)."""
    numbers = (int, float)
    return (
        type(a) is not type(b)
        and type(a) in numbers
        and type(b) in numbers
        and (a == b and float(a) == b and int(b) == a if a == a and b == b else False)
    )
