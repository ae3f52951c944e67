"""A garden adviser's conversation: fetch passages, answer, summarise what grows too long."""

import operator
from typing import Annotated, Any

from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, MessagesState, StateGraph

BUGS = ("removes_newest", "reply_replaces", "passages_pile_up")
THREAD = "garden-55"
KEEP = 4
LIMIT = 6
QUESTIONS = [
    "My tomatoes have yellow leaves. Why?",
    "They stand in clay soil. What now?",
    "How often do I water them?",
    "And when do I plant beans?",
    "Do beans need poles?",
    "Which herbs like shade?",
    "Can I sow spinach in August?",
]
REPLIES = [
    "Yellow lower leaves often mean that nitrogen is short.",
    "Mix compost and sand into the clay before winter.",
    "Twice a week, deeply, in the morning.",
    "After the last frost, from the middle of May.",
    "Climbing beans do; bush beans do not.",
    "Mint, chives and woodruff.",
    "Yes, until about the twentieth.",
]
PASSAGE = (
    "Garden handbook, chapter {n}. Plants take up water and minerals through fine roots; soil "
    "that is wet and cold holds them back. Feed little and often, mulch in dry weeks, and turn "
    "beds before winter so that frost can break the clods. See also the table of sowing dates. "
)


class Advice(MessagesState, total=False):
    """The state of one conversation."""

    turn: int
    summary: str
    passages: list[str]


class PiledAdvice(MessagesState, total=False):
    """The same, with passages that nobody takes away."""

    turn: int
    summary: str
    passages: Annotated[list[str], operator.add]


def build(saver: BaseCheckpointSaver[str], bug: str | None) -> Any:
    def fetch(state: Any) -> dict[str, Any]:
        turn = state.get("turn", 0) + 1
        return {"passages": [PASSAGE.format(n=turn), PASSAGE.format(n=turn + 20)], "turn": turn}

    def answer(state: Any) -> dict[str, Any]:
        turn = state["turn"]
        number = len(state["messages"]) if bug == "reply_replaces" else turn
        return {"messages": [AIMessage(REPLIES[turn - 1], id=f"reply-{number}")]}

    def summarise(state: Any) -> dict[str, Any]:
        messages = state["messages"]
        gone = messages[-KEEP:] if bug == "removes_newest" else messages[:-KEEP]
        asked = [message.content for message in messages[:-KEEP] if message.type == "human"]
        return {
            "messages": [RemoveMessage(id=message.id) for message in gone],
            "summary": " ".join([state.get("summary", ""), *asked]).strip(),
        }

    graph = StateGraph(PiledAdvice if bug == "passages_pile_up" else Advice)
    graph.add_node("fetch", fetch)
    graph.add_node("answer", answer)
    graph.add_node("summarise", summarise)
    graph.add_edge(START, "fetch")
    graph.add_edge("fetch", "answer")
    graph.add_conditional_edges(
        "answer",
        lambda state: "summarise" if len(state["messages"]) > LIMIT else END,
        ["summarise", END],
    )
    graph.add_edge("summarise", END)
    return graph.compile(checkpointer=saver)


def run(saver: BaseCheckpointSaver[str], bug: str | None) -> None:
    """Lead seven turns."""
    graph = build(saver, bug)
    for number, text in enumerate(QUESTIONS, start=1):
        graph.invoke(
            {"messages": [HumanMessage(text, id=f"question-{number}")]},
            {"configurable": {"thread_id": THREAD}},
            durability="sync",
        )
