"""Write a store of LangGraph's first schema and what that release itself says of it.

Run with a release from 0.0.32 to 0.1.19: ``python make.py old_0.1.19.sqlite``.
"""

import json
import operator
import sqlite3
import sys
from pathlib import Path
from typing import Annotated, TypedDict

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, StateGraph


class State(TypedDict, total=False):
    """A list that grows, messages, a number."""

    log: Annotated[list, operator.add]
    messages: Annotated[list, operator.add]
    n: int


def first(state: State) -> State:
    """Answer the user."""
    said = AIMessage(content="hello", id="m2")
    return {"log": ["a"], "n": state.get("n", 0) + 1, "messages": [said]}


graph = StateGraph(State)
graph.add_node("a", first)
graph.add_node("b", lambda state: {"log": ["b"]})
graph.add_node("c", lambda state: {"log": ["c"]})
graph.set_entry_point("a")
graph.add_edge("a", "b")
graph.add_edge("b", "c")
graph.add_edge("c", END)

path = sys.argv[1]
connection = sqlite3.connect(path, check_same_thread=False)
saver = SqliteSaver(conn=connection)
told = {}
for thread, stops in (("done", None), ("paused", ["c"])):
    app = graph.compile(checkpointer=saver, interrupt_before=stops)
    config = {"configurable": {"thread_id": thread}}
    app.invoke({"log": ["in"], "n": 0, "messages": [HumanMessage(content="hi", id="m1")]}, config)
    told[thread] = [
        {
            "checkpoint": one.config["configurable"]["thread_ts"],
            "parent": ((one.parent_config or {}).get("configurable") or {}).get("thread_ts"),
            "next": list(one.next),
            "log": one.values.get("log"),
            "n": one.values.get("n"),
            "messages": [message.content for message in one.values.get("messages", [])],
            "metadata": {
                key: value
                for key, value in (getattr(one, "metadata", None) or {}).items()
                if key in ("source", "step")
            },
        }
        for one in app.get_state_history(config)
    ]
connection.commit()
connection.close()
Path(f"{path}.expected.json").write_text(json.dumps(told, indent=1), encoding="utf-8")
