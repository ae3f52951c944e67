"""What changed between two states, as data: ``apply(base, diff(base, target))`` is the target.

The walk skips what both sides share by identity (`viewer.sources.sharing` makes neighbours share),
then compares exactly. Rules of equality and pairing: design, "Diff".
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from viewer.analysis.apply import apply, invert
from viewer.analysis.json_patch import to_patch
from viewer.analysis.list_changes import Lists, ends, is_one_item, shared_ends
from viewer.analysis.paired import BY_POSITION, Paired
from viewer.equality import same
from viewer.model import MISSING, Change
from viewer.pointer import Pattern, Tokens

__all__ = ["PairingNote", "apply", "counts", "diff", "invert", "to_patch"]

OPS = ("add", "remove", "replace", "move")
# Places are made by "+": unpacking takes twice as long, and most of a diff is places.
# ruff: noqa: RUF005
LEVELS = 60
"""Levels walked by recursion; what lies deeper is walked later, from the top of the stack."""
DEEPEST = 1_000
"""Levels below which a container that differs is one replacement."""


_new: Callable[[type[Change], tuple[Any, ...]], Change] = tuple.__new__
"""Makes a change from its five parts without the named constructor, which costs as much again."""


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
    paired: Paired | None = None,
) -> list[Change]:
    """Return the changes that turn ``base`` into ``target``, in the order of the document.

    Args:
        base: a JSON value; it is not mutated, and the changes share its parts.
        target: a JSON value, likewise.
        lists: pattern of a list → the key that identifies its items (``Profile.lists``).
        notes: receives the lists whose ids were unusable, so that a report can say so.
        paired: receives by what the items of each list were paired.
    """
    walk = _Walk(lists, notes, paired)
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
    __slots__ = ("floor", "later", "lists", "notes", "paired", "positional")

    def __init__(
        self,
        lists: tuple[tuple[Pattern, str], ...],
        notes: list[PairingNote] | None,
        paired: Paired | None,
    ) -> None:
        self.lists = lists
        self.notes = notes
        self.paired = paired
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
        kept = len(a)
        for key, x in a.items():
            try:
                y = b[key]  # costs less than asking first: a lost key is rare
            except KeyError:
                here = at + (key,)
                out.append(_new(Change, ("remove", here, here, x, MISSING)))
                kept -= 1
                continue
            if x is y:
                continue
            kind = type(x)
            if kind is not type(y):
                out.append(_new(Change, ("replace", to + (key,), at + (key,), x, y)))
            elif kind is dict or kind is list:
                if len(to) < self.floor:
                    self.members(x, y, at + (key,), to + (key,), out)
                else:
                    self.pair(x, y, at + (key,), to + (key,), out)
            elif x != y and (x == x or y == y):
                out.append(_new(Change, ("replace", to + (key,), at + (key,), x, y)))
        if kept != len(b):
            out.extend([Change("add", to + (k,), at, MISSING, b[k]) for k in b if k not in a])

    def _array(self, a: list[Any], b: list[Any], at: Tokens, to: Tokens, out: list[Any]) -> None:
        if len(a) == len(b):
            start, tail = shared_ends(a, b)
            if start + tail == len(a) - 1 and is_one_item(a[start], b[start], self._declared(to)):
                if self.paired is not None:
                    self.paired.between(to, a[start], self._declared(to))
                self.pair(a[start], b[start], at + (start,), to + (start,), out)
                return
        start, tail = ends(a, b)
        stop, end = len(a) - tail, len(b) - tail
        if self.paired is not None and start in (stop, end):
            self.paired.note(to, None)
        if start == stop:
            out.extend([Change("add", to + (j,), at, MISSING, b[j]) for j in range(start, end)])
            return
        lists = Lists(a[start:stop], b[start:end], at, to, start, self.pair)
        if start == end:
            for i in range(stop - start):
                lists.removed(i, out)
            return
        declared = self._declared(to)
        alignment = lists.aligned(declared)
        if alignment.refused and self.notes is not None:
            self.notes.append(PairingNote(to, alignment.refused))
        if self.paired is not None:
            self.paired.note(to, alignment.key, declared)
        if alignment.strong:
            lists.changes(alignment, {}, out)
            return
        inside = lists.pair_alike(alignment)
        found: list[Any] = []
        lists.changes(alignment, inside, found)
        if not self.positional and lists.may_gain_by_position(len(found)):
            self.positional = True
            by_place = lists.by_position(len(found))
            self.positional = False
            if by_place and self.paired is not None:
                self.paired.note(to, BY_POSITION)
            found = by_place or found
        out.extend(found)

    def _declared(self, to: Tokens) -> str | None:
        return next((key for where, key in self.lists if where.matches(to)), None)
