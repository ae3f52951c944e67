"""What stands on record of each task of a step."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.func import entrypoint, task
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

from viewer.chain import Chain
from viewer.model import MISSING, Task
from viewer.sources import open_source
from viewer.sources.langgraph.naming import NULL_TASK, saved_late, task_path
from viewer.sources.langgraph.tasks import pending_update, result


def head(chain: Chain) -> Any:
    assert chain.head is not None
    return chain.checkpoints[chain.head]


def chains(path: Path) -> dict[str, Chain]:
    source = open_source(path)
    return {ref.namespace: source.chain(ref) for ref in source.threads}


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """Runs a program against a store of its own and gives the store's chains."""
    connections: list[sqlite3.Connection] = []

    def running(program: Callable[[Any, Any], None]) -> dict[str, Chain]:
        path = tmp_path / "own.sqlite"
        connection = sqlite3.connect(path, check_same_thread=False)
        connections.append(connection)
        program(SqliteSaver(connection), {"configurable": {"thread_id": "t"}})
        return chains(path)

    yield running
    for connection in connections:
        connection.close()


def test_a_send_s_task_holds_its_argument_and_its_place(make: Any) -> None:
    sent = head(chains(make("fanned").path)[""]).tasks
    assert [(t.node, t.kind, t.input) for t in sent] == [
        ("work", "push", {"i": n}) for n in range(1, 5)
    ]
    assert [t.finished for t in sent] == [True, True, False, True]
    assert [len(t.interrupts) for t in sent] == [0, 0, 1, 0]
    assert [result(t) for t in sent] == [{"log": ["1"]}, {"log": ["2"]}, None, {"log": ["4"]}]


def test_a_node_s_task_read_the_state_and_has_no_argument(make: Any) -> None:
    (asking,) = head(chains(make("waiting").path)[""]).tasks
    assert (asking.node, asking.kind, asking.input, asking.finished) == (
        "approve",
        "pull",
        MISSING,
        False,
    )


def test_a_failed_try_stays_beside_the_output_of_the_one_that_worked(make: Any) -> None:
    chain = chains(make("recovered").path)[""]
    (bad,) = [t for c in chain.checkpoints for t in c.tasks if t.errors]
    assert (bad.node, bad.finished) == ("bad", True)
    assert [e.message for e in bad.errors] == ["ValueError('gateway said 503')"]
    assert result(bad) == {"log": ["bad"]}


def test_a_task_names_the_namespace_of_its_subgraph(make: Any) -> None:
    found = chains(make("nested").path)
    (child,) = head(found[""]).tasks
    (nest,) = head(found[child.namespace]).tasks
    assert sorted(found) == sorted(["", child.namespace, nest.namespace])
    assert child.namespace == f"child:{child.id}"
    assert nest.namespace == f"{child.namespace}|nest:{nest.id}"
    (first, *_) = chains(make("waiting").path)[""].checkpoints[-1].tasks
    assert first.namespace is None


def test_a_call_inside_a_task_is_a_task_but_nothing_that_is_next(make: Any) -> None:
    chain = chains(make("functional").path)[""]
    flow, call = head(chain).tasks
    assert (flow.kind, call.kind, call.node) == ("pull", "call", "workflow")
    assert head(chain).next == head(chain).next_live == ("workflow",)
    assert [i.value for i in call.interrupts] == [{"x": 5}]
    assert {i.id for i in call.interrupts} == {i.id for i in flow.interrupts}
    assert len(head(chain).interrupts) == 1


def test_what_a_call_returned_stays_with_it(run: Any) -> None:
    def program(saver: Any, config: Any) -> None:
        @task
        def double(x: int) -> int:
            return x * 2

        @entrypoint(checkpointer=saver)
        def workflow(given: int) -> Any:
            return interrupt(double(given).result())

        workflow.invoke(5, config)
        workflow.invoke(Command(resume="yes"), config)

    first = run(program)[""].checkpoints[0]
    flow, call = first.tasks
    assert (flow.finished, call.kind, call.finished, result(call)) == (True, "call", True, 10)
    assert [i.open for i in flow.interrupts] == [False]


def test_the_handler_of_an_error_is_a_task_of_its_own(state: Any, run: Any) -> None:
    def broken(given: Any) -> Any:
        raise ValueError("no such order")

    def program(saver: Any, config: Any) -> None:
        builder = StateGraph(state)
        builder.add_node("work", broken, error_handler=lambda given: {"log": ["handled"]})
        builder.add_edge(START, "work")
        builder.compile(checkpointer=saver).invoke({"log": []}, config)

    chain = run(program)[""]
    (step,) = [c for c in chain.checkpoints if c.errors]
    work, handler = step.tasks
    assert (handler.kind, handler.node, result(handler)) == (
        "error_handler",
        "work",
        {"log": ["handled"]},
    )
    assert [e.message for e in work.errors] == ["ValueError('no such order')"]
    assert step.next == ("work",)


@pytest.fixture
def state(random_state: Any) -> Any:
    return random_state


def test_every_row_is_some_task_s_or_a_caller_s(make: Any, scenario: str) -> None:
    for chain in chains(make(scenario).path).values():
        for checkpoint in chain.checkpoints:
            told = [w for t in checkpoint.tasks for w in t.writes]
            callers = [w for w in checkpoint.writes if w.task == NULL_TASK]
            assert len(told) + len(callers) == len(checkpoint.writes)


def test_rows_without_any_sign_of_their_task_are_a_task_of_unknown_kind(make: Any) -> None:
    made = make("waiting")
    connection = sqlite3.connect(made.path)
    connection.execute(
        "INSERT INTO writes SELECT thread_id, checkpoint_ns, checkpoint_id, 'stranger', '', 0,"
        " 'n', 'msgpack', x'07' FROM writes WHERE channel = '__interrupt__'"
    )
    connection.commit()
    connection.close()
    asking, stranger = head(chains(made.path)[""]).tasks
    assert (stranger.id, stranger.node, stranger.kind) == ("stranger", "", "unknown")
    assert [(w.channel, w.value) for w in stranger.writes] == [("n", 7)]
    assert head(chains(made.path)[""]).next == ("approve",)
    assert isinstance(asking, Task)


def test_a_caller_s_update_is_pending_until_the_step_is_done(make: Any) -> None:
    made = make("waiting")
    connection = sqlite3.connect(made.path)
    connection.execute(
        "INSERT INTO writes SELECT thread_id, checkpoint_ns, checkpoint_id, ?, '', 0,"
        " 'n', 'msgpack', x'07' FROM writes WHERE channel = '__interrupt__'",
        (NULL_TASK,),
    )
    connection.commit()
    connection.close()
    chain = chains(made.path)[""]
    assert [(w.channel, w.value) for w in pending_update(head(chain).writes)] == [("n", 7)]
    assert chain.state(chain.head)["n"] == 1
    assert made.graph.get_state(made.config).values["n"] == 7
    assert all(t.id != NULL_TASK for t in head(chain).tasks)


@pytest.mark.parametrize(
    ("own", "step", "late"),
    [
        pytest.param("00000004-3a34-1141-78a4-5e080b110248", 3, True, id="the first step's"),
        pytest.param("00000000-3a34-1141-78a4-5e080b110248", -2, True, id="before the input"),
        pytest.param("ffffffff-0000-0002-0b91-c5aa6ee1e96c", 3, True, id="a later step's"),
        pytest.param("00000005-3a34-1141-78a4-5e080b110248", 3, False, id="of no such step"),
        pytest.param("d0a818d4-fcee-8708-b91b-ca26aa3f8a26", 3, False, id="a task's own"),
    ],
)
def test_ids_made_for_rows_that_were_saved_late_are_known(own: str, step: int, late: bool) -> None:
    assert saved_late(own, step) is late


def test_the_path_of_a_row_that_was_saved_late_names_its_node() -> None:
    assert task_path("~~0000000002~__pregel_pull, b") == task_path("~__pregel_pull, b")
