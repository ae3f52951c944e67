"""Parents first, then the source's own order."""

import heapq

from viewer.model import Missing, Record


def order_of(records: list[Record]) -> tuple[list[int], list[int | None]]:
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
