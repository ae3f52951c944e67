"""Make checkpoints.sqlite with LangGraph itself: a question answered, then a fork that asks again.

``python make.py [FILE]`` writes the store anew. Clock and random numbers are fixed, so that the
same releases of langgraph and langgraph-checkpoint-sqlite store the same rows each time.
"""

import random
import sqlite3
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

THREAD = {"configurable": {"thread_id": "refund-A-17"}}
ORDER = "A-17"


class Refund(MessagesState, total=False):
    """What the graph keeps: messages, and the facts that its own code took from tools."""

    order_id: str
    paid: str
    amount: str
    decision: dict[str, Any]
    receipt: str


class Clock:
    """Time that advances by 250 ms each time it is asked for."""

    def __init__(self) -> None:
        self._now = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)

    def now(self, _: Any = None) -> datetime:
        self._now += timedelta(milliseconds=250)
        return self._now

    def time_ns(self) -> int:
        return (
            int((self._now - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(microseconds=1)) * 1000
        )


def usage(given: int, answered: int) -> dict[str, int]:
    return {
        "input_tokens": given,
        "output_tokens": answered,
        "total_tokens": given + answered,
    }


def plan(state: Refund) -> dict[str, Any]:
    call = {"name": "get_order", "args": {"order_id": ORDER}, "id": "call_1"}
    text = "I look the order up first."
    message = AIMessage(text, id="m2", tool_calls=[call], usage_metadata=usage(412, 38))
    return {"messages": [message]}


def look_up(state: Refund) -> dict[str, Any]:
    text = '{"order_id": "A-17", "paid": "40.00", "currency": "EUR", "state": "lost in transit"}'
    answer = ToolMessage(text, id="m3", tool_call_id="call_1", name="get_order")
    return {"messages": [answer], "order_id": ORDER, "paid": "40.00"}


def propose(state: Refund) -> dict[str, Any]:
    text = f"The parcel of order {ORDER} is lost. I propose to refund 40.00 EUR."
    return {
        "messages": [AIMessage(text, id="m4", usage_metadata=usage(655, 51))],
        "amount": "40.00",
    }


def ask(state: Refund) -> dict[str, Any]:
    decision = interrupt(
        {
            "question": f"Refund {state['amount']} EUR for order {state['order_id']}?",
            "order_id": state["order_id"],
            "amount": state["amount"],
        }
    )
    return {"decision": decision}


def pay(state: Refund) -> dict[str, Any]:
    return {"receipt": f"rf-{state['order_id']}-1: {state['amount']} EUR"}


def build(saver: SqliteSaver) -> Any:
    graph = StateGraph(Refund)
    for node in (plan, look_up, propose, ask, pay):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "plan")
    graph.add_edge("plan", "look_up")
    graph.add_edge("look_up", "propose")
    graph.add_edge("propose", "ask")
    graph.add_edge("ask", "pay")
    graph.add_edge("pay", END)
    return graph.compile(checkpointer=saver)


def run(graph: Any) -> None:
    ticket = HumanMessage(f"My order {ORDER} never came. I want my money back.", id="m1")
    graph.invoke({"messages": [ticket]}, THREAD, durability="sync")
    answer = {"approved": True, "by": "mara"}
    graph.invoke(Command(resume=answer), THREAD, durability="sync")
    proposed = next(s for s in graph.get_state_history(THREAD) if s.next == ("ask",))
    forked = graph.update_state(proposed.config, {"amount": "45.00"}, as_node="propose")
    graph.invoke(None, forked, durability="sync")


def make(file: Path) -> None:
    for old in (file, *(file.with_name(file.name + tail) for tail in ("-wal", "-shm"))):
        old.unlink(missing_ok=True)
    clock = Clock()
    random.seed(17)
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
