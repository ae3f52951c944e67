"""A chain: the checkpoints of one thread and namespace by lineage, with parents, forks and heads.

Order is by parent links, then the source's own order; never by step or by id alone.
"""

import heapq
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

from viewer.errors import SelectionError
from viewer.model import (
    MISSING,
    Checkpoint,
    Missing,
    Problem,
    Record,
    Sidecars,
    Thread,
)
from viewer.profiles import Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Checkpoints oldest first; `state` gives the state of each."""

    source: str
    reader: str
    thread_id: str
    namespace: str
    profile: Profile
    checkpoints: tuple[Checkpoint, ...]
    states: tuple[Any, ...]
    """One a checkpoint, `MISSING` where it has none; read them with `state`."""
    problems: tuple[Problem, ...]
    sidecars: Sidecars
    live: Literal["id", "last"]

    def state(self, index: int) -> Any:
        """Return the state of the checkpoint at ``index``; never mutate it.

        Raises:
            SelectionError: that checkpoint has no readable state.
        """
        found = self.states[index]
        if found is MISSING:
            raise SelectionError(
                f"checkpoint {self.checkpoints[index].checkpoint_id} has no readable state"
            )
        return found

    def children(self, index: int) -> tuple[int, ...]:
        """Return the indices of the checkpoints whose parent is ``index``, oldest first."""
        return tuple(c.index for c in self.checkpoints if c.parent == index)

    @property
    def heads(self) -> tuple[int, ...]:
        """Indices of the leaves, the live head last."""
        parents = {c.parent for c in self.checkpoints}
        leaves = [c.index for c in self.checkpoints if c.index not in parents]
        live = self._live(leaves)
        return (*(i for i in leaves if i != live), live) if live is not None else ()

    @property
    def head(self) -> int | None:
        """Index of the live head: highest checkpoint_id, or newest and then last in the source."""
        heads = self.heads
        return heads[-1] if heads else None

    @property
    def forks(self) -> tuple[int, ...]:
        """Indices of the checkpoints with more than one child."""
        count: dict[int, int] = {}
        for checkpoint in self.checkpoints:
            if checkpoint.parent is not None:
                count[checkpoint.parent] = count.get(checkpoint.parent, 0) + 1
        return tuple(sorted(i for i, n in count.items() if n > 1))

    def lanes(self) -> tuple[int, ...]:
        """Return a lane for each checkpoint: 0 for the live head's lineage, one more a branch."""
        lane: list[int | None] = [None] * len(self.checkpoints)
        for number, head in enumerate(reversed(self.heads)):
            at: int | None = head
            while at is not None and lane[at] is None:
                lane[at] = number
                at = self.checkpoints[at].parent
        return tuple(0 if n is None else n for n in lane)

    def resolve(self, name: str) -> int:
        """Return the index that ``name`` means: an exact id, ``@INDEX`` or ``head``.

        Raises:
            SelectionError: nothing has that name, or several checkpoints have.
        """
        same = [c.index for c in self.checkpoints if c.checkpoint_id == name]
        if len(same) == 1:
            return same[0]
        if same:
            places = ", ".join(f"@{i}" for i in same)
            raise SelectionError(f"checkpoint id {name!r} stands {len(same)} times: name {places}")
        if name == "head" and self.head is not None:
            return self.head
        if name[:1] == "@" and name[1:].isascii() and name[1:].isdigit() and len(name) < 12:
            index = int(name[1:])
            if index < len(self.checkpoints):
                return index
        raise SelectionError(
            f"no checkpoint {name!r} in thread {self.thread_id!r}: give an id, 'head' or @0 to "
            f"@{len(self.checkpoints) - 1}"
        )

    def pair(self, base: str | None = None, target: str | None = None) -> tuple[int | None, int]:
        """Return the indices to compare: the target (the live head by default) and its base.

        The base defaults to the target's parent, and is None where the target is a root.

        Raises:
            SelectionError: the chain is empty or a name means nothing.
        """
        if not self.checkpoints:
            raise SelectionError(f"thread {self.thread_id!r} holds no checkpoint")
        to = self.resolve(target or "head")
        return (self.checkpoints[to].parent if base is None else self.resolve(base)), to

    def _live(self, leaves: list[int]) -> int | None:
        if not leaves:
            return None
        if self.live == "id":
            return max(leaves, key=lambda i: (self.checkpoints[i].checkpoint_id, i))
        oldest = datetime.min.replace(tzinfo=UTC)
        return max(leaves, key=lambda i: (self.checkpoints[i].created_at or oldest, i))


def assemble(source: str, reader: str, thread: Thread, profile: Profile) -> Chain:
    """Return the chain of ``thread`` as ``profile`` understands its states.

    Records without a state become problems; the good rest is linked and ordered.
    """
    listed, faults = _sift(thread.records)
    named = [_named(record, profile) for record in listed]
    order, parents = _order(named)
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
                writes=record.writes,
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
        problems=(*thread.problems, *faults.problems(checkpoints, position, named)),
        sidecars=thread.sidecars,
        live=thread.live_head,
    )


class _Faults:
    """Records that yield no state, and how many of them precede each listed record."""

    def __init__(self) -> None:
        self.gaps: dict[int, int] = {}
        self.lost: list[tuple[int, Record]] = []

    def problems(
        self, checkpoints: list[Checkpoint], position: dict[int, int], records: list[Record]
    ) -> list[Problem]:
        """Return one problem a fault, a gap, a duplicate key and a missing parent."""
        found: list[tuple[int, Problem]] = []
        for before, record in self.lost:
            last = before - 1
            known = checkpoints[position[last]] if last >= 0 else None
            found.append(
                (
                    before,
                    Problem(
                        place=record.place,
                        reason=record.fault or "",
                        keyword=record.fault_keyword,
                        index=known.index if known else None,
                        no_state=True,
                    ),
                )
            )
        for old, record in enumerate(records):
            own = checkpoints[position[old]]
            for problem in _own_problems(record, own, self.gaps.get(old, 0)):
                placed = replace(problem, checkpoint_id=own.checkpoint_id, index=own.index)
                found.append((old, placed))
        found.sort(key=lambda pair: pair[0])
        return [problem for _, problem in found]


def _own_problems(record: Record, own: Checkpoint, gap: int) -> list[Problem]:
    found = []
    if gap:
        what = "1 record is" if gap == 1 else f"{gap} records are"
        before = f"step {own.step}" if own.step is not None else f"checkpoint {own.checkpoint_id}"
        reason = f"{what} missing before {before}: the change from its parent may be several steps"
        found.append(Problem(place=record.place, reason=reason, keyword="gap"))
    if record.fault is not None:
        found.append(
            Problem(
                place=record.place,
                reason=record.fault,
                keyword=record.fault_keyword,
                no_state=record.state is MISSING,
            )
        )
    for pointer in record.duplicate_keys:
        reason = "key stands twice in one object; the last value is used"
        place = f"{record.place}{'' if record.pointer else '#'}{pointer}"
        found.append(Problem(place=place, reason=reason, keyword="duplicate_key"))
    if own.parent_id is not None and own.parent is None:
        reason = f"parent {own.parent_id} is not in the source"
        found.append(Problem(place=record.place, reason=reason, keyword="missing_parent"))
    return found


def _sift(records: tuple[Record, ...]) -> tuple[list[Record], _Faults]:
    """Part the records that are checkpoints from those that are only faults."""
    listed: list[Record] = []
    faults = _Faults()
    gap = 0
    for record in records:
        if record.listed:
            if gap and listed:
                faults.gaps[len(listed)] = gap
            gap = 0
            listed.append(record)
        else:
            faults.lost.append((len(listed), record))
            gap += 1
    return listed, faults


def _named(record: Record, profile: Profile) -> Record:
    """Fill what the wrapper leaves open from the places that the profile names."""
    if record.state is MISSING:
        return record
    state, field = record.state, profile.field
    parent = record.parent_id
    if parent is MISSING and profile.file.fields.parent_id is not None:
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


def _order(records: list[Record]) -> tuple[list[int], list[int | None]]:
    """Return source positions with parents first, and each record's parent as a source position.

    A parent id that stands several times means the nearest record before the child. A cycle is
    cut at the record that comes first in the source.
    """
    seen: dict[str, list[int]] = {}
    for position, record in enumerate(records):
        seen.setdefault(record.checkpoint_id or record.made_id, []).append(position)
    parents = [_parent(position, record, seen) for position, record in enumerate(records)]
    children: dict[int, list[int]] = {}
    ready: list[int] = []
    for position, parent in enumerate(parents):
        if parent is None:
            ready.append(position)
        else:
            children.setdefault(parent, []).append(position)
    order: list[int] = []
    placed = [False] * len(records)
    cut = 0
    while len(order) < len(records):
        if not ready:
            while placed[cut]:
                cut += 1
            parents[cut] = None
            ready.append(cut)
        at = heapq.heappop(ready)
        if placed[at]:
            continue
        placed[at] = True
        order.append(at)
        for child in children.get(at, ()):
            heapq.heappush(ready, child)
    return order, parents


def _parent(position: int, record: Record, seen: dict[str, list[int]]) -> int | None:
    wanted = record.parent_id
    if wanted is None:
        return None
    if isinstance(wanted, Missing):
        return position - 1 if position else None
    known = [p for p in seen.get(wanted, ()) if p != position]
    earlier = [p for p in known if p < position]
    return earlier[-1] if earlier else known[0] if known else None
