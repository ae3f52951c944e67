"""Looking a company up in three places at once, joining the answers, scoring it."""

import operator
from typing import Annotated, Any, TypedDict

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph

BUGS = ("join_waits", "registry_in_place", "profile_overwritten")
THREAD = "lead-20417"


class Lead(TypedDict, total=False):
    """The state of one company's enrichment."""

    company: dict[str, Any]
    profile: dict[str, Any]
    credit_report: dict[str, Any]
    articles: list[str]
    news_checked: bool
    sources: Annotated[list[str], operator.add]
    score: int


def build(saver: BaseCheckpointSaver[str], bug: str | None) -> Any:
    def load(state: Lead) -> dict[str, Any]:
        return {"profile": {"name": state["company"]["name"], "country": "AT"}}

    def firmographics(state: Lead) -> dict[str, Any]:
        profile = {**state["profile"], "employees": 184, "industry": "sawmills"}
        return {"profile": profile, "sources": ["firm-register.example"]}

    def credit(state: Lead) -> dict[str, Any]:
        report: dict[str, Any] = {"rating": "BB+", "checked": "2030-02-11"}
        if bug == "profile_overwritten":
            report = {**state["profile"], **report}
        return {"credit_report": report, "sources": ["credit-bureau.example"]}

    def apply_credit(state: Lead) -> dict[str, Any]:
        if bug == "profile_overwritten":
            return {"profile": state["credit_report"]}
        return {"profile": {**state["profile"], **state["credit_report"]}}

    def news(state: Lead) -> dict[str, Any]:
        return {"articles": [], "sources": ["press-archive.example"]}

    def check_news(state: Lead) -> dict[str, Any]:
        return {"news_checked": True}

    def merge(state: Lead) -> dict[str, Any]:
        registry = {"status": "active", "court": "Graz", "number": "FN 204417"}
        if bug == "registry_in_place":
            state["company"]["registry"].update(registry)
            return {"sources": ["court-register.example"]}
        company = {**state["company"], "registry": registry}
        return {"company": company, "sources": ["court-register.example"]}

    def score(state: Lead) -> dict[str, Any]:
        return {"score": 40 + min(state["profile"].get("employees", 0), 200) // 5}

    graph = StateGraph(Lead)
    for node in (load, firmographics, credit, apply_credit, news, check_news, merge, score):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "load")
    for name in ("firmographics", "credit", "news"):
        graph.add_edge("load", name)
    graph.add_edge("credit", "apply_credit")
    if bug == "join_waits":
        graph.add_conditional_edges(
            "news", lambda state: "check_news" if state["articles"] else END, ["check_news", END]
        )
    else:
        graph.add_edge("news", "check_news")
    graph.add_edge(["firmographics", "apply_credit", "check_news"], "merge")
    graph.add_edge("merge", "score")
    graph.add_edge("score", END)
    return graph.compile(checkpointer=saver)


def run(saver: BaseCheckpointSaver[str], bug: str | None) -> None:
    """Enrich one lead."""
    company = {"name": "Holz Brunner", "domain": "brunner.example", "registry": {"status": "?"}}
    build(saver, bug).invoke(
        {"company": company, "sources": []},
        {"configurable": {"thread_id": THREAD}},
        durability="sync",
    )
