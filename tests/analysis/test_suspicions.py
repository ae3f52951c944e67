"""What looks wrong is found in stores that the library itself wrote, and good runs stay silent."""

import operator
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command, Overwrite, Send, interrupt

from viewer.analysis.suspicions import grouped, suspicions
from viewer.model import Finding, Interrupt, Write
from viewer.sources import open_source

CONFIG: dict[str, Any] = {"configurable": {"thread_id": "t"}}


class State(TypedDict, total=False):
    log: Annotated[list[Any], operator.add]
    messages: Annotated[list[Any], add_messages]
    found: set[str]
    items: list[Any]
    facts: dict[str, Any]
    n: Any
    note: Any


class Store:
    """A store in a folder of the test, with the graph that writes it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.connection = sqlite3.connect(path, check_same_thread=False)
        self.graph: Any = None

    def line(self, **nodes: Any) -> Any:
        builder = StateGraph(State)
        for before, (name, node) in zip((START, *nodes), nodes.items(), strict=False):
            builder.add_node(name, node)
            builder.add_edge(before, name)
        return self.compiled(builder)

    def compiled(self, builder: StateGraph, **options: Any) -> Any:
        self.graph = builder.compile(checkpointer=SqliteSaver(self.connection), **options)
        return self

    def run(self, given: Any, config: Any = CONFIG, durability: Any = "sync") -> Any:
        with suppress(RecursionError, ValueError):
            self.graph.invoke(given, config, durability=durability)
        return self

    def at(self, step: int) -> Any:
        return next(
            s.config for s in self.graph.get_state_history(CONFIG) if s.metadata["step"] == step
        )

    def findings(self) -> Any:
        self.connection.close()
        source = open_source(self.path)
        return suspicions(source.chain(source.threads[0]))


@pytest.fixture
def store(tmp_path: Path) -> Any:
    made = Store(tmp_path / "s.sqlite")
    yield made
    made.connection.close()


def told(findings: Any) -> list[Any]:
    return [(f.keyword, f.step, f.node, f.pointer) for f in findings]


def says(**update: Any) -> Any:
    return lambda state: update


def test_a_run_that_only_writes_has_no_finding(store):
    store.line(
        a=says(log=["a 1"], items=[1], n=1),
        b=lambda s: {"log": ["b 2"], "items": [*s["items"], 2], "n": s["n"] + 1},
        c=says(log=["c 3"], note=None),
        d=says(log=[Overwrite(["fresh"])] and ["d 4"], facts={"k": 1}),
    )
    assert store.run({"log": [], "note": "x"}).findings() == ()


def test_a_value_changed_in_place_is_found_where_no_task_wrote_it(store):
    def mutate(state: State) -> State:
        state["facts"]["price"] = 7
        return {"log": ["looked 1"]}

    store.line(a=says(log=["a 1"]), b=mutate)
    (found,) = store.run({"log": [], "facts": {}}).findings()
    assert (found.keyword, found.step, found.node) == ("changed_without_write", 2, "b")
    assert (found.channel, found.pointer) == ("facts", "/facts/price")
    assert [e.note for e in found.evidence] == ["nothing", "7"]


def test_both_nodes_are_named_where_the_store_cannot_tell_which(store):
    def mutate(state: State) -> State:
        state["items"].append("x")
        return {"n": 1}

    store.line(a=says(n=0), b=mutate, c=says(n=2))
    (found,) = store.run({"items": []}).findings()
    assert (found.step, found.node) == (2, "b or c")


def test_a_node_that_changes_a_value_each_time_is_named_alone(store):
    def mutate(state: State) -> State:
        state["items"].append("x")
        return {"n": 1}

    store.line(a=says(n=0), b=mutate, c=says(n=2), d=mutate)
    builder = StateGraph(State)
    builder.add_node("one", says(n=1))
    builder.add_node("two", says(n=2))
    builder.add_node("mutates", mutate)
    builder.add_edge(START, "one")
    builder.add_edge("one", "mutates")
    builder.add_conditional_edges(
        "mutates", lambda s: ["two", "one", END][min(len(s["items"]) - 1, 2)]
    )
    builder.add_edge("two", "mutates")
    (found,) = store.compiled(builder).run({"items": []}).findings()
    assert (found.node, found.count) == ("mutates", 3)


def test_entries_that_slip_in_beside_a_write_are_found(store):
    def both(state: State) -> State:
        state["log"].append("b 2")
        return {"log": ["b 2"]}

    store.line(a=says(log=["a 1"]), b=both, c=says(log=["c 3"]))
    (found,) = store.run({"log": ["x 0"]}).findings()
    assert (found.keyword, found.step, found.node) == ("changed_without_write", 2, "b")
    assert "holds more after step 2 than was written" in found.message


def test_a_checkpoint_that_holds_what_a_later_task_wrote_is_found(make_chain):
    """As a store in the background writes it; made by hand, for real ones race."""

    def wrote(node: str, *values: Any) -> tuple[Write, ...]:
        return tuple(Write(task=node, node=node, channel="log", value=v) for v in values)

    chain = make_chain(
        {"log": ["x"]},
        {"log": ["x", "a"]},
        {"log": ["x", "a", "b", "c"]},
        {"log": ["x", "a", "b", "c", "c"]},
        profile="langgraph",
        step=(0, 1, 2, 3),
        origin=("loop",) * 4,
        nodes=(("__start__",), ("a",), ("b",), ("c",)),
        writes=(wrote("a", ["a"]), wrote("b", ["b"]), wrote("c", ["c"]), ()),
        versions=({"log": 1}, {"log": 2}, {"log": 3}, {"log": 4}),
    )
    (found,) = suspicions(chain)
    assert (found.keyword, found.step, found.node) == ("state_from_the_future", 2, "c")


def test_a_whole_list_that_is_changed_while_it_is_stored_is_found(store):
    import time

    def node(name: str) -> Any:
        def run(state: State) -> State:
            state["items"].append(f"{name}1")
            time.sleep(0.03)
            return {"items": state["items"]}

        return run

    store.line(a=node("a"), b=node("b"), c=node("c"))
    found = store.run({"items": []}, durability="async").findings()
    # Whether the thread that stores is late is up to the machine; what is said of it is right.
    assert {f.keyword for f in found} <= {"state_from_the_future"}


def test_a_custom_reducer_is_recognised_and_nothing_is_claimed(tmp_path):
    def newest(old: list[Any], new: list[Any]) -> list[Any]:
        return sorted([*(old or []), *new, len(new)], key=str)[-3:]

    class Custom(TypedDict, total=False):
        log: Annotated[list[Any], newest]

    store = Store(tmp_path / "s.sqlite")
    builder = StateGraph(Custom)
    for before, name in zip((START, "a", "b", "c"), "abcd", strict=True):
        builder.add_node(name, says(log=[f"{name} 1", "x"]))
        builder.add_edge(before, name)
    assert store.compiled(builder).run({"log": ["z 0"]}).findings() == ()


def test_messages_get_class_and_id_without_a_finding(store):
    store.line(
        bot=says(messages=[("ai", "hello")]),
        again=lambda s: {"messages": [*s["messages"], ("ai", "more")]},
    )
    assert store.run({"messages": [("user", "hi")]}).findings() == ()


def test_a_type_that_changed_is_found_and_null_is_none(store):
    store.line(
        a=says(n=40, note=None, facts={"amount": 40, "who": None}),
        b=says(n="40 EUR", note="x", facts={"amount": "40", "who": "mara"}),
        c=says(note=None),
    )
    found = store.run({"n": 1.5}).findings()
    assert told(found) == [
        ("type_changed", 2, "b", "/facts/amount"),
        ("type_changed", 2, "b", "/n"),
    ]


def test_a_field_that_holds_either_type_by_design_is_none(store):
    kinds = (["1"], "2", ["3"], "4")
    store.line(**{f"n{i}": says(note=kind) for i, kind in enumerate(kinds)})
    assert store.run({"note": "0"}).findings() == ()


def test_an_error_text_kept_as_a_value_is_found_until_it_is_gone(store):
    store.line(a=says(note="ValueError: no such order", n=1), b=says(n=2))
    (found,) = store.run({"n": 0}).findings()
    assert (found.keyword, found.step, found.node) == ("error_in_state", 1, "a")
    assert (found.channel, found.pointer) == ("note", "/note")


def test_an_error_text_that_was_cleared_is_none(store):
    store.line(a=says(note="ValueError: no such order"), b=says(note=""))
    assert store.run({"n": 0}).findings() == ()


def test_a_list_that_loses_what_others_extend_is_found(store):
    store.line(
        a=says(items=["a"]),
        b=lambda s: {"items": [*s["items"], "b"]},
        c=says(items=["c"]),
    )
    (found,) = store.run({"n": 0}).findings()
    assert told([found]) == [("list_shrank", 3, "c", "/items")]


def test_a_list_that_is_emptied_or_filtered_is_none(store):
    store.line(
        a=says(items=["a", "b"]),
        b=lambda s: {"items": [*s["items"], "c"]},
        c=lambda s: {"items": s["items"][1:]},
        d=says(items=[]),
    )
    assert store.run({"n": 0}).findings() == ()


def test_a_whole_list_appended_to_itself_is_found(store):
    store.line(
        a=says(log=["a"]), b=says(log=["b"]), c=lambda s: {"log": [*s["log"], "c"]}, d=says(n=1)
    )
    (found,) = store.run({"log": ["x"]}).findings()
    assert told([found]) == [("duplicated_entries", 3, "c", "/log/3")]
    assert "its 3 entries stand twice" in found.message


def test_the_same_effect_recorded_twice_is_found(store):
    charge = {"id": "ch-1", "amount": 40}
    store.line(a=says(log=[charge]), b=says(log=["note 1"]), c=says(log=[charge]))
    (found,) = store.run({"log": ["x 0"]}).findings()
    assert told([found]) == [("duplicated_entries", 3, "c", "/log/3")]


def test_a_loop_without_progress_is_found(store):
    builder = StateGraph(State)
    builder.add_node("think", says(note="try again"))
    builder.add_node("act", says(items=["same"]))
    builder.add_edge(START, "think")
    builder.add_edge("think", "act")
    builder.add_edge("act", "think")
    store.compiled(builder)
    with suppress(Exception):
        store.run({"n": 0}, {**CONFIG, "recursion_limit": 9})
    found = store.findings()
    assert {(f.keyword, f.node) for f in found} == {("loop", "think"), ("loop", "act")}


def test_a_loop_that_counts_and_ends_is_none(store):
    builder = StateGraph(State)
    builder.add_node("count", lambda s: {"n": s["n"] + 1, "log": [f"round {s['n']}"]})
    builder.add_edge(START, "count")
    builder.add_conditional_edges("count", lambda s: END if s["n"] > 5 else "count")
    assert store.compiled(builder).run({"n": 0, "log": []}).findings() == ()


def test_an_old_checkpoint_that_was_gone_on_from_is_found(store):
    store.line(a=says(log=["a 1"]), b=says(log=["b 2"]), c=says(log=["c 3"]))
    store.run({"log": []}).run(None, store.at(1))
    (found,) = store.findings()
    assert (found.keyword, found.node) == ("wrong_parent", "b")
    assert "went on from step 1 (@2) though the thread stood at step 3 (@4)" in found.message


def test_a_new_input_on_an_old_checkpoint_is_found(store):
    store.line(a=says(log=["a 1"]))
    store.run({"log": []}).run({"log": ["second 2"]}).run({"log": ["third 3"]}, store.at(1))
    assert [f.keyword for f in store.findings()] == ["wrong_parent"]


def test_an_edit_of_an_old_checkpoint_is_none(store):
    store.line(a=says(log=["a 1"]), b=says(log=["b 2"]))
    store.run({"log": []})
    old = store.graph.update_state(store.at(1), {"n": 2}, as_node="a")
    assert store.run(None, old).findings() == ()


def asks(question: Any) -> Any:
    return lambda state: {"log": [interrupt(question)]}


def test_a_question_answered_on_two_branches_is_found(store):
    store.line(a=asks("q?"), b=says(n=1))
    store.run({"log": []})
    old = store.graph.get_state(CONFIG).config
    store.run(Command(resume="yes")).run(Command(resume="no"), old)
    assert "answered_twice" in {f.keyword for f in store.findings()}


def test_an_answer_to_a_run_that_is_done_is_found(store):
    store.line(a=asks("q?"), b=says(n=1))
    store.run({"log": []}).run(Command(resume="yes")).run(Command(resume="yes"))
    (found,) = store.findings()
    assert (found.keyword, found.step, found.channel) == ("answered_twice", 2, "__resume__")


def test_an_answer_delivered_again_to_the_next_question_is_found(store):
    store.line(a=lambda s: {"log": [interrupt("which order?"), interrupt("how much?")]})
    store.run({"log": []}).run(Command(resume="A-17")).run(None)
    (found,) = store.findings()
    assert (found.keyword, found.node) == ("stale_answer", "a")
    assert '("how much?")' in found.message


@pytest.mark.parametrize(
    "answers",
    [
        pytest.param(("yes", "yes"), id="assent to both"),
        pytest.param(("A-17", "B-2"), id="an answer each"),
    ],
)
def test_answers_to_two_questions_are_none(store, answers):
    store.line(a=lambda s: {"n": [interrupt("first?"), interrupt("second?")]})
    store.run({"log": []})
    for answer in answers:
        store.run(Command(resume=answer))
    assert store.findings() == ()


def test_an_answer_that_was_not_offered_is_found(store):
    store.line(a=asks({"question": "?", "options": ["approve", "reject"]}))
    store.run({"log": []}).run(Command(resume="42 EUR"))
    (found,) = store.findings()
    assert (found.keyword, found.node) == ("stale_answer", "a")


def test_an_answer_before_any_question_is_found(store):
    builder = StateGraph(State)
    builder.add_node("a", says(n=1))
    builder.add_node("b", asks("q?"))
    builder.add_edge(START, "a")
    builder.add_edge("a", "b")
    store.compiled(builder, interrupt_before=["b"])
    store.run({"log": []}).run(Command(resume="early"))
    (found,) = store.findings()
    assert (found.keyword, found.step, found.node) == ("stale_answer", 1, "b")


def call(name: str, args: Any, id_: str) -> Any:
    return {"role": "assistant", "tool_calls": [{"id": id_, "name": name, "args": args}]}


def result(id_: str, text: str = "ok") -> Any:
    return {"role": "tool", "tool_call_id": id_, "content": text}


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        pytest.param(
            [call("pay", {}, "c1"), {"role": "user", "content": "and?"}],
            ["call_without_result"],
            id="no result and it goes on",
        ),
        pytest.param([call("pay", {}, "c1")], [], id="the call still runs"),
        pytest.param([result("c9"), {"role": "user", "content": "?"}], ["result_without_call"]),
        pytest.param(
            [m for i in "123" for m in (call("get", {"id": 7}, i), result(i))],
            ["loop"],
            id="the same call three times",
        ),
        pytest.param(
            [m for i in "123" for m in (call("get", {"id": i}, i), result(i))], [], id="three calls"
        ),
    ],
)
def test_calls_and_results_meet(make_chain, messages, expected):
    chain = make_chain({"messages": messages}, profile="langgraph")
    assert [f.keyword for f in suspicions(chain)] == expected


def test_a_channel_that_outgrows_the_state_is_found(make_chain):
    states = [{"log": ["x" * 1000] * (20 * i), "n": i} for i in range(1, 12)]
    sizes = tuple(20_000 * i for i in range(1, 12))
    (found,) = suspicions(make_chain(*states, profile="langgraph", size_bytes=sizes))
    assert (found.keyword, found.channel) == ("growth", "log")
    small = make_chain(*states[:4], profile="langgraph", size_bytes=sizes[:4])
    assert suspicions(small) == ()


def test_what_repeats_is_one_finding_with_its_first_and_last():
    def one(index: int) -> Finding:
        return Finding(
            keyword="k",
            message=f"m{index}",
            namespace="",
            checkpoint_id=f"c{index}",
            index=index,
            step=index,
            channel="log",
        )

    (found,) = grouped(one(i) for i in (5, 2, 9))
    assert (found.count, found.index, found.last_index, found.last_checkpoint_id) == (3, 2, 9, "c9")
    assert found.message == "m2"


def test_plain_chains_without_writes_have_no_finding(make_chain):
    assert suspicions(make_chain({"a": [1]}, {"a": [2]}, {"b": "x"})) == ()


def test_nodes_that_overwrite_each_others_list_are_found(store):
    store.line(a=says(items=["a"]), b=says(items=["b"]), c=says(items=["c"]))
    (found,) = [f for f in store.run({"n": 0}).findings() if f.node == "b"]
    assert told([found]) == [("list_shrank", 2, "b", "/items")]


def test_a_node_that_replaces_its_own_list_is_none(store):
    builder = StateGraph(State)
    builder.add_node("search", lambda s: {"items": [f"hit {s['n']}"], "n": s["n"] + 1})
    builder.add_edge(START, "search")
    builder.add_conditional_edges("search", lambda s: END if s["n"] > 3 else "search")
    assert store.compiled(builder).run({"n": 0}).findings() == ()


def test_a_conversation_that_a_new_input_replaces_is_found(store):
    def answers(state: State) -> State:
        return {"items": [*state["items"], {"role": "assistant", "content": "hello"}]}

    store.line(bot=answers)
    for text in ("first", "second"):
        store.run({"items": [{"role": "user", "content": text}]})
    (found,) = store.findings()
    assert told([found]) == [("list_shrank", 3, "__start__", "/items")]
    assert "held 2 entries until a new input wrote 1 in step 3 and they were gone" in found.message


def test_only_what_a_new_input_took_away_is_counted_as_gone(store):
    """A person says the same again: that message stands, the answer to it does not."""

    def answers(state: State) -> State:
        return {"items": [*state["items"], AIMessage("hello", id="a1")]}

    store.line(bot=answers)
    for _ in range(2):
        store.run({"items": [HumanMessage("hi", id="h1")]})
    (found,) = store.findings()
    assert "until a new input wrote 1 in step 3 and 1 was gone, 1 still stands" in found.message
    lost, after = found.evidence
    # What differs, in its own words: the class around every message is the same.
    assert (lost.pointer, lost.note) == ("/items/1", '"assistant: hello"')
    assert (after.pointer, after.note) == ("/items", '["user: hi"]')


def test_a_person_who_repeats_himself_is_none(store):
    store.line(bot=says(log=[{"role": "assistant", "content": "hello 1"}]))
    for _ in range(2):
        store.run({"log": [{"role": "user", "content": "hi 2"}]})
    assert store.findings() == ()


def test_a_node_that_leaves_only_null_is_found(store):
    store.line(a=says(n=1), b=says(note=None), c=says(n=2))
    (found,) = store.run({"n": 0}).findings()
    assert told([found]) == [("wrote_only_null", 2, "b", "/note")]


@pytest.mark.parametrize(
    "after",
    [
        pytest.param({"note": "found"}, id="filled later"),
        pytest.param({"n": 2}, id="cleared a value"),
    ],
)
def test_a_null_with_a_reason_is_none(store, after):
    given = {"n": 0} if "note" in after else {"n": 0, "note": "old"}
    store.line(a=says(n=1), b=says(note=None), c=says(**after))
    assert store.run(given).findings() == ()


@pytest.mark.parametrize(
    ("name", "results", "expected"),
    [
        pytest.param("refund", ("done", "done"), ["done_twice"], id="two effects"),
        pytest.param("refund", ("Error: busy", "done"), [], id="the first failed"),
        pytest.param("get_order", ("7", "7"), [], id="it only reads"),
    ],
)
def test_a_call_that_changes_something_is_made_once(make_chain, name, results, expected):
    messages = []
    for number, text in enumerate(results):
        messages += [call(name, {"order": "A-1"}, f"c{number}"), result(f"c{number}", text)]
    chain = make_chain({"messages": messages}, profile="langgraph")
    assert [f.keyword for f in suspicions(chain)] == expected


def test_visits_on_branches_beside_each_other_are_no_loop(store):
    store.line(a=says(note="x"), b=says(note="y"))
    store.run({"n": 0})
    start = store.at(1)
    for _ in range(3):
        store.run(None, start)
    assert "loop" not in {f.keyword for f in store.findings()}


def test_nothing_is_claimed_of_a_step_with_rows_missing(store):
    """With durability "exit" the rows of the steps in between are not stored."""
    store.line(a=says(log=["a 1"]), b=asks("q?"), c=lambda s: {"log": [*s["log"], "c 3"]})
    store.run({"log": []}, durability="exit").run(Command(resume="A-17"), durability="exit")
    store.run({"log": ["second 4"]}, durability="exit")
    store.run(Command(resume="B-18"), durability="exit")
    assert {f.keyword for f in store.findings()} <= {"duplicated_entries"}


def test_a_step_of_which_a_task_left_no_row_is_not_exact(make_chain):
    def wrote(node: str, channel: str, value: Any) -> Write:
        return Write(task=node, node=node, channel=channel, value=value)

    rows = (wrote("d", "log", ["d"]), wrote("c", "__interrupt__", []))
    after = (wrote("e", "log", ["a", "c", "d", "e"]),)
    chain = make_chain(
        {"log": ["a"]},
        {"log": ["a", "c", "d"]},
        profile="langgraph",
        origin=("loop",) * 2,
        step=(0, 1),
        nodes=(("a",), ("c", "d")),
        versions=({"log": 1}, {"log": 2}),
        writes=(rows, after),
    )
    assert suspicions(chain) == ()


def test_nodes_that_overwrite_each_others_fields_are_found(store):
    store.line(a=says(facts={"a": 1}), b=says(facts={"b": 2}), c=says(facts={"c": 3}))
    found = store.run({"n": 0}).findings()
    assert {(f.keyword, f.channel) for f in found} == {("keys_lost", "facts")}


def test_a_model_that_says_the_same_is_a_loop(make_chain):
    said = {"role": "assistant", "content": "Let me try again."}
    chain = make_chain({"messages": [said] * 3}, profile="langgraph")
    assert [f.keyword for f in suspicions(chain)] == ["loop"]
    turns_of = [m for _ in range(3) for m in ({"role": "user", "content": "hi"}, said)]
    assert suspicions(make_chain({"messages": turns_of}, profile="langgraph")) == ()


@pytest.mark.parametrize(
    ("later", "expected"),
    [
        pytest.param([{"role": "assistant", "content": "Done."}], ["tool_failed"], id="goes on"),
        pytest.param(
            [call("pay", {}, "c2"), result("c2"), {"role": "assistant", "content": "Done."}],
            [],
            id="made again",
        ),
        pytest.param([], [], id="it may still be made again"),
    ],
)
def test_a_tool_that_failed_for_good_is_found(make_chain, later, expected):
    failed = {**result("c1", "gateway said 503"), "status": "error"}
    chain = make_chain({"messages": [call("pay", {}, "c1"), failed, *later]}, profile="langgraph")
    assert [f.keyword for f in suspicions(chain)] == expected


def test_a_call_that_a_person_rejected_is_none(make_chain):
    asked = {"action_requests": [{"name": "pay", "args": {}}]}
    rejected = {**result("c1", "too dear"), "status": "error"}
    state = {"messages": [call("pay", {}, "c1"), rejected, {"role": "assistant", "content": "ok"}]}
    question = Interrupt(id="i", value=asked, task="t", open=False)
    chain = make_chain(state, profile="langgraph", interrupts=((question,),))
    assert suspicions(chain) == ()


def test_one_of_many_tasks_that_leaves_nothing_is_found(store):
    builder = StateGraph(State)
    builder.add_node("plan", says(n=1))
    builder.add_node("work", lambda s: {"log": [f"did {s['i']}"]} if s["i"] != 2 else None)
    builder.add_edge(START, "plan")
    builder.add_conditional_edges(
        "plan", lambda s: [Send("work", {"i": i}) for i in range(4)], ["work"]
    )
    builder.add_edge("work", END)
    (found,) = store.compiled(builder).run({"log": []}).findings()
    assert (found.keyword, found.step, found.node) == ("wrote_nothing", 1, "work")
    assert '{"i":2}' in found.message


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param({"order_id": "B-2", "ok": True}, ["stale_answer"], id="another order"),
        pytest.param({"order_id": "A-1", "amount": 45}, [], id="an edited amount"),
    ],
)
def test_an_answer_about_something_else_is_found(store, answer, expected):
    store.line(a=asks({"order_id": "A-1", "amount": 40}))
    store.run({"log": []}).run(Command(resume=answer))
    assert [f.keyword for f in store.findings()] == expected


def by_hand(make_chain: Any, *values: Any, rows: Any, **fields: Any) -> Any:
    """A chain of channel ``log`` whose steps wrote what ``rows`` says: a node and a value."""
    count = len(values)
    writes = tuple(
        tuple(Write(task=node, node=node, channel="log", value=value) for node, value in own)
        for own in rows
    )
    given = {
        "step": tuple(range(count)),
        "origin": ("loop",) * count,
        "versions": tuple({"log": i} for i in range(count)),
        "nodes": ((), *(tuple(node for node, _ in own) for own in rows[: count - 1])),
        "writes": (*writes, *((),) * (count - len(writes))),
        **fields,
    }
    return make_chain(*({"log": value} for value in values), profile="langgraph", **given)


def test_early_entries_need_no_reducer(make_chain):
    rows = ([("a", ["a"])], [("b", ["b"])])
    (found,) = suspicions(by_hand(make_chain, ["x"], ["b", "a", "x"], ["b", "a"], rows=rows))
    assert (found.keyword, found.step, found.node) == ("state_from_the_future", 1, "b")
    assert suspicions(by_hand(make_chain, ["x"], ["!", "a", "x"], ["b", "a"], rows=rows)) == ()


def test_a_node_that_extends_its_list_and_then_loses_it_is_found(make_chain):
    values = (["x"], ["x", "y"], ["x", "y", "z"], ["new"])
    rows = tuple([("n", value)] for value in values[1:])
    (found,) = suspicions(by_hand(make_chain, *values, rows=rows))
    assert told([found]) == [("list_shrank", 3, "n", "/log")]


def test_the_same_step_taken_on_many_branches_is_no_loop(make_chain):
    rows = ([("n", ["same text"])],)
    beside = {
        "parents": (None, 0, 0, 0, 0, 0),
        "step": (0, *(1,) * 5),
        "nodes": ((), *(("n",),) * 5),
        "versions": ({},) * 6,
    }
    values = (["x"], *(["same text"],) * 5)
    assert suspicions(by_hand(make_chain, *values, rows=rows, **beside)) == ()
    line = {**beside, "parents": (None, 0, 1, 2, 3, 4), "step": tuple(range(6))}
    assert [f.keyword for f in suspicions(by_hand(make_chain, *values, rows=rows, **line))] == [
        "loop"
    ]


@pytest.mark.parametrize(
    ("old", "change", "expected"),
    [
        pytest.param(
            [{"source": "press archive", "n": 1}, {"source": "firm register", "n": 2}],
            {"verified": True},
            ["duplicated_entries"],
            id="a field more",
        ),
        pytest.param(
            [{"id": 1, "text": "first line"}, {"id": 2, "text": "second line"}],
            {},
            ["duplicated_entries"],
            id="one entry changed",
        ),
        pytest.param(
            [{"id": 1, "points": 3}, {"id": 2, "points": 5}], {"points": 4}, [], id="next round"
        ),
        pytest.param([{"id": 1, "text": "an order"}], {"state": "paid"}, [], id="a journal"),
    ],
)
def test_a_list_returned_whole_with_changes_is_found(store, old, change, expected):
    def edits(state: State) -> State:
        made = [{**entry, **change} for entry in state["log"]]
        if not change:
            made[0] = {**made[0], "text": "first line, corrected"}
        return {"log": made}

    store.line(a=says(log=old), b=edits)
    assert [f.keyword for f in store.run({"log": []}).findings()] == expected


def test_an_edit_that_leaves_a_later_input_behind_is_found(store):
    store.line(a=says(log=["a 1"]), b=says(log=["b 2"]))
    store.run({"log": []})
    opened = store.graph.get_state(CONFIG).config
    store.run({"log": ["second 2"]})
    changed = store.graph.update_state(opened, {"n": 7}, as_node="a")
    (found,) = store.run(None, changed).findings()
    assert (found.keyword, found.step, found.node) == ("wrong_parent", 3, "b")
    assert "went on from step 2 (@3) though the thread stood at step 6 (@7)" in found.message
    assert found.message.endswith("a whole later input included")


def test_an_edit_that_nothing_went_on_from_is_none(store):
    store.line(a=says(log=["a 1"]), b=says(log=["b 2"]))
    store.run({"log": []})
    opened = store.graph.get_state(CONFIG).config
    store.run({"log": ["second 2"]})
    store.graph.update_state(opened, {"n": 7}, as_node="a")
    assert store.findings() == ()


def test_an_error_text_that_was_carried_on_is_told_of_who_wrote_it_first(store):
    store.line(
        a=says(note="Error: KeyError('e42')"),
        b=lambda s: {"log": [s["note"]], "note": None},
    )
    (found,) = store.run({"log": []}).findings()
    assert (found.keyword, found.step, found.node) == ("error_in_state", 1, "a")
    assert (found.channel, found.count) == ("note", 1)


def test_a_loop_names_what_its_node_writes(store):
    builder = StateGraph(State)
    builder.add_node("a", says(note="tries", n=0))
    builder.add_edge(START, "a")
    builder.add_conditional_edges("a", lambda s: "a", ["a"])
    config = {**CONFIG, "recursion_limit": 8}
    (found,) = store.compiled(builder).run({"log": []}, config).findings()
    assert (found.keyword, found.node, found.channel) == ("loop", "a", "note")
