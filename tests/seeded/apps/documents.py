"""Invoices from scans: load, read, extract, check (once more where needed), post, archive."""

import operator
import os
from decimal import Decimal
from typing import Annotated, Any, TypedDict

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import RetryPolicy

BUGS = ("posted_twice", "killed_posting", "password_kept")
THREAD = "scan-00917"
PAGES = ["Nordlicht Druck  Invoice N-4471", "Net 1,050.42  VAT 199.58  Total 1,250.00 EUR"]
RETRY = RetryPolicy(
    initial_interval=0.01, jitter=False, max_attempts=3, retry_on=ConnectionResetError
)


class Scan(TypedDict, total=False):
    """The state of one scanned invoice."""

    path: str
    archive: dict[str, str]
    pages: list[str]
    text: str
    fields: dict[str, Any]
    attempts: int
    complaint: str | None
    postings: Annotated[list[dict[str, Any]], operator.add]
    status: str


def build(saver: BaseCheckpointSaver[str], bug: str | None) -> Any:
    ledger: list[dict[str, Any]] = []
    calls: list[str] = []

    def load(state: Scan) -> dict[str, Any]:
        archive = {"host": "archive.company.example", "folder": "/2030/03"}
        if bug == "password_kept":
            archive |= {"user": "scan-writer", "password": "kestrel-Harbour-52"}
        return {"pages": [f"{state['path']}#1", f"{state['path']}#2"], "archive": archive}

    def read(state: Scan) -> dict[str, Any]:
        return {"text": "\n".join(PAGES)}

    def extract(state: Scan) -> dict[str, Any]:
        fields: dict[str, Any] = {"number": "N-4471", "net": Decimal("1050.42")}
        if state["complaint"]:
            fields["total"] = Decimal("1250.00")
        return {"fields": fields, "attempts": state["attempts"] + 1}

    def check(state: Scan) -> dict[str, Any]:
        return {"complaint": None if "total" in state["fields"] else "total is missing"}

    def post(state: Scan) -> dict[str, Any]:
        number = state["fields"]["number"]
        calls.append(number)
        known = {line["number"] for line in ledger}
        if bug == "posted_twice" or number not in known:
            entry = {
                "entry": f"L-{9001 + len(ledger)}",
                "number": number,
                "amount": state["fields"]["total"],
            }
            ledger.append(entry)
        if bug == "killed_posting":
            os._exit(137)
        if len(calls) == 1:
            raise ConnectionResetError("the ledger closed the connection before its answer")
        return {"postings": list(ledger)}

    def file_away(state: Scan) -> dict[str, Any]:
        return {"status": "archived"}

    graph = StateGraph(Scan)
    graph.add_node("load", load)
    graph.add_node("read", read, retry_policy=RETRY)
    graph.add_node("extract", extract)
    graph.add_node("check", check)
    graph.add_node("post", post, retry_policy=RETRY)
    graph.add_node("file_away", file_away)
    graph.add_edge(START, "load")
    graph.add_edge("load", "read")
    graph.add_edge("read", "extract")
    graph.add_edge("extract", "check")
    graph.add_conditional_edges(
        "check", lambda state: "extract" if state["complaint"] else "post", ["extract", "post"]
    )
    graph.add_edge("post", "file_away")
    graph.add_edge("file_away", END)
    return graph.compile(checkpointer=saver)


def run(saver: BaseCheckpointSaver[str], bug: str | None) -> None:
    """Post one scanned invoice. One fault ends this process: run that one in its own."""
    build(saver, bug).invoke(
        {"path": "scans/00917.tif", "attempts": 0, "complaint": None, "postings": []},
        {"configurable": {"thread_id": THREAD}},
        durability="sync",
    )
