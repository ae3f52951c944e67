"""The JSON text of a state as copies from the text of another one that the browser holds.

Neighbours of a chain share most of their values, by identity where the reader shares subtrees. So
the text of a neighbour is a handful of copies and the few characters that are new.
"""

import json
from collections.abc import Sequence
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

_written = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Laid:
    """One value as JSON text, with the parts that it is made of where they were asked for."""

    __slots__ = ("keys", "leads", "parts", "text", "value")

    def __init__(self, value: Any, text: str) -> None:
        self.value = value
        self.text = text
        self.keys: tuple[str, ...] | None = None
        """Keys of an object, in order; None for a list and for what has no parts."""
        self.parts: tuple[Laid, ...] = ()
        self.leads: tuple[str, ...] = ()
        """What stands in front of each part: bracket or comma, and the key."""


class Layout:
    """Lays values out as text; a value met again, the same object, is not written again.

    It keeps the values that it has met, so it is for one batch of neighbours.
    """

    def __init__(self) -> None:
        self._known: dict[int, Laid] = {}

    def of(self, value: Any, like: Laid | None = None) -> Laid:
        """Return ``value`` laid out; its text is `viewer.panels.wire.text_of` of it.

        Where ``value`` differs from ``like``, which is laid out already, both get parts, as deep as
        they differ: what they share by identity is not looked into.
        """
        try:
            return self._of(value, like)
        except (ValueError, RecursionError, TypeError):
            return Laid(value, text_of(value))

    def _of(self, value: Any, like: Laid | None) -> Laid:
        if not isinstance(value, dict | list) or not value:
            return Laid(value, _written(value))
        known = self._known.get(id(value))
        if known is None:
            alike = like is not None and len(like.text) > WHOLE and type(like.value) is type(value)
            known = Laid(value, "" if alike else _written(value))
            self._known[id(value)] = known
            if like is not None and alike:
                self._split(like, None)
                self._split(known, like)
        return known

    def _split(self, laid: Laid, like: Laid | None) -> None:
        """Give ``laid`` its parts, each laid out like the one of ``like`` it may have been."""
        value = laid.value
        if laid.parts or not value:
            return
        keys = tuple(value) if isinstance(value, dict) else None
        was: dict[str | int, Laid] = {}
        if like is not None:
            was = dict(zip(like.keys or range(len(like.parts)), like.parts, strict=True))
        named = value.items() if isinstance(value, dict) else enumerate(value)
        laid.parts = tuple(self._of(part, was.get(name)) for name, part in named)
        commas = ("{" if keys is not None else "[", *[","] * (len(value) - 1))
        laid.leads = (
            commas
            if keys is None
            else tuple(f"{c}{_written(k)}:" for c, k in zip(commas, keys, strict=True))
        )
        laid.keys = keys
        if not laid.text:
            texts = (t for pair in zip(laid.leads, laid.parts, strict=True) for t in _texts(*pair))
            laid.text = "".join((*texts, "]" if keys is None else "}"))


def _texts(lead: str, part: Laid) -> tuple[str, str]:
    return lead, part.text


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
    copies = [step for step in found if not isinstance(step, str)]
    places = sorted({place for start, length in copies for place in (start, start + length)})
    units = dict(zip(places, places, strict=True))
    if not old.isascii():
        at = counted = 0
        for place in places:
            counted += len(old[at:place].encode("utf-16-le", "surrogatepass")) // 2
            at, units[place] = place, counted
    made: Splices = []
    for step in found:
        if isinstance(step, str):
            made.append(step)
        else:
            start, end = units[step[0]], units[step[0] + step[1]]
            made += [start, end - start]
    return made
