"""The graph that `langgraph dev` serves for ``dev_server.py``."""

import operator
from decimal import Decimal
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.config import get_store
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Send, interrupt


class State(TypedDict, total=False):
    """What a run knows."""

    how: str
    log: Annotated[list[str], operator.add]
    messages: Annotated[list[AnyMessage], add_messages]
    price: Decimal
    seen: set[str]
    answer: Any


def plan(state: State) -> State:
    """Write values of several kinds, and one memory."""
    get_store().put(("people", "ada"), "likes", {"drink": "tea", "times": 2})
    return {
        "log": ["plan"],
        "price": Decimal("4.50"),
        "seen": {"a"},
        "messages": [AIMessage("on it", id="m2")],
    }


def ways(state: State) -> Any:
    """Fan out, ask in a subgraph, or fail."""
    if state["how"] == "ask":
        return "ask"
    if state["how"] == "fail":
        return ["fail", "fine"]
    return [Send("work", {"i": number}) for number in range(2)]


def work(task: dict[str, int]) -> State:
    """Do one part of the work."""
    return {"log": [f"work {task['i']}"]}


def fine(state: State) -> State:
    """Succeed beside a task that fails."""
    return {"log": ["fine"]}


def fail(state: State) -> State:
    """Fail, after its sibling has written."""
    import time

    time.sleep(0.5)
    raise ValueError("gateway said 503")


def question(state: State) -> State:
    """Ask a person."""
    answer = interrupt({"pay": "4.50?"})
    return {"log": [f"answered {answer}"], "answer": answer}


inner = StateGraph(State)
inner.add_node("question", question)
inner.add_edge(START, "question")
inner.add_edge("question", END)

builder = StateGraph(State)
builder.add_node("plan", plan)
builder.add_node("work", work)
builder.add_node("fine", fine)
builder.add_node("fail", fail)
builder.add_node("ask", inner.compile())
builder.add_edge(START, "plan")
builder.add_conditional_edges("plan", ways, ["work", "fine", "fail", "ask"])
builder.add_edge("work", END)
graph = builder.compile()
