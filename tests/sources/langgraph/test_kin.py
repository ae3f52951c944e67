"""What the namespaces of a thread share: each chain above and below is told once."""

import os
import sqlite3
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, Send, interrupt

from viewer.chain import Chain
from viewer.sources import open_source
from viewer.sources.langgraph import nesting
from viewer.sources.langgraph.sqlite_rows import SqliteRows

CONFIG: Any = {"configurable": {"thread_id": "t"}}
CHILDREN, LEVELS = 12, 8


def ask(state: Any) -> Any:
    return {"messages": [("user", str(interrupt("q")))]}


def plan(state: Any) -> Any:
    return {}


def many(state: Any) -> Any:
    return [Send("child", {"messages": [("user", str(i))]}) for i in range(CHILDREN)]


def flat() -> Any:
    child = StateGraph(MessagesState).add_node("ask", ask).add_edge(START, "ask").compile()
    graph = StateGraph(MessagesState).add_node("plan", plan).add_node("child", child)
    return graph.add_edge(START, "plan").add_conditional_edges("plan", many)


def deep() -> Any:
    graph = StateGraph(MessagesState).add_node("ask", ask).add_edge(START, "ask")
    for _ in range(LEVELS):
        inner = graph.compile()
        graph = StateGraph(MessagesState).add_node("n", inner).add_edge(START, "n")
    return graph


def ran(path: Path, graph: Any, given: Any) -> None:
    connection = sqlite3.connect(path, check_same_thread=False)
    graph.compile(checkpointer=SqliteSaver(connection)).invoke(given, CONFIG)
    connection.close()
    settle(path)


def settle(path: Path, ago: int = 60) -> None:
    seen = path.stat()
    os.utime(path, (seen.st_atime - ago, seen.st_mtime - ago))


def all_chains(source: Any) -> dict[str, Chain]:
    return {ref.namespace: source.chain(ref) for ref in source.threads}


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    counts: Counter[str] = Counter()

    def count(owner: Any, name: str) -> None:
        real: Callable[..., Any] = getattr(owner, name)

        def counting(*given: Any, **named: Any) -> Any:
            counts[name] += 1
            return real(*given, **named)

        monkeypatch.setattr(owner, name, counting)

    count(nesting, "facts")
    count(SqliteRows, "interrupts")
    count(SqliteRows, "checkpoint")
    return counts


def test_a_parent_s_step_is_told_once_for_all_namespaces_it_started(
    tmp_path: Path, counted: Counter[str]
) -> None:
    path = tmp_path / "flat.sqlite"
    ran(path, flat(), {"messages": []})
    found = all_chains(open_source(path))
    assert len(found) == CHILDREN + 1
    own = [chain.nesting for name, chain in found.items() if name]
    assert {n and n.standing for n in own} == {"live"}
    assert len({n and n.task for n in own}) == CHILDREN
    assert counted["facts"] == 1
    assert counted["checkpoint"] <= 2


def test_the_rows_of_each_nested_chain_are_asked_once_and_the_deepest_first(
    tmp_path: Path, counted: Counter[str]
) -> None:
    path = tmp_path / "deep.sqlite"
    ran(path, deep(), {"messages": []})
    found = all_chains(open_source(path))
    deepest = max(found, key=lambda name: name.count("|"))
    assert len(found) == LEVELS + 1
    owners = {i.owner for c in found.values() for at in c.checkpoints for i in at.interrupts}
    assert owners == {deepest, None}
    assert counted["interrupts"] == 1
    assert counted["facts"] == LEVELS
    assert counted["checkpoint"] <= 3 * LEVELS


@pytest.mark.parametrize("ago", [pytest.param(60, id="later"), pytest.param(0, id="just now")])
def test_what_was_told_is_told_anew_once_the_store_has_changed(tmp_path: Path, ago: int) -> None:
    path = tmp_path / "flat.sqlite"
    ran(path, flat(), {"messages": []})
    source = open_source(path)
    assert {c.nesting and c.nesting.standing for c in all_chains(source).values()} == {None, "live"}
    connection = sqlite3.connect(path, check_same_thread=False)
    app = flat().compile(checkpointer=SqliteSaver(connection))
    questions = app.get_state(CONFIG).interrupts
    app.invoke(Command(resume={question.id: "a" for question in questions}), CONFIG)
    connection.close()
    settle(path, ago // 2)
    now = {c.nesting and c.nesting.standing for c in all_chains(source).values()}
    assert now == {None, "finished"}
