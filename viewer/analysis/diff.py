"""What changed between two states, as data: ``apply(base, diff(base, target))`` is the target.

The walk skips what both sides share by identity (`viewer.sources.sharing` makes neighbours share),
then compares exactly. Rules of equality and pairing: design, "Diff".
"""

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import compress, count
from operator import is_not
from typing import Any, NamedTuple

from viewer.analysis.apply import apply, invert, to_patch
from viewer.analysis.pairing import Alignment, align, alike, gaps, likeness
from viewer.equality import same
from viewer.model import MISSING, Change
from viewer.pointer import Pattern, Tokens

__all__ = ["PairingNote", "apply", "counts", "diff", "invert", "to_patch"]

OPS = ("add", "remove", "replace", "move")
LEVELS = 60
"""Levels walked by recursion; what lies deeper is walked later, from the top of the stack."""
LIKE = 0.5
"""Likeness from which two leftover items are one edited item, if more than one change is inside."""
DEEPEST = 2_000
"""Levels below which a container that differs is one replacement."""


class PairingNote(NamedTuple):
    """A list whose items could not be paired by their ids, and why."""

    path: Tokens
    """Of the list in the target."""
    reason: str


class _Hole(list[Any]):
    """Changes that are found later but stand here."""


def diff(
    base: Any,
    target: Any,
    lists: tuple[tuple[Pattern, str], ...] = (),
    notes: list[PairingNote] | None = None,
) -> list[Change]:
    """Return the changes that turn ``base`` into ``target``, in the order of the document.

    Args:
        base: a JSON value; it is not mutated, and the changes share its parts.
        target: a JSON value, likewise.
        lists: pattern of a list → the key that identifies its items (``Profile.lists``).
        notes: receives the lists whose ids were unusable, so that a report can say so.
    """
    walk = _Walk(lists, notes)
    out: list[Any] = []
    walk.pair(base, target, (), (), out)
    if not walk.later:
        return out
    while walk.later:
        a, b, at, to, hole = walk.later.pop()
        walk.floor = len(to) + LEVELS
        walk.members(a, b, at, to, hole)
    return list(_filled(out))


def counts(changes: Iterable[Change]) -> dict[str, int]:
    """Return how many of ``changes`` are ``add``, ``remove``, ``replace`` and ``move``."""
    found = dict.fromkeys(OPS, 0)
    for change in changes:
        found[change.op] += 1
    return found


def _filled(out: list[Any]) -> Iterator[Change]:
    stack = [iter(out)]
    while stack:
        for change in stack[-1]:
            if type(change) is _Hole:
                stack.append(iter(change))
                break
            yield change
        else:
            stack.pop()


class _Walk:
    __slots__ = ("floor", "later", "lists", "notes", "positional")

    def __init__(
        self, lists: tuple[tuple[Pattern, str], ...], notes: list[PairingNote] | None
    ) -> None:
        self.lists = lists
        self.notes = notes
        self.later: list[tuple[Any, Any, Tokens, Tokens, _Hole]] = []
        self.floor = LEVELS
        self.positional = False
        """Inside a comparison by position, where no further one is tried."""

    def pair(self, a: Any, b: Any, at: Tokens, to: Tokens, out: list[Any]) -> None:
        """Append to ``out`` the changes from ``a`` (at ``at``) to ``b`` (at ``to``)."""
        if a is b:
            return
        kind = type(a)
        if kind is not type(b):
            out.append(Change("replace", to, at, a, b))
        elif kind is dict or kind is list:
            if len(to) < self.floor:
                self.members(a, b, at, to, out)
            elif len(to) < DEEPEST:
                hole = _Hole()
                out.append(hole)
                self.later.append((a, b, at, to, hole))
            elif not same(a, b):
                out.append(Change("replace", to, at, a, b))
        elif a != b and (a == a or b == b):
            out.append(Change("replace", to, at, a, b))

    def members(self, a: Any, b: Any, at: Tokens, to: Tokens, out: list[Any]) -> None:
        if type(a) is list:
            self._array(a, b, at, to, out)
            return
        shared = 0
        for key, x in a.items():
            if key not in b:
                here = (*at, key)
                out.append(Change("remove", here, here, x, MISSING))
                continue
            shared += 1
            y = b[key]
            if x is y:
                continue
            kind = type(x)
            if kind is dict or kind is list or kind is not type(y):
                self.pair(x, y, (*at, key), (*to, key), out)
            elif x != y and (x == x or y == y):
                out.append(Change("replace", (*to, key), (*at, key), x, y))
        if shared != len(b):
            out.extend(
                Change("add", (*to, key), at, MISSING, y) for key, y in b.items() if key not in a
            )

    def _array(self, a: list[Any], b: list[Any], at: Tokens, to: Tokens, out: list[Any]) -> None:
        start, tail = _ends(a, b)
        stop, end = len(a) - tail, len(b) - tail
        if start == stop:
            out.extend(Change("add", (*to, j), at, MISSING, b[j]) for j in range(start, end))
            return
        if start == end:
            for i in range(start, stop):
                out.append(Change("remove", (*at, i), (*at, i), a[i], MISSING))
            return
        if start or tail:
            a, b = a[start:stop], b[start:end]
        alignment = align(a, b, self._declared(to))
        if alignment.refused and self.notes is not None:
            self.notes.append(PairingNote(to, alignment.refused))
        if alignment.strong:
            self._aligned(a, b, alignment, start, at, to, {}, out)
            return
        inside = self._pair_alike(a, b, alignment, start, at, to)
        found: list[Any] = []
        self._aligned(a, b, alignment, start, at, to, inside, found)
        out.extend(self._by_position(a, b, start, at, to, len(found)) or found)

    def _declared(self, to: Tokens) -> str | None:
        return next((key for where, key in self.lists if where.matches(to)), None)

    def _pair_alike(
        self, a: list[Any], b: list[Any], alignment: Alignment, start: int, at: Tokens, to: Tokens
    ) -> dict[int, list[Any]]:
        """Pair leftovers that are alike, in ``alignment``; return their changes by position."""
        inside: dict[int, list[Any]] = {}
        for gone, fresh in list(gaps(alignment, len(a))):
            for p, q in alike([a[i] for i in gone], [b[j] for j in fresh]):
                i, j = gone[p], fresh[q]
                found: list[Any] = []
                self.pair(a[i], b[j], (*at, start + i), (*to, start + j), found)
                if len(found) < 2 or likeness(a[i], b[j]) >= LIKE:
                    inside[j] = found
                    alignment.source[j] = i
        return inside

    def _aligned(
        self,
        a: list[Any],
        b: list[Any],
        alignment: Alignment,
        start: int,
        at: Tokens,
        to: Tokens,
        inside: dict[int, list[Any]],
        out: list[Any],
    ) -> None:
        """Append the changes of an aligned pair of lists, each removal before its successor."""
        source, moved = alignment.source, alignment.moved
        used = set(source)
        gone = deque(i for i in range(len(a)) if i not in used)
        for j, i in enumerate(source):
            if i < 0:
                out.append(Change("add", (*to, start + j), at, MISSING, b[j]))
                continue
            here, there = (*at, start + i), (*to, start + j)
            if j in moved:
                out.append(Change("move", there, here, a[i], b[j]))
            else:
                while gone and gone[0] < i:
                    self._remove(a, gone.popleft(), start, at, out)
            if j in inside:
                out.extend(inside[j])
            elif a[i] is not b[j]:
                self.pair(a[i], b[j], here, there, out)
        while gone:
            self._remove(a, gone.popleft(), start, at, out)

    def _remove(self, a: list[Any], i: int, start: int, at: Tokens, out: list[Any]) -> None:
        here = (*at, start + i)
        out.append(Change("remove", here, here, a[i], MISSING))

    def _by_position(
        self, a: list[Any], b: list[Any], start: int, at: Tokens, to: Tokens, most: int
    ) -> list[Any] | None:
        """Return the changes of a comparison by position where they are fewer than ``most``.

        Lists without ids whose items hold little can change in such a way that equal items are
        chance; then the shorter account is the better one.
        """
        extra = abs(len(a) - len(b))
        if self.positional or most <= extra or not any(map(_descends, a, b)):
            return None
        least = extra + sum(not same(x, y) for x, y in zip(a, b, strict=False))
        if most <= least:
            return None
        found: list[Any] = []
        self.positional = True
        for i, (x, y) in enumerate(zip(a, b, strict=False)):
            self.pair(x, y, (*at, start + i), (*to, start + i), found)
            if len(found) + extra >= most:
                break
        self.positional = False
        if len(found) + extra >= most:
            return None
        for i in range(len(b), len(a)):
            self._remove(a, i, start, at, found)
        for j in range(len(a), len(b)):
            found.append(Change("add", (*to, start + j), at, MISSING, b[j]))
        return found


def _descends(x: Any, y: Any) -> bool:
    return type(x) in (dict, list) and type(y) in (dict, list)


def _ends(a: list[Any], b: list[Any]) -> tuple[int, int]:
    """Return how many items at the front, and then at the back, are the same on both sides."""
    least = min(len(a), len(b))
    # Identity runs at C speed; only where an item is not shared is it compared.
    start = next(compress(count(), map(is_not, a, b)), least)
    while start < least and same(a[start], b[start]):
        start += 1
    most = least - start
    tail = min(next(compress(count(), map(is_not, reversed(a), reversed(b))), least), most)
    while tail < most and same(a[-1 - tail], b[-1 - tail]):
        tail += 1
    return start, tail
