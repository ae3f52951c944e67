# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "langgraph",
#     "langgraph-checkpoint-sqlite",
#     "langgraph-checkpoint-postgres",
#     "psycopg[binary]",
# ]
# ///
"""Make the stores of whichever LangGraph release is installed, from 0.2.14 on.

    python make_old.py FOLDER/NAME.sqlite [POSTGRES_URI]

The URI has ``{}`` where a database's name stands. `releases.py` runs this in an environment of each
release.
"""

import operator
import sys
import time
from contextlib import suppress
from inspect import signature
from pathlib import Path
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import END, START, StateGraph, add_messages
from langgraph.pregel import Pregel
from stores import to_postgres, to_sqlite

try:
    from langgraph.types import Command, Send, interrupt
except ImportError:  # before 0.2.57
    from langgraph.constants import Send

    interrupt = None


class State(TypedDict, total=False):
    """The state of every graph here; each release since 0.2.14 can declare it."""

    messages: Annotated[list[Any], add_messages]
    res: Annotated[list[Any], operator.add]
    n: int


def says(text: str) -> Any:
    """Return a node that appends ``text``."""
    return lambda state: {"res": [text]}


def chain(saver: Any, config: Any) -> Any:
    """Two nodes in line, two turns, messages of both sides."""
    graph = StateGraph(State)
    graph.add_node("count", lambda state: {"n": (state.get("n") or 0) + 1})
    graph.add_node("bot", lambda state: {"messages": [AIMessage("yes", id=f"ai{state['n']}")]})
    graph.add_edge(START, "count")
    graph.add_edge("count", "bot")
    graph.add_edge("bot", END)
    made = graph.compile(checkpointer=saver)
    for turn in range(2):
        made.invoke({"messages": [HumanMessage(f"turn {turn}", id=f"h{turn}")]}, config)
    return made


def static(saver: Any, config: Any) -> Any:
    """A breakpoint before the second node."""
    graph = StateGraph(State)
    graph.add_node("pre", says("pre"))
    graph.add_node("post", says("post"))
    graph.add_edge(START, "pre")
    graph.add_edge("pre", "post")
    graph.add_edge("post", END)
    made = graph.compile(checkpointer=saver, interrupt_before=["post"])
    made.invoke({"res": []}, config)
    return made


def fan(saver: Any, config: Any) -> Any:
    """A fan of Sends, gathered again."""
    graph = StateGraph(State)
    graph.add_node("plan", says("plan"))
    graph.add_node("work", lambda given: {"res": [given["i"] * 2]})
    graph.add_node("gather", says("gather"))
    graph.add_edge(START, "plan")
    graph.add_conditional_edges("plan", lambda state: [Send("work", {"i": i}) for i in (1, 2)])
    graph.add_edge("work", "gather")
    graph.add_edge("gather", END)
    made = graph.compile(checkpointer=saver)
    made.invoke({"res": []}, config)
    return made


def join(saver: Any, config: Any) -> Any:
    """Two nodes side by side and one that waits for both."""
    graph = StateGraph(State)
    for name in ("a", "b", "both"):
        graph.add_node(name, says(name))
    graph.add_edge(START, "a")
    graph.add_edge(START, "b")
    graph.add_edge(["a", "b"], "both")
    graph.add_edge("both", END)
    made = graph.compile(checkpointer=saver)
    made.invoke({"res": []}, config)
    return made


def crash(saver: Any, config: Any) -> Any:
    """One of two nodes side by side fails, after the other has written."""

    def fails(state: State) -> State:
        time.sleep(0.2)
        raise ValueError("gateway said 503")

    graph = StateGraph(State)
    graph.add_node("fine", says("fine"))
    graph.add_node("r", fails)
    graph.add_edge(START, "fine")
    graph.add_edge(START, "r")
    made = graph.compile(checkpointer=saver)
    with suppress(ValueError):
        made.invoke({"res": []}, config)
    return made


def cond(saver: Any, config: Any) -> Any:
    """A conditional edge, taken to the second of two nodes."""
    graph = StateGraph(State)
    for name in ("ask", "left", "right"):
        graph.add_node(name, says(name))
    graph.add_edge(START, "ask")
    graph.add_conditional_edges("ask", lambda state: "right", ["left", "right"])
    graph.add_edge("left", END)
    graph.add_edge("right", END)
    made = graph.compile(checkpointer=saver)
    made.invoke({"res": []}, config)
    return made


def nested(saver: Any, config: Any) -> Any:
    """A subgraph that pauses before its second node."""
    child = StateGraph(State)
    child.add_node("one", says("one"))
    child.add_node("two", says("two"))
    child.add_edge(START, "one")
    child.add_edge("one", "two")
    child.add_edge("two", END)
    graph = StateGraph(State)
    graph.add_node("child", child.compile(interrupt_before=["two"]))
    graph.add_edge(START, "child")
    graph.add_edge("child", END)
    made = graph.compile(checkpointer=saver)
    made.invoke({"res": []}, config)
    return made


def wait(saver: Any, config: Any) -> Any:
    """A node that asks and waits."""

    def asks(state: State) -> State:
        return {"res": [interrupt({"q": "ok?"})]}

    graph = StateGraph(State)
    graph.add_node("ask", asks)
    graph.add_node("then", says("then"))
    graph.add_edge(START, "ask")
    graph.add_edge("ask", "then")
    graph.add_edge("then", END)
    made = graph.compile(checkpointer=saver)
    made.invoke({"res": []}, config)
    return made


def resumed(saver: Any, config: Any) -> Any:
    """A node that asked and was answered."""
    made = wait(saver, config)
    made.invoke(Command(resume="yes"), config)
    return made


def scenario(saver: Any) -> list[tuple[str, Any]]:
    """Run every thread that the release is able to run."""
    threads = [chain, static, fan, join, crash, cond]
    if "subgraphs" in signature(Pregel.get_state).parameters:  # the release can read its own
        threads.append(nested)
    if interrupt is not None:
        threads += [wait, resumed]
    return [
        (one.__name__, one(saver, {"configurable": {"thread_id": one.__name__}})) for one in threads
    ]


if __name__ == "__main__":
    into = Path(sys.argv[1])
    to_sqlite(into, scenario)
    for uri in sys.argv[2:]:
        to_postgres(into.with_suffix(".pg.sql"), scenario, uri)
