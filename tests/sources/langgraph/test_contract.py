"""Our reading of each shared store against what LangGraph itself said of it when it was made."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from viewer.chain import Chain, when
from viewer.jsontext import dumps
from viewer.sources import open_source

SAMPLES = Path(__file__).parents[3] / ".." / "shared" / "samples" / "langgraph"
INTERNAL = ("branch:", "join:", "start:", "__")
MASKED = ("pydantic.types.SecretStr",)
KNOWN_PENDING_UPDATE = {"15_hitl.sqlite": 1}
"""LangGraph re-applies rows of the NULL task when it lists history; the store does not hold that."""

STORES = sorted(p.name for p in SAMPLES.glob("*.sqlite")) if SAMPLES.is_dir() else []
needs_samples = pytest.mark.skipif(not STORES, reason="../shared/samples/langgraph is absent")


def settled(value: Any) -> Any:
    """Return a truth as we show it: integers exact, sets in one order, secrets masked."""
    if isinstance(value, list):
        return [settled(v) for v in value]
    if not isinstance(value, dict):
        return value
    kind = value.get("$type")
    if kind == "int":
        return int(value["value"])
    if kind in MASKED:
        return {**value, "value": "*" * 10}
    found = {k: settled(v) for k, v in value.items()}
    if kind in ("builtins.set", "builtins.frozenset"):
        found["value"] = sorted(found["value"], key=dumps)
    return found


def bare(value: Any) -> Any:
    """Return a value as the old releases' truths have it: class names dropped."""
    if isinstance(value, list):
        return [bare(v) for v in value]
    if isinstance(value, dict):
        if "$ctor" in value:
            return bare(value["value"])
        return {k: bare(v) for k, v in value.items() if k != "$class"}
    return value


def chains(name: str) -> Iterator[tuple[Chain, dict[str, Any]]]:
    truth = json.loads((SAMPLES / f"{name}.expected.json").read_text("utf-8"))
    source = open_source(SAMPLES / name)
    found = {(ref.thread_id, ref.namespace): ref for ref in source.threads}
    wanted = {
        (thread, namespace): one
        for thread, by_namespace in truth["threads"].items()
        for namespace, one in (
            {"": by_namespace} if "history" in by_namespace else by_namespace
        ).items()
    }
    assert set(found) == set(wanted)
    for key, ref in found.items():
        yield source.chain(ref), wanted[key]


def same(state: dict[str, Any], truth: dict[str, Any]) -> bool:
    """Return whether a state says what the truth says.

    A reducer channel that nothing was written to has an empty value in LangGraph's eyes; the store
    has no such channel, and neither have we.
    """
    unwritten = {k for k, v in truth.items() if k not in state and v in ([], {}, "", 0)}
    return dumps(ordered(state)) == dumps(
        ordered({k: v for k, v in truth.items() if k not in unwritten})
    )


def ordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: ordered(value[k]) for k in sorted(value)}
    return [ordered(v) for v in value] if isinstance(value, list) else value


def public(state: Any) -> dict[str, Any]:
    return {k: v for k, v in state.items() if not k.startswith(INTERNAL)}


@needs_samples
@pytest.mark.parametrize("name", [n for n in STORES if n != "12_store.sqlite"])
def test_every_field_of_a_store_equals_what_langgraph_says(name: str) -> None:
    differing_values = 0
    for chain, truth in chains(name):
        history = truth["history"]
        assert len(chain.checkpoints) == truth.get("count", len(history))
        by_id = {c.checkpoint_id: c for c in chain.checkpoints}
        old = name.startswith("old_")
        for want in history:
            own = by_id[want["checkpoint_id"] if old else want["checkpoint"]["checkpoint_id"]]
            parent = want["parent" if old else "parent_checkpoint"]
            assert own.parent_id == (parent if old or parent is None else parent["checkpoint_id"])
            assert own.step == want["metadata"].get("step")
            assert own.origin == want["metadata"].get("source")
            rest = {k: v for k, v in want["metadata"].items() if k not in ("step", "source")}
            if not old:
                assert dict(own.metadata) == rest
            if chain.states[own.index] and own.has_state:
                assert own.created_at == when(want["created_at"])
                if name.startswith("old_0.2"):  # the first format kept no order of tasks
                    assert sorted(own.next) == sorted(want["next"])
                else:
                    assert list(own.next) == want["next"]
                asked = [i for task in want["tasks"] for i in task["interrupts"]]
                assert [bare(i.value) if old else i.value for i in own.interrupts] == [
                    i["value"] for i in asked
                ]
                if not old:
                    assert [i.id for i in own.interrupts] == [i["id"] for i in asked]
                    assert {i.task for i in own.interrupts} == {
                        t["id"] for t in want["tasks"] if t["interrupts"]
                    }
                errors = [(t["name"], t["error"]) for t in want["tasks"] if t["error"]]
                assert [(e.node, e.message) for e in own.errors] == errors
                state = public(chain.state(own.index))
                if name.startswith("old_0.2"):  # nor a mark on the channels named like nodes
                    state = {k: v for k, v in state.items() if k in want["values"]}
                if "values" in want:
                    truly = bare(want["values"]) if old else settled(want["values"])
                    differing_values += not same(bare(state) if old else state, truly)
        assert chain.head is not None
        head = chain.checkpoints[chain.head]
        if head.has_state:
            assert list(head.next_live) == truth["live_next"]
        if "live_status" in truth:
            assert head.status == truth["live_status"]
            if head.has_state:
                assert [(i.id, i.value) for i in head.interrupts if i.open] == [
                    (i["id"], i["value"]) for i in truth["live_interrupts"]
                ]
    assert differing_values == KNOWN_PENDING_UPDATE.get(name, 0)
