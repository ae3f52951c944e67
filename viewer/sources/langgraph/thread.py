"""One thread and namespace: its rows, linked, derived and turned into records."""

import sqlite3
from collections import Counter
from dataclasses import replace

from viewer.errors import LimitExceeded
from viewer.limits import Limits
from viewer.model import Problem, Thread, ThreadRef
from viewer.sources.langgraph import rows
from viewer.sources.langgraph.attach import Traces
from viewer.sources.langgraph.blobs import SEALED, Blobs
from viewer.sources.langgraph.deltas import rebuilt
from viewer.sources.langgraph.notes import bounded, chain_problems, damage, delta_problems
from viewer.sources.langgraph.records import StoreNames, records
from viewer.sources.langgraph.stored import Stored, StoredWrite, stored_checkpoint, stored_write

PROFILE = "langgraph"


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
            problems.append(damage(f"{place}!checkpoints[{thread}]", found, checkpoint=True))
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
    problems += chain_problems(chain, here)
    deltas = rebuilt(chain)
    problems += delta_problems(chain, deltas, f"{here}]")
    namespaces = rows.namespaces(connection, ref.thread_id)
    traces = Traces(namespaces=namespaces, store_joins=names.joins)
    return Thread(
        ref=ref,
        records=tuple(records(chain, ref.namespace, here, traces, names, deltas)),
        problems=bounded(problems, limits, place),
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
            problems.append(damage(where, found, checkpoint=False))
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
