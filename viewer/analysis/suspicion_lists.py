"""Lists that lose entries where others keep them, and entries that stand twice after an append."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from viewer.analysis.reducers import Reducer
from viewer.analysis.replay import Edge, overwrites
from viewer.analysis.sightings import brief, seen
from viewer.chain import Chain
from viewer.equality import same
from viewer.model import Evidence, Finding
from viewer.pointer import join

_TEXT = 8
"""Shortest text that is taken to name one thing and not a state of many."""


def list_findings(
    chain: Chain, steps: Sequence[Edge], reducers: Mapping[str, Reducer]
) -> Iterator[Finding]:
    """Yield lists that shrank, whole lists appended to themselves, and effects recorded twice."""
    yield from _shrunk(chain, steps, reducers)
    for edge in steps:
        for channel, writes in edge.writes.items():
            if edge.exact and reducers.get(channel) == "append" and not overwrites(writes):
                yield from _appended(chain, edge, channel)


def _shrunk(
    chain: Chain, steps: Sequence[Edge], reducers: Mapping[str, Reducer]
) -> Iterator[Finding]:
    """Yield steps in which a list lost all that it held, where other steps extend it.

    Only channels that a write replaces: nothing else joins a write with what stood there. A list
    that is emptied, filtered or cut to its tail was changed on purpose.
    """
    extended: set[str] = set()
    lost: dict[str, list[Edge]] = {}
    writers: dict[str, set[str]] = {}
    for edge in steps:
        if not edge.exact or edge.child.nodes == ("__start__",):
            continue
        for channel, writes in edge.writes.items():
            old, new = edge.before.get(channel), edge.after.get(channel)
            if not isinstance(old, list) or not isinstance(new, list) or not old or not new:
                continue
            if overwrites(writes) or not same(new, writes[-1].value):
                continue
            if len(new) > len(old) and same(new[: len(old)], old):
                extended.add(channel)
            elif not any(same(a, b) for a in old[:50] for b in new[:50]):
                lost.setdefault(channel, []).append(edge)
                writers.setdefault(channel, set()).add(edge.author(channel))
    for channel, found in lost.items():
        if channel not in extended or reducers.get(channel) == "append":
            continue
        for edge in found:
            old, new = edge.before[channel], edge.after[channel]
            yield Finding(
                keyword="list_shrank",
                message=f"{channel!r} lost the {len(old)} entries that it held when "
                f"{edge.author(channel) or 'a task'} wrote {len(new)} new in step "
                f"{edge.child.step}: other steps extend it, and a write replaces it",
                namespace=chain.namespace,
                checkpoint_id=edge.child.checkpoint_id,
                index=edge.child.index,
                step=edge.child.step,
                node=edge.author(channel),
                channel=channel,
                pointer=join((channel,)),
                evidence=(
                    seen(edge.parent, edge.before, (channel,)),
                    seen(edge.child, edge.after, (channel,)),
                ),
            )


def _appended(chain: Chain, edge: Edge, channel: str) -> Iterator[Finding]:
    old = edge.before.get(channel)
    if not isinstance(old, list) or not old:
        return
    for write in edge.writes[channel]:
        value = write.value
        if not isinstance(value, list) or not value:
            continue
        if len(value) >= len(old) and len(value) > 1 and same(value[: len(old)], old):
            yield _doubled(
                chain,
                edge,
                channel,
                write.node,
                len(old),
                f"{write.node or 'a task'} returned the whole of {channel!r} in step "
                f"{edge.child.step} and the reducer appended it: its {len(old)} entries stand twice",
            )
            continue
        for place, entry in enumerate(value):
            if not _names_one(entry):
                continue
            twin = next((i for i, other in enumerate(old) if same(other, entry)), None)
            if twin is not None:
                yield _doubled(
                    chain,
                    edge,
                    channel,
                    write.node,
                    len(old) + place,
                    f"{write.node or 'a task'} appended an entry to {channel!r} in step "
                    f"{edge.child.step} that already stands there at {twin}: {brief(entry)}; its "
                    "effect may have happened twice",
                )
                break


def _names_one(entry: Any) -> bool:
    """Return whether an entry is told from others by what it says (a number, an id)."""
    if isinstance(entry, str):
        return len(entry) >= _TEXT and any(c.isdigit() for c in entry)
    return isinstance(entry, dict) and len(entry) > 1


def _doubled(
    chain: Chain, edge: Edge, channel: str, node: str, place: int, message: str
) -> Finding:
    return Finding(
        keyword="duplicated_entries",
        message=message,
        namespace=chain.namespace,
        checkpoint_id=edge.child.checkpoint_id,
        index=edge.child.index,
        step=edge.child.step,
        node=node,
        channel=channel,
        pointer=join((channel, place)),
        evidence=(
            Evidence(
                checkpoint_id=edge.parent.checkpoint_id,
                index=edge.parent.index,
                pointer=join((channel,)),
                note=brief(edge.before[channel]),
            ),
        ),
    )
