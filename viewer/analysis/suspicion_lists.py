"""Entries that stand twice in a list after something was appended to it."""

from collections.abc import Iterator, Sequence
from typing import Any

from viewer.analysis.differences import alike, position
from viewer.analysis.messages import is_message
from viewer.analysis.replay import Edge
from viewer.analysis.sightings import brief
from viewer.chain import Chain
from viewer.model import Evidence, Finding
from viewer.pointer import join

_START = "__start__"
_TEXT = 8
"""Shortest text that is taken to name one thing and not a state of many."""


def list_findings(chain: Chain, steps: Sequence[Edge]) -> Iterator[Finding]:
    """Yield whole lists appended to themselves, and effects recorded twice."""
    for edge in steps:
        for channel, writes in edge.writes.items():
            if not edge.exact or edge.child.nodes == (_START,):
                continue  # a person may well say the same again
            if len(writes) == 1 and channel not in edge.taking:
                yield from _appended(chain, edge, channel)


def _appended(chain: Chain, edge: Edge, channel: str) -> Iterator[Finding]:
    old, new = edge.before.get(channel), edge.after.get(channel)
    (write,) = edge.writes[channel]
    if not isinstance(old, list) or not isinstance(new, list) or not old or len(new) <= len(old):
        return
    if not alike(new[: len(old)], old):
        return
    value, tail = write.value, new[len(old) :]
    whole = isinstance(value, list) and len(value) > 1 and alike(tail, value)
    if whole and len(value) >= len(old) and alike(value[: len(old)], old):
        yield _doubled(
            chain,
            edge,
            channel,
            write.node,
            len(old),
            f"{write.node or 'a task'} returned the whole of {channel!r} in step "
            f"{edge.child.step} and the reducer appended it: its {len(old)} entries stand twice",
        )
        return
    for place, entry in enumerate(tail):
        if not _names_one(entry):
            continue
        twin = position(entry, old)
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
            return


def _names_one(entry: Any) -> bool:
    """Return whether an entry is told from others by what it says (a number, an id)."""
    if isinstance(entry, str):
        return len(entry) >= _TEXT and any(c.isdigit() for c in entry)
    return isinstance(entry, dict) and len(entry) > 1 and not is_message(entry)


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
