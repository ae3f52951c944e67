"""Our reading of each sample store against what LangGraph itself said of it when it was made."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from viewer.sources import open_source

OWN = Path(__file__).parents[2] / "data" / "langgraph"
SHARED = Path(__file__).parents[3] / ".." / "shared" / "samples" / "langgraph"
NO_HISTORY = ("12_store",)
"""Long-term memories: no checkpoints in it."""

PENDING_UPDATES = {"15_hitl": 1}
"""LangGraph re-applies rows of the NULL task when it lists history; the store does not hold that."""

UNKNOWABLE = {
    # Up to 0.2 a graph's edges are in no channel: who reads a node's channel is learnt from nodes
    # that ran. These two wait before a node that never ran anywhere in the store, so that their
    # rows are those of a thread that has ended.
    "old_0.2.14": {"static/"},
    "old_0.2.19": {"static/", "nested/child:"},
}
"""Threads of which the rows do not tell what LangGraph, which has the graph, tells."""


def stores(folder: Path) -> list[Any]:
    return [
        pytest.param(path, id=path.stem)
        for path in sorted(folder.glob("*.sqlite"))
        if path.stem not in NO_HISTORY
    ]


def truth(path: Path) -> Any:
    return json.loads(path.with_name(f"{path.name}.expected.json").read_text("utf-8"))


def hold(compared: Any, name: str) -> None:
    """Hold every difference to be one of those that rows cannot tell, and each of those to be one."""
    excused = UNKNOWABLE.get(name, set())
    faults = [d for d in compared.differences if not d.thread.startswith(tuple(excused) or ("//",))]
    assert not faults, "\n".join(map(str, faults))
    met = {start for start in excused for d in compared.differences if d.thread.startswith(start)}
    assert met == excused
    assert compared.pending == PENDING_UPDATES.get(name, 0)


@pytest.mark.parametrize("path", stores(OWN))
def test_every_field_of_a_store_is_what_langgraph_says(
    path: Path, compare: Any, tmp_path: Path
) -> None:
    for part in path.parent.glob(f"{path.name}*"):
        shutil.copy(part, tmp_path)
    compared = compare(open_source(tmp_path / path.name), truth(path))
    hold(compared, path.stem)
    assert compared.counts["tasks"] > 0


@pytest.mark.parametrize("path", stores(SHARED) or [pytest.param(None, id="none")])
def test_every_field_of_a_shared_store_is_what_langgraph_says(path: Path, compare: Any) -> None:
    if path is None:
        pytest.skip("../shared/samples/langgraph is absent")
    hold(compare(open_source(path), truth(path)), path.stem)


def test_the_samples_show_every_field_and_every_shape(compare: Any) -> None:
    counts = dict.fromkeys(
        (
            *("namespaces", "count", "checkpoint", "parent", "metadata", "created_at", "next"),
            *("tasks", "task.id", "task.path", "task.error", "task.interrupts", "task.result"),
            *("task.state", "interrupts", "values", "live_next", "live_status"),
            *("live_interrupts", "live_tasks", "live_tasks.result", "live_tasks.state"),
        ),
        0,
    )
    statuses = set()
    for parameter in stores(OWN):
        (path,) = parameter.values
        told = truth(path)
        for name, count in compare(open_source(path), told).counts.items():
            counts[name] = counts.get(name, 0) + count
        statuses |= {
            one["live_status"] for thread in told["threads"].values() for one in thread.values()
        }
    assert min(counts.values()) > 8, counts
    assert statuses == {"done", "interrupted", "error", "pending"}


@pytest.mark.parametrize(
    ("change", "names"),
    [
        pytest.param(lambda one: one.update(next=["other"]), {"next"}, id="next"),
        pytest.param(lambda one: one["values"].update(n="1"), {"values"}, id="values"),
        pytest.param(
            lambda one: one.update(created_at="2026-01-01T00:00:00Z"), {"created_at"}, id="time"
        ),
        pytest.param(lambda one: one["metadata"].update(step=99), {"metadata"}, id="metadata"),
        pytest.param(lambda one: one.update(parent_checkpoint=None), {"parent"}, id="parent"),
        pytest.param(lambda one: one["tasks"][0].update(id="0"), {"task.id"}, id="task id"),
        pytest.param(lambda one: one["tasks"][0].update(error="no"), {"task.error"}, id="error"),
        pytest.param(lambda one: one["tasks"][0].update(result=7), {"task.result"}, id="result"),
        pytest.param(
            lambda one: one["tasks"][0].update(path=["__pregel_push", 0]), {"task.path"}, id="path"
        ),
        pytest.param(
            lambda one: one["tasks"][0].update(interrupts=[{"id": "i", "value": 1}]),
            {"task.interrupts", "interrupts"},
            id="interrupts",
        ),
    ],
)
def test_a_truth_that_says_otherwise_is_a_difference(
    change: Any, names: set[str], compare: Any
) -> None:
    path = OWN / "20_wal_live.sqlite"
    told = truth(path)
    change(told["threads"]["w1"][""]["history"][1])
    assert {d.name for d in compare(open_source(path), told).differences} == names
