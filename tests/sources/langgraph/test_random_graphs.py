"""Random small graphs run by the real library: rows alone say what the library says.

Joins, conditional edges, deferred nodes, Command(goto), Send, questions, failures, partial answers,
forks and replays are drawn by chance; each graph is read with its task paths and without.
"""

import random
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.errors import GraphRecursionError
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send, interrupt

from viewer.sources import open_source

NODES = "abcdef"


class Failure(Exception):
    """What a node of a random graph raises."""


def node(name: str, kind: str, later: str, made: Any, failing: dict[str, int]) -> Any:
    """Return a node that writes its name and, by kind, asks, fails, jumps, fans out or is silent."""

    def run(state: Any) -> Any:
        if kind == "asks":
            return {"log": [f"{name}={interrupt({'ask': name})}"]}
        if kind == "fails" and failing.get(name, 0) > 0:
            failing[name] -= 1
            raise Failure(name)
        if kind == "silent":
            return None
        if kind == "jumps" and later:
            return Command(update={"log": [name]}, goto=made.choice(later))
        if kind == "fans" and later:
            target = made.choice(later)
            return Command(update={"log": [name]}, goto=[Send(target, {"n": i}) for i in range(2)])
        return {"log": [name]}

    return run


def route(name: str) -> Any:
    def chosen(state: Any) -> str:
        return name

    chosen.__name__ = f"to_{name}"
    return chosen


def graph(made: random.Random, state: Any, saver: Any) -> Any:
    builder = StateGraph(state)
    names = NODES[: made.randint(2, 6)]
    failing = {name: made.randint(1, 2) for name in names}
    kinds = ("plain", "plain", "asks", "fails", "silent", "jumps", "fans")
    for at, name in enumerate(names):
        kind = made.choice(kinds)
        defer = at > 1 and made.random() < 0.15
        builder.add_node(name, node(name, kind, names[at + 1 :], made, failing), defer=defer)
    builder.add_edge(START, names[0])
    for at, name in enumerate(names[1:], 1):
        before = names[:at]
        if at > 1 and made.random() < 0.35:
            builder.add_edge(sorted(made.sample(before, 2)), name)
        elif made.random() < 0.3:
            builder.add_conditional_edges(made.choice(before), route(name), [name])
        else:
            builder.add_edge(made.choice(before), name)
    builder.add_edge(names[-1], END)
    return builder.compile(checkpointer=saver)


def drive(made: random.Random, graph: Any, config: Any) -> None:
    """Run the graph as a program and its user might: answer, try again, go back, edit."""
    given: Any = {"log": []}
    at = config
    for _ in range(made.randint(1, 5)):
        with suppress(Failure, GraphRecursionError):
            graph.invoke(given, {**at, "recursion_limit": made.choice((3, 25))}, durability="sync")
        at, given = config, None
        live = graph.get_state(config)
        choice = made.random()
        if live.interrupts and choice < 0.6:
            some = made.sample(live.interrupts, made.randint(1, len(live.interrupts)))
            given = Command(resume={i.id: "yes" for i in some})
        elif choice < 0.75:
            past = made.choice(list(graph.get_state_history(config)))
            if past.next and past.metadata["source"] != "input" and "__start__" not in past.next:
                at = past.config
        elif choice < 0.9 and not live.next:
            given = {"log": ["again"]}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "seed", [*range(30), *(pytest.param(n, marks=pytest.mark.slow) for n in range(30, 200))]
)
def test_a_random_graph_is_read_as_the_library_reads_it(
    tmp_path: Path, random_state: Any, agree: Any, made_of: Any, seed: int
) -> None:
    made = random.Random(seed)
    path = tmp_path / "checkpoints.sqlite"
    connection = sqlite3.connect(path, check_same_thread=False)
    built = graph(made, random_state, SqliteSaver(connection))
    config = {"configurable": {"thread_id": "t"}}
    drive(made, built, config)
    for erase in (False, True):
        if erase:
            connection.execute("UPDATE writes SET task_path = ''")
            connection.commit()
        source = open_source(path)
        (ref,) = source.threads
        agree(made_of(path, built), "", source.chain(ref), ordered=False)
    connection.close()
