"""Lists and objects that lose what they held because a write replaces them: a reducer that is not there.

A list that is emptied, filtered or cut to its tail was changed on purpose; one that holds only new
entries afterwards, where other writes extend it or other nodes keep theirs in it, was not.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from viewer.analysis.differences import alike
from viewer.analysis.messages import is_message
from viewer.analysis.replay import Edge
from viewer.analysis.sightings import seen
from viewer.chain import Chain
from viewer.jsontext import dumps
from viewer.model import Finding
from viewer.pointer import join

_START = "__start__"
_COMPARED = 50
"""Entries of each list that are held against each other."""


class _Channel:
    """What the writes of one channel did to its list."""

    def __init__(self) -> None:
        self.extended = self.kept = False
        self.lost: list[tuple[Edge, str]] = []
        """Steps that lost all, with who had written what was lost."""

    @property
    def telling(self) -> bool:
        """Whether a loss is one: others extend the list, or all nodes overwrite each other."""
        writers = {node for edge, before in self.lost for node in (edge.node, before)} - {_START}
        nodes = all(before and edge.node != before for edge, before in self.lost)
        return self.extended or (not self.kept and nodes and len(writers) > 1)


def loss_findings(chain: Chain, steps: Sequence[Edge]) -> Iterator[Finding]:
    """Yield steps in which a list or object lost all that it held to what one write put there."""
    channels: dict[str, _Channel] = {}
    authors: dict[int, dict[str, str]] = {}
    for edge in steps:
        known = authors.setdefault(edge.parent.index, {})
        authors[edge.child.index] = {**known, **{c: edge.author(c) for c in edge.writes}}
        if not edge.exact:
            continue
        for channel, writes in edge.writes.items():
            old, new = edge.before.get(channel), edge.after.get(channel)
            if type(old) is not type(new) or not isinstance(new, list | dict) or not old or not new:
                continue
            if (
                "$type" in old
                or len(writes) > 1
                or channel in edge.taking
                or not alike(new, writes[0].value)
            ):
                continue
            own = channels.setdefault(channel, _Channel())
            if _extends(old, new):
                own.extended = True
            elif _conversation(edge, old, new):
                yield _finding(chain, edge, channel)
            elif edge.author(channel) != _START and not _shared(old, new):
                own.lost.append((edge, known.get(channel, "")))
            else:
                own.kept = True
    for channel, own in channels.items():
        for edge, _ in own.lost if own.telling else ():
            yield _finding(chain, edge, channel)


def _extends(old: Any, new: Any) -> bool:
    if isinstance(old, dict):
        return len(new) > len(old) and old.keys() <= new.keys()
    return len(new) > len(old) and alike(new[: len(old)], old)


def _conversation(edge: Edge, old: Any, new: Any) -> bool:
    """Return whether messages were replaced by fewer that are no cut of them."""
    if isinstance(old, dict):
        return False
    if not all(map(is_message, (old[0], old[-1], new[0], new[-1]))) or len(new) >= len(old):
        return False
    return edge.child.nodes == (_START,) or not _shared(old, new)


def _shared(old: Any, new: Any) -> bool:
    if isinstance(old, dict):
        return not old.keys().isdisjoint(new)
    return any(alike(a, b) for a in old[-_COMPARED:] for b in new[-_COMPARED:])


def _finding(chain: Chain, edge: Edge, channel: str) -> Finding:
    old, new = edge.before[channel], edge.after[channel]
    by = edge.author(channel)
    who = "a new input" if by == _START else by or "a task"
    lost, added = _only(old, new), _only(new, old)
    return Finding(
        keyword="list_shrank" if isinstance(old, list) else "keys_lost",
        message=f"{channel!r} held {_counted(old, len(old))} until {who} wrote {len(new)} in step "
        f"{edge.child.step}{_gone(len(old), len(lost))}: a write replaces this channel, no reducer "
        "joins it with what stands there",
        namespace=chain.namespace,
        checkpoint_id=edge.child.checkpoint_id,
        index=edge.child.index,
        step=edge.child.step,
        node=by,
        channel=channel,
        pointer=join((channel,)),
        evidence=(
            seen(edge.parent, edge.before, (channel, *lost[:1])),
            seen(edge.child, edge.after, (channel, *added[:1])),
        ),
    )


def _only(here: Any, there: Any) -> list[Any]:
    """Return the places of what only ``here`` holds; an entry that stands twice counts twice."""
    if isinstance(here, dict):
        return [key for key in here if key not in there]
    left = Counter(map(dumps, there))
    found = []
    for place, text in enumerate(map(dumps, here)):
        if left[text]:
            left[text] -= 1
        else:
            found.append(place)
    return found


def _counted(held: Any, many: int) -> str:
    one, more = ("entry", "entries") if isinstance(held, list) else ("field", "fields")
    return f"{many} {one if many == 1 else more}"


def _gone(held: int, lost: int) -> str:
    """Return what became of ``held`` entries of which ``lost`` are no more."""
    if lost == held:
        return " and it was gone" if held == 1 else " and they were gone"
    was = "was" if lost == 1 else "were"
    stays = "still stands" if held - lost == 1 else "still stand"
    return f" and {lost} {was} gone, {held - lost} {stays}"
