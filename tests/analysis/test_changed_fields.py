from collections.abc import Callable
from typing import Any

import pytest

from viewer.analysis.changed_fields import changed_fields
from viewer.chain import Chain
from viewer.model import MISSING

SHARED = {"deep": [1, {"a": 2}]}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param({"a": 1}, {"a": 2}, ("a",), id="changed"),
        pytest.param({"a": 1}, {"a": 1, "b": None}, ("b",), id="added, though null"),
        pytest.param({"a": 1, "gone": 1}, {"a": 2}, ("a", "gone"), id="removed stands last"),
        pytest.param({"a": 1, "b": True}, {"a": 1.0, "b": 1}, ("a", "b"), id="exact"),
        pytest.param({"a": float("nan")}, {"a": float("nan")}, (), id="NaN is NaN"),
        pytest.param({"x": SHARED}, {"x": SHARED}, (), id="shared"),
        pytest.param({"x": SHARED}, {"x": {"deep": [1, {"a": 2}]}}, (), id="equal, not shared"),
        pytest.param(
            {"x": SHARED}, {"x": {"deep": [1, {"a": 3}]}}, ("x",), id="changed deep inside"
        ),
        pytest.param([1], [2], (), id="no objects"),
    ],
)
def test_the_fields_that_differ_from_the_parent_are_named(
    make_chain: Callable[..., Chain], old: Any, new: Any, expected: tuple[str, ...]
) -> None:
    assert changed_fields(make_chain(old, new)).get(1, ()) == expected


def test_a_branch_is_held_against_its_own_parent(make_chain: Callable[..., Chain]) -> None:
    chain = make_chain({"a": 1}, {"a": 2}, MISSING, {"a": 2}, {"a": 1}, parents=(None, 0, 1, 2, 0))
    assert changed_fields(chain) == {1: ("a",)}
