"""One thread and namespace: its rows, linked, derived and turned into records."""

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from viewer.chain import when
from viewer.errors import LimitExceeded
from viewer.limits import Limits
from viewer.model import MISSING, Problem, Record, Thread, ThreadRef, Write
from viewer.sources.langgraph import rows
from viewer.sources.langgraph.attach import Traces
from viewer.sources.langgraph.blobs import SEALED, Blobs
from viewer.sources.langgraph.deltas import delta_channels, full_value, rebuilt
from viewer.sources.langgraph.derive import Facts, facts
from viewer.sources.langgraph.stored import (
    KNOWN_FORMATS,
    Stored,
    StoredWrite,
    stored_checkpoint,
    stored_write,
)
from viewer.sources.langgraph.triggers import (
    Names,
    Wiring,
    entry_name,
    join_names,
    written_by,
)

PROFILE = "langgraph"

Deltas = Mapping[str, Mapping[str, list[Any] | None]]
"""Delta channel → checkpoint id → its value there, where it could be rebuilt."""
NOTHING: Mapping[str, list[Any] | None] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreNames:
    """What only the whole store tells; each is asked for only where a chain needs it."""

    joins: Callable[[], Names]
    reads: Callable[[], Names]


def load_thread(
    connection: sqlite3.Connection,
    ref: ThreadRef,
    *,
    place: str,
    limits: Limits,
    with_path: bool,
    names: StoreNames,
) -> Thread:
    """Return the records of one thread and namespace.

    Raises:
        LimitExceeded: it has more checkpoints than the limit allows.
        sqlite3.Error: the database is damaged where not even the keys can be read.
    """
    blobs = Blobs(limits.depth)
    thread = f"{ref.thread_id}/{ref.namespace}"
    chain: list[Stored] = []
    problems: list[Problem] = []
    for found in rows.checkpoints(connection, ref.thread_id, ref.namespace):
        if isinstance(found, sqlite3.DatabaseError):
            problems.append(_damage(f"{place}!checkpoints[{thread}]", found))
            continue
        if len(chain) >= limits.checkpoints:
            raise LimitExceeded(
                f"{place}!checkpoints[{thread}]",
                f"more than {limits.checkpoints} checkpoints in one thread",
            )
        chain.append(stored_checkpoint(found, blobs))
    where = f"{place}!writes[{thread}]"
    written, faults = _writes(connection, ref, blobs, where, with_path=with_path)
    problems += faults
    chain = [
        replace(one, writes=tuple(sorted(written.pop(one.checkpoint_id, ()), key=lambda w: w.sort)))
        for one in chain
    ]
    stray = sum(map(len, written.values()))
    if stray:
        reason = f"{stray} write rows belong to checkpoints that are not in the store (yet)"
        problems.append(Problem(place=where, reason=reason, keyword="stray_writes"))
    here = f"{place}!checkpoints[{thread}"
    problems += _chain_problems(chain, here)
    channels = delta_channels(chain)
    deltas = dict.fromkeys(channels, NOTHING) | rebuilt(chain, channels)
    problems += _delta_problems(chain, deltas, f"{here}]")
    namespaces = rows.namespaces(connection, ref.thread_id)
    traces = Traces(namespaces=namespaces, store_joins=names.joins)
    return Thread(
        ref=ref,
        records=tuple(_records(chain, ref.namespace, here, traces, names, deltas)),
        problems=_bounded(problems, limits, place),
        profile=PROFILE,
        live_head="id",
    )


def _writes(
    connection: sqlite3.Connection, ref: ThreadRef, blobs: Blobs, where: str, *, with_path: bool
) -> tuple[dict[str, list[StoredWrite]], list[Problem]]:
    """Return the writes by checkpoint id, and a problem for each that cannot be read.

    Sealed ones are told together: in a store with encryption that is every write.
    """
    written: dict[str, list[StoredWrite]] = {}
    problems: list[Problem] = []
    sealed: Counter[str] = Counter()
    for found in rows.writes(connection, ref.thread_id, ref.namespace, with_path=with_path):
        if isinstance(found, sqlite3.DatabaseError):
            problems.append(_damage(where, found))
            continue
        write = stored_write(found, blobs)
        written.setdefault(found.checkpoint_id, []).append(write)
        if write.fault is None:
            continue
        if write.value["$type"] in SEALED:
            sealed[write.value["tag"]] += 1
            continue
        own = f"{where[:-1]}/{found.checkpoint_id}/{found.task}/{found.position}]"
        problems.append(
            Problem(
                place=own,
                reason=f"channel {found.channel}: {write.fault}",
                keyword="write",
                checkpoint_id=found.checkpoint_id,
            )
        )
    for tag, count in sealed.items():
        reason = f"{count} write values are not read: their tag is {tag}"
        problems.append(Problem(place=where, reason=reason, keyword="sealed"))
    return written, problems


def _records(
    chain: list[Stored],
    namespace: str,
    where: str,
    traces: Traces,
    names: StoreNames,
    deltas: Deltas,
) -> Iterable[Record]:
    by_id = {one.checkpoint_id: one for one in chain}
    children: dict[str, list[Stored]] = {}
    for one in chain:
        if one.parent_id is not None:
            children.setdefault(one.parent_id, []).append(one)
    wiring = Wiring(
        joins=join_names(channel for one in chain for channel in one.versions),
        reads=names.reads() if any(one.known and (one.v or 1) <= 2 for one in chain) else {},
        entry=entry_name(chain),
    )
    for one in chain:
        parent = by_id.get(one.parent_id) if one.parent_id is not None else None
        below = children.get(one.checkpoint_id, [])
        own = facts(one, parent, below, namespace, wiring, traces)
        yield _record(one, own, f"{where}/{one.checkpoint_id}]", deltas)


def _record(one: Stored, own: Facts, place: str, deltas: Deltas) -> Record:
    nodes = {task.id: task.node for task in own.tasks}
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
        writes=tuple(
            Write(task=w.task, node=written_by(w, nodes), channel=w.channel, value=w.value)
            for w in one.writes
        ),
        metadata=rest,
        size_bytes=one.size,
    )


def _state(one: Stored, deltas: Deltas) -> dict[str, Any]:
    """Return every channel with a value, LangGraph's own channels too: they are data.

    A delta channel without one has its rebuilt value, or a node that says that there is none.
    """
    state = {channel: full_value(value) for channel, value in one.values.items()}
    for channel in _unstored(one, deltas):
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


def _unstored(one: Stored, deltas: Deltas) -> list[str]:
    return sorted(ch for ch in deltas if ch in one.versions and ch not in one.values)


def _delta_problems(chain: Iterable[Stored], deltas: Deltas, place: str) -> list[Problem]:
    """Return a note for each channel with values that are not the store's own."""
    counts: Counter[tuple[str, bool]] = Counter(
        (channel, deltas[channel].get(one.checkpoint_id) is not None)
        for one in chain
        for channel in _unstored(one, deltas)
    )
    return [
        Problem(
            place=place,
            reason=f"channel {channel} is not stored in {count} checkpoints: "
            + ("its value is rebuilt from the writes" if known else "its value is unknown there"),
            keyword="rebuilt" if known else "not_rebuilt",
        )
        for (channel, known), count in sorted(counts.items())
    ]


def _chain_problems(chain: Iterable[Stored], where: str) -> list[Problem]:
    found = []
    strange: dict[int | None, int] = {}
    for one in chain:
        if one.metadata_fault is not None:
            found.append(
                Problem(
                    place=f"{where}/{one.checkpoint_id}].metadata",
                    reason=one.metadata_fault,
                    keyword="metadata",
                    checkpoint_id=one.checkpoint_id,
                )
            )
        if one.fault is None and one.v not in KNOWN_FORMATS:
            strange[one.v] = strange.get(one.v, 0) + 1
    for v, count in strange.items():
        reason = (
            f"checkpoint format v={v} is unknown ({count} checkpoints): values are shown,"
            " what runs next and the status are not told"
        )
        found.append(Problem(place=f"{where}]", reason=reason, keyword="format"))
    return found


def _bounded(problems: list[Problem], limits: Limits, place: str) -> tuple[Problem, ...]:
    """Return as many problems as the limit allows; the rest are counted."""
    more = len(problems) - limits.problems
    if more <= 0:
        return tuple(problems)
    reason = f"{more} more problems are not listed (limit {limits.problems})"
    return (*problems[: limits.problems], Problem(place=place, reason=reason, keyword="limit"))


def _damage(place: str, error: sqlite3.Error) -> Problem:
    return Problem(place=place, reason=f"damaged or incomplete database: {error}")
