"""Questions asked again and joins that wait, in stores that the library itself wrote."""

import operator
import sqlite3
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from viewer.analysis.suspicion_joins import waiting_joins
from viewer.analysis.why import why
from viewer.sources import open_source


class State(TypedDict, total=False):
    log: Annotated[list[Any], operator.add]
    answer: Any
    tries: int


@pytest.fixture
def asked(tmp_path: Path) -> Any:
    """Runs a graph into a store, one input after the other, and returns why it stands so."""

    def run(builder: Any, *inputs: Any) -> Any:
        connection = sqlite3.connect(tmp_path / "s.sqlite", check_same_thread=False)
        graph = builder.compile(checkpointer=SqliteSaver(connection))
        for given in inputs:
            graph.invoke(given, {"configurable": {"thread_id": "t"}}, durability="sync")
        connection.close()
        source = open_source(tmp_path / "s.sqlite")
        return why(source.chain(source.threads[0]))

    return run


def loop(node: Any, done: Any) -> Any:
    builder = StateGraph(State)
    builder.add_node("ask", node)
    builder.add_edge(START, "ask")
    builder.add_conditional_edges("ask", lambda s: END if done(s) else "ask", ["ask", END])
    return builder


def told(found: Any) -> list[Any]:
    return [(f.keyword, f.step, f.node, f.channel) for f in found.findings]


def insists(state: State) -> State:
    while interrupt("Pay 40?") != "approve":
        pass
    return {"answer": "paid"}


def test_a_node_that_does_not_take_an_answer_is_found(asked):
    again = [Command(resume="approve 40")] * 2
    found = asked(loop(insists, lambda s: True), {"log": []}, *again)
    assert told(found) == [("asked_again", 0, "ask", "__interrupt__")]
    assert '"approve 40" 2 times in one task' in found.findings[0].message


@pytest.mark.parametrize("answers", [("skip", "skip"), ("Vienna West", "Graz 8010"), (40, 40)])
def test_answers_that_may_fit_several_questions_are_none(asked, answers):
    resumes = [Command(resume=answer) for answer in answers]
    assert told(asked(loop(insists, lambda s: True), {"log": []}, *resumes)) == []


def test_a_question_asked_again_over_the_same_state_is_found(asked):
    def forgets(state: State) -> State:
        interrupt({"question": "Which size?"})
        return {}

    resumes = [Command(resume=size) for size in ("L", "XL")]
    found = asked(loop(forgets, lambda s: False), {"log": ["x"]}, *resumes)
    assert ("asked_again", 1, "ask", "__interrupt__") in told(found)
    assert any(f.count == 2 for f in found.findings)


def test_a_chat_that_asks_the_same_each_turn_is_none(asked):
    def chats(state: State) -> State:
        return {"log": [interrupt("Your message?")]}

    resumes = [Command(resume=text) for text in ("hello there", "what is new?")]
    assert told(asked(loop(chats, lambda s: False), {"log": []}, *resumes)) == []


def test_the_same_answer_to_the_same_question_in_two_steps_is_found(asked):
    def counts(state: State) -> State:
        interrupt("Which order?")
        return {"tries": state.get("tries", 0) + 1}

    resumes = [Command(resume="order A-17")] * 2
    found = asked(loop(counts, lambda s: s["tries"] > 1), {"log": []}, *resumes)
    assert told(found) == [("asked_again", 1, "ask", "__interrupt__")]


def joined(route: str) -> Any:
    builder = StateGraph(State)
    for name in ("left", "right+far", "check", "merge"):
        builder.add_node(name, lambda s, name=name: {"log": [f"{name} 1"]})
    builder.add_edge(START, "left")
    builder.add_edge(START, "right+far")
    builder.add_conditional_edges("left", lambda s: route, ["check", END])
    builder.add_edge(["right+far", "check"], "merge")
    return builder


def test_a_join_that_waits_at_the_end_is_found_and_told(asked):
    found = asked(joined(END), {"log": []})
    (one,) = found.findings
    assert (one.keyword, one.step, one.node) == ("join_waits", 1, "merge")
    assert one.channel == "join:right+far+check:merge"
    assert one.message.startswith("merge never ran: it waits for check; right+far has arrived")
    assert found.sentence == (
        'Done at step 1, which "left" and "right+far" wrote,'
        ' but "merge" never ran: it waits for "check".'
    )


def test_a_join_that_fires_is_none(asked):
    found = asked(joined("check"), {"log": []})
    assert found.findings == ()
    assert found.sentence == 'Done at step 3, which "merge" wrote.'


@pytest.mark.parametrize(
    ("value", "next_", "expected"),
    [
        pytest.param({"$type": "builtins.set", "value": ["a"]}, (), ["n"], id="a part"),
        pytest.param([{"$type": "set", "value": ["a", "b"]}, False], (), [], id="all, deferred"),
        pytest.param([{"$type": "builtins.set", "value": ["b"]}, False], (), ["n"], id="deferred"),
        pytest.param({"$type": "builtins.set", "value": []}, (), [], id="none has arrived"),
        pytest.param({"$type": "builtins.set", "value": ["a"]}, ("b",), [], id="b still runs"),
    ],
)
def test_a_join_waits_where_a_part_has_arrived_and_nothing_runs(make_chain, value, next_, expected):
    chain = make_chain({"join:a+b:n": value}, profile="langgraph", next=(next_,))
    assert [one.node for one in waiting_joins(chain)] == expected
