"""The loose comparison: what changed once order, spelling of numbers and chosen keys do not count.

Both values are first made plain: ignored members drop out, numbers are rounded or made one type.
Then either the exact diff runs, or with order ignored the lists are compared as bags
(`viewer.analysis.bags`, which asks DeepDiff what belongs together). Changes always carry the
original values and places.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from viewer.analysis.bags import bag_changes
from viewer.analysis.diff import diff
from viewer.equality import same
from viewer.errors import PointerError
from viewer.model import MISSING, Change
from viewer.pointer import Pattern, Token, Tokens, get, pattern

NAME = "re:"
"""Marks an ignore rule that is a regular expression for key names."""
_IGNORED = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Loose:
    """What does not count as a change."""

    ignore_order: bool = False
    """Lists are bags, at every depth; how often an item stands in one still counts."""
    ignore: tuple[str, ...] = ()
    """JSON Pointer patterns, or ``re:`` and an expression searched in key names, at any depth."""
    significant: int | None = None
    """Decimals after the point that count in numbers with a fraction part."""
    ignore_number_type: bool = False
    """1 and 1.0 are equal."""


Covers = Callable[[Tokens], bool]


def loose_diff(
    base: Any,
    target: Any,
    options: Loose,
    lists: tuple[tuple[Pattern, str], ...] = (),
) -> list[Change]:
    """Return the changes from ``base`` to ``target`` that count under ``options``.

    Args:
        base: a JSON value; it is not mutated.
        target: a JSON value, likewise.
        options: what does not count.
        lists: as in `viewer.analysis.diff.diff`; with order ignored, keys are found by name only.

    Raises:
        PointerError: an ignore rule is no valid pattern or expression.
        ValueError: ``significant`` is negative.
    """
    if options.significant is not None and options.significant < 0:
        raise ValueError("significant counts decimals and cannot be negative")
    covers = _rules(options.ignore)
    a, b = _differing(base, target)
    a, b = _plain(a, options, covers), _plain(b, options, covers)
    found = bag_changes(a, b) if options.ignore_order else diff(a, b, lists)
    return [_original(base, target, c) for c in found if not (covers(c.path) or covers(c.old_path))]


def _rules(ignore: tuple[str, ...]) -> Covers:
    names = []
    for text in ignore:
        if text.startswith(NAME):
            try:
                names.append(re.compile(text[len(NAME) :]))
            except re.error as error:
                raise PointerError(f"ignore rule {text!r}: {error}") from error
    patterns = [pattern(text) for text in ignore if not text.startswith(NAME)]

    def covers(at: Tokens) -> bool:
        return any(rule.matches(at) for rule in patterns) or bool(
            at and isinstance(at[-1], str) and any(name.search(at[-1]) for name in names)
        )

    return covers


def _differing(base: Any, target: Any) -> tuple[Any, Any]:
    """Return both values without the object members that are the same on both sides.

    Lists stay whole, so that every place keeps its pointer.
    """
    if type(base) is not dict or type(target) is not dict:
        return base, target
    left: dict[str, Any] = {}
    right: dict[str, Any] = {}
    waiting = [(base, target, left, right)]
    while waiting:
        a, b, new_a, new_b = waiting.pop()
        for key, x in a.items():
            y = b.get(key, MISSING)
            if type(x) is dict and type(y) is dict and x is not y:
                new_a[key], new_b[key] = {}, {}
                waiting.append((x, y, new_a[key], new_b[key]))
            elif y is MISSING:
                new_a[key] = x
            elif not same(x, y):
                new_a[key], new_b[key] = x, y
        new_b.update((key, y) for key, y in b.items() if key not in a)
    return left, right


def _plain(root: Any, options: Loose, covers: Covers) -> Any:
    """Return ``root`` with only what counts: an ignored list item becomes null, to keep indices."""
    holder: list[Any] = [None]
    waiting: list[tuple[Any, Token, Any, Tokens]] = [(holder, 0, root, ())]
    while waiting:
        into, token, value, at = waiting.pop()
        if covers(at):
            if type(into) is dict:
                del into[token]
            continue
        if type(value) is dict:
            into[token] = fresh = dict.fromkeys(value)
            waiting.extend((fresh, key, x, (*at, key)) for key, x in value.items())
        elif type(value) is list:
            into[token] = row = [_IGNORED] * len(value)
            waiting.extend((row, i, x, (*at, i)) for i, x in enumerate(value))
        else:
            into[token] = _number(value, options) if type(value) in (int, float) else value
    return holder[0]


def _number(value: Any, options: Loose) -> Any:
    if type(value) is float:
        if options.significant is not None:
            value = round(value, options.significant)
        if options.ignore_number_type and value.is_integer():
            return int(value)
    return value


def _original(base: Any, target: Any, change: Change) -> Change:
    old = MISSING if change.op == "add" else get(base, change.old_path)
    new = MISSING if change.op == "remove" else get(target, change.path)
    return Change(change.op, change.path, change.old_path, old, new)
