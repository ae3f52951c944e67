"""One thread and namespace: its checkpoints, linked, derived and turned into records."""

from collections import Counter
from collections.abc import Iterator
from typing import Protocol

from viewer.errors import LimitExceeded
from viewer.limits import Limits
from viewer.model import Problem, Thread, ThreadRef
from viewer.sources.langgraph.ancestry import Ancestry, live_head, written_at
from viewer.sources.langgraph.askers import Askers
from viewer.sources.langgraph.attach import Traces
from viewer.sources.langgraph.blobs import SEALED, Blobs
from viewer.sources.langgraph.deltas import rebuilt
from viewer.sources.langgraph.kin import Kin
from viewer.sources.langgraph.nesting import Nester, detachment
from viewer.sources.langgraph.notes import bounded, chain_problems, delta_problems, unattributed
from viewer.sources.langgraph.records import StoreNames, records
from viewer.sources.langgraph.stored import Stored, StoredWrite
from viewer.sources.langgraph.tasks import subgraphs
from viewer.sources.langgraph.triggers import Names

PROFILE = "langgraph"


class ThreadRows(Protocol):
    """What any LangGraph store holds of a thread, within one read transaction."""

    def checkpoints(self, ref: ThreadRef, blobs: Blobs) -> Iterator[Stored | Problem]:
        """Yield the checkpoints of a thread and namespace, oldest first, without their writes."""
        ...

    def writes(self, ref: ThreadRef, blobs: Blobs) -> Iterator[tuple[str, StoredWrite] | Problem]:
        """Yield the write rows of a thread and namespace, each with its checkpoint's id."""
        ...

    def namespaces(self, thread_id: str) -> tuple[str, ...]:
        """Return every namespace of a thread."""
        ...

    def joins(self) -> Names:
        """Return the joins that any checkpoint of the whole store knows."""
        ...

    def reads(self) -> Names:
        """Return node → the channels it reads, from all checkpoints of formats 1 and 2."""
        ...


def load_thread(
    rows: ThreadRows, ref: ThreadRef, *, place: str, limits: Limits, kin: Kin | None = None
) -> Thread:
    """Return the records of one thread and namespace.

    Args:
        rows: the store, open for reading.
        ref: which of its threads.
        place: the store's own place, as shown.
        limits: bounds.
        kin: what earlier loads told of the thread's chains; nothing in the store changed since.

    Raises:
        LimitExceeded: it has more checkpoints than the limit allows.
    """
    blobs = Blobs(limits.depth)
    thread = f"{ref.thread_id}/{ref.namespace}"
    chain: list[Stored] = []
    problems: list[Problem] = []
    for one in rows.checkpoints(ref, blobs):
        if isinstance(one, Problem):
            problems.append(one)
            continue
        if len(chain) >= limits.checkpoints:
            raise LimitExceeded(
                f"{place}!checkpoints[{thread}]",
                f"more than {limits.checkpoints} checkpoints in one thread",
            )
        chain.append(one)
    where = f"{place}!writes[{thread}]"
    written, faults = _writes(rows, ref, blobs, where)
    problems += faults
    chain = [written_at(one, written) for one in chain]
    ids = {one.checkpoint_id: one for one in chain}
    stray = sum(len(own) for at, own in written.items() if at not in ids)
    if stray:
        reason = f"{stray} write rows belong to checkpoints that are not in the store (yet)"
        problems.append(Problem(place=where, reason=reason, keyword="stray_writes"))
    here = f"{place}!checkpoints[{thread}"
    problems += chain_problems(chain, here)
    deltas = rebuilt(chain)
    problems += delta_problems(chain, deltas, f"{here}]")
    spaces = rows.namespaces(ref.thread_id)
    traces = Traces(namespaces=spaces, subgraphs=subgraphs(spaces), store_joins=rows.joins)
    names = StoreNames(joins=rows.joins, reads=rows.reads)
    ancestry = Ancestry(rows, ref.thread_id, blobs, kin)
    head = live_head({one.checkpoint_id: one.parent_id for one in chain})
    nesting = Nester(ancestry, traces, names).nesting(ref.namespace, ids.get(head or ""))
    problems += detachment(nesting, f"{here}]")
    made = records(
        chain,
        ref.namespace,
        here,
        traces,
        names,
        deltas,
        asker=Askers(ancestry, ref.namespace, spaces),
        live=head if nesting is None or nesting.standing == "live" else None,
    )
    found = tuple(made)
    problems += unattributed(traces.unattributed, ids, here)
    return Thread(
        ref=ref,
        records=found,
        nesting=nesting,
        problems=bounded(problems, limits, place),
        profile=PROFILE,
        live_head="id",
    )


def _writes(
    rows: ThreadRows, ref: ThreadRef, blobs: Blobs, where: str
) -> tuple[dict[str, list[StoredWrite]], list[Problem]]:
    """Return the writes by checkpoint id, and a problem for each that cannot be read.

    Sealed ones are told together: in a store with encryption that is every write.
    """
    written: dict[str, list[StoredWrite]] = {}
    problems: list[Problem] = []
    sealed: Counter[str] = Counter()
    for found in rows.writes(ref, blobs):
        if isinstance(found, Problem):
            problems.append(found)
            continue
        checkpoint_id, write = found
        written.setdefault(checkpoint_id, []).append(write)
        if write.fault is None:
            continue
        if write.value["$type"] in SEALED:
            sealed[write.value["tag"]] += 1
            continue
        _, task, position = write.sort
        problems.append(
            Problem(
                place=f"{where[:-1]}/{checkpoint_id}/{task}/{position}]",
                reason=f"channel {write.channel}: {write.fault}",
                keyword="write",
                checkpoint_id=checkpoint_id,
            )
        )
    for tag, count in sealed.items():
        reason = f"{count} write values are not read: their tag is {tag}"
        problems.append(Problem(place=where, reason=reason, keyword="sealed"))
    return written, problems
