"""Which task each namespace belongs to, whether it still stands, and whose a question is."""

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.func import entrypoint, task
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

from viewer.chain import Chain
from viewer.model import Checkpoint, Interrupt
from viewer.sources import open_source
from viewer.sources.langgraph.ancestry import Ancestry, IndexedRows
from viewer.sources.langgraph.blobs import Blobs
from viewer.sources.langgraph.nesting import LEVELS

CASE = Path(__file__).parents[2] / "cases" / "47-lg-orphan-subgraph-namespace"
Program = Callable[[Any, Any], None]


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """Runs a program against a store of its own and gives the store's path."""
    connections: list[sqlite3.Connection] = []

    def running(program: Program) -> Path:
        path = tmp_path / "own.sqlite"
        connection = sqlite3.connect(path, check_same_thread=False)
        connections.append(connection)
        program(SqliteSaver(connection), {"configurable": {"thread_id": "t"}})
        return path

    yield running
    for connection in connections:
        connection.close()


def chains(path: Path) -> dict[str, Chain]:
    source = open_source(path)
    return {ref.namespace: source.chain(ref) for ref in source.threads}


def head(chain: Chain) -> Checkpoint:
    assert chain.head is not None
    return chain.checkpoints[chain.head]


def open_questions(found: Iterable[Chain]) -> list[Interrupt]:
    return [i for chain in found for c in chain.checkpoints for i in c.interrupts if i.open]


def standings(found: dict[str, Chain]) -> dict[str, str | None]:
    """Return the standing by namespace, task ids left out."""
    return {
        "|".join(part.split(":")[0] for part in ns.split("|")): c.nesting and c.nesting.standing
        for ns, c in found.items()
    }


def asks(name: str) -> Any:
    return lambda state: {"log": [f"{name}={interrupt({'ask': name})}"]}


@pytest.fixture
def line(random_state: Any) -> Any:
    def lining(*nodes: tuple[str, Any]) -> StateGraph:
        graph = StateGraph(random_state)
        before = START
        for name, node in nodes:
            graph.add_node(name, node)
            graph.add_edge(before, name)
            before = name
        return graph

    return lining


def test_a_namespace_belongs_to_the_task_that_runs_it(make: Any) -> None:
    found = chains(make("nested").path)
    assert found[""].nesting is None
    assert standings(found) == {"": None, "child": "live", "child|nest": "live"}
    for namespace, chain in found.items():
        if chain.nesting is not None:
            above = found[chain.nesting.namespace]
            step = next(
                c for c in above.checkpoints if c.checkpoint_id == chain.nesting.checkpoint_id
            )
            (own,) = [t for t in step.tasks if t.id == chain.nesting.task]
            assert (own.namespace, own.node) == (namespace, chain.nesting.node)


def test_a_task_that_has_ended_finishes_all_below_it(make: Any) -> None:
    found = chains(make("nested_on").path)
    assert standings(found) == {"": None, "child": "finished", "child|nest": "finished"}
    assert {head(c).status for c in found.values()} == {"done"}
    assert open_questions(found.values()) == []
    assert all(c.problems == () for c in found.values())


def test_a_question_is_one_across_levels_and_its_owner_is_who_asked(make: Any) -> None:
    found = chains(make("nested").path)
    deepest = max(found, key=len)
    asked = {
        ns: [(i.value, i.open, i.owner) for i in head(c).interrupts] for ns, c in found.items()
    }
    assert asked.pop(deepest) == [({"ask": "deep"}, True, None)]
    assert list(asked.values()) == [[({"ask": "deep"}, True, deepest)]] * 2


def test_an_attempt_that_a_fork_left_is_detached_and_asks_nothing() -> None:
    found = chains(CASE / "checkpoints.sqlite")
    expect = json.loads((CASE / "case.json").read_text("utf-8"))["expect"]
    assert {ns: len(c.checkpoints) for ns, c in found.items()} == expect["namespaces"]
    live = [ns for ns, c in found.items() if c.nesting and c.nesting.standing == "live"]
    assert live == expect["live_child_ns"]
    assert list(head(found[""]).next) == expect["root_next"]
    (left,) = [c for ns, c in found.items() if ns and ns not in live]
    assert left.nesting is not None
    assert left.nesting.standing == "detached"
    assert "the parent went on from there by fork" in left.nesting.reason
    (problem,) = left.problems
    assert problem.keyword == "detached"
    assert (head(left).status, head(left).phase) == ("detached", "stopped")
    assert [i.open for i in head(left).interrupts] == [False]
    own = [i for i in open_questions(found.values()) if i.owner is None]
    assert [i.id for i in own] == [head(found[live[0]]).interrupts[0].id]
    assert [p.problems for ns, p in found.items() if ns in ("", *live)] == [(), ()]


def test_a_branch_that_is_not_the_live_one_waits_no_more(make: Any) -> None:
    made = make("waiting")
    asked = made.graph.get_state(made.config).config
    made.graph.invoke(None, made.graph.update_state(asked, {"n": 2}, as_node="draft"))
    chain = chains(made.path)[""]
    left = [i for i in chain.heads if i != chain.head]
    assert left == []
    assert [len(c.interrupts) for c in chain.checkpoints] == [0, 0, 1, 1]
    assert [i.open for c in chain.checkpoints for i in c.interrupts] == [False, True]
    made.graph.update_state(
        next(s.config for s in made.graph.get_state_history(made.config) if s.next == ("draft",)),
        {"n": 3},
        as_node="draft",
    )
    chain = chains(made.path)[""]
    other, live = (chain.checkpoints[i] for i in chain.heads)
    assert [i.open for i in other.interrupts] == [False]
    assert (other.status, other.phase) == ("detached", "stopped")
    assert (live.status, live.interrupts) == ("pending", ())


def test_a_subgraph_that_remembers_belongs_to_the_run_that_is_on(run: Any, line: Any) -> None:
    def program(saver: Any, config: Any) -> None:
        inner = line(("deep", asks("deep"))).compile()
        child = line(("nest", inner), ("ask", asks("ask"))).compile(checkpointer=True)

        def again(state: Any) -> Any:
            return Command(goto="child") if len(state["log"]) < 4 else None

        graph = line(("child", child), ("again", again)).compile(checkpointer=saver)
        graph.invoke({"log": []}, config)
        for answer in "ab":
            graph.invoke(Command(resume=answer), config)

    found = chains(run(program))
    assert sorted(standings(found).items()) == [
        ("", None),
        ("child", "live"),
        ("child|nest", "live"),
    ]
    runs = [c.nesting for ns, c in found.items() if ns.startswith("child|")]
    assert [n and n.standing for n in runs] == ["finished", "live"]
    (now,) = head(found[""]).tasks
    assert now.namespace == "child"
    assert found["child"].nesting is not None
    assert found["child"].nesting.task == now.id
    own = [i for i in open_questions(found.values()) if i.owner is None]
    assert [i.value for i in own] == [{"ask": "deep"}]
    copies = {i.owner for i in open_questions(found.values()) if i.owner is not None}
    assert copies == {ns for ns, c in found.items() if c.nesting == runs[1]}


def test_a_second_call_in_one_task_has_a_namespace_of_its_own(run: Any, line: Any) -> None:
    def program(saver: Any, config: Any) -> None:
        inner = line(("deep", asks("deep"))).compile()

        def twice(state: Any) -> Any:
            return {"log": [inner.invoke({"log": []})["log"][0] for _ in range(2)]}

        graph = line(("twice", twice)).compile(checkpointer=saver)
        graph.invoke({"log": []}, config)
        graph.invoke(Command(resume="a"), config)

    found = chains(run(program))
    assert standings(found) == {"": None, "twice": "live", "twice|1": "live"}
    (root,) = head(found[""]).interrupts
    assert root.owner == max(found, key=len)
    first, second = (c for ns, c in found.items() if ns)
    assert (head(first).status, head(second).status) == ("done", "interrupted")
    assert [i.open for i in open_questions([first, second])] == [True]


def test_a_graph_between_that_saves_nothing_leaves_its_caller_s_task(run: Any, line: Any) -> None:
    def program(saver: Any, config: Any) -> None:
        inner = line(("deep", asks("deep"))).compile()
        between = line(("nest", inner)).compile(checkpointer=False)
        graph = line(("child", between)).compile(checkpointer=saver)
        graph.invoke({"log": []}, config)

    found = chains(run(program))
    deep = max(found, key=len)
    assert standings(found) == {"": None, "child|nest": "live"}
    (child,) = head(found[""]).tasks
    assert found[deep].nesting is not None
    assert (found[deep].nesting.task, found[deep].nesting.node) == (child.id, "child")
    assert [i.owner for i in child.interrupts] == [deep]


def test_a_call_s_question_is_its_own_chain_s(make: Any) -> None:
    (chain,) = chains(make("functional").path).values()
    assert [i.owner for t in head(chain).tasks for i in t.interrupts] == [None, None]


def test_a_graph_run_by_a_call_belongs_to_that_call(run: Any, line: Any) -> None:
    def program(saver: Any, config: Any) -> None:
        inner = line(("deep", asks("deep"))).compile()

        @task
        def ask(x: int) -> Any:
            return inner.invoke({"log": []})

        @entrypoint(checkpointer=saver)
        def workflow(given: int) -> Any:
            return ask(given).result()

        workflow.invoke(5, config)

    found = chains(run(program))
    child = max(found, key=len)
    assert found[child].nesting is not None
    assert found[child].nesting.standing == "live"
    (call,) = [t for t in head(found[""]).tasks if t.kind == "call"]
    assert (found[child].nesting.task, found[child].nesting.node) == (call.id, "ask")
    assert call.namespace == child
    assert {i.owner for t in head(found[""]).tasks for i in t.interrupts} == {child}


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        pytest.param(
            "DELETE FROM checkpoints WHERE checkpoint_ns = '' AND checkpoint_id = "
            "(SELECT max(checkpoint_id) FROM checkpoints WHERE checkpoint_ns = '')",
            "is not there",
            id="the parent's checkpoint is gone",
        ),
        pytest.param(
            "UPDATE checkpoints SET metadata = x'7b7d' WHERE checkpoint_ns <> ''",
            "no checkpoint says",
            id="nothing names the parent's checkpoint",
        ),
        pytest.param(
            "UPDATE checkpoints SET checkpoint_ns = 'child:0' || substr(checkpoint_ns, 7)"
            " WHERE checkpoint_ns <> ''",
            "no task after checkpoint",
            id="a task that the parent does not run",
        ),
    ],
)
def test_a_namespace_that_nothing_runs_is_detached_with_all_below_it(
    make: Any, statement: str, words: str
) -> None:
    made = make("nested")
    connection = sqlite3.connect(made.path)
    connection.execute(statement)
    connection.commit()
    connection.close()
    nested = [c for ns, c in chains(made.path).items() if ns]
    assert [c.nesting and c.nesting.standing for c in nested] == ["detached"] * 2
    assert any(words in c.nesting.reason for c in nested if c.nesting)
    assert [[p.keyword for p in c.problems] for c in nested] == [["detached"]] * 2
    assert open_questions(nested) == []


def test_names_nested_without_end_are_cut(make: Any, tmp_path: Path) -> None:
    path = tmp_path / "deep.sqlite"
    shutil.copy(CASE / "checkpoints.sqlite", path)
    connection = sqlite3.connect(path)
    name = "|".join(f"n:{i}" for i in range(LEVELS * 1_000))
    connection.execute(
        "UPDATE checkpoints SET checkpoint_ns = ? WHERE checkpoint_ns LIKE 'team:2c%'", (name,)
    )
    connection.commit()
    connection.close()
    assert chains(path)[name].nesting is not None
    assert chains(path)[name].nesting.standing == "detached"


class Whole:
    """Rows of a store that reads chain by chain only."""

    def __init__(self, rows: Any) -> None:
        self.checkpoints = rows.checkpoints
        self.writes = rows.writes


def test_a_store_without_an_index_tells_the_same(make: Any, opened: Any) -> None:
    rows = opened(make("nested").path)
    blobs = Blobs(64)
    whole = Whole(rows)
    assert isinstance(rows, IndexedRows)
    assert not isinstance(whole, IndexedRows)
    one, other = Ancestry(rows, "t", blobs), Ancestry(whole, "t", blobs)
    for namespace in rows.namespaces("t"):
        top = one.head(namespace)
        assert top is not None
        assert top == other.head(namespace)
        for at in (top.checkpoint_id, top.parent_id):
            assert one.step(namespace, at) == other.step(namespace, at)
        assert one.step(namespace, "none") is None
        read = lambda write: [write.task]  # noqa: E731
        assert one.asked(namespace, read) == other.asked(namespace, read) != frozenset()


@pytest.fixture
def opened() -> Any:
    from viewer.sources.langgraph.sqlite_rows import SqliteRows

    connections: list[sqlite3.Connection] = []

    def opening(path: Path) -> SqliteRows:
        connections.append(sqlite3.connect(path))
        return SqliteRows(connections[-1], "p", depth=64, with_path=True, known={})

    yield opening
    for connection in connections:
        connection.close()


def test_a_task_whose_output_was_not_saved_has_ended_where_the_run_went_on(
    run: Any, line: Any
) -> None:
    def program(saver: Any, config: Any) -> None:
        inner = line(("deep", asks("deep"))).compile()
        graph = line(("child", inner)).compile(checkpointer=saver)
        graph.invoke({"log": []}, config, durability="exit")
        graph.invoke(Command(resume="a"), config, durability="exit")

    found = chains(run(program))
    assert standings(found) == {"": None, "child": "finished"}
    assert [t.finished for c in found[""].checkpoints for t in c.tasks] == [False]
    assert open_questions(found.values()) == []
