"""A little maze: a player moves, a referee judges, until the last round."""

from typing import Any, TypedDict

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.errors import GraphRecursionError
from langgraph.graph import END, START, StateGraph

BUGS = ("sheet_in_place", "same_wall", "round_missed")
THREAD = "maze-7"
OPEN = {
    (0, 0): {"east": (1, 0)},
    (1, 0): {"east": (2, 0)},
    (2, 0): {"north": (2, 1)},
    (2, 1): {"north": (2, 2)},
    (2, 2): {"west": (1, 2)},
    (1, 2): {"west": (0, 2)},
    (0, 2): {"south": (0, 1)},
    (0, 1): {"south": (0, 0)},
}
OPPOSITE = {"north": "south", "east": "west", "south": "north", "west": "east"}


class Maze(TypedDict, total=False):
    """The state of one game."""

    position: list[int]
    facing: str
    verdict: str
    tried: list[str]
    score_sheet: list[dict[str, Any]]
    round: int
    energy: int
    last_round: int


def build(saver: BaseCheckpointSaver[str], bug: str | None) -> Any:
    def player(state: Maze) -> dict[str, Any]:
        if state["verdict"] != "wall":
            return {"facing": state["facing"], "tried": []}
        if bug == "same_wall":
            return {"facing": state["facing"], "tried": state["tried"]}
        tried = [*state["tried"], state["facing"]]
        back = OPPOSITE[tried[0]]
        way = next(way for way in OPPOSITE if way not in tried and way != back)
        return {"facing": way, "tried": tried}

    def referee(state: Maze) -> dict[str, Any]:
        here = (state["position"][0], state["position"][1])
        there = OPEN[here].get(state["facing"], here)
        if there == here:
            return {"verdict": "wall"}
        line = {"round": state["round"], "to": list(there), "points": 10}
        changes: dict[str, Any] = {
            "position": list(there),
            "verdict": "moved",
            "energy": state["energy"] - 3,
            "round": state["round"] + (2 if bug == "round_missed" else 1),
        }
        if bug == "sheet_in_place":
            state["score_sheet"].append(line)
        else:
            changes["score_sheet"] = [*state["score_sheet"], line]
        return changes

    def after_referee(state: Maze) -> str:
        return END if state["round"] == state["last_round"] else "player"

    graph = StateGraph(Maze)
    graph.add_node("player", player)
    graph.add_node("referee", referee)
    graph.add_edge(START, "player")
    graph.add_edge("player", "referee")
    graph.add_conditional_edges("referee", after_referee, ["player", END])
    return graph.compile(checkpointer=saver)


def run(saver: BaseCheckpointSaver[str], bug: str | None) -> None:
    """Play one game."""
    start: dict[str, Any] = {
        "position": [0, 0],
        "facing": "north",
        "verdict": "start",
        "tried": [],
        "score_sheet": [],
        "round": 1,
        "energy": 20,
        "last_round": 6,
    }
    config: dict[str, Any] = {"configurable": {"thread_id": THREAD}, "recursion_limit": 24}
    try:
        build(saver, bug).invoke(start, config, durability="sync")
    except GraphRecursionError:
        if bug not in ("same_wall", "round_missed"):
            raise
