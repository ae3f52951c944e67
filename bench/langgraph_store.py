"""B12: a LangGraph thread of growing messages, read by us and by LangGraph itself.

The store is made by the real library from fixed texts. Every state is compared with LangGraph's
before anything is timed.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from workloads import WORK

from viewer.sources import open_source

NODES = ("bot", "check", "note", "count", "done")
TURNS = {"2002": 286, "203": 29}
"""Name → turns; a turn is seven checkpoints and two messages."""
CONFIG: Any = {"configurable": {"thread_id": "long"}}


class Found(NamedTuple):
    """One measured number beside its bar."""

    workload: str
    what: str
    value: float
    bar: float
    note: str = ""


class State(MessagesState):
    """Messages, and a number that every turn raises."""

    n: int


def _graph(saver: SqliteSaver) -> Any:
    def bot(state: State) -> dict[str, Any]:
        n = state["n"]
        usage = {"input_tokens": 100 + n, "output_tokens": 20, "total_tokens": 120 + n}
        text = f"answer {n} " + "lorem ipsum " * 10
        return {"messages": [AIMessage(text, id=f"ai{n}", usage_metadata=usage)], "n": n + 1}

    builder = StateGraph(State)
    before = START
    for name in NODES:
        builder.add_node(name, bot if name == "bot" else lambda state: None)
        builder.add_edge(before, name)
        before = name
    builder.add_edge(before, END)
    return builder.compile(checkpointer=saver)


@contextmanager
def _store(path: Path) -> Iterator[Any]:
    connection = sqlite3.connect(path, check_same_thread=False)
    try:
        yield _graph(SqliteSaver(connection))
    finally:
        connection.close()


def store_file(name: str) -> Path:
    """Return the SQLite file of a workload in `TURNS`, made when it is missing."""
    path = WORK / f"langgraph_{name}.sqlite"
    if not path.exists():
        WORK.mkdir(exist_ok=True)
        part = path.with_suffix(".part")
        part.unlink(missing_ok=True)
        with _store(part) as graph:
            for turn in range(TURNS[name]):
                given: dict[str, Any] = {
                    "messages": [HumanMessage(f"question {turn}", id=f"h{turn}")]
                }
                graph.invoke(given | ({} if turn else {"n": 0}), CONFIG, durability="sync")
        part.rename(path)
    return path


def listing(path: Path) -> list[tuple[Any, ...]]:
    """Return what a list of the thread's checkpoints shows, from the file on."""
    source = open_source(path)
    return [
        (c.checkpoint_id, c.parent_id, c.step, c.origin, c.created_at, c.status, c.next, c.nodes)
        for ref in source.threads
        for c in source.chain(ref).checkpoints
    ]


def states(path: Path) -> list[Any]:
    """Return every state of the thread, from the file on."""
    source = open_source(path)
    return [
        chain.state(c.index)
        for ref in source.threads
        for chain in (source.chain(ref),)
        for c in chain.checkpoints
    ]


def failures(path: Path, snapshots: list[Any]) -> list[str]:
    """Return where our list and states are not LangGraph's, in words; newest checkpoint last."""
    told = list(reversed(snapshots))
    rows, own = listing(path), states(path)
    if len(rows) != len(told) or len(own) != len(told):
        return [f"{len(rows)} checkpoints and {len(own)} states, LangGraph has {len(told)}"]
    failed = []
    for row, state, snapshot in zip(rows, own, told, strict=True):
        at = snapshot.config["configurable"]["checkpoint_id"]
        if (row[0], row[2], row[6]) != (at, snapshot.metadata["step"], snapshot.next):
            failed.append(f"{at}: listed as {row}")
        messages = [message["value"] for message in state.get("messages", ())]
        if messages != [message.model_dump() for message in snapshot.values["messages"]]:
            failed.append(f"{at}: messages differ")
        if state.get("n") != snapshot.values.get("n"):
            failed.append(f"{at}: n differs")
    return failed


def measured(clock: Callable[[Callable[[], Any]], float], quick: bool, rounds: int) -> list[Found]:
    """Return our times as parts of LangGraph's ``get_state_history``: medians over the rounds."""
    name = "203" if quick else "2002"
    path = store_file(name)
    with _store(path) as graph:
        snapshots = list(graph.get_state_history(CONFIG))
        size = f"{len(snapshots)} checkpoints, {path.stat().st_size:,} bytes"
        wrong = failures(path, snapshots)
        found = [
            Found(name, "checkpoints that differ", len(wrong), 0, "; ".join(wrong[:3]) or size)
        ]
        if wrong:
            return found
        del snapshots
        ours: dict[str, list[float]] = {"listing": [], "states": []}
        for _ in range(rounds):
            base = clock(lambda: list(graph.get_state_history(CONFIG)) and None)
            for what, work in (("listing", listing), ("states", states)):
                ours[what].append(clock(lambda work=work: work(path) and None) / base)
    # LangGraph's time grows with the square of the thread; a short one is held to be no slower
    bars = {"listing": 1.0, "states": 1.0} if quick else {"listing": 1 / 20, "states": 1 / 5}
    for what, bar in bars.items():
        middle = sorted(ours[what])[len(ours[what]) // 2]
        found.append(Found(name, f"{what} ÷ get_state_history", middle, bar))
    return found
