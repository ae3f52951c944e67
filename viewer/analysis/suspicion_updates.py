"""Updates that are lost: a node writes back an object as it stood before another node changed it.

Every node reads the state as it stands when its step begins; one that writes an older form back has
carried it: in another field, or in the argument of its Send.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeGuard

from viewer.analysis.differences import alike
from viewer.analysis.replay import Edge
from viewer.analysis.sightings import brief, seen
from viewer.analysis.tasks import internal
from viewer.chain import Chain
from viewer.model import MISSING, Finding
from viewer.pointer import join

_START = "__start__"


def update_findings(chain: Chain, steps: Sequence[Edge]) -> Iterator[Finding]:
    """Yield writes that take back what another node had written to the same object just before."""
    by_child = {edge.child.index: edge for edge in steps}
    for edge in steps:
        earlier = by_child.get(edge.parent.index)
        if earlier is None or not edge.exact or not earlier.exact:
            continue
        for channel, writes in edge.writes.items():
            if len(writes) != 1 or channel not in earlier.writes or channel in edge.taking:
                continue
            found = _lost(earlier, edge, channel)
            if found:
                yield _finding(chain, earlier, edge, channel, *found)


def _lost(earlier: Edge, edge: Edge, channel: str) -> tuple[list[str], str] | None:
    """Return the keys of the other node's that a write took back, and where the old form was kept."""
    base, changed = earlier.before.get(channel), edge.before.get(channel)
    new, write = edge.after.get(channel), edge.writes[channel][0]
    if not _plain(base) or not _plain(changed) or not _plain(new) or not alike(new, write.value):
        return None
    others = {w.node for w in earlier.writes[channel]}
    if not write.node or write.node in others or _START in (write.node, *others):
        return None
    theirs = [k for k in changed if k not in base or not alike(base[k], changed[k])]
    back = [k for k in theirs if alike(new.get(k, MISSING), base.get(k, MISSING))]
    kept = [k for k in base if k not in theirs and alike(new.get(k, MISSING), base[k])]
    own = any(k not in changed or not alike(changed[k], new[k]) for k in new if k not in back)
    if not back or len(back) < len(theirs) or not kept or not own:
        return None
    carried = _carried(edge, channel, base)
    restored, gone = (any((k in new) is here for k in back) for here in (True, False))
    return (back, carried) if carried or (restored and gone) else None


def _plain(value: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict) and bool(value) and "$type" not in value


def _carried(edge: Edge, channel: str, base: Mapping[str, Any]) -> str:
    """Return where the old form stood when the node began: another field, or its Send."""
    for name, value in edge.before.items():
        if name != channel and not internal(name) and _holds(value, base):
            return f"as it stands in {name!r}"
    for task in edge.parent.tasks:
        if task.node == edge.writes[channel][0].node and task.input is not MISSING:
            given = task.input.get(channel) if isinstance(task.input, dict) else None
            if _holds(task.input, base) or _holds(given, base):
                return "as its Send brought it"
    return ""


def _holds(value: Any, base: Mapping[str, Any]) -> bool:
    return isinstance(value, dict) and all(
        k in value and alike(v, value[k]) for k, v in base.items()
    )


def _finding(
    chain: Chain, earlier: Edge, edge: Edge, channel: str, back: list[str], carried: str
) -> Finding:
    node, other = edge.author(channel), earlier.author(channel)
    keys = ", ".join(map(brief, back[:4])) + (" …" if len(back) > 4 else "")
    return Finding(
        keyword="lost_update",
        message=f"{node} wrote {channel!r} in step {edge.child.step} from an older form of it"
        f"{f', {carried}' if carried else ''}: what {other} had put there in step "
        f"{edge.parent.step} is lost ({keys})",
        namespace=chain.namespace,
        checkpoint_id=edge.child.checkpoint_id,
        index=edge.child.index,
        step=edge.child.step,
        node=node,
        channel=channel,
        pointer=join((channel,)),
        evidence=(
            seen(edge.parent, edge.before, (channel, back[0])),
            seen(edge.child, edge.after, (channel, back[0])),
        ),
    )
