"""Paying an invoice after a person has confirmed the amount and the bank account."""

import operator
from decimal import Decimal
from typing import Annotated, Any, TypedDict

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

BUGS = ("answer_reused", "answered_twice", "asks_again")
THREADS = ("invoice-881", "invoice-882")
INVOICES = {
    "invoice-881": {"vendor": "Nordlicht Druck", "amount": Decimal("1250.00"), "order": "PO-118"},
    "invoice-882": {"vendor": "Weber Metall", "amount": Decimal("318.40"), "order": "PO-121"},
}
ANSWERS = {
    "invoice-881": ("approve 1250.00", "account DE-7731"),
    "invoice-882": ("approve 318.40", "account DE-2094"),
}


class Payment(TypedDict, total=False):
    """The state of one payment."""

    invoice: dict[str, Any]
    due: str
    amount_answer: str
    account_answer: str
    payments: Annotated[list[dict[str, Any]], operator.add]
    notified: list[str]


def build(saver: BaseCheckpointSaver[str], bug: str | None) -> Any:
    def prepare(state: Payment) -> dict[str, Any]:
        return {"due": "2030-04-01"}

    def confirm(state: Payment) -> dict[str, Any]:
        invoice = state["invoice"]
        amount = interrupt({"question": f"Pay {invoice['amount']} EUR to {invoice['vendor']}?"})
        while bug == "asks_again" and amount != "approve":
            amount = interrupt({"question": f"Pay {invoice['amount']} EUR to {invoice['vendor']}?"})
        account = interrupt({"question": f"Which bank account has {invoice['vendor']}?"})
        return {"amount_answer": amount, "account_answer": account}

    def pay(state: Payment) -> dict[str, Any]:
        if not state["amount_answer"].startswith("approve"):
            return {}
        payment = {
            "vendor": state["invoice"]["vendor"],
            "amount": state["invoice"]["amount"],
            "to": state["account_answer"].removeprefix("account "),
        }
        return {"payments": [payment]}

    def notify(state: Payment) -> dict[str, Any]:
        return {"notified": ["books@company.example"]}

    graph = StateGraph(Payment)
    for node in (prepare, confirm, pay, notify):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "prepare")
    graph.add_edge("prepare", "confirm")
    graph.add_edge("confirm", "pay")
    graph.add_edge("pay", "notify")
    graph.add_edge("notify", END)
    return graph.compile(checkpointer=saver)


def run(saver: BaseCheckpointSaver[str], bug: str | None) -> None:
    """Pay two invoices; the fault befalls the first."""
    for thread in THREADS:
        fault = bug if thread == THREADS[0] else None
        graph = build(saver, fault)
        config: dict[str, Any] = {"configurable": {"thread_id": thread}}
        first, second = ANSWERS[thread]
        graph.invoke({"invoice": INVOICES[thread], "payments": []}, config, durability="sync")
        waiting = graph.get_state(config).config
        graph.invoke(Command(resume=first), config, durability="sync")
        if fault == "answer_reused":
            # The worker is restarted and continues what it finds.
            graph.invoke(None, config, durability="sync")
        elif fault == "asks_again":
            for _ in range(3):
                graph.invoke(Command(resume=first), config, durability="sync")
        else:
            graph.invoke(Command(resume=second), config, durability="sync")
        if fault == "answered_twice":
            # A second browser tab, opened before the first answer, answers the same question.
            graph.invoke(Command(resume="reject"), waiting, durability="sync")
