"""Changes between two lists whose items have been aligned."""

from collections import deque
from collections.abc import Callable
from itertools import compress, count
from operator import is_not
from typing import Any

from viewer.analysis.pairing import STRONG, Alignment, align, alike, gaps, likeness, value_at
from viewer.equality import same
from viewer.model import MISSING, Change
from viewer.pointer import Tokens

LIKE = 0.3
"""Likeness from which two leftover items are one edited item, if more than one change is inside."""

_HOLDERS = (dict, list, type(None))
"""What a place that may hold a container holds."""

Pair = Callable[[Any, Any, Tokens, Tokens, list[Any]], None]
"""Appends to its last argument the changes from one value to another, given both places."""


class Lists:
    """Two lists at ``at`` and ``to``, without the equal items at their front and back.

    Args:
        start: number of items cut off at the front.
        pair: how two items are compared.
    """

    __slots__ = ("a", "at", "b", "pair", "start", "to")

    def __init__(
        self, a: list[Any], b: list[Any], at: Tokens, to: Tokens, start: int, pair: Pair
    ) -> None:
        self.a = a
        self.b = b
        self.at = at
        self.to = to
        self.start = start
        self.pair = pair

    def base(self, i: int) -> Tokens:
        """Return the place of item ``i`` in the base."""
        return (*self.at, self.start + i)

    def target(self, j: int) -> Tokens:
        """Return the place of item ``j`` in the target."""
        return (*self.to, self.start + j)

    def aligned(self, declared: str | None) -> Alignment:
        """Return how the items belong together; ``declared`` is the profile's identity key."""
        return align(self.a, self.b, declared)

    def pair_alike(self, alignment: Alignment) -> dict[int, list[Any]]:
        """Pair leftovers that are alike, in ``alignment``; return their changes by position."""
        inside: dict[int, list[Any]] = {}
        for gone, fresh in list(gaps(alignment, len(self.a))):
            for p, q in alike([self.a[i] for i in gone], [self.b[j] for j in fresh]):
                i, j = gone[p], fresh[q]
                found: list[Any] = []
                self.pair(self.a[i], self.b[j], self.base(i), self.target(j), found)
                if len(found) < 2 or likeness(self.a[i], self.b[j]) >= LIKE:
                    inside[j] = found
                    alignment.source[j] = i
        return inside

    def changes(self, alignment: Alignment, inside: dict[int, list[Any]], out: list[Any]) -> None:
        """Append the changes in target order, removals at the front of the gap they leave."""
        source, moved = alignment.source, alignment.moved
        used = set(source)
        gone = deque(i for i in range(len(self.a)) if i not in used)
        anchors = deque(i for j, i in enumerate(source) if i >= 0 and j not in moved)
        for j, i in enumerate(source):
            while gone and (not anchors or gone[0] < anchors[0]):
                self.removed(gone.popleft(), out)
            if i < 0:
                self.added(j, out)
                continue
            if j in moved:
                out.append(Change("move", self.target(j), self.base(i), self.a[i], self.b[j]))
            else:
                anchors.popleft()
            if j in inside:
                out.extend(inside[j])
            elif self.a[i] is not self.b[j]:
                self.pair(self.a[i], self.b[j], self.base(i), self.target(j), out)
        for i in gone:
            self.removed(i, out)

    def added(self, j: int, out: list[Any]) -> None:
        """Append the arrival of target item ``j``."""
        out.append(Change("add", self.target(j), self.at, MISSING, self.b[j]))

    def removed(self, i: int, out: list[Any]) -> None:
        """Append the loss of base item ``i``."""
        here = self.base(i)
        out.append(Change("remove", here, here, self.a[i], MISSING))

    def may_gain_by_position(self, most: int) -> bool:
        """Return whether a comparison by position could have fewer than ``most`` changes.

        Where items without ids hold little, that two of them are equal may be chance; the shorter
        account is then the better one.
        """
        extra = abs(len(self.a) - len(self.b))
        if most <= extra + 1 or not any(map(_both_hold, self.a, self.b)):
            return False
        return most > extra + sum(not same(x, y) for x, y in zip(self.a, self.b, strict=False))

    def by_position(self, most: int) -> list[Any] | None:
        """Return the changes of a comparison by position; None unless fewer than ``most``."""
        found: list[Any] = []
        extra = abs(len(self.a) - len(self.b))
        for i, (x, y) in enumerate(zip(self.a, self.b, strict=False)):
            self.pair(x, y, self.base(i), self.target(i), found)
            if len(found) + extra >= most:
                return None
        for i in range(len(self.b), len(self.a)):
            self.removed(i, found)
        for j in range(len(self.a), len(self.b)):
            self.added(j, found)
        return found


def _both_hold(x: Any, y: Any) -> bool:
    return type(x) in _HOLDERS and type(y) in _HOLDERS


def ends(a: list[Any], b: list[Any]) -> tuple[int, int]:
    """Return how many items at the front, and then at the back, are the same on both sides."""
    start, tail = shared_ends(a, b)
    least = min(len(a), len(b))
    # What is not shared is compared, up to the first item that differs.
    while start < least and (a[start] is b[start] or same(a[start], b[start])):
        start += 1
    # In lists of one length the first item that differs ends the tail as well.
    most = least - start - (len(a) == len(b) and start < least)
    tail = min(tail, most)
    while tail < most and (a[-1 - tail] is b[-1 - tail] or same(a[-1 - tail], b[-1 - tail])):
        tail += 1
    return start, tail


def shared_ends(a: list[Any], b: list[Any]) -> tuple[int, int]:
    """Return how many items at the front, and then at the back, are one object; at C speed."""
    least = min(len(a), len(b))
    start = next(compress(count(), map(is_not, a, b)), least)
    tail = next(compress(count(), map(is_not, reversed(a), reversed(b))), least)
    return start, min(tail, least - start)


def is_one_item(x: Any, y: Any, declared: str | None) -> bool:
    """Return whether two items that stand between the same neighbours are one for certain.

    It is what `viewer.analysis.pairing.align` would find, without its setting up.
    """
    kind = type(x)
    if kind is not type(y) or kind is list:
        return False
    if kind is not dict:
        return True
    for key in (declared, *STRONG):
        if key is None:
            continue
        a, b = value_at(x, key), value_at(y, key)
        if a is not MISSING and b is not MISSING:
            return (type(a) is str or type(a) is int) and bool(type(a) is type(b) and a == b)
    return False
