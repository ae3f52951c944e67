"""Dumps of PostgreSQL stores, restored into a real server, against what LangGraph said of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from viewer.sources import open_source

OWN = Path(__file__).parents[2] / "data" / "langgraph"
SHARED = Path(__file__).parents[3] / ".." / "shared" / "samples" / "langgraph"
NO_HISTORY = ("12_store",)
"""Long-term memories: no checkpoints in it; see ``test_memories.py``."""
PENDING_UPDATES = {"15_hitl": 1}
"""LangGraph re-applies rows of the NULL task when it lists history; the store does not hold that."""


def dumps(folder: Path) -> list[Any]:
    found = [(path.name.removesuffix(".pg.sql"), path) for path in sorted(folder.glob("*.pg.sql"))]
    return [pytest.param(path, id=name) for name, path in found if name not in NO_HISTORY]


def truth(path: Path) -> Any:
    return json.loads(path.with_name(f"{path.name}.expected.json").read_text("utf-8"))


def fields(compared: Any) -> set[tuple[str, str]]:
    """Return which fields differ in which threads; a subgraph's without the id of its task.

    All fields of tasks count as one: where ids cannot be told, nor can whose rows are whose.
    """
    return {(one.thread.partition(":")[0], one.name.split(".")[0]) for one in compared.differences}


@pytest.mark.parametrize("path", [*dumps(OWN), *dumps(SHARED)])
def test_every_field_of_a_restored_store_is_what_langgraph_says(
    path: Path, postgres: Any, compare: Any
) -> None:
    name = path.name.removesuffix(".pg.sql")
    source = open_source(postgres.restored(path.read_text("utf-8")))
    compared = compare(source, truth(path.with_name(f"{name}.pg")), ordered=False)
    assert compared.counts["values"] > 0
    assert compared.pending == PENDING_UPDATES.get(name, 0)
    if compared.differences:  # what SQLite's rows do not tell either; ``test_contract.py`` says why
        sibling = path.with_name(f"{name}.sqlite")
        known = fields(compare(open_source(sibling), truth(sibling), ordered=False))
        assert fields(compared) <= known, compared.told
