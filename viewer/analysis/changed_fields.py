"""Which top-level fields each step of a chain changed, cheaply over the whole chain."""

from collections.abc import Mapping
from typing import Any

from viewer.chain import Chain
from viewer.equality import same
from viewer.model import MISSING


def changed_fields(chain: Chain) -> Mapping[int, tuple[str, ...]]:
    """Return index → names of the top-level fields added, removed or changed against the parent.

    In the order of the state, removed ones last. A checkpoint has no entry where nothing changed,
    where it or its parent has no state, where one of the two is no object, and where it is a root:
    everything is new there. States share what they have in common, so most fields are told by
    identity.
    """
    found: dict[int, tuple[str, ...]] = {}
    for checkpoint in chain.checkpoints:
        if checkpoint.parent is None:
            continue
        names = _between(chain.states[checkpoint.parent], chain.states[checkpoint.index])
        if names:
            found[checkpoint.index] = names
    return found


def _between(old: Any, new: Any) -> tuple[str, ...]:
    if old is new or not isinstance(old, dict) or not isinstance(new, dict):
        return ()
    names = [name for name, value in new.items() if not _kept(old.get(name, MISSING), value)]
    return (*names, *(name for name in old if name not in new))


def _kept(old: Any, new: Any) -> bool:
    return old is new or (old is not MISSING and same(old, new))
