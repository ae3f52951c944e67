"""Ids of tasks in the first checkpoint format, whose releases made them in three ways.

Sources: ``langgraph/pregel/algo.py`` of 0.2.14 (a UUID over the JSON of what the task is), of 0.2.19
(SHA-1, with words that changed later) and of 0.2.60 (SHA-1 with today's words).
"""

import json
import uuid
from collections.abc import Iterable, Mapping
from typing import Literal

from viewer.sources.langgraph.naming import SENDS, TaskPlace, task_id

Way = Literal["words of today", "words of 0.2.19", "json of 0.2.14"]
WAYS: tuple[Way, ...] = ("words of today", "words of 0.2.19", "json of 0.2.14")


def first_ids(
    at: TaskPlace,
    node: str,
    kind: Literal["pull", "push"],
    parts: list[str],
    numbers: Iterable[int],
) -> Mapping[Way, tuple[str, ...]]:
    """Return every id that a task may have, by the way in which a release made it.

    Args:
        at: the checkpoint after which the task runs.
        node: the node's name.
        kind: as for `task_id`.
        parts: as for `task_id`.
        numbers: the places the task may have among all tasks of the step; 0.2.14 counted it in.
    """
    namespace = f"{at.namespace}|{node}" if at.namespace else node
    try:
        root = uuid.UUID(at.checkpoint_id)
    except ValueError:
        return {}
    told = {
        "langgraph_step": at.step + 1,
        "langgraph_node": node,
        "langgraph_triggers": [SENDS] if kind == "push" else parts,
    }
    texts = (json.dumps((namespace, told | {"langgraph_task_idx": n})) for n in numbers)
    return {
        "words of today": (task_id(at, node, kind, *parts) or "",),
        "words of 0.2.19": (task_id(at, node, kind, *parts, old=True) or "",),
        "json of 0.2.14": tuple(str(uuid.uuid5(root, text)) for text in texts),
    }


def way_of(steps: Iterable[tuple[set[str], Iterable[Mapping[Way, tuple[str, ...]]]]]) -> Way:
    """Return the way in which ids were made, by the first row that is a planned task's.

    Args:
        steps: of each checkpoint the task ids of its rows and the ids of its planned tasks.
    """
    for rows, planned in steps:
        for ids in planned:
            for way, some in ids.items():
                if not rows.isdisjoint(some):
                    return way
    return WAYS[0]
