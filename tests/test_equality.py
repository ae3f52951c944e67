import math
from typing import Any

import pytest

from viewer.equality import same, same_number


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        (True, 1, False),
        (0, False, False),
        (1, 1.0, False),
        (-0.0, 0.0, True),
        (math.nan, math.nan, True),
        (math.nan, None, False),
        (2**70, 2**70 + 1, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": None}, {}, False),
        ([[1]], [[True]], False),
        ([1, 2], [2, 1], False),
    ],
)
@pytest.mark.parametrize(
    "wrap",
    [lambda v: v, lambda v: [v], lambda v: {"k": [{"d": v}]}],
    ids=["root", "in-list", "deep"],
)
def test_equality_is_strict_at_every_depth(a: Any, b: Any, equal: bool, wrap: Any) -> None:
    assert same(wrap(a), wrap(b)) is equal
    assert same(wrap(b), wrap(a)) is equal


def test_same_number_marks_only_spelling() -> None:
    assert same_number(1, 1.0)
    assert not same_number(1, True)
    assert not same_number(2**53 + 1, float(2**53 + 1))
    assert not same_number(1, math.nan)
    assert not same_number(10**400, 1.0)
