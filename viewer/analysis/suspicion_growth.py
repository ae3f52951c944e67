"""Fields that outgrow all others, and lists that pile up turn by turn."""

from collections.abc import Iterator, Sequence
from typing import Any

from viewer.analysis.messages import is_message
from viewer.analysis.replay import Edge
from viewer.analysis.sightings import seen
from viewer.chain import Chain
from viewer.jsontext import dumps
from viewer.model import Finding
from viewer.pointer import join

_LARGE, _SHARE, _TIMES, _CHECKPOINTS = 64 * 1024, 0.8, 8, 6
"""A channel has outgrown the state: bytes, share of it, times its first size, checkpoints."""


_TURNS, _BATCH, _LONG = 5, 2, 200
"""A list piles up: turns that added to it, entries each time, characters of an entry on average."""


def growth_findings(chain: Chain, steps: Sequence[Edge], turn: Sequence[int]) -> Iterator[Finding]:
    """Yield the field that makes up most of a large state, else lists that only pile up."""
    large = list(_growth(chain))
    yield from large or _piles(chain, steps, turn)


def _growth(chain: Chain) -> Iterator[Finding]:
    if chain.head is None:
        return
    way = [chain.head]
    while (parent := chain.checkpoints[way[-1]].parent) is not None:
        way.append(parent)
    way.reverse()
    state = chain.states[chain.head]
    head = chain.checkpoints[chain.head]
    if len(way) < _CHECKPOINTS or head.size_bytes < _LARGE or not isinstance(state, dict):
        return
    sizes = {name: len(dumps(value)) for name, value in state.items()}
    channel = max(sizes, key=lambda name: sizes[name], default=None)
    if channel is None or sizes[channel] < _SHARE * sum(sizes.values()):
        return
    first = next(i for i in way if isinstance(chain.states[i], dict) and channel in chain.states[i])
    start = len(dumps(chain.states[first][channel]))
    if sizes[channel] < _LARGE or sizes[channel] < _TIMES * max(start, 1):
        return
    total = sum(chain.checkpoints[i].size_bytes for i in way)
    yield Finding(
        keyword="growth",
        message=f"{channel!r} grew from {_size(start)} to {_size(sizes[channel])} in {len(way)} "
        f"checkpoints and is {100 * sizes[channel] // sum(sizes.values())} % of the state: the "
        f"checkpoints of this branch hold {_size(total)}",
        namespace=chain.namespace,
        checkpoint_id=head.checkpoint_id,
        index=head.index,
        step=head.step,
        channel=channel,
        pointer=join((channel,)),
        evidence=(seen(chain.checkpoints[first], chain.states[first], (channel,)),),
    )


def _piles(chain: Chain, steps: Sequence[Edge], turn: Sequence[int]) -> Iterator[Finding]:
    """Yield a list to which one node adds as many long entries in each turn, and nobody takes any.

    Only where it makes up most of the state: a journal of short lines grows by design.
    """
    head = None if chain.head is None else chain.checkpoints[chain.head]
    state = None if head is None else chain.states[head.index]
    if head is None or not isinstance(state, dict):
        return
    way, at = set[int](), chain.head
    while at is not None:
        way.add(at)
        at = chain.checkpoints[at].parent
    added: dict[tuple[str, str], list[Edge]] = {}
    for edge in steps:
        if edge.child.index in way and edge.child.origin == "loop":
            for channel, writes in edge.writes.items():
                added.setdefault((channel, writes[0].node), []).append(edge)
    for (channel, node), found in added.items():
        value = state.get(channel)
        sizes = {len(edge.writes[channel][0].value) for edge in found if _batch(edge, channel)}
        every = all(_batch(edge, channel) for edge in found)
        many = len({turn[edge.child.index] for edge in found}) == len(found) >= _TURNS
        if not (every and many and len(sizes) == 1) or not isinstance(value, list):
            continue
        total, own = len(dumps(state)), len(dumps(value))
        if len(value) != sum(sizes) * len(found) or own < _LONG * len(value) or 2 * own < total:
            continue
        second = found[1]
        yield Finding(
            keyword="growth",
            message=f"{channel!r} only grows: {node} added {sum(sizes)} entries in each of "
            f"{len(found)} turns, nothing takes any away, and they are {100 * own // total} % of the"
            " state",
            namespace=chain.namespace,
            checkpoint_id=second.child.checkpoint_id,
            index=second.child.index,
            step=second.child.step,
            node=node,
            channel=channel,
            pointer=join((channel,)),
            evidence=(seen(head, state, (channel,)),),
        )


def _batch(edge: Edge, channel: str) -> bool:
    """Return whether one task put several entries, no messages, behind those of a list."""
    writes, old = edge.writes[channel], edge.before.get(channel, [])
    new: Any = edge.after.get(channel)
    value = writes[0].value
    if len(writes) != 1 or writes[0].node in ("", "__start__") or not isinstance(value, list):
        return False
    lists = isinstance(old, list) and isinstance(new, list)
    return (
        lists
        and len(value) >= _BATCH
        and len(new) == len(old) + len(value)
        and not any(map(is_message, value))
    )


def _size(count: int) -> str:
    for unit in ("B", "KB", "MB"):
        if count < 1024:
            return f"{count} {unit}"
        count //= 1024
    return f"{count} GB"
