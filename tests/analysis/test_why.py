"""Why a thread stands where it stands, over chains of every family and stores of the library."""

import contextlib
import operator
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.errors import GraphRecursionError
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send, interrupt

from viewer.analysis.why import why
from viewer.model import MISSING, Interrupt, Nesting, Task, TaskError, Violation, Write
from viewer.sources import open_source


class State(TypedDict, total=False):
    log: Annotated[list[str], operator.add]
    n: int


def graph(*nodes: tuple[str, Any], fan: bool = False) -> StateGraph:
    """Return the nodes one after the other, or all at once."""
    builder = StateGraph(State)
    for before, (name, node) in zip((START, *(n for n, _ in nodes)), nodes, strict=False):
        builder.add_node(name, node)
        builder.add_edge(START if fan else before, name)
    return builder


def says(text: str) -> Any:
    return lambda state: {"log": [text]}


def asks(question: Any) -> Any:
    return lambda state: {"log": [str(interrupt(question))]}


def raises(text: str) -> Any:
    def node(state: State) -> State:
        raise ValueError(text)

    return node


@pytest.fixture
def asked(tmp_path: Path) -> Any:
    """Runs a graph into a store and returns why its thread stands where it stands."""

    def run(builder: StateGraph, *inputs: Any, **options: Any) -> Any:
        path = tmp_path / "s.sqlite"
        connection = sqlite3.connect(path, check_same_thread=False)
        made = builder.compile(checkpointer=SqliteSaver(connection), **options)
        for given in inputs or ({"log": []},):
            with contextlib.suppress(ValueError):
                made.invoke(given, {"configurable": {"thread_id": "t"}}, durability="sync")
        connection.close()
        source = open_source(path)
        chains = {ref.namespace: source.chain(ref) for ref in source.threads}
        return why(chains.pop(""), chains)

    return run


def test_a_failed_node_is_named_with_its_error_input_and_what_survives(asked):
    def slow(state: State) -> State:
        import time

        time.sleep(0.2)  # the sibling saves first
        raise ValueError("code 503")

    found = asked(graph(("ok", says("fine")), ("bad", slow), fan=True), {"log": ["a"], "n": 1})
    assert found.phase == "failed"
    assert found.sentence == (
        "Failed in node \"bad\" after step 0: ValueError('code 503');"
        ' a resume runs "bad" again and keeps what ok wrote.'
    )
    assert (found.stopped_at.node, found.stopped_at.step) == ("bad", 0)
    assert found.error == "ValueError('code 503')"
    assert (found.input.kind, found.input.value) == ("state", {"log": ["a"], "n": 1})
    assert [(rerun.node, rerun.continues_in) for rerun in found.reruns] == [("bad", None)]
    assert [(kept.node, kept.channels) for kept in found.kept] == [("ok", ("log",))]
    last = found.last_write
    assert (last.node, last.channel, last.value) == ("ok", "log", ["fine"])


def test_the_last_task_is_told_by_all_its_channels_and_the_value_that_says_most(asked):
    found = asked(graph(("a", lambda s: {"log": ["written"], "n": 0}), ("b", raises("x"))))
    last = found.last_write
    assert (last.node, last.channel, last.value) == ("a", "log", ["written"])
    assert sorted(last.channels) == ["log", "n"]


def test_a_long_error_is_cut_between_words(asked):
    said = asked(graph(("bad", raises("the gateway did not answer in time " * 9)))).sentence
    words = said.split("…")[0].rsplit(" ", 1)[-1]
    assert words in ["the", "gateway", "did", "not", "answer", "in", "time"]


def test_an_error_is_placed_in_the_subgraph_where_it_arose(asked):
    inner = graph(("first", says("x")), ("deep", raises("inside"))).compile()
    found = asked(graph(("team", inner)))
    assert found.sentence == (
        "Failed in node \"team › deep\" after step 1: ValueError('inside');"
        ' a resume runs "team › deep" again.'
    )
    assert found.stopped_at.namespace.startswith("team:")
    assert [(r.node, r.continues_in is not None) for r in found.reruns] == [
        ("team", True),
        ("deep", False),
    ]
    assert found.last_write.node == "first"


def test_a_question_is_placed_three_levels_deep(asked):
    low = graph(("ask", asks({"question": "refund 40 EUR?"}))).compile()
    middle = graph(("nest", low)).compile()
    found = asked(graph(("team", middle)))
    since = f"{found.since:%Y-%m-%d %H:%M} UTC"
    assert found.phase == "waiting"
    assert found.sentence == (
        f'Waits for an answer in team › nest › ask: "refund 40 EUR?" since {since}.'
    )
    assert [i.value for i in found.interrupts] == [{"question": "refund 40 EUR?"}]
    assert found.error is None


def test_a_node_after_a_finished_subgraph_fails_in_the_outer_chain(asked):
    inner = graph(("deep", says("x"))).compile()

    def calls(state: State) -> State:
        inner.invoke(state)
        raise ValueError("afterwards")

    found = asked(graph(("team", calls)))
    assert found.sentence.startswith('Failed in node "team" after step 0: ')
    assert found.stopped_at.namespace == ""


def test_several_questions_are_all_told(asked):
    found = asked(graph(("left", asks("L?")), ("right", asks("R?")), fan=True))
    assert found.sentence.startswith('Waits for 2 answers: left: "L?"; right: "R?" since ')
    assert [stop.at.node for stop in found.stops] == ["left", "right"]


def test_a_sends_argument_is_its_input(asked):
    builder = graph(("plan", says("plan")))
    builder.add_node("work", lambda state: {"log": [str(interrupt(state["i"]))]})
    builder.add_conditional_edges("plan", lambda s: [Send("work", {"i": 7})], ["work"])
    builder.add_edge("work", END)
    found = asked(builder)
    assert (found.input.kind, found.input.value) == ("send", {"i": 7})


def test_a_breakpoint_is_not_called_a_failure(asked):
    found = asked(graph(("one", says("1")), ("two", says("2"))), interrupt_before=["two"])
    assert found.phase == "unknown"
    assert found.sentence.startswith(
        'Not finished: "two" has saved nothing: running, killed, out of steps, or a breakpoint –'
        " the store cannot tell; last checkpoint 20"
    )


def test_a_run_that_made_as_many_steps_as_the_default_allows_says_so(tmp_path):
    def ended(limit):
        path = tmp_path / f"{limit}.sqlite"
        with SqliteSaver.from_conn_string(str(path)) as saver:
            builder = graph(("again", says("x")))
            builder.add_edge("again", "again")
            config = {"configurable": {"thread_id": "t"}, "recursion_limit": limit}
            with pytest.raises(GraphRecursionError):
                builder.compile(checkpointer=saver).invoke({"log": []}, config)
        source = open_source(path)
        return why(source.chain(source.threads[0])).sentence

    assert "it made 25 steps since its input, which is a default limit of LangGraph;" in ended(25)
    assert "limit;" not in ended(7)


def test_an_edit_that_was_not_continued_says_so(tmp_path):
    path = tmp_path / "s.sqlite"
    connection = sqlite3.connect(path, check_same_thread=False)
    made = graph(("one", says("1")), ("two", says("2"))).compile(
        checkpointer=SqliteSaver(connection)
    )
    config = {"configurable": {"thread_id": "t"}}
    made.invoke({"log": []}, config)
    made.update_state(config, {"n": 5}, as_node="one")
    connection.close()
    source = open_source(path)
    found = why(source.chain(source.threads[0]))
    assert found.sentence.startswith(
        'State edited by hand (step 3) and not continued: "two" would run next; last checkpoint'
    )


def test_a_finished_thread_is_done(asked):
    found = asked(graph(("ask", asks("?")), ("end", says("x"))), {"log": []}, Command(resume="y"))
    assert found.sentence == 'Done at step 2, which "end" wrote.'
    assert (found.stops, found.reruns, found.kept) == ((), (), ())


@pytest.mark.parametrize(
    ("profile", "state", "expected"),
    [
        pytest.param(
            "task-state",
            {"status": "stopped", "step": 3, "stop_reason": "max_steps"},
            "Stopped at step 3: max_steps.",
            id="stopped with its reason",
        ),
        pytest.param(
            "task-state",
            {"status": "waiting_approval", "step": 2, "proposal": {"actions": [{"tool": "pay"}]}},
            "Waits for a person at step 2: pay().",
            id="waits for an approval",
        ),
        pytest.param(
            "task-state",
            {"status": "waiting_approval", "step": 2, "proposal": None},
            "Waits for a person at step 2: nothing stands at /proposal.",
            id="waits for nothing",
        ),
        pytest.param(
            "agent-state",
            {"status": "awaiting_tool", "step": 1, "pendingTool": {"name": "search"}},
            "Running at step 1 (status awaiting_tool), waits for tool search;"
            " the source cannot tell if it still is.",
            id="waits for a tool",
        ),
        pytest.param(
            "agent-state", {"status": "failed", "step": 4}, "Failed at step 4.", id="failed"
        ),
        pytest.param(
            "plain",
            {"a": 1},
            "Ends at checkpoint 1: no status is recorded, so whether it is finished is not known.",
            id="plain",
        ),
    ],
)
def test_a_chain_without_tasks_says_what_its_status_says(make_chain, profile, state, expected):
    assert why(make_chain(state, profile=profile)).sentence == expected


def test_an_empty_chain_and_an_unreadable_head_are_told(make_chain):
    assert why(make_chain()).sentence == "No checkpoint."
    found = why(make_chain({"a": 1}, MISSING, fault=(None, "torn page")))
    assert found.sentence.startswith("The newest checkpoint cannot be read (torn page). Ends at")
    assert found.notes == ("c1: torn page",)


def test_violations_are_counted_in_the_sentence(make_chain):
    broken = Violation(
        gate="rule",
        keyword="k",
        pointer="",
        message="step goes back",
        checkpoint_id="c0",
        index=0,
    )
    chain = make_chain({"status": "failed", "step": 4}, profile="agent-state")
    assert why(chain, violations=(broken,)).sentence == (
        "Failed at step 4; 1 violation: step goes back."
    )


def task(node: str, *, error: str | None = None, **fields: Any) -> Task:
    own = () if error is None else (TaskError(task=node, node=node, message=error),)
    return Task(id=node, node=node, kind="pull", finished=False, errors=own, **fields)


def test_every_failure_and_question_beside_each_other_is_told(make_chain):
    asking = task("ask", interrupts=(Interrupt(id="i", value="?", task="ask", open=True),))
    tasks = ((asking, task("bad", error="E()")),)
    chain = make_chain({}, profile="langgraph", status=("interrupted",), tasks=tasks)
    found = why(chain)
    assert found.sentence == 'Waits for an answer in ask: "?"; failed in node "bad": E().'
    assert [stop.at.node for stop in found.stops] == ["ask", "bad"]


def test_all_tasks_saved_and_no_checkpoint_after_them(make_chain):
    done = Task(
        id="a",
        node="a",
        kind="pull",
        finished=True,
        writes=(Write(task="a", node="a", channel="x", value=1),),
    )
    chain = make_chain(
        {}, profile="langgraph", status=("pending",), tasks=((done,),), next=(("a",),)
    )
    assert why(chain).sentence.startswith('Stopped after "a" had saved all of the step after')
    assert why(chain).reruns == ()


def test_detached_namespaces_are_noted_and_a_loop_of_them_ends(make_chain):
    from dataclasses import replace

    loop = task("a", namespace="x")
    chain = make_chain({}, profile="langgraph", status=("pending",), tasks=((loop,),))
    own = Nesting(
        namespace="", checkpoint_id=None, task=None, node="", standing="detached", reason="no task"
    )
    inner = replace(chain, namespace="x", nesting=own)
    found = why(chain, {"x": inner})
    assert found.notes == ("namespace x belongs to no task: no task",)
    assert [stop.at.namespace for stop in found.stops] == ["x"]


def test_a_long_error_with_line_breaks_stays_one_short_line(make_chain):
    tasks = ((task("bad", error="E('" + "x\n" * 500 + "')"),),)
    chain = make_chain({}, profile="langgraph", status=("error",), tasks=tasks)
    found = why(chain).sentence
    assert "\n" not in found
    assert len(found) < 180


def test_since_is_the_time_of_the_checkpoint_that_the_task_followed(make_chain):
    when = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
    tasks = ((task("bad", error="E()"),),)
    chain = make_chain({}, profile="langgraph", status=("error",), tasks=tasks, created_at=(when,))
    assert why(chain).since == when


def test_an_answer_left_beside_a_waiting_question_is_noted(asked):
    def both(state: State) -> State:
        return {"log": [interrupt("first?"), interrupt("second?")]}

    found = asked(graph(("ask", both)), {"log": []}, Command(resume="A-17"))
    assert found.sentence.startswith('Waits for an answer in ask: "second?"')
    (note,) = found.notes
    assert note.startswith('the answer "A-17" to an earlier question still lies at step 0')


def test_the_input_of_a_workflow_stands_in_its_input_channel(make_chain):
    tasks = ((task("flow", error="E()"),),)
    chain = make_chain({"__start__": {"x": 1}}, profile="langgraph", status=("error",), tasks=tasks)
    found = why(chain)
    assert (found.input.value, found.input.pointer) == ({"x": 1}, "/__start__")


def test_rows_without_a_node_leave_open_which_tasks_have_finished(make_chain):
    done = Task(id="d", node="", kind="unknown", finished=True)
    tasks = ((task("", error="E()"), task("a"), task("b"), done),)
    chain = make_chain({}, profile="langgraph", status=("error",), tasks=tasks)
    assert why(chain).sentence == (
        'Failed: E(); a resume runs what has not finished of "a" and "b" again'
        " (the rows name no node)."
    )


def test_a_state_nested_deeper_than_python_recurses_is_answered(make_chain):
    def nested(inner: object) -> object:
        for _ in range(1200):
            inner = [inner]
        return inner

    def wrote(value: object) -> tuple[Write, ...]:
        return (Write(task="n", node="n", channel="b", value=value),)

    found = why(
        make_chain(
            {"a": nested(1), "b": nested(1)},
            {"a": nested(2), "b": nested(2)},
            {"a": nested(2), "b": nested(3)},
            profile="langgraph",
            origin=("loop",) * 3,
            step=(0, 1, 2),
            nodes=((), ("n",), ("n",)),
            versions=({"a": 1, "b": 1}, {"a": 1, "b": 2}, {"a": 1, "b": 3}),
            writes=(wrote(nested(2)), wrote(nested(3)), ()),
        )
    )
    assert [f.keyword for f in found.findings] == ["changed_without_write"]


def test_what_a_subgraph_gives_back_is_one_finding_at_the_innermost_node(asked):
    low = graph(("remark", lambda s: {"n": "many"})).compile()
    found = asked(graph(("team", graph(("proof", low)).compile())), {"log": [], "n": 3})
    (one,) = found.findings
    assert (one.keyword, one.node, one.channel) == ("type_changed", "remark", "n")
    assert one.namespace.count("|") == 1
    assert [e.note.rpartition(", ")[2] for e in one.evidence[2:]] == [
        "through proof",
        "through team",
    ]
    assert [e.namespace for e in one.evidence[2:]] == [one.namespace.split("|")[0], ""]


def test_another_change_of_the_outer_node_is_a_finding_of_its_own(asked):
    inner = graph(("remark", lambda s: {"n": "many"})).compile()

    def team(state: State) -> State:
        inner.invoke(state)
        return {"n": ["other"]}

    found = asked(graph(("team", team)), {"log": [], "n": 3})
    assert [(f.keyword, f.node) for f in found.findings] == [
        ("type_changed", "team"),
        ("type_changed", "remark"),
    ]


def test_what_all_tasks_of_a_step_read_is_looked_through_once(make_chain):
    tasks = tuple(Task(id=f"t{n}", node=f"n{n}", kind="pull", finished=False) for n in range(3_000))
    state = {f"branch:to:n{n}": None for n in range(3_000)} | {"x": 1}
    chain = make_chain(state, profile="langgraph", status=("error",), tasks=(tasks,))
    found = why(chain)
    assert len(found.stops) == 3_000
    assert len({id(stop.input) for stop in found.stops}) == 1
    assert found.stops[-1].input.value == {"x": 1}
