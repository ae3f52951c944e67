"""What the stores of the newest release hold: each function runs threads and returns their graphs."""

import operator
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any, TypedDict

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from shop import Item, Order, Ticket

Ran = list[tuple[str, Any]]


class State(TypedDict, total=False):
    """The state of every graph here; ``log`` is appended to."""

    log: Annotated[list[str], operator.add]
    n: int
    answer: Any
    held: Any


def thread(name: str) -> Any:
    """Return the config of a thread."""
    return {"configurable": {"thread_id": name}}


def says(text: str) -> Callable[[State], State]:
    """Return a node that logs ``text``."""
    return lambda state: {"log": [text]}


def asks(question: str) -> Callable[[State], State]:
    """Return a node that stops to ask, and logs the answer."""

    def node(state: State) -> State:
        answer = interrupt({"ask": question, "n": state.get("n", 0)})
        return {"log": [f"{question}: {answer}"], "answer": answer}

    return node


def line(*nodes: tuple[str, Any]) -> StateGraph:
    """Return a graph that runs its nodes one after the other."""
    graph = StateGraph(State)
    before = START
    for name, node in nodes:
        graph.add_node(name, node)
        graph.add_edge(before, name)
        before = name
    graph.add_edge(before, END)
    return graph


def subgraphs(saver: Any) -> Ran:
    """Three graphs deep; then two subgraphs side by side; then one that keeps its own thread."""
    bottom = line(("deep", asks("confirm?"))).compile()

    def nested(**options: Any) -> Any:
        middle = line(("first", says("first")), ("nest", bottom), ("last", says("last")))
        child = middle.compile(**options)
        top = line(("pre", says("pre")), ("child", child), ("post", says("post")))
        return top.compile(checkpointer=saver)

    graph = nested()
    graph.invoke({"log": []}, thread("sub-waiting"))
    graph.invoke({"log": []}, thread("sub-done"))
    graph.invoke(Command(resume="yes"), thread("sub-done"))

    beside = StateGraph(State)
    for name in ("left", "right"):
        beside.add_node(name, line((f"{name}_ask", asks(f"{name}?"))).compile())
        beside.add_edge(START, name)
    beside.add_node("both", says("both"))
    beside.add_edge(["left", "right"], "both")
    pair = beside.compile(checkpointer=saver)
    pair.invoke({"log": []}, thread("sub-pair"))
    asked = {one.value["ask"]: one.id for one in pair.get_state(thread("sub-pair")).interrupts}
    pair.invoke(Command(resume={asked["left?"]: "L"}), thread("sub-pair"))

    keeps = nested(checkpointer=True)
    keeps.invoke({"log": []}, thread("sub-persist"))
    for given in (Command(resume="one"), {"log": []}, Command(resume="two")):
        keeps.invoke(given, thread("sub-persist"))
    return [("sub-waiting", graph), ("sub-done", graph), ("sub-pair", pair), ("sub-persist", keeps)]


def pickled(saver: Any) -> Ran:
    """A value without a MessagePack form: from its step on the saver stores pickles."""
    graph = line(
        ("issue", lambda state: {"held": Ticket(7), "log": ["issue"]}),
        ("price", lambda state: {"answer": Item("tea", Decimal("4.50")), "log": ["price"]}),
        ("close", says("close")),
    ).compile(checkpointer=saver)
    graph.invoke({"n": 1}, thread("pickled"))
    return [("pickled", graph)]


def functional(saver: Any) -> Ran:
    """Workflows as functions: results of calls, a value kept for the next turn, a question."""

    @task
    def tenfold(n: int) -> int:
        return n * 10

    @task
    def ask(question: str) -> Any:
        return interrupt({"ask": question})

    @entrypoint(checkpointer=saver)
    def workflow(given: dict[str, Any], *, previous: Any = None) -> Any:
        results = [call.result() for call in [tenfold(n) for n in given["of"]]]
        if given.get("ask"):
            results.append(ask("right?").result())
        return entrypoint.final(value=results, save={"results": results, "before": previous})

    workflow.invoke({"of": [1, 2]}, thread("func-done"))
    workflow.invoke({"of": [3]}, thread("func-done"))
    workflow.invoke({"of": [5, 6], "ask": True}, thread("func-waiting"))
    workflow.invoke({"of": [7], "ask": True}, thread("func-answered"))
    workflow.invoke(Command(resume="yes"), thread("func-answered"))
    return [(name, workflow) for name in ("func-done", "func-waiting", "func-answered")]


class Scripted(GenericFakeChatModel):
    """A model that says what it is told to, whatever tools it is given."""

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        """Return the same model: its answers are written already."""
        return self


@tool
def refund(order: str, cents: int) -> str:
    """Pay money back."""
    return f"refunded {cents} on {order}"


@tool
def stock(sku: str) -> str:
    """Say how many are there."""
    return f"{sku}: 12"


def clerk(saver: Any, *answers: AIMessage) -> Any:
    """Return an agent that needs a person's word before it refunds."""
    return create_agent(
        Scripted(messages=iter(answers)),
        [refund, stock],
        middleware=[HumanInTheLoopMiddleware(interrupt_on={"refund": True, "stock": False})],
        checkpointer=saver,
        system_prompt="You are a clerk.",
    )


def wish(call: str, cents: int) -> AIMessage:
    """Return the model's wish to look and to refund, in one message."""
    calls = [
        {"name": "stock", "args": {"sku": "tea"}, "id": f"{call}-look"},
        {"name": "refund", "args": {"order": "A-1", "cents": cents}, "id": call},
    ]
    usage = {"input_tokens": 120, "output_tokens": 18, "total_tokens": 138}
    return AIMessage("", tool_calls=calls, usage_metadata=usage, id=f"ai-{call}")


def decided(saver: Any, name: str, decision: dict[str, Any]) -> tuple[str, Any]:
    """Run an agent into its question and answer it."""
    graph = clerk(saver, wish(f"c-{name}", 500), AIMessage("Done.", id=f"end-{name}"))
    graph.invoke({"messages": [HumanMessage("Refund me", id=f"h-{name}")]}, thread(name))
    graph.invoke(Command(resume={"decisions": [decision]}), thread(name))
    return name, graph


def hitl(saver: Any) -> Ran:
    """Proposals of an agent that wait, are approved, edited and rejected; an answer with an update."""
    waiting = clerk(saver, wish("c-w", 900))
    waiting.invoke({"messages": [HumanMessage("Refund me", id="h-w")]}, thread("hitl-waiting"))
    edited = {"name": "refund", "args": {"order": "A-1", "cents": 100}}
    ran = [
        ("hitl-waiting", waiting),
        decided(saver, "hitl-approved", {"type": "approve"}),
        decided(saver, "hitl-edited", {"type": "edit", "edited_action": edited}),
        decided(saver, "hitl-rejected", {"type": "reject", "message": "too much"}),
    ]
    graph = line(
        ("draft", says("draft")), ("approve", asks("pay?")), ("pay", says("paid"))
    ).compile(checkpointer=saver)
    graph.invoke({"n": 3, "log": []}, thread("resume-update"))
    answer = Command(
        resume="yes", update={"log": ["by hand"], "held": Order(order_id="B", items=1)}
    )
    graph.invoke(answer, thread("resume-update"))
    return [*ran, ("resume-update", graph)]


def live(saver: Any) -> Ran:
    """A thread that waits: its store is copied while the program still holds it open."""
    graph = line(("draft", says("draft")), ("approve", asks("pay?"))).compile(checkpointer=saver)
    graph.invoke({"n": 250, "log": []}, thread("w1"))
    return [("w1", graph)]


SCENARIOS: dict[str, Callable[[Any], Ran]] = {
    "04_subgraphs": subgraphs,
    "08_pickle": pickled,
    "11_functional": functional,
    "15_hitl": hitl,
    "20_wal_live": live,
}
PICKLES = ("08_pickle",)
"""Made with the saver's fallback to pickle."""
WAL = ("20_wal_live",)
"""Copied with their write-ahead log from a program that still runs; SQLite only."""
