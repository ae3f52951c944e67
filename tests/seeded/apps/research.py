"""A research desk: plan questions, search each by Send, read papers, write, review, publish."""

import operator
from typing import Annotated, Any, TypedDict

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

BUGS = ("dropped_question", "review_repeats", "early_report")
THREAD = "brief-heat-pumps"
QUESTIONS = [
    {"id": "q1", "source": "energy-agency.example", "kind": "web", "text": "Installed units 2029"},
    {"id": "q2", "source": "retail-prices.example", "kind": "web", "text": "Price of a 9 kW unit"},
    {"id": "q3", "source": "energy-agency.example", "kind": "web", "text": "Subsidy per household"},
    {"id": "q4", "source": "10.1000/hp.2031", "kind": "paper", "text": "Seasonal performance"},
    {"id": "q5", "source": "10.1000/hp.1177", "kind": "paper", "text": "Lifetime of compressors"},
]
ANSWERS = {
    "q1": "1.92 million units",
    "q2": "11,400 EUR",
    "q3": "6,000 EUR",
    "q4": "3.4 measured in 212 homes",
    "q5": "17 years median",
}


class Desk(TypedDict, total=False):
    """The state of one brief."""

    topic: str
    questions: list[dict[str, str]]
    papers: Annotated[list[dict[str, str]], operator.add]
    findings: Annotated[list[dict[str, Any]], operator.add]
    report: str
    sources_cited: int
    verified: list[str]
    published: bool


def finding(question: dict[str, str]) -> dict[str, Any]:
    """Return the answer to one question with its source."""
    return {
        "question": question["id"],
        "source": question["source"],
        "answer": ANSWERS[question["id"]],
    }


def build(saver: BaseCheckpointSaver[str], bug: str | None) -> Any:
    def plan(state: Desk) -> dict[str, Any]:
        return {"questions": QUESTIONS}

    def fan_out(state: Desk) -> list[Send]:
        questions = state["questions"]
        if bug == "dropped_question":
            questions = list({question["source"]: question for question in questions}.values())
        return [
            Send("search_web" if question["kind"] == "web" else "fetch_paper", question)
            for question in questions
        ]

    def search_web(question: dict[str, str]) -> dict[str, Any]:
        return {"findings": [finding(question)]}

    def fetch_paper(question: dict[str, str]) -> dict[str, Any]:
        return {"papers": [{**question, "pages": "12"}]}

    def read_papers(state: Desk) -> dict[str, Any]:
        return {"findings": [finding(paper) for paper in state["papers"]]}

    def write(state: Desk) -> dict[str, Any]:
        if state.get("report"):
            return {}
        lines = [f"{found['answer']} ({found['source']})" for found in state["findings"]]
        return {"report": "; ".join(lines) + ".", "sources_cited": len(lines)}

    def review(state: Desk) -> dict[str, Any]:
        if bug == "review_repeats":
            checked = [{**found, "verified": True} for found in state["findings"]]
            return {"findings": checked}
        return {"verified": [found["question"] for found in state["findings"]]}

    def publish(state: Desk) -> dict[str, Any]:
        return {"published": True}

    graph = StateGraph(Desk)
    graph.add_node("plan", plan)
    graph.add_node("search_web", search_web)
    graph.add_node("fetch_paper", fetch_paper)
    graph.add_node("read_papers", read_papers)
    graph.add_node("write", write, defer=bug != "early_report")
    graph.add_node("review", review)
    graph.add_node("publish", publish)
    graph.add_edge(START, "plan")
    graph.add_conditional_edges("plan", fan_out, ["search_web", "fetch_paper"])
    graph.add_edge("search_web", "write")
    graph.add_edge("fetch_paper", "read_papers")
    graph.add_edge("read_papers", "write")
    graph.add_edge("write", "review")
    graph.add_edge("review", "publish")
    graph.add_edge("publish", END)
    return graph.compile(checkpointer=saver)


def run(saver: BaseCheckpointSaver[str], bug: str | None) -> None:
    """Write one brief."""
    build(saver, bug).invoke(
        {"topic": "Heat pumps in old houses", "papers": [], "findings": []},
        {"configurable": {"thread_id": THREAD}},
        durability="sync",
    )
