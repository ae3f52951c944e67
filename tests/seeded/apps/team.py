"""An editor who hands a text to a writing team, which hands it to a proofreader: two levels."""

from typing import Any, TypedDict

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph

BUGS = ("draft_stays_inside", "remarks_become_object", "proof_divides")
THREAD = "article-bees"
TEXT = "Bees dance. The dance tells the way to food. Others follow it."


class Article(TypedDict, total=False):
    """The state of the editor's graph."""

    brief: str
    draft: str
    remarks: list[Any]
    published: str


class Writing(TypedDict, total=False):
    """The state of the writing team."""

    brief: str
    outline: list[str]
    draft: str
    final_draft: str
    remarks: list[Any]


class Delivery(TypedDict, total=False):
    """What the team gives back in the faulty variant."""

    final_draft: str
    remarks: list[Any]


class Proof(TypedDict, total=False):
    """The state of the proofreader."""

    draft: str
    remarks: list[Any]
    words_per_sentence: float


def build(saver: BaseCheckpointSaver[str], bug: str | None) -> Any:
    def measure(state: Proof) -> dict[str, Any]:
        stop = "!" if bug == "proof_divides" else "."
        sentences = state["draft"].count(stop)
        return {"words_per_sentence": len(state["draft"].split()) / sentences}

    def remark(state: Proof) -> dict[str, Any]:
        text = "Say which food."
        if bug == "remarks_become_object":
            return {"remarks": {"2": text}}
        return {"remarks": [*state["remarks"], {"sentence": 2, "text": text}]}

    proof = StateGraph(Proof)
    proof.add_node("measure", measure)
    proof.add_node("remark", remark)
    proof.add_edge(START, "measure")
    proof.add_edge("measure", "remark")
    proof.add_edge("remark", END)

    def outline(state: Writing) -> dict[str, Any]:
        return {"outline": ["dance", "direction", "followers"]}

    def compose(state: Writing) -> dict[str, Any]:
        return {"draft": TEXT}

    def assemble(state: Writing) -> dict[str, Any]:
        final = state["draft"].replace("food", "flowers with nectar")
        return {"final_draft" if bug == "draft_stays_inside" else "draft": final}

    given_back = Delivery if bug == "draft_stays_inside" else Writing
    writing = StateGraph(Writing, output_schema=given_back)
    writing.add_node("outline", outline)
    writing.add_node("compose", compose)
    writing.add_node("proofread", proof.compile())
    writing.add_node("assemble", assemble)
    writing.add_edge(START, "outline")
    writing.add_edge("outline", "compose")
    writing.add_edge("compose", "proofread")
    writing.add_edge("proofread", "assemble")
    writing.add_edge("assemble", END)

    def assign(state: Article) -> dict[str, Any]:
        return {"brief": state["brief"].strip() + ", 100 words"}

    def publish(state: Article) -> dict[str, Any]:
        return {"published": state["draft"]}

    article = StateGraph(Article)
    article.add_node("assign", assign)
    article.add_node("team", writing.compile())
    article.add_node("publish", publish)
    article.add_edge(START, "assign")
    article.add_edge("assign", "team")
    article.add_edge("team", "publish")
    article.add_edge("publish", END)
    return article.compile(checkpointer=saver)


def run(saver: BaseCheckpointSaver[str], bug: str | None) -> None:
    """Have one article written."""
    given = {"brief": "How bees tell each other the way ", "draft": "", "remarks": []}
    config: dict[str, Any] = {"configurable": {"thread_id": THREAD}}
    try:
        build(saver, bug).invoke(given, config, durability="sync")
    except ZeroDivisionError:
        if bug != "proof_divides":
            raise
