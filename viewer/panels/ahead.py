"""The JSON text of a state as copies from the text of another one that the browser holds.

Neighbours of a chain share most of their values, by identity where the reader shares subtrees. So
the text of a neighbour is a handful of copies and the few characters that are new.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from viewer.panels.wire import text_of

WHOLE = 1_000
"""Values whose text is at most this long are not looked into."""
_SHORT = 24
"""Copies of fewer characters cost more than the characters."""

Splices = list[int | str]
"""``from, length`` in UTF-16 units of the text held, or a string that stands as it is.

`spliced` in ``ahead.js`` makes the text of it.
"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Laid:
    """One value as JSON text, with the parts that it is made of where it is long."""

    text: str
    keys: tuple[str, ...] | None = None
    """Keys of an object, in order; None for a list and for what has no parts."""
    parts: tuple["Laid", ...] = ()
    leads: tuple[str, ...] = ()
    """What stands in front of each part: bracket or comma, and the key."""


class Layout:
    """Lays values out as text; a value met again, the same object, is not written again.

    It keeps the values that it has met, so it is for one batch of neighbours.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, Laid]] = {}

    def of(self, value: Any) -> Laid:
        """Return ``value`` laid out; its text is `viewer.panels.wire.text_of` of it."""
        try:
            return self._of(value)
        except (ValueError, RecursionError, TypeError):
            return Laid(text=text_of(value))

    def _of(self, value: Any) -> Laid:
        if not isinstance(value, dict | list) or not value:
            return Laid(text=_written(value))
        known = self._known.get(id(value))
        if known is None:
            self._known[id(value)] = known = (value, self._made(value))
        return known[1]

    def _made(self, value: dict[str, Any] | list[Any]) -> Laid:
        if _few(value):
            text = _written(value)
            if len(text) <= WHOLE:
                return Laid(text=text)
        keys = tuple(value) if isinstance(value, dict) else None
        parts = tuple(map(self._of, value.values() if isinstance(value, dict) else value))
        first, last = "{}" if keys is not None else "[]"
        commas = (first, *[","] * (len(parts) - 1))
        leads = (
            commas
            if keys is None
            else tuple(f"{c}{_written(k)}:" for c, k in zip(commas, keys, strict=True))
        )
        texts = [s for lead, part in zip(leads, parts, strict=True) for s in (lead, part.text)]
        text = "".join((*texts, last))
        if len(text) <= WHOLE:
            return Laid(text=text)
        return Laid(text=text, keys=keys, parts=parts, leads=leads)


def _few(value: dict[str, Any] | list[Any]) -> bool:
    """Return whether ``value`` may be short: written at once it costs less than part by part."""
    inside = value.values() if isinstance(value, dict) else value
    return len(value) <= 16 and all(
        len(v) <= 200 if isinstance(v, str) else not isinstance(v, dict | list) or len(v) <= 4
        for v in inside
    )


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def splices(old: Laid, new: Laid) -> Splices:
    """Return how the text of ``new`` is made of the text of ``old``."""
    made = _Splicing(old.text)
    made.value(old, 0, new)
    return _in_units(old.text, made.done())


class _Splicing:
    """Collects copies and new characters in the order of the new text; offsets in characters."""

    def __init__(self, old: str) -> None:
        self.old = old
        self.found: list[tuple[int, int] | str] = []

    def done(self) -> list[tuple[int, int] | str]:
        """Return copies and characters, too short copies written out and neighbours joined."""
        told: list[tuple[int, int] | str] = []
        for step in self.found:
            if not isinstance(step, str) and step[1] < _SHORT:
                step = self.old[step[0] : step[0] + step[1]]
            if isinstance(step, str) and told and isinstance(told[-1], str):
                told[-1] += step
            elif step:
                told.append(step)
        return told

    def copy(self, start: int, length: int) -> None:
        last = self.found[-1] if self.found else ""
        if not isinstance(last, str) and last[0] + last[1] == start:
            self.found[-1] = (last[0], last[1] + length)
        else:
            self.found.append((start, length))

    def write(self, text: str) -> None:
        last = self.found[-1] if self.found else ""
        if not isinstance(last, str) and self.old.startswith(text, last[0] + last[1]):
            self.found[-1] = (last[0], last[1] + len(text))
        else:
            self.found.append(text)

    def value(self, old: Laid, start: int, new: Laid) -> None:
        """Add ``new``, for which ``old`` stands at ``start``."""
        if new is old or new.text == old.text:
            self.copy(start, len(new.text))
        elif new.parts and old.parts and (new.keys is None) == (old.keys is None):
            self.parts(old, start, new)
        else:
            self.trimmed(old.text, start, new.text)

    def trimmed(self, old: str, start: int, new: str) -> None:
        """Add ``new``: what both begin with, what is new between, what both end with."""
        ahead = _alike(old, new)
        behind = _alike(old[ahead:][::-1], new[ahead:][::-1])
        if ahead:
            self.copy(start, ahead)
        if len(new) > ahead + behind:
            self.write(new[ahead : len(new) - behind])
        if behind:
            self.copy(start + len(old) - behind, behind)

    def parts(self, old: Laid, start: int, new: Laid) -> None:
        sizes = (len(a) + len(p.text) for a, p in zip(old.leads, old.parts, strict=True))
        starts = [
            start + end - len(part.text)
            for end, part in zip(accumulate(sizes), old.parts, strict=True)
        ]
        same = {part.text: place for place, part in enumerate(old.parts)}
        named = {key: place for place, key in enumerate(old.keys or ())}
        after = 0
        for number, (lead, part) in enumerate(zip(new.leads, new.parts, strict=True)):
            self.write(lead)
            # Where the same value stood: at its key or in turn, or a long one anywhere.
            turn = named.get(new.keys[number], -1) if new.keys is not None else after
            if not (0 <= turn < len(old.parts) and old.parts[turn].text == part.text):
                turn = same.get(part.text, -1) if len(part.text) >= _SHORT else -1
            if turn >= 0:
                self.copy(starts[turn], len(part.text))
                after = turn + 1
                continue
            # What it was before: by its key, in a list the next one that was not yet used.
            before = named.get(new.keys[number]) if new.keys is not None else after
            if before is None or before >= len(old.parts):
                self.write(part.text)
                continue
            self.value(old.parts[before], starts[before], part)
            after = before + 1
        self.write("]" if new.keys is None else "}")


def _alike(one: str, other: str) -> int:
    """Return how many characters two texts have in common at their beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _in_units(old: str, found: Sequence[tuple[int, int] | str]) -> Splices:
    """Return copies as two numbers each, counted in UTF-16 units as the browser does."""
    made: Splices = []
    wide = not old.isascii() and any(character > "\uffff" for character in set(old))
    # How many characters before each place take two units.
    above = [0, *accumulate(character > "\uffff" for character in old)] if wide else None
    for step in found:
        if isinstance(step, str):
            made.append(step)
            continue
        start, end = step[0], step[0] + step[1]
        if above is not None:
            start, end = start + above[start], end + above[end]
        made += [start, end - start]
    return made
