"""Entries that stand twice in a list after something was appended to it."""

import re
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
_ID = re.compile(r"^(?:id|key|uuid|ref|number|sku)$|_id$|Id$")
"""Fields that tell an entry from others."""
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
    if _edited(old, tail):
        yield _doubled(
            chain,
            edge,
            channel,
            write.node,
            len(old),
            f"{write.node or 'a task'} returned the whole of {channel!r} with changes in step "
            f"{edge.child.step} and the reducer appended it: its {len(old)} entries stand twice, as "
            f"they were and changed ({brief(tail[0])})",
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


def _edited(old: Sequence[Any], tail: Sequence[Any]) -> bool:
    """Return whether a written list begins with all the entries of ``old``, some of them changed.

    Half of them must hold all the fields that they had, with a text that is no word of many: what
    is written anew each round has the same ids in the same order, too. The others must be told
    again by their id. One entry alone may be the next state of the one before it, as in a journal.
    """
    if not 1 < len(old) <= len(tail):
        return False
    kept = 0
    for before, after in zip(old, tail, strict=False):
        if not isinstance(before, dict) or not isinstance(after, dict) or is_message(before):
            return False
        if all(key in after and alike(before[key], after[key]) for key in before):
            kept += any(isinstance(v, str) and len(v) >= _TEXT for v in before.values())
        elif _id(before) is None or _id(before) != _id(after) or before.keys() != after.keys():
            return False
    return 2 * kept >= len(old)


def _id(entry: Any) -> str | None:
    found = [str(v) for k, v in entry.items() if _ID.search(str(k)) and isinstance(v, str | int)]
    return "|".join(found) if found else None


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
