"""``show --tasks``: what ran after each checkpoint, and what it wrote."""

from operator import add
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, Send


class State(TypedDict, total=False):
    log: Annotated[list[str], add]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Return a store of two parallel Sends of which one failed, then an update by the caller."""

    def work(state: dict[str, Any]) -> State:
        if state["n"] == 2:
            raise ValueError("no stock")
        return {"log": [f"work {state['n']}"]}

    path = tmp_path / "store.sqlite"
    with SqliteSaver.from_conn_string(str(path)) as saver:
        builder = StateGraph(State).add_node("work", work)
        builder.add_node("plan", lambda state: {"log": ["plan"]}).add_edge(START, "plan")
        builder.add_conditional_edges("plan", lambda s: [Send("work", {"n": n}) for n in (1, 2)])
        graph = builder.compile(checkpointer=saver)
        config = {"configurable": {"thread_id": "t"}}
        for given in ({"log": ["in"]}, Command(update={"log": ["by hand"]})):
            with pytest.raises(ValueError, match="no stock"):
                graph.invoke(given, config)
    return path


def test_each_task_is_told_with_its_argument_its_outcome_and_its_writes(
    cli: Any, store: Path
) -> None:
    rows = cli("show", store, "--tasks", "--json").document["checkpoints"]
    one, two = rows[2]["tasks"]
    assert (one["node"], one["kind"], one["finished"], one["input"]) == (
        "work",
        "push",
        True,
        {"n": 1},
    )
    assert one["writes"] == [{"channel": "log", "value": ["work 1"]}]
    assert (two["finished"], two["errors"]) == (False, ["ValueError('no stock')"])
    assert {"channel": "log", "value": ["by hand"]} in rows[2]["caller_writes"]


def test_in_words_too(cli: Any, store: Path) -> None:
    text = cli("show", store, "--tasks").out
    assert 'work finished with {"n":1} (push ' in text
    assert 'log = ["work 1"]' in text
    assert 'work failed with {"n":2} (push ' in text
    assert "the caller, without a task" in text


def test_without_the_flag_a_row_has_no_tasks(cli: Any, store: Path) -> None:
    assert "tasks" not in cli("show", store, "--json").document["checkpoints"][0]
