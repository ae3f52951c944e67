"""How values travel to the browser: as JSON text in which every number is its source text.

The browser never parses a number: it shows and copies the characters that stand here, so ``1`` and
``1.0``, big integers, ``NaN`` and ``Infinity`` (JSON5's words, which the panels read) survive.
"""

import json
from collections.abc import Sequence
from typing import Any

import xxhash

from viewer.analysis.text import invisible_difference
from viewer.jsontext import escape_surrogates, type_name
from viewer.model import Change
from viewer.pointer import Pattern, Prefix

VALUE_CHARACTERS = 1_000_000
"""Most characters of one value sent; a longer one is cut, and the panel says so."""


def text_of(value: Any) -> str:
    """Return ``value`` as JSON text for the panels; never raises."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError, TypeError) as error:
        # A number of more than 4,300 digits or a nesting that no reader lets through.
        return json.dumps(f"({type_name(value)} that cannot be written: {error})")


def capped(value: Any, limit: int = VALUE_CHARACTERS) -> str | list[str | int]:
    """Return the JSON text of ``value``, or ``[beginning, length, type]`` where it is too long."""
    text = text_of(value)
    if len(text) <= limit:
        return text
    return [escape_surrogates(text[:limit]), len(text), type_name(value)]


def looks_alike(change: Change) -> str | None:
    """Return in words how two texts differ that look the same on screen; else None."""
    old, new = change.old, change.new
    both = isinstance(old, str) and isinstance(new, str)
    return invisible_difference(old, new) if both else None


def pattern_rows(patterns: Sequence[tuple[Pattern, str]]) -> list[list[Any]]:
    """Return ``[tokens, tail, name]`` a pattern.

    A null token stands for any one token, ``[text]`` for any that begins with ``text``.
    """
    return [[[_token(t) for t in where.tokens], where.tail, name] for where, name in patterns]


def _token(token: str | None) -> str | list[str] | None:
    return [str(token)] if isinstance(token, Prefix) else token


def revision(*parts: str) -> str:
    """Return a short digest of ``parts``; a panel rebuilds only when it differs."""
    digest = xxhash.xxh3_64()
    for part in parts:
        digest.update(part.encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return digest.hexdigest()
