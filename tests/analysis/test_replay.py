"""Steps, learned reducers and where two values differ."""

from typing import Any

import pytest

from viewer.analysis.differences import first_difference, reencoded
from viewer.analysis.reducers import between, grown, known_reducers, reduced
from viewer.analysis.replay import edges, turns
from viewer.model import MISSING, Write

MESSAGE = "langchain_core.messages.human.HumanMessage"


def chain_of(make_chain: Any, channel_states: list[Any], written: list[Any], **fields: Any) -> Any:
    """A line of checkpoints in which each step wrote one value to channel ``c``."""
    count = len(channel_states)
    rows = tuple(
        (Write(task=f"t{i}", node=f"n{i}", channel="c", value=value),) if value is not None else ()
        for i, value in enumerate([*written, *[None] * (count - len(written))])
    )
    given: dict[str, Any] = {
        "step": tuple(range(count)),
        "origin": ("loop",) * count,
        "writes": rows,
        "versions": tuple({"c": i} for i in range(count)),
        **fields,
    }
    return make_chain(*({"c": value} for value in channel_states), profile="langgraph", **given)


@pytest.mark.parametrize(
    ("states", "written", "expected"),
    [
        pytest.param([1, 5, 7], [5, 7], {"c": "replace"}, id="replace"),
        pytest.param([["a"], ["a", "b"]], [["b"]], {"c": "append"}, id="append"),
        pytest.param([1, 5], [4], {"c": "add"}, id="add"),
        pytest.param([{"a": 1}, {"a": 1, "b": 2}], [{"b": 2}], {"c": "merge"}, id="merge"),
        pytest.param([["a"], ["a", "b"], ["x"]], [["b"], ["x"]], {}, id="contradicted"),
        pytest.param([[], ["b"]], [["b"]], {}, id="the first value shows none"),
        pytest.param([["a"], ["b", "a!"]], [["b"]], {}, id="custom"),
    ],
)
def test_a_reducer_is_learned_from_the_steps(make_chain, states, written, expected):
    assert known_reducers(edges(chain_of(make_chain, states, written))) == expected


@pytest.mark.parametrize(
    ("reducer", "old", "writes", "made"),
    [
        pytest.param("append", MISSING, [["a"], ["b"]], ["a", "b"], id="appended in order"),
        pytest.param("append", "text", [["a"]], MISSING, id="no list"),
        pytest.param("add", True, [1], MISSING, id="a boolean is no number"),
        pytest.param("replace", 1, [2, 3], 3, id="the last wins"),
    ],
)
def test_writes_are_reduced(reducer, old, writes, made):
    assert reduced(reducer, old, writes) == made


def test_a_step_with_another_child_or_a_gap_is_not_exact(make_chain):
    assert [e.exact for e in edges(chain_of(make_chain, [1, 2, 3], [2, 3]))] == [True, True]
    forked = chain_of(make_chain, [1, 2, 2], [2], parents=(None, 0, 0), step=(0, 1, 1))
    assert [e.exact for e in edges(forked)] == [False, False]
    gap = chain_of(make_chain, [1, 2], [2], step=(0, 3))
    assert [e.exact for e in edges(gap)] == [False]


def test_a_turn_begins_with_an_input(make_chain):
    chain = chain_of(make_chain, [1, 2, 3, 4], [], origin=("input", "loop", "input", "loop"))
    assert turns(chain) == (0, 0, 2, 2)


@pytest.mark.parametrize(
    ("a", "b", "at"),
    [
        pytest.param({"x": [1, {"y": 2}]}, {"x": [1, {"y": 3}]}, ("x", 1, "y"), id="inside"),
        pytest.param([1, 2], [1, 2, 3], (2,), id="an entry more"),
        pytest.param({"a": 1}, {"a": 1, "b": 2}, ("b",), id="a key more"),
        pytest.param(1, "1", (), id="itself"),
    ],
)
def test_the_first_difference_is_placed(a, b, at):
    assert first_difference(a, b) == at


def test_a_value_read_and_stored_by_another_release_is_told_from_a_changed_one():
    old = {"$type": "langchain.schema.messages.HumanMessage", "$ctor": "lc1", "value": {"id": 1}}
    new = {"$type": MESSAGE, "$ctor": "pydantic2", "value": {"id": 1, "name": None}}
    assert reencoded([old], [new])
    assert not reencoded([new], [{**new, "value": {"id": 2, "name": None}}])


@pytest.mark.parametrize(
    ("made", "actual", "expected"),
    [
        pytest.param([1], [1, 2], True, id="an entry at the end"),
        pytest.param({"a": [1]}, {"a": [1, 2], "b": 1}, True, id="a key and an entry inside"),
        pytest.param([1], [2, 1], False, id="an entry before"),
        pytest.param({"a": 1}, {"a": 2}, False, id="another value"),
        pytest.param(
            {"$type": MESSAGE, "value": {"content": "hi"}},
            {"$type": MESSAGE, "value": {"content": "hi", "id": "1"}},
            False,
            id="a message completed on the way",
        ),
    ],
)
def test_a_value_with_more_in_it_is_told(made, actual, expected):
    assert grown(made, actual) is expected


@pytest.mark.parametrize(
    ("old", "actual", "new", "expected"),
    [
        pytest.param([1], [1, 2], [1, 2, 3], True, id="part of the way"),
        pytest.param({"a": 1}, {"a": 2}, {"a": 2, "b": 1}, True, id="one field ahead"),
        pytest.param([1], [1, 9], [1, 2, 3], False, id="something else"),
    ],
)
def test_a_value_between_two_is_told(old, actual, new, expected):
    assert between(old, actual, new) is expected
