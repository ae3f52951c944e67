"""One cause shown at several levels of subgraphs is one finding, at the innermost node.

What a subgraph gives back stands in the chain around it as well: there the same value shows the same
fault, under the node that holds the subgraph.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from viewer.analysis.differences import alike
from viewer.chain import Chain
from viewer.model import MISSING, Evidence, Finding
from viewer.pointer import find

_OF_ITS_OWN = ("duplicated_entries", "growth", "loop")
"""What each level does for itself: its own reducer appended, its own node ran again."""
_OUTER = 4
"""Most places outside that are named with a finding."""
_OWN = 6
"""Most of a finding's own evidence beside them."""


def innermost(
    found: Mapping[str, tuple[Finding, ...]], chains: Mapping[str, Chain]
) -> tuple[Finding, ...]:
    """Return the findings of all chains, by namespace, without those that an inner one explains.

    Args:
        found: the findings of each namespace.
        chains: the chain of each namespace.
    """
    explained: dict[int, Finding] = {}
    outer: dict[int, list[Finding]] = {}
    for space, chain in chains.items():
        nesting = chain.nesting
        if nesting is None or nesting.namespace not in chains or nesting.namespace == space:
            continue
        around = chains[nesting.namespace]
        for inner in found.get(space, ()):
            for other in found.get(nesting.namespace, ()):
                if id(other) not in explained and _same(inner, chain, other, around):
                    explained[id(other)] = inner
                    outer.setdefault(id(inner), []).append(other)
    return tuple(
        _with(one, _all(one, outer, set())) if id(one) in outer else one
        for space in chains
        for one in found.get(space, ())
        if id(one) not in explained
    )


def _same(inner: Finding, chain: Chain, outer: Finding, around: Chain) -> bool:
    """Return whether ``outer`` shows, in the chain around, what ``inner`` shows in the subgraph."""
    nesting = chain.nesting
    if nesting is None or not inner.channel or nesting.node not in outer.node.split(", "):
        return False
    if inner.keyword in _OF_ITS_OWN:
        return False
    if (inner.keyword, inner.channel) != (outer.keyword, outer.channel):
        return False
    if nesting.checkpoint_id is not None:
        at = around.checkpoints[outer.index].parent
        if at is None or around.checkpoints[at].checkpoint_id != nesting.checkpoint_id:
            return False
    value = find(chain.states[inner.index], inner.pointer, MISSING)
    other = find(around.states[outer.index], outer.pointer, MISSING)
    return value is not MISSING and other is not MISSING and alike(value, other)


def _all(one: Finding, outer: Mapping[int, list[Finding]], seen: set[int]) -> list[Finding]:
    """Return what ``one`` explains, what that explained before it, and so on outwards."""
    found: list[Finding] = []
    for other in outer.get(id(one), ()):
        if id(other) not in seen:
            seen.add(id(other))
            found += [other, *_all(other, outer, seen)]
    return found


def _with(one: Finding, outer: list[Finding]) -> Finding:
    own: tuple[Any, ...] = one.evidence[:_OWN]
    beside = tuple(
        Evidence(
            checkpoint_id=other.checkpoint_id,
            index=other.index,
            pointer=other.pointer,
            namespace=other.namespace,
            note=f"the same in {other.namespace or 'the root namespace'}, through {other.node}",
        )
        for other in outer[:_OUTER]
    )
    return replace(one, evidence=(*own, *beside))
