"""Stores made by the real library, small and anew for each test run; and the contract's comparing."""

import importlib.util
import operator
import sqlite3
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send, interrupt

from viewer.chain import Chain, when
from viewer.model import Checkpoint
from viewer.sources.langgraph.tasks import result

Log = Annotated[list[str], operator.add]


class State(TypedDict, total=False):
    log: Log
    n: int
    answer: Any


@dataclass
class Made:
    """A store with the graph that made it, so that the library can be asked about it."""

    path: Path
    graph: Any
    thread: str

    @property
    def config(self) -> dict[str, Any]:
        return {"configurable": {"thread_id": self.thread}}


def says(text: str) -> Callable[[State], State]:
    return lambda state: {"log": [text]}


def line(*nodes: tuple[str, Any]) -> StateGraph:
    graph = StateGraph(State)
    for before, (name, node) in zip((START, *(n for n, _ in nodes)), nodes, strict=False):
        graph.add_node(name, node)
        graph.add_edge(before, name)
    graph.add_edge(nodes[-1][0], END)
    return graph


def asks(name: str) -> Callable[[State], State]:
    def node(state: State) -> State:
        answer = interrupt({"ask": name})
        return {"log": [f"{name}={answer}"], "answer": answer}

    return node


def payment() -> StateGraph:
    return line(("draft", says("draft")), ("approve", asks("approve")), ("pay", says("paid")))


def waiting(saver: Any, config: Any) -> Any:
    graph = payment().compile(checkpointer=saver)
    graph.invoke({"n": 1, "log": []}, config)
    return graph


def answered(saver: Any, config: Any) -> Any:
    graph = waiting(saver, config)
    graph.invoke(Command(resume="yes"), config)
    return graph


def forked(saver: Any, config: Any) -> Any:
    graph = answered(saver, config)
    asked = next(s for s in graph.get_state_history(config) if s.next == ("approve",))
    graph.invoke(None, graph.update_state(asked.config, {"n": 2}, as_node="draft"))
    return graph


def replayed(saver: Any, config: Any) -> Any:
    graph = answered(saver, config)
    asked = next(s for s in graph.get_state_history(config) if s.next == ("draft",))
    graph.invoke(None, asked.config)
    return graph


def two_questions(saver: Any, config: Any) -> Any:
    def node(state: State) -> State:
        return {"log": [interrupt("first"), interrupt("second")]}

    graph = line(("ask", node)).compile(checkpointer=saver)
    graph.invoke({"log": []}, config)
    graph.invoke(Command(resume="A"), config)
    return graph


def half_answered(saver: Any, config: Any) -> Any:
    builder = StateGraph(State)
    for name in ("left", "right"):
        builder.add_node(name, asks(name))
        builder.add_edge(START, name)
    builder.add_node("auto", says("auto"))
    builder.add_edge(START, "auto")
    builder.add_node("join", says("join"))
    builder.add_edge(["left", "right", "auto"], "join")
    builder.add_edge("join", END)
    graph = builder.compile(checkpointer=saver)
    graph.invoke({"log": []}, config)
    left = next(i for i in graph.get_state(config).interrupts if i.value["ask"] == "left")
    graph.invoke(Command(resume={left.id: "L"}), config)
    return graph


def crashing(fails: bool) -> StateGraph:
    def bad(state: State) -> State:
        time.sleep(0.1)  # the siblings finish first, or they are cancelled
        if fails:
            raise ValueError("gateway said 503")
        return {"log": ["bad"]}

    builder = StateGraph(State)
    for name, node in (("fine", says("fine")), ("bad", bad), ("quiet", lambda state: None)):
        builder.add_node(name, node)
        builder.add_edge(START, name)
    builder.add_node("after", says("after"))
    builder.add_edge(["fine", "bad", "quiet"], "after")
    builder.add_edge("after", END)
    return builder


def crashed(saver: Any, config: Any) -> Any:
    graph = crashing(True).compile(checkpointer=saver)
    with pytest.raises(ValueError, match="503"):
        graph.invoke({"log": []}, config)
    return graph


def recovered(saver: Any, config: Any) -> Any:
    crashed(saver, config)
    graph = crashing(False).compile(checkpointer=saver)
    graph.invoke(None, config)
    return graph


def fanned(saver: Any, config: Any) -> Any:
    def work(state: Any) -> State:
        return {"log": [str(interrupt(3) if state["i"] == 3 else state["i"])]}

    builder = StateGraph(State)
    builder.add_node("plan", says("plan"))
    builder.add_node("work", work)
    builder.add_node("reduce", says("reduce"))
    builder.add_edge(START, "plan")
    builder.add_conditional_edges("plan", lambda s: [Send("work", {"i": i}) for i in range(1, 5)])
    builder.add_edge("work", "reduce")
    builder.add_edge("reduce", END)
    graph = builder.compile(checkpointer=saver)
    graph.invoke({"log": []}, config)
    return graph


def fanned_on(saver: Any, config: Any) -> Any:
    graph = fanned(saver, config)
    graph.invoke(Command(resume="three"), config)
    return graph


def deferred(saver: Any, config: Any) -> Any:
    builder = StateGraph(State)
    builder.add_node("a", lambda s: Command(update={"log": ["a"]}, goto=["b", "c"]))
    for name in ("b", "c", "d"):
        builder.add_node(name, says(name))
    builder.add_node("z", says("z"), defer=True)
    builder.add_edge(START, "a")
    builder.add_edge("c", "d")
    builder.add_edge("b", "z")
    builder.add_edge("d", "z")
    graph = builder.compile(checkpointer=saver)
    graph.invoke({"log": []}, config)
    return graph


def paused(saver: Any, config: Any) -> Any:
    graph = payment().compile(checkpointer=saver, interrupt_before=["approve"])
    graph.invoke({"log": []}, config)
    return graph


def nested(saver: Any, config: Any) -> Any:
    inner = line(("deep", asks("deep"))).compile()
    middle = line(("first", says("first")), ("nest", inner)).compile()
    graph = line(("before", says("before")), ("child", middle)).compile(checkpointer=saver)
    graph.invoke({"log": []}, config)
    return graph


def nested_on(saver: Any, config: Any) -> Any:
    graph = nested(saver, config)
    graph.invoke(Command(resume="yes"), config)
    return graph


def functional(saver: Any, config: Any) -> Any:
    @task
    def ask(x: int) -> Any:
        return interrupt({"x": x})

    @entrypoint(checkpointer=saver)
    def workflow(given: int) -> Any:
        return ask(given).result()

    workflow.invoke(5, config)
    return workflow


def _beside(name: str) -> Any:
    """Return the module of that name in this folder, which is no package."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


one_form = _beside("one_form")  # before `agreement`, which imports it
agreement = _beside("agreement")


@pytest.fixture(scope="session")
def compare() -> Any:
    """Compare an open source, in every field, with what LangGraph said of it (``agreement.py``)."""
    return lambda source, truth, **options: agreement.compare(
        dict(agreement.load_all(source)), truth, **options
    )


@pytest.fixture(scope="session")
def without_classes() -> Any:
    """A value as exact text, without the names of classes and the empty fields of messages."""
    return one_form.without_classes


SCENARIOS = {
    made.__name__: made
    for made in (
        waiting,
        answered,
        forked,
        replayed,
        two_questions,
        half_answered,
        crashed,
        recovered,
        fanned,
        fanned_on,
        deferred,
        paused,
        nested,
        nested_on,
        functional,
    )
}


@pytest.fixture(scope="session")
def scenarios() -> dict[str, Any]:
    """Each scenario by its name: what runs it with a saver and a configuration."""
    return SCENARIOS


@pytest.fixture(params=SCENARIOS)
def scenario(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def make(tmp_path: Path) -> Any:
    """Runs a scenario into a store of its own; the store's connection is closed at the end."""
    connections: list[sqlite3.Connection] = []

    def making(name: str, thread: str = "t") -> Made:
        path = tmp_path / name / "checkpoints.sqlite"
        path.parent.mkdir(exist_ok=True)
        connection = sqlite3.connect(path, check_same_thread=False)
        connections.append(connection)
        made = Made(path, None, thread)
        made.graph = SCENARIOS[name](SqliteSaver(connection), made.config)
        return made

    yield making
    for connection in connections:
        connection.close()


@pytest.fixture
def settle(make: Any, tmp_path: Path) -> Any:
    """Makes a scenario's store and closes it, as a program does that has ended."""

    def settling(name: str) -> Path:
        path = tmp_path / f"{name}.sqlite"
        connection = sqlite3.connect(path, check_same_thread=False)
        SCENARIOS[name](SqliteSaver(connection), Made(path, None, "t").config)
        connection.close()
        return path

    return settling


@pytest.fixture(scope="session")
def random_state() -> type:
    return State


@pytest.fixture(scope="session")
def made_of() -> Callable[[Path, Any], Made]:
    return lambda path, graph: Made(path, graph, "t")


INTERNAL = ("branch:", "join:", "__start__", "__pregel")


@pytest.fixture
def agree() -> Any:
    """Asserts that a chain says of every checkpoint what the library says of it.

    Tasks that joins fire stand anywhere among the others: no row keeps the order of a graph's
    nodes. With ``ordered`` false the order is left out of the comparison.
    """
    return _agree


def _agree(made: Made, namespace: str, chain: Chain, *, ordered: bool = True) -> None:
    by_key = list if ordered else lambda found: sorted(found, key=repr)
    config = {"configurable": {"thread_id": made.thread, "checkpoint_ns": namespace}}
    snapshots = list(made.graph.get_state_history(config))
    assert len(snapshots) == len(chain.checkpoints)
    by_id = {c.checkpoint_id: c for c in chain.checkpoints}
    for snapshot in snapshots:
        own = by_id[snapshot.config["configurable"]["checkpoint_id"]]
        _compare(chain, own, snapshot, by_key)
    live = made.graph.get_state(config)
    assert chain.head is not None
    head = chain.checkpoints[chain.head]
    assert head.checkpoint_id == live.config["configurable"]["checkpoint_id"]
    assert by_key(head.next_live) == by_key(live.next)
    asked = [(i.id, i.value) for i in head.interrupts if i.open]
    assert by_key(asked) == by_key((i.id, i.value) for i in live.interrupts)
    assert head.status == _status(live)


def _compare_tasks(own: Checkpoint, snapshot: Any, by_key: Any) -> None:
    """Hold planned tasks against the library's; those that only rows tell of come after them."""
    planned = [task for task in own.tasks if task.kind in ("pull", "push")]
    assert planned == list(own.tasks[: len(planned)])
    assert tuple(task.node for task in planned) == own.next
    told = [
        (t.id, t.node, t.interrupts, tuple(e.message for e in t.errors), result(t)) for t in planned
    ]
    truth = [
        (t.id, t.name, t.interrupts, (t.error,) if t.error else (), t.result)
        for t in snapshot.tasks
    ]
    assert by_key(
        (task, node, [(i.id, i.value) for i in asked], errors, made)
        for task, node, asked, errors, made in told
    ) == by_key(
        (task, node, [(i.id, i.value) for i in asked], errors, made)
        for task, node, asked, errors, made in truth
    )


def _status(live: Any) -> str:
    """Return the word for a live state, from what the library says of its tasks."""
    if not live.next:
        return "done"
    if live.interrupts:
        return "interrupted"
    unfinished = [task for task in live.tasks if task.result is None]
    return "error" if any(task.error for task in unfinished) else "pending"


def _compare(chain: Chain, own: Checkpoint, snapshot: Any, by_key: Any) -> None:
    parent = snapshot.parent_config
    assert own.parent_id == (parent and parent["configurable"]["checkpoint_id"])
    assert (own.step, own.origin) == (snapshot.metadata["step"], snapshot.metadata["source"])
    assert own.created_at == when(snapshot.created_at)
    assert by_key(own.next) == by_key(snapshot.next)
    asked = [(i.id, i.value) for i in own.interrupts]
    assert by_key(asked) == by_key((i.id, i.value) for i in snapshot.interrupts)
    _compare_tasks(own, snapshot, by_key)
    failed = [(e.task, e.node, e.message) for e in own.errors]
    assert by_key(failed) == by_key((t.id, t.name, t.error) for t in snapshot.tasks if t.error)
    state = {k: v for k, v in chain.state(own.index).items() if not k.startswith(INTERNAL)}
    if isinstance(snapshot.values, dict):
        assert state == {k: v for k, v in snapshot.values.items() if k in state or v != []}


@pytest.fixture(scope="session")
def run_scenario() -> Callable[..., Made]:
    """Runs a scenario with any saver; ``payment`` is only compiled, to be run by the test."""

    def running(name: str, saver: Any, thread: str = "t") -> Made:
        made = Made(Path(), None, thread)
        if name == "payment":
            made.graph = payment().compile(checkpointer=saver)
        else:
            made.graph = SCENARIOS[name](saver, made.config)
        return made

    return running
