import itertools
import math
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.analysis import sequence
from viewer.analysis.sequence import Alphabet, common, increasing
from viewer.equality import same

numbers = st.lists(st.integers(0, 5), max_size=8)


@given(st.lists(st.integers(0, 9), max_size=9))
def test_increasing_is_a_longest_increasing_subsequence(values: list[int]) -> None:
    chosen = increasing(values)
    assert all(values[a] < values[b] for a, b in itertools.pairwise(chosen))
    longest = max(
        size
        for size in range(len(values) + 1)
        for some in itertools.combinations(values, size)
        if all(a < b for a, b in itertools.pairwise(some))
    )
    assert len(chosen) == longest


@given(numbers, numbers)
def test_common_is_a_longest_common_subsequence(a: list[int], b: list[int]) -> None:
    pairs = common(a, b)
    assert all(a[i] == b[j] for i, j in pairs)
    assert all(p[0] < q[0] and p[1] < q[1] for p, q in itertools.pairwise(pairs))
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            table[i + 1][j + 1] = (
                table[i][j] + 1 if x == y else max(table[i][j + 1], table[i + 1][j])
            )
    assert len(pairs) == table[-1][-1]


@pytest.mark.parametrize("kinds", [3, 5_000], ids=["few-kinds", "mostly-once"])
def test_above_the_cell_limit_pairs_are_still_common_and_ordered(
    monkeypatch: pytest.MonkeyPatch, kinds: int
) -> None:
    monkeypatch.setattr(sequence, "CELLS", 2_000)
    rng = random.Random(7)
    a = [rng.randrange(kinds) for _ in range(500)]
    b = [x for x in a if rng.random() < 0.9]
    pairs = common(a, b)
    assert all(a[i] == b[j] for i, j in pairs)
    assert all(p[0] < q[0] and p[1] < q[1] for p, q in itertools.pairwise(pairs))
    assert len(pairs) > len(b) * 0.6


VALUES: list[Any] = [
    None, True, False, 0, 1, -1, -2, 0.0, -0.0, 1.0, math.nan, math.inf, "", "1", "null", "NaN",
    [], {}, [None], [math.nan], [math.inf], [-math.inf], [0.0], [-0.0], [0], [1], [True], [1.0],
    {"a": 1}, {"a": 1.0}, {"a": None}, {"a": math.nan}, {"a": [-0.0, None]}, {"a": [0.0, None]},
    {"a": 1, "b": 2}, {"b": 2, "a": 1}, ["\ud83d\ude00"], ["😀"], ["\ud800"], ["-0.0"], ["null"],
    [2**70], [2**70 + 1], [float(2**70)], {"a": {}}, {"a": []}, [[]], [{}], ["null", -0.0],
    ["null", 0.0], [10**5000], [10**5000 + 1],
]  # fmt: skip


def test_equal_values_and_only_those_share_a_number() -> None:
    alphabet = Alphabet()
    found = [alphabet.number(value) for value in VALUES]
    for (a, m), (b, n) in itertools.combinations(zip(VALUES, found, strict=True), 2):
        assert (m == n) is same(a, b)


def test_deep_values_are_numbered_without_recursion() -> None:
    def nested(leaf: int) -> Any:
        value: Any = leaf
        for _ in range(20_000):
            value = [value]
        return value

    alphabet = Alphabet()
    a, b, c = nested(1), nested(1), nested(2)
    assert alphabet.number(a) == alphabet.number(b) != alphabet.number(c)
