"""From a thread's records to its chain."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from viewer.chain.faults import CUT, sift
from viewer.chain.lineage import Chain
from viewer.chain.order import order_of
from viewer.model import MISSING, Checkpoint, Missing, Record, Thread
from viewer.profiles import Profile

_FILLED = ("checkpoint_id", "parent_id", "run_id", "node", "step", "created_at", "status")
"""Fields of `Fields` that stand for what a record leaves open."""


def assemble(source: str, reader: str, thread: Thread, profile: Profile) -> Chain:
    """Return the chain of ``thread`` as ``profile`` understands its states.

    Records without a state become problems; the good rest is linked and ordered.
    """
    listed, faults = sift(thread.records)
    places = profile.file.fields
    named = listed
    if any(getattr(places, name) for name in _FILLED):
        named = [_named(record, profile) for record in listed]
    order, parents = order_of(named)
    position = {old: new for new, old in enumerate(order)}
    with_children = {parents[i] for i in order}
    checkpoints = []
    for index, old in enumerate(order):
        record, parent = named[old], parents[old]
        status = record.status
        checkpoints.append(
            Checkpoint(
                index=index,
                checkpoint_id=record.checkpoint_id or record.made_id,
                parent_id=_parent_id(record, named, parent),
                parent=None if parent is None else position[parent],
                place=record.place,
                run_id=record.run_id,
                step=record.step,
                created_at=record.created_at,
                origin=record.origin,
                nodes=record.nodes or (),
                status=status,
                phase=profile.phase(status, leaf=old not in with_children),
                next=record.next,
                next_live=record.next_live,
                interrupts=record.interrupts,
                errors=record.errors,
                tasks=record.tasks,
                writes=record.writes,
                versions=record.versions,
                decision=record.decision,
                metadata=record.metadata,
                size_bytes=record.size_bytes,
                has_state=record.state is not MISSING,
                trusted=record.trusted,
                id_made=record.checkpoint_id is None,
                gap=faults.gaps.get(old, 0),
            )
        )
    return Chain(
        source=source,
        reader=reader,
        thread_id=thread.ref.thread_id,
        namespace=thread.ref.namespace,
        profile=profile,
        checkpoints=tuple(checkpoints),
        states=tuple(named[old].state for old in order),
        problems=(
            *thread.problems,
            *faults.problems(
                checkpoints, position, named, cut=any(p.keyword == CUT for p in thread.problems)
            ),
        ),
        sidecars=thread.sidecars,
        live=thread.live_head,
        nesting=thread.nesting,
    )


def _named(record: Record, profile: Profile) -> Record:
    """Fill what the wrapper leaves open from the places that the profile names."""
    places = profile.file.fields
    if record.state is MISSING:
        return record
    state, field = record.state, profile.field
    parent = record.parent_id
    if parent is MISSING and places.parent_id is not None:
        parent = _text(field("parent_id", state)) or MISSING
    node = _text(field("node", state))
    step = field("step", state)
    return replace(
        record,
        checkpoint_id=record.checkpoint_id or _text(field("checkpoint_id", state)),
        parent_id=parent,
        run_id=record.run_id or _text(field("run_id", state)),
        step=record.step if record.step is not None else step if type(step) is int else None,
        created_at=record.created_at or when(field("created_at", state)),
        nodes=record.nodes if record.nodes is not None else (node,) if node else (),
        status=record.status or _text(field("status", state)),
    )


def when(value: Any) -> datetime | None:
    """Return ``value`` as an aware UTC time: ISO 8601 text or seconds since 1970; else None."""
    try:
        if isinstance(value, str):
            found = datetime.fromisoformat(value)
            return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
        if type(value) in (int, float):
            return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _parent_id(record: Record, records: list[Record], parent: int | None) -> str | None:
    if not isinstance(record.parent_id, Missing):
        return record.parent_id
    return None if parent is None else records[parent].checkpoint_id or records[parent].made_id
