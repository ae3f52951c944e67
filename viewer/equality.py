"""When two JSON values are the same: one rule, the same at every depth (design: "Diff")."""

from typing import Any


def same(a: Any, b: Any) -> bool:
    """Return whether ``a`` and ``b`` are the same JSON value.

    ``true`` is not ``1``; ``1`` is not ``1.0``; ``-0.0`` is ``0.0``; NaN is NaN; ``null`` is a
    value; the order of an object's keys means nothing; integers compare exactly.
    """
    kind = type(a)
    if a is b or kind is not type(b):
        return a is b
    if kind is not dict and kind is not list:
        return bool(a == b or (a != a and b != b))
    waiting = [(a, b)]  # an own stack: a value may be nested deeper than Python recurses
    while waiting:
        a, b = waiting.pop()
        if len(a) != len(b):
            return False
        if type(a) is dict:
            if not a.keys() <= b.keys():
                return False
            pairs = [(x, b[key]) for key, x in a.items()]
        else:
            pairs = list(zip(a, b, strict=True))
        for x, y in pairs:
            if x is y:
                continue
            kind = type(x)
            if kind is not type(y):
                return False
            if kind is dict or kind is list:
                waiting.append((x, y))
            elif x != y and (x == x or y == y):
                return False
    return True


def same_number(a: Any, b: Any) -> bool:
    """Return whether ``a`` and ``b`` are numbers of equal worth written differently (1 and 1.0)."""
    numbers = (int, float)
    return (
        type(a) is not type(b)
        and type(a) in numbers
        and type(b) in numbers
        and (a == b and float(a) == b and int(b) == a if a == a and b == b else False)
    )
