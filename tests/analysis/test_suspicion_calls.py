"""Calls and results that do not meet are placed where they parted."""

from typing import Any

import pytest

from viewer.analysis.suspicions import suspicions
from viewer.model import Write


def human(text: str = "hi") -> Any:
    return {"role": "user", "content": text}


def says(text: str) -> Any:
    return {"role": "assistant", "content": text}


def call(*ids: str) -> Any:
    calls = [{"id": one, "name": "look_up", "args": {"for": one}} for one in ids]
    return {"role": "assistant", "content": "", "tool_calls": calls}


def result(one: str) -> Any:
    return {"role": "tool", "tool_call_id": one, "content": f"found {one}"}


@pytest.fixture
def told(make_chain: Any) -> Any:
    """Returns the findings of a run whose nodes appended messages, one step each."""

    def run(*steps: tuple[str, list[Any]], **fields: Any) -> Any:
        lists: list[list[Any]] = [[]]
        for _, added in steps:
            lists.append([*lists[-1], *added])
        rows = tuple(
            (Write(task=f"t{i}", node=node, channel="messages", value=added),)
            for i, (node, added) in enumerate(steps)
        )
        count = len(lists)
        chain = make_chain(
            *({"messages": one} for one in lists),
            profile="langgraph",
            step=tuple(range(-1, count - 1)),
            origin=tuple("input" if not i else "loop" for i in range(count)),
            nodes=((), *((node,) for node, _ in steps)),
            versions=tuple({"messages": i + 1} for i in range(count)),
            writes=(*rows, ()),
            **fields,
        )
        return [(f.keyword, f.step, f.node, f.pointer) for f in suspicions(chain)]

    return run


def test_a_call_is_open_for_good_where_another_node_speaks_first(told):
    found = told(
        ("__start__", [human()]),
        ("model", [call("c1")]),
        ("policy", [says("A colleague will call you.")]),
        ("model", [says("Anything else?")]),
    )
    assert found == [("call_without_result", 2, "policy", "/messages/1")]


def test_the_node_between_is_named_where_the_caller_speaks_again(told):
    found = told(
        ("__start__", [human()]),
        ("model", [call("c1")]),
        ("tools", []),
        ("model", [says("Done.")]),
        ("model", [says("Bye.")]),
    )
    assert found == [("call_without_result", 3, "tools", "/messages/1")]


def test_the_node_that_was_to_run_is_named_where_a_person_speaks_first(told):
    found = told(
        ("__start__", [human()]),
        ("model", [call("c1")]),
        ("__start__", [human("well?")]),
        ("model", [says("Sorry.")]),
        next=((), (), ("tools",), (), ()),
    )
    assert found == [("call_without_result", 2, "tools", "/messages/1")]


def test_a_result_under_an_answered_calls_id_is_found_once_and_where_it_was_written(told):
    found = told(
        ("__start__", [human()]),
        ("model", [call("c1")]),
        ("tools", [result("c1")]),
        ("model", [call("c2")]),
        ("tools", [result("c1")]),
        ("model", [says("Done.")]),
    )
    assert found == [("misdirected_result", 4, "tools", "/messages/4")]


def test_a_result_given_twice_is_found(told):
    found = told(
        ("model", [call("c1")]), ("tools", [result("c1")]), ("again", [result("c1")]), ("model", [])
    )
    assert found == [("result_without_call", 2, "again", "/messages/2")]


def test_a_result_of_no_call_is_placed_where_it_was_written(told):
    found = told(("model", [says("hello")]), ("tools", [result("c9")]), ("model", [says("bye")]))
    assert found == [("result_without_call", 1, "tools", "/messages/1")]


ANTHROPIC = {
    "role": "user",
    "content": [
        {"type": "tool_result", "tool_use_id": one, "content": "ok"} for one in ("c1", "c2")
    ],
}


@pytest.mark.parametrize(
    "messages",
    [
        pytest.param(
            [call("0"), result("0"), says("a"), human(), call("0"), result("0"), says("b")],
            id="a model that counts its calls anew each turn",
        ),
        pytest.param([call("c1", "c2"), ANTHROPIC, says("b")], id="two results in one message"),
        pytest.param([call("c1", "c2"), result("c2"), result("c1"), says("b")], id="any order"),
    ],
)
def test_calls_and_results_that_meet_are_none(told, messages):
    assert told(("all", messages)) == []
