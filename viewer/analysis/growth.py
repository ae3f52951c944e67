"""How large each top-level field of a state is, step by step, and which one grows.

Neighbouring states share the subtrees that did not change (`viewer.sources.sharing`), so each
subtree is measured once and looked up by identity afterwards: a chain costs its distinct content.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from json.encoder import encode_basestring
from typing import Any

from viewer.chain import Chain
from viewer.jsontext import dumps

_SMALL = 3
"""Entries of a list of plain values up to which looking it up costs more than counting it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldGrowth:
    """The size of one top-level field along a lineage, in bytes of compact JSON."""

    field: str | None
    """None for a state that is no object: its whole."""
    sizes: tuple[int | None, ...]
    """One a step of the lineage; 0 where the state has no such field, None where it is unreadable."""

    @property
    def first(self) -> int:
        """Size in the first readable state."""
        return next((size for size in self.sizes if size is not None), 0)

    @property
    def last(self) -> int:
        """Size in the last readable state."""
        return next((size for size in reversed(self.sizes) if size is not None), 0)

    @property
    def most(self) -> int:
        """The largest size."""
        return max((size for size in self.sizes if size is not None), default=0)

    @property
    def grew(self) -> int:
        """How much larger the last is than the first; negative where it shrank."""
        return self.last - self.first

    @property
    def steps_grown(self) -> int:
        """At how many steps it is larger than at the readable step before."""
        known = [size for size in self.sizes if size is not None]
        return sum(after > before for before, after in pairwise(known))


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """Field sizes along the lineage that leads to one checkpoint."""

    indices: tuple[int, ...]
    """The checkpoints of the lineage, oldest first."""
    fields: tuple[FieldGrowth, ...]
    """The one that grew most first."""


def growth(chain: Chain, to: int | None = None) -> Growth:
    """Return how large each top-level field is at every checkpoint that leads to ``to``.

    Args:
        chain: the chain.
        to: index of a checkpoint; None for the live head.
    """
    indices = _lineage(chain, chain.head if to is None else to)
    measure = _measure()
    rows: list[dict[str | None, int] | None] = []
    # The keys of objects are counted by the bytes of the field alone, as a person would read it.
    for index in indices:
        if not chain.checkpoints[index].has_state:
            rows.append(None)
            continue
        state = chain.state(index)
        parts = state if isinstance(state, dict) else {None: state}
        rows.append({name: measure(value) for name, value in parts.items()})
    names = dict.fromkeys(name for row in rows if row is not None for name in row)
    found = [
        FieldGrowth(
            field=name,
            sizes=tuple(None if row is None else row.get(name, 0) for row in rows),
        )
        for name in names
    ]
    return Growth(
        indices=tuple(indices),
        fields=tuple(sorted(found, key=lambda one: (-one.grew, -one.last))),
    )


def _lineage(chain: Chain, to: int | None) -> list[int]:
    found = []
    while to is not None:
        found.append(to)
        to = chain.checkpoints[to].parent
    return found[::-1]


def _measure() -> Callable[[Any], int]:
    """Return a function that gives a value's bytes as compact JSON and remembers every subtree."""
    # The subtree is kept beside its size, so that its id() stays its own.
    known: dict[int, tuple[Any, int]] = {}

    def measure(value: Any) -> int:
        if isinstance(value, str):
            return _text(value)
        if not isinstance(value, dict | list):
            return len(dumps(value))
        seen = known.get(id(value))
        if seen is not None:
            return seen[1]
        size = 1 + max(len(value), 1)
        if isinstance(value, dict):
            for key, inner in value.items():
                size += _text(key) + 1 + measure(inner)
        else:
            for inner in value:
                size += measure(inner)
        if len(value) > _SMALL or isinstance(value, dict):
            known[id(value)] = value, size
        return size

    return measure


def _text(value: str) -> int:
    # Half a surrogate pair is three bytes here and six as its escape.
    return len(encode_basestring(value).encode(errors="surrogatepass"))
