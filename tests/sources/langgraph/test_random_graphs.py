"""Random small graphs run by the real library: rows alone say what the library says.

Joins, deferred nodes, delta channels, conditional edges, Command(goto), Send, subgraphs two deep (some that remember
their runs), questions, failures, kills, breakpoints, partial answers, forks, replays and edits are
drawn by chance; each store is read with its task paths and without.
"""

import operator
import random
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.errors import GraphRecursionError, InvalidUpdateError
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send, interrupt

from viewer.chain import Chain
from viewer.model import Checkpoint, Task
from viewer.sources import open_source
from viewer.sources.langgraph import attach, triggers
from viewer.sources.langgraph.naming import NULL_TASK, update_tasks
from viewer.sources.langgraph.tasks import pending_update, result

NODES = "abcdef"
KINDS = ("plain", "plain", "asks", "asks twice", "fails", "dies", "silent", "jumps", "fans")
NORMAL, SLOW = 100, 500
INTERNAL = ("branch:", "join:", "__start__", "__pregel")


class Failure(Exception):
    """What a node of a random graph raises."""


class Kill(BaseException):
    """What ends a random program in the middle of a node."""


def node(name: str, kind: str, target: str | None, failures: dict[str, int]) -> Any:
    """Return a node that writes its name and, by kind, asks, fails, jumps, fans out or is silent."""

    def run(state: Any) -> Any:
        if kind == "asks":
            return {"log": [f"{name}={interrupt({'ask': name})}"]}
        if kind == "asks twice":
            return {"log": [interrupt({"ask": name}), interrupt({"again": name})]}
        if kind in ("fails", "dies") and failures.get(name, 0) > 0:
            failures[name] -= 1
            raise Failure(name) if kind == "fails" else Kill(name)
        if kind == "silent":
            return None
        if kind == "jumps" and target:
            return Command(update={"log": [name]}, goto=target)
        if kind == "fans" and target:
            return Command(
                update={"log": [name]}, goto=[Send(target, {"log": [str(i)]}) for i in range(2)]
            )
        return {"log": [name]}

    return run


def appended(value: list[Any], writes: list[Any]) -> list[Any]:
    return [*value, *(new for write in writes for new in write)]


def state_of(made: random.Random) -> Any:
    """Return a state whose one channel is stored whole or, in a third of the graphs, by deltas."""
    delta = DeltaChannel(appended, snapshot_frequency=made.randint(1, 5))
    reducer: Any = delta if made.random() < 0.33 else operator.add
    return TypedDict("State", {"log": Annotated[list[str], reducer]}, total=False)


def route(name: str) -> Any:
    def chosen(state: Any) -> str:
        return name

    chosen.__name__ = f"to_{name}"
    return chosen


def graph(made: random.Random, saver: Any, deep: int = 0, state: Any = None) -> Any:
    state = state or state_of(made)
    builder = StateGraph(state)
    names = NODES[: made.randint(2, 6 if deep == 0 else 3)]
    failures = {name: made.randint(1, 2) for name in names}
    sent = set()
    for at, name in enumerate(names):
        kind = made.choice(KINDS)
        target = made.choice(names[at + 1 :]) if names[at + 1 :] else None
        if deep < 2 and made.random() < 0.2:
            # two Sends at once would write one namespace in turns, and chance would say what stands
            remembers = made.random() < 0.2 and name not in sent
            builder.add_node(name, graph(made, True if remembers else None, deep + 1, state))
            continue
        if kind == "fans":
            sent.add(target)
        defer = at > 1 and made.random() < 0.15
        builder.add_node(name, node(name, kind, target, failures), defer=defer)
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
    stops = [made.choice(names)] if deep == 0 and made.random() < 0.1 else None
    return builder.compile(checkpointer=saver, interrupt_before=stops)


def drive(made: random.Random, graph: Any, config: Any, durability: str) -> None:
    """Run the graph as a program and its user might: answer, try again, go back, edit."""
    given: Any = {"log": []}
    at = config
    for _ in range(made.randint(1, 5)):
        limited = {**at, "recursion_limit": made.choice((3, 25))}
        with suppress(Failure, Kill, GraphRecursionError, InvalidUpdateError):
            graph.invoke(given, limited, durability=durability)
        at, given = config, None
        live = graph.get_state(config)
        choice = made.random()
        if live.interrupts and choice < 0.6:
            some = made.sample(live.interrupts, made.randint(1, len(live.interrupts)))
            edit = {"update": {"log": ["edit"]}} if made.random() < 0.1 else {}
            given = Command(resume={i.id: "yes" for i in some}, **edit)
        elif choice < 0.75:
            past = made.choice(list(graph.get_state_history(config)))
            if (
                past.next
                and past.metadata.get("source") != "input"
                and "__start__" not in past.next
            ):
                at = past.config
                if made.random() < 0.4:
                    ran = made.choice(past.next)
                    with suppress(InvalidUpdateError):
                        graph.update_state(at, {"log": ["edit"]}, as_node=ran)
                    at = config
        elif choice < 0.9 and not live.next:
            given = {"log": ["again"]}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[tuple[Path, sqlite3.Connection]]:
    path = tmp_path / "checkpoints.sqlite"
    connection = sqlite3.connect(path, check_same_thread=False)
    connection.execute("PRAGMA synchronous = OFF")
    yield path, connection
    connection.close()


def loaded(path: Path) -> dict[str, Chain]:
    source = open_source(path)
    return {ref.namespace: source.chain(ref) for ref in source.threads}


class Truth:
    """What the library says of one namespace."""

    def __init__(self, graph: Any, namespace: str) -> None:
        config = {"configurable": {"thread_id": "t", "checkpoint_ns": namespace}}
        self.states = list(graph.get_state_history(config))
        self.live = graph.get_state(config)

    @property
    def status(self) -> str:
        if not self.live.next:
            return "done"
        if self.live.interrupts:
            return "interrupted"
        unfinished = [task for task in self.live.tasks if task.result is None]
        return "error" if any(task.error for task in unfinished) else "pending"


def standing(state: Any, found: dict[str, str], above: str = "live") -> dict[str, str]:
    """Return the standing of each namespace below a live state, from the library's own nesting."""
    for task in state.tasks:
        if hasattr(task.state, "config"):
            own = task.state.config["configurable"]["checkpoint_ns"]
            found[own] = "finished" if task.result is not None else above
            standing(task.state, found, found[own])
    return found


def questions(found: Any) -> list[Any]:
    return sorted(((i.id, i.value) for i in found), key=repr)


def told_task(task: Task) -> Any:
    errors = tuple(e.message for e in task.errors)
    own = task.id if task.writes else ""
    return own, task.node, questions(task.interrupts), errors, result(task)


def true_task(task: Any, with_rows: set[str]) -> Any:
    errors = (task.error,) if task.error else ()
    own = task.id if task.id in with_rows else ""
    return own, task.name, questions(task.interrupts), errors, task.result


def compare_states(
    truth: Truth, chain: Chain, *, matched: bool = True, values: bool = True
) -> None:
    """Hold each checkpoint against the library's history.

    Without ``matched`` the rows could not all be given to tasks: then only what needs no task is
    compared.
    """
    assert len(truth.states) == len(chain.checkpoints)
    by_id = {c.checkpoint_id: c for c in chain.checkpoints}
    for state in truth.states:
        own = by_id[state.config["configurable"]["checkpoint_id"]]
        assert (own.step, own.origin) == (
            state.metadata.get("step"),
            state.metadata.get("source"),
        )
        assert sorted(own.next) == sorted(state.next)
        if values:
            compare_values(state, own, chain.state(own.index))
        assert questions(own.interrupts) == questions(state.interrupts)
        assert sorted(e.message for e in own.errors) == sorted(
            t.error for t in state.tasks if t.error
        )
        if not matched:
            continue
        planned = [t for t in own.tasks if t.kind in ("pull", "push")]
        with_rows = {w.task for w in own.writes}
        assert sorted(map(told_task, planned), key=repr) == sorted(
            (true_task(t, with_rows) for t in state.tasks), key=repr
        )


def rebuilt(chain: Chain) -> bool:
    """Return whether values are made of write rows, whose order only task paths tell."""
    return any(p.keyword in ("rebuilt", "not_rebuilt") for p in chain.problems)


def compare_values(state: Any, own: Checkpoint, found: Any) -> None:
    """Compare values; an update that no step has applied yet is already in the library's."""
    values = {k: v for k, v in found.items() if not k.startswith(INTERNAL)}
    pending = [w.value for w in pending_update(own.writes) if w.channel == "log"]
    if pending:
        values["log"] = [*values.get("log", []), *(x for value in pending for x in value)]
    assert values == {k: v for k, v in state.values.items() if k in values or v != []}


def compare_writers(truth: Truth, chain: Chain) -> None:
    """Hold the writers of a step against the tasks that the library names at its parent."""
    by_id = {c.checkpoint_id: c for c in chain.checkpoints}
    before = {s.config["configurable"]["checkpoint_id"]: s for s in truth.states}
    for state in truth.states:
        if state.metadata.get("source") == "loop" and state.parent_config:
            own = by_id[state.config["configurable"]["checkpoint_id"]]
            parent = before[state.parent_config["configurable"]["checkpoint_id"]]
            assert own.nodes == tuple(sorted({task.name for task in parent.tasks}))


def compare_live(truth: Truth, chain: Chain, standing: str) -> None:
    """Hold the live head against ``get_state``; where nothing waits any more no question is open."""
    assert chain.head is not None
    head = chain.checkpoints[chain.head]
    assert head.checkpoint_id == truth.live.config["configurable"]["checkpoint_id"]
    assert sorted(head.next_live) == sorted(truth.live.next)
    open_ = [i for c in chain.checkpoints for i in c.interrupts if i.open]
    if standing == "live":
        assert head.status == truth.status
        assert questions(open_) == questions(truth.live.interrupts)
    else:
        assert head.status == {"interrupted": "detached"}.get(truth.status, truth.status)
        assert open_ == []


def compare_owners(found: dict[str, Chain]) -> None:
    """Every copy of an open question names one owner: the deepest chain in which it stands.

    A copy may be left open above when its owner has the answer and was stopped before it ended.
    """
    places: dict[str, set[str]] = {}
    owners: dict[str, set[str]] = {}
    for namespace, chain in found.items():
        for asked in (i for c in chain.checkpoints for i in c.interrupts):
            places.setdefault(asked.id, set()).add(namespace)
            if asked.open:
                own = namespace if asked.owner is None else asked.owner
                owners.setdefault(asked.id, set()).add(own)
    for question, own in owners.items():
        assert own == {max(places[question], key=lambda n: n.count("|") + bool(n))}


def compare_standing(chain: Chain, below: dict[str, str]) -> str:
    """Hold a nesting against the library's; return what it is.

    The library gives a subgraph that remembers to the task that would run it next, also when its
    last run was left by a fork.
    """
    if not chain.namespace:
        assert chain.nesting is None
        return "live"
    assert chain.nesting is not None
    standing = chain.nesting.standing
    remembers = any(":" not in part for part in chain.namespace.split("|"))
    if chain.namespace not in below:
        assert standing != "live"
    elif not (remembers and standing == "detached"):
        assert standing == below[chain.namespace]
    return standing


def compare(built: Any, path: Path, connection: sqlite3.Connection, *, sync: bool) -> None:
    found = loaded(path)
    truths = {namespace: Truth(built, namespace) for namespace in found}
    below = standing(built.get_state({"configurable": {"thread_id": "t"}}, subgraphs=True), {})
    for erase in (False, True):
        if erase:
            connection.execute("UPDATE writes SET task_path = ''")
            connection.commit()
            found = loaded(path)
        for namespace, chain in found.items():
            truth = truths[namespace]
            compare_states(truth, chain, values=not erase or not rebuilt(chain))
            if sync:
                compare_writers(truth, chain)
            compare_live(truth, chain, compare_standing(chain, below))
        compare_owners(found)


def seeds(normal: int, slow: int) -> list[Any]:
    return [*range(normal), *(pytest.param(n, marks=pytest.mark.slow) for n in range(normal, slow))]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", seeds(NORMAL, SLOW))
def test_a_random_graph_is_read_as_the_library_reads_it(store: Any, seed: int) -> None:
    made = random.Random(seed)
    path, connection = store
    built = graph(made, SqliteSaver(connection))
    drive(made, built, {"configurable": {"thread_id": "t"}}, "sync")
    compare(built, path, connection, sync=True)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("durability", ["async", "exit"])
@pytest.mark.parametrize("seed", seeds(3, 75))
def test_a_random_graph_that_saves_late_is_read_as_the_library_reads_it(
    store: Any, seed: int, durability: str
) -> None:
    """Writers are left out: a step that was not saved alone has those of several steps."""
    made = random.Random(seed + 1_004)
    path, connection = store
    built = graph(made, SqliteSaver(connection))
    drive(made, built, {"configurable": {"thread_id": "t"}}, durability)
    compare(built, path, connection, sync=False)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", seeds(6, 60))
def test_where_no_task_id_can_be_told_what_needs_none_is_still_right(
    store: Any, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    made = random.Random(seed + 2_000)
    path, connection = store
    built = graph(made, SqliteSaver(connection))
    drive(made, built, {"configurable": {"thread_id": "t"}}, "sync")
    truths = {namespace: Truth(built, namespace) for namespace in loaded(path)}
    for module in (attach, triggers):
        monkeypatch.setattr(module, "task_id", lambda *words, **more: None)
    for namespace, chain in loaded(path).items():
        compare_states(truths[namespace], chain)
        compare_writers(truths[namespace], chain)
    connection.execute("UPDATE writes SET task_path = ''")
    connection.commit()
    for namespace, chain in loaded(path).items():
        compare_states(truths[namespace], chain, matched=False, values=not rebuilt(chain))
        compare_writers(truths[namespace], chain)
        for checkpoint in chain.checkpoints:
            told = [w for task in checkpoint.tasks for w in task.writes]
            callers = {NULL_TASK, *update_tasks(checkpoint.checkpoint_id)}
            assert [w for w in checkpoint.writes if w not in told and w.task not in callers] == []
