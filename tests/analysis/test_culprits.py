"""Which node is held to have changed a value in place."""

import pytest

from viewer.analysis.culprits import culprits
from viewer.analysis.replay import edges


@pytest.mark.parametrize(
    ("steps", "background", "expected"),
    [
        pytest.param([("a", "b")], False, ["a or b"], id="either"),
        pytest.param([("a", "b")], True, ["b"], id="stored in the background"),
        pytest.param([("__start__", "a"), ("a", "b")], False, ["a", "b"], id="nothing ran before"),
        pytest.param([("a", "b"), ("b", "")], False, ["a", "b"], id="nothing runs after"),
        pytest.param([("a", "x"), ("b", "x")], False, ["x", "x"], id="the next is one"),
        pytest.param([("x", "a"), ("x", "b")], False, ["x", "x"], id="the one before is one"),
    ],
)
def test_the_node_that_explains_most_is_named(make_chain, steps, background, expected):
    chain = make_chain(
        *({"n": i} for i in range(len(steps) + 1)),
        profile="langgraph",
        nodes=((), *((ran,) for ran, _ in steps)),
        next=((), *(((after,) if after else ()) for _, after in steps)),
    )
    assert culprits(edges(chain), background=background) == expected
