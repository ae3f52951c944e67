"""Make checkpoints.sqlite with LangGraph itself: three quotes at once, one supplier is down.

``python make.py [FILE]`` writes the store anew. Clock and random numbers are fixed and nothing runs
in parallel, so that the same releases of langgraph and langgraph-checkpoint-sqlite store the same
rows each time. Two things are wrong in the run, as in many a real one: a supplier fails inside a
subgraph, and ``check_stock`` changes a list in place that it does not return.
"""

import operator
import random
import sqlite3
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, TypedDict
from unittest.mock import patch

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

THREAD = {"configurable": {"thread_id": "restock-204"}, "max_concurrency": 1}
SUPPLIERS = ("Aldo", "Brink", "Corso")


class Restock(TypedDict, total=False):
    """What the graph keeps of an order for new stock."""

    article: str
    needed: int
    notes: list[str]
    quotes: Annotated[list[dict[str, Any]], operator.add]
    order: str


class Quote(TypedDict, total=False):
    """What the subgraph that asks one supplier keeps."""

    article: str
    needed: int
    supplier: str
    offer: dict[str, Any]
    quotes: Annotated[list[dict[str, Any]], operator.add]


class Clock:
    """Time that advances by 250 ms each time it is asked for."""

    def __init__(self) -> None:
        self._now = datetime(2026, 11, 4, 6, 30, tzinfo=UTC)

    def now(self, _: Any = None) -> datetime:
        self._now += timedelta(milliseconds=250)
        return self._now

    def time_ns(self) -> int:
        return (
            int((self._now - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(microseconds=1)) * 1000
        )


def read_request(state: Restock) -> dict[str, Any]:
    return {"needed": 40, "notes": ["wanted by Friday"]}


def check_stock(state: Restock) -> dict[str, Any]:
    state["notes"].append("12 left on the shelf")
    return {"needed": state["needed"] - 12}


def ask_supplier(state: Quote) -> dict[str, Any]:
    if state["supplier"] == "Corso":
        raise ConnectionError("quote service of Corso: 503 after 3 tries")
    price = {"Aldo": "3.10", "Brink": "2.95"}[state["supplier"]]
    return {"offer": {"supplier": state["supplier"], "pieces": state["needed"], "price": price}}


def hand_over(state: Quote) -> dict[str, Any]:
    return {"quotes": [state["offer"]]}


def place_order(state: Restock) -> dict[str, Any]:
    best = min(state["quotes"], key=lambda quote: quote["price"])
    return {"order": f"{best['pieces']} × {state['article']} at {best['supplier']}"}


def to_suppliers(state: Restock) -> list[Send]:
    given = {"article": state["article"], "needed": state["needed"]}
    return [Send("supplier", {**given, "supplier": name}) for name in SUPPLIERS]


def build(saver: SqliteSaver) -> Any:
    quote = StateGraph(Quote)
    quote.add_node("ask_supplier", ask_supplier)
    quote.add_node("hand_over", hand_over)
    quote.add_edge(START, "ask_supplier")
    quote.add_edge("ask_supplier", "hand_over")
    quote.add_edge("hand_over", END)
    graph = StateGraph(Restock)
    for node in (read_request, check_stock, place_order):
        graph.add_node(node.__name__, node)
    graph.add_node("supplier", quote.compile())
    graph.add_edge(START, "read_request")
    graph.add_edge("read_request", "check_stock")
    graph.add_conditional_edges("check_stock", to_suppliers, ["supplier"])
    graph.add_edge("supplier", "place_order")
    graph.add_edge("place_order", END)
    return graph.compile(checkpointer=saver)


def run(graph: Any) -> None:
    try:
        graph.invoke({"article": "kettle K-7"}, THREAD, durability="sync")
    except ConnectionError:
        return
    raise AssertionError("Corso answered")


def make(file: Path) -> None:
    for old in (file, *(file.with_name(file.name + tail) for tail in ("-wal", "-shm"))):
        old.unlink(missing_ok=True)
    clock = Clock()
    random.seed(204)
    connection = sqlite3.connect(file, check_same_thread=False)
    with (
        patch("langgraph.checkpoint.base.id.time", SimpleNamespace(time_ns=clock.time_ns)),
        patch("langgraph.pregel._checkpoint.datetime", clock),
    ):
        run(build(SqliteSaver(connection)))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


if __name__ == "__main__":
    target = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("checkpoints.sqlite")
    make(Path(target))
