"""Stored checkpoints linked to each other, with what follows from them, as records."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from viewer.chain import when
from viewer.model import MISSING, Record
from viewer.sources.langgraph.asked import Asker
from viewer.sources.langgraph.attach import Traces
from viewer.sources.langgraph.deltas import Rebuilt, full_value, unstored
from viewer.sources.langgraph.derive import Facts, facts
from viewer.sources.langgraph.first_ids import Way, way_of
from viewer.sources.langgraph.stored import Stored
from viewer.sources.langgraph.triggers import Names, Wiring, entry_name, join_names, planned


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreNames:
    """What only the whole store tells; each is asked for only where a chain needs it."""

    joins: Callable[[], Names]
    reads: Callable[[], Names]


def records(
    chain: list[Stored],
    namespace: str,
    where: str,
    traces: Traces,
    names: StoreNames,
    deltas: Rebuilt,
    *,
    asker: Asker,
    live: str | None,
) -> Iterable[Record]:
    """Yield the record of each checkpoint of ``chain``, in its order.

    Args:
        chain: the checkpoints of one thread and namespace.
        namespace: theirs.
        where: their place, without the id and the closing bracket.
        traces: what helps to tell tasks apart where ids do not.
        names: what only the whole store tells.
        deltas: the values of the delta channels where the checkpoints do not store them.
        asker: who asked a question that stands in the chain.
        live: id of the checkpoint from which the run would go on; None where none would.
    """
    by_id = {one.checkpoint_id: one for one in chain}
    children: dict[str, list[Stored]] = {}
    for one in chain:
        if one.parent_id is not None:
            children.setdefault(one.parent_id, []).append(one)
    wiring = Wiring(
        joins=join_names(frozenset().union(*(one.versions for one in chain))),
        reads=names.reads() if any(one.known and (one.v or 1) <= 2 for one in chain) else {},
        entry=entry_name(chain),
    )
    if any(one.v == 1 for one in chain):
        wiring = replace(wiring, way=_way(chain, by_id, namespace, wiring))
    for one in chain:
        parent = by_id.get(one.parent_id) if one.parent_id is not None else None
        below = children.get(one.checkpoint_id, [])
        own = facts(
            one,
            parent,
            below,
            namespace,
            wiring,
            traces,
            asker=asker,
            live=one.checkpoint_id == live,
        )
        yield _record(one, own, f"{where}/{one.checkpoint_id}]", deltas)


def _way(chain: list[Stored], by_id: Mapping[str, Stored], namespace: str, wiring: Wiring) -> Way:
    return way_of(
        (
            {write.task for write in one.writes},
            (
                task.others
                for task in planned(one, by_id.get(one.parent_id or ""), namespace, wiring)
            ),
        )
        for one in chain
        if one.known and one.writes
    )


def _record(one: Stored, own: Facts, place: str, deltas: Rebuilt) -> Record:
    rest = {key: value for key, value in one.metadata.items() if key not in ("source", "step")}
    return Record(
        place=place,
        made_id=one.checkpoint_id,
        state=MISSING if one.fault is not None else _state(one, deltas),
        fault=None if one.fault is None else f"checkpoint {one.checkpoint_id}: {one.fault}",
        fault_keyword="sealed" if one.sealed else "unreadable",
        checkpoint_id=one.checkpoint_id,
        parent_id=one.parent_id,
        step=one.step,
        created_at=when(one.ts),
        origin=one.origin,
        nodes=own.nodes,
        status=own.status,
        next=own.next,
        next_live=own.next_live,
        interrupts=own.interrupts,
        errors=own.errors,
        tasks=own.tasks,
        writes=own.writes,
        versions=one.versions,
        metadata=rest,
        size_bytes=one.size,
    )


def _state(one: Stored, deltas: Rebuilt) -> Mapping[str, Any]:
    """Return every channel with a value, LangGraph's own channels too: they are data.

    A delta channel without one has its rebuilt value, or a node that says that there is none.
    """
    if not deltas:
        return one.values
    state = {channel: full_value(value) for channel, value in one.values.items()}
    for channel in unstored(one, deltas):
        value = deltas[channel].get(one.checkpoint_id)
        state[channel] = (
            value
            if value is not None
            else {
                "$type": "delta_not_rebuilt",
                "version": one.versions[channel],
                "reason": "this checkpoint stores only what was written to the channel since its last"
                " full value, and that value or the way to apply the writes is not known",
            }
        )
    return state
