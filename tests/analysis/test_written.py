from collections.abc import Callable
from typing import Any

import pytest

from viewer.analysis.written import written, written_between
from viewer.chain import Chain
from viewer.model import Write


def write(node: str, channel: str) -> Write:
    return Write(task=f"task of {node}", node=node, channel=channel, value=None)


@pytest.fixture
def chain(make_chain: Callable[..., Chain]) -> Chain:
    """Return a chain whose second step was the work of two nodes, with a fork beside it."""
    return make_chain(
        {},
        {"a": 1},
        {"a": 2, "b": 1},
        {"a": 9},
        parents=(None, 0, 1, 1),
        nodes=[(), ("plan",), ("left", "right"), ()],
        origin=["input", "loop", "loop", "update"],
        writes=[
            (write("plan", "a"),),
            (write("left", "a"), write("right", "a"), write("right", "b"), write("late", "b")),
            (),
            (),
        ],
    )


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        pytest.param(0, {}, id="a root has no step before it"),
        pytest.param(1, {"a": ("plan",)}, id="one node"),
        pytest.param(
            2, {"a": ("left", "right"), "b": ("right",)}, id="two nodes, none that did not run"
        ),
        pytest.param(3, {}, id="an update is no step"),
    ],
)
def test_writes_at_the_parent_say_who_wrote_a_channel(
    chain: Chain, index: int, expected: dict[str, Any]
) -> None:
    assert written(chain, index) == expected


def test_writers_on_the_way_from_base_to_target_stand_in_order(chain: Chain) -> None:
    assert written_between(chain, 0, 2) == {"a": ("plan", "left", "right"), "b": ("right",)}
    assert written_between(chain, 2, 0) == {}
    assert written_between(chain, 2, 3) == {}
