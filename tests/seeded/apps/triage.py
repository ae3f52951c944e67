"""A support desk: take tickets from a queue, classify, route, answer, close."""

import operator
from typing import Annotated, Any, TypedDict

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph

BUGS = ("misspelt_route", "error_as_reply", "joined_credit")
THREAD = "desk-2030-03-14"
TICKETS = [
    {"id": "T-501", "from": "jana@office.example", "text": "Charged twice", "credit": "1500"},
    {"id": "T-502", "from": "omar@mill.example", "text": "Printer shows E42", "credit": "0"},
    {"id": "T-503", "from": "li@garden.example", "text": "Cannot sign in", "credit": "0"},
    {"id": "T-504", "from": "ada@school.example", "text": "Charged for March", "credit": "400"},
]
WORDS = {"Charged": "billing", "Printer": "technical", "sign in": "account"}
RUNBOOK = {"E42": "Open the rear cover and take out the paper that is left."}


class Desk(TypedDict, total=False):
    """The state of one day at the desk."""

    queue: list[dict[str, str]]
    ticket: dict[str, str] | None
    category: str
    reply: str
    replies: Annotated[list[dict[str, str]], operator.add]
    credit_cents: int


def build(saver: BaseCheckpointSaver[str], bug: str | None) -> Any:
    def take(state: Desk) -> dict[str, Any]:
        first, *rest = state["queue"]
        return {"ticket": first, "queue": rest}

    def classify(state: Desk) -> dict[str, Any]:
        text = state["ticket"]["text"]
        return {"category": next(kind for word, kind in WORDS.items() if word in text)}

    def route(state: Desk) -> str:
        desks = {"billing": "billing", "technical": "technical"}
        desks["acount" if bug == "misspelt_route" else "account"] = "account"
        return desks.get(state["category"], "general")

    def billing(state: Desk) -> dict[str, Any]:
        credit = state["ticket"]["credit"]
        if bug == "joined_credit":
            total: Any = f"{state['credit_cents']}{credit}"
        else:
            total = state["credit_cents"] + int(credit)
        return {"credit_cents": total, "reply": f"We credited {credit} cents to your account."}

    def technical(state: Desk) -> dict[str, Any]:
        code = state["ticket"]["text"].split()[-1]
        try:
            reply = RUNBOOK[code.lower() if bug == "error_as_reply" else code]
        except KeyError as problem:
            reply = f"Error: {problem!r}"
        return {"reply": reply}

    def account(state: Desk) -> dict[str, Any]:
        return {"reply": "We sent you a link to choose a new password."}

    def general(state: Desk) -> dict[str, Any]:
        return {"reply": "Thank you for writing. Please see our questions and answers."}

    def close(state: Desk) -> dict[str, Any]:
        ticket = state["ticket"]
        return {"replies": [{"ticket": ticket["id"], "to": ticket["from"], "text": state["reply"]}]}

    graph = StateGraph(Desk)
    for node in (take, classify, billing, technical, account, general, close):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "take")
    graph.add_edge("take", "classify")
    graph.add_conditional_edges("classify", route, ["billing", "technical", "account", "general"])
    for name in ("billing", "technical", "account", "general"):
        graph.add_edge(name, "close")
    graph.add_conditional_edges("close", lambda state: "take" if state["queue"] else END)
    return graph.compile(checkpointer=saver)


def run(saver: BaseCheckpointSaver[str], bug: str | None) -> None:
    """Answer four tickets."""
    build(saver, bug).invoke(
        {"queue": TICKETS, "replies": [], "credit_cents": 250},
        {"configurable": {"thread_id": THREAD}},
        durability="sync",
    )
