"""What one field was over all steps of a lineage: its values as runs of equal ones, and who wrote.

The lineage of a checkpoint goes from the root to it, and on to the live head where that follows
from it, else to the newest head that does.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from viewer.analysis.follow_place import Lost, follow, found_again
from viewer.analysis.written import written
from viewer.chain import Chain
from viewer.equality import same
from viewer.errors import PointerError
from viewer.model import MISSING
from viewer.pointer import Tokens, find, join, split

Kind = Literal["scalar", "container", "absent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Neighbouring checkpoints of the lineage in which the field has one value."""

    first: int
    """Index of the first of them."""
    last: int
    """Index of the last."""
    pointer: str
    """Where the field stands in the first; a member of a list may move."""
    value: Any
    """`MISSING` where the field is absent."""
    nodes: tuple[str, ...]
    """Who wrote it in the first: by the stored writes, else the nodes that made the checkpoint;
    nobody before it was ever there."""
    time: datetime | None
    """When the first was saved."""

    @property
    def kind(self) -> Kind:
        """What stands there."""
        if self.value is MISSING:
            return "absent"
        return "container" if isinstance(self.value, dict | list) else "scalar"


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """How a number went; booleans are none."""

    least: int | float
    most: int | float
    growth: int | float
    """The last less the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Biography:
    """One field over the steps of a lineage."""

    runs: tuple[Run, ...]
    """Oldest first; at least one is not absent."""
    followed_by: tuple[str, ...]
    """What told the members of the lists it stands in: keys, ``what it holds``, ``position``."""

    @property
    def present(self) -> tuple[Run, ...]:
        """The runs in which the field is there."""
        return tuple(run for run in self.runs if run.value is not MISSING)

    @property
    def changes(self) -> int:
        """How often it changed, came or went; a change inside a container counts."""
        return len(self.runs) - 1

    @property
    def numbers(self) -> Numbers | None:
        """How it went where it was always a number."""
        values = [run.value for run in self.present]
        if not all(type(value) in (int, float) for value in values):
            return None
        return Numbers(least=min(values), most=max(values), growth=values[-1] - values[0])


def biography(chain: Chain, index: int, pointer: str) -> Biography:
    """Return what the field at ``pointer`` of checkpoint ``index`` was over the lineage.

    Raises:
        PointerError: the pointer is malformed, or no checkpoint of the lineage has such a field.
        SelectionError: the checkpoint has no readable state.
    """
    chain.state(index)
    steps = [i for i in _lineage(chain, index) if chain.states[i] is not MISSING]
    at, ways = steps.index(index), dict[str, None]()
    start: Tokens = split(pointer)
    before = list(_along(chain, steps[at::-1], start, ways))
    after = list(_along(chain, steps[at:], start, ways))
    seen = [*reversed(before), *after[1:]]
    runs = tuple(_runs(chain, seen))
    if all(run.value is MISSING for run in runs):
        raise PointerError(f"nothing at {pointer} in any checkpoint of this lineage")
    return Biography(runs=runs, followed_by=tuple(ways))


def _lineage(chain: Chain, index: int) -> list[int]:
    """Return the indices from the root through ``index`` to the head that follows from it."""
    for head in reversed(chain.heads):
        line = list(_up(chain, head))
        if index in line:
            return line[::-1]
    return list(_up(chain, index))[::-1]


def _up(chain: Chain, index: int) -> Iterator[int]:
    at: int | None = index
    while at is not None:
        yield at
        at = chain.checkpoints[at].parent


def _along(
    chain: Chain, steps: list[int], start: Tokens, ways: dict[str, None]
) -> Iterator[tuple[int, Tokens, Any]]:
    """Yield index, place and value of the field in each of ``steps``; note how it was followed."""
    place: Tokens | Lost = start
    lists = chain.profile.lists
    before: Any = chain.states[steps[0]]
    for step in steps:
        state = chain.states[step]
        if isinstance(place, Lost):
            inside = follow(before, state, place.container, lists)
            if not isinstance(inside.at, Lost):
                place = place._replace(container=inside.at)
            place = found_again(place, state) or place
        elif state is not before:
            place, told = follow(before, state, place, lists)
            ways |= dict.fromkeys(told)
        before = state
        if isinstance(place, Lost):
            yield step, (), MISSING
        else:
            yield step, place, find(state, place, MISSING)


def _runs(chain: Chain, seen: Iterable[tuple[int, Tokens, Any]]) -> Iterator[Run]:
    group: list[tuple[int, Tokens, Any]] = []
    fresh = True
    for row in seen:
        if group and not _equal(group[-1][2], row[2]):
            yield _run(chain, group, fresh=fresh)
            group, fresh = [], False
        group.append(row)
    yield _run(chain, group, fresh=fresh)


def _run(chain: Chain, group: list[tuple[int, Tokens, Any]], *, fresh: bool) -> Run:
    first, place, value = group[0]
    return Run(
        first=first,
        last=group[-1][0],
        pointer=join(place),
        value=value,
        nodes=() if value is MISSING and fresh else _writers(chain, first, place),
        time=chain.checkpoints[first].created_at,
    )


def _equal(a: Any, b: Any) -> bool:
    return a is b or (a is not MISSING and b is not MISSING and same(a, b))


def _writers(chain: Chain, index: int, place: Tokens) -> tuple[str, ...]:
    wrote = written(chain, index).get(str(place[0]), ()) if place else ()
    return wrote or chain.checkpoints[index].nodes
