import copy
import math
import random
import subprocess
import sys
from typing import Any

import pytest
from deepdiff import DeepDiff
from hypothesis import given, settings
from hypothesis import strategies as st

from viewer.analysis.loose_diff import Loose, loose_diff
from viewer.errors import PointerError
from viewer.model import Change

VALUES = st.recursive(
    st.one_of(st.none(), st.integers(0, 3), st.sampled_from(["a", "b"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=5), st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=20,
)


def brief(changes: list[Change]) -> list[tuple[str, str]]:
    return [(change.op, change.pointer) for change in changes]


def shuffled(value: Any, rng: random.Random) -> Any:
    if isinstance(value, list):
        return rng.sample([shuffled(v, rng) for v in value], len(value))
    if isinstance(value, dict):
        return {k: shuffled(v, rng) for k, v in value.items()}
    return value


@settings(max_examples=150, deadline=None)
@given(VALUES, st.randoms(use_true_random=False))
def test_order_means_nothing_at_any_depth(value: Any, rng: random.Random) -> None:
    assert loose_diff(value, shuffled(value, rng), Loose(ignore_order=True)) == []


@settings(max_examples=150, deadline=None)
@given(VALUES, VALUES)
def test_deepdiff_agrees_whether_bags_differ(a: Any, b: Any) -> None:
    theirs = DeepDiff(a, b, ignore_order=True, report_repetition=True)
    assert bool(loose_diff(a, b, Loose(ignore_order=True))) == bool(theirs)


@pytest.mark.parametrize(
    ("base", "target", "options", "expected"),
    [
        pytest.param(["v", "x", "v"], ["v", "x"], Loose(ignore_order=True), [("remove", "/2")], id="lost-duplicate"),
        pytest.param(["v"], ["v", "v"], Loose(ignore_order=True), [("add", "/1")], id="gained-duplicate"),
        pytest.param([True, 2], [2, 1], Loose(ignore_order=True), [("remove", "/0"), ("add", "/1")], id="true-is-not-one"),
        pytest.param([1.0], [1], Loose(ignore_order=True), [("remove", "/0"), ("add", "/0")], id="number-type-counts"),
        pytest.param([[1.0, {"a": 2}]], [[{"a": 2.0}, 1]], Loose(ignore_order=True, ignore_number_type=True), [], id="number-type-does-not"),
        pytest.param({"a": 2**60 + 1}, {"a": float(2**60)}, Loose(ignore_number_type=True), [("replace", "/a")], id="exact-all-the-same"),
        pytest.param({"a": True}, {"a": 1}, Loose(ignore_number_type=True), [("replace", "/a")], id="a-boolean-is-no-number"),
        pytest.param({"a": 0.30000000000000004}, {"a": 0.3}, Loose(significant=10), [], id="rounded"),
        pytest.param({"a": 0.35}, {"a": 0.3}, Loose(significant=2), [("replace", "/a")], id="decimals-that-count"),
        pytest.param([math.nan, {"n": math.inf}], [math.nan, {"n": -math.inf}], Loose(significant=3), [("replace", "/1/n")], id="nan-rounded"),
        pytest.param([math.nan, 1], [1, math.nan], Loose(significant=3, ignore_order=True), [], id="nan-in-a-bag"),
        pytest.param({"__a": {"q'\"]": [1]}}, {"__a": {"q'\"]": [2]}}, Loose(ignore_order=True), [("remove", "/__a/q'\"]/0"), ("add", "/__a/q'\"]/0")], id="odd-keys"),
        pytest.param(["\ud800"], ["a"], Loose(ignore_order=True), [("remove", "/0"), ("add", "/0")], id="lone-surrogate"),
        pytest.param({"a": 1, "ts": 1}, {"a": 1}, Loose(ignore=("/ts",)), [], id="ignored-on-one-side"),
        pytest.param({"a": [{"ts": 1, "v": 1}]}, {"a": [{"ts": 2, "v": 2}]}, Loose(ignore=("/a/*/ts",)), [("replace", "/a/0/v")], id="starred-pattern"),
        pytest.param({"a": {"b": {"c": 1}}, "d": 1}, {"a": {"x": 2}, "d": 1}, Loose(ignore=("/a/**",)), [], id="a-whole-tail"),
        pytest.param({"a": 1}, {"b": [2]}, Loose(ignore=("re:^[ab]$",)), [], id="key-names"),
        pytest.param([1, 2, 3], [9, 2], Loose(ignore=("/0",)), [("remove", "/2")], id="ignored-item-keeps-indices"),
    ],
)  # fmt: skip
def test_only_what_counts_is_a_change(
    base: Any, target: Any, options: Loose, expected: list[tuple[str, str]]
) -> None:
    before = copy.deepcopy((base, target))
    assert brief(loose_diff(base, target, options)) == expected
    assert repr(before) == repr((base, target))


def test_items_that_belong_together_are_compared_inside() -> None:
    base = [{"a": 1, "l": [1, 2, 3], "z": 5}, {"b": 2, "c": 1, "d": 1}]
    target = [{"b": 3, "c": 1, "d": 1}, {"a": 1, "l": [3, 2, 9], "z": 5}]
    changes = loose_diff(base, target, Loose(ignore_order=True))
    assert [(c.op, c.path, c.old_path) for c in changes] == [
        ("remove", (0, "l", 0), (0, "l", 0)),
        ("add", (1, "l", 2), (0, "l")),
        ("replace", (0, "b"), (1, "b")),
    ]


def test_two_equal_items_are_never_paired_with_one() -> None:
    # DeepDiff joins both with the one item that is left and loses none.
    twin = {"x": 1, "v": [1, 1], "w": 1}
    changes = loose_diff([twin, dict(twin)], [{"x": 1, "v": [1], "w": 1}], Loose(ignore_order=True))
    assert brief(changes) == [("remove", "/0/v/1"), ("remove", "/1")]


def test_ids_pair_items_of_a_bag() -> None:
    base = [{"id": 1, "v": "x"}, {"id": 2, "v": "y"}]
    target = [{"id": 2, "v": "q"}, {"id": 1, "v": "x"}]
    assert brief(loose_diff(base, target, Loose(ignore_order=True))) == [("replace", "/0/v")]


def test_changes_carry_the_original_values() -> None:
    base, target = {"r": [{"ts": 1, "n": 1.23456}]}, {"r": []}
    (change,) = loose_diff(base, target, Loose(significant=1, ignore=("re:ts",)))
    assert change.old is base["r"][0]
    (change,) = loose_diff({"a": 0.123}, {"a": 0.456}, Loose(significant=1))
    assert (change.old, change.new) == (0.123, 0.456)


@pytest.mark.parametrize("rule", ["no-slash", "re:(", "/a/**/b"])
def test_a_bad_ignore_rule_is_named(rule: str) -> None:
    with pytest.raises(PointerError):
        loose_diff(1, 2, Loose(ignore=(rule,)))


def test_decimals_cannot_be_negative() -> None:
    with pytest.raises(ValueError, match="negative"):
        loose_diff(1, 2, Loose(significant=-1))


@pytest.mark.parametrize("order", [False, True])
def test_deep_values_do_not_end_in_a_recursion_error(order: bool) -> None:
    base: Any = 1
    target: Any = 2
    for _ in range(400):
        base, target = [{"k": base}], [{"k": target}]
    changes = loose_diff(base, target, Loose(ignore_order=order, significant=2))
    assert len(changes) == (2 if order else 1)  # DeepDiff proposes no pairs of values so deep


def test_deepdiff_is_imported_only_when_it_is_asked() -> None:
    code = (
        "import sys; from viewer.analysis.loose_diff import Loose, loose_diff;"
        "loose_diff({'a': [1, 2]}, {'a': [2, 3]}, Loose(ignore_order=True));"
        "assert 'deepdiff' not in sys.modules;"
        "loose_diff([{'a': 1, 'b': 2}, {'c': 1}], [{'a': 1, 'b': 3}, 5], Loose(ignore_order=True));"
        "assert 'deepdiff' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
