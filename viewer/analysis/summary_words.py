"""The words of change sentences: names, values and counts, short and safe to show anywhere."""

import re
from typing import Any

from viewer.jsontext import dumps, source_text, visible
from viewer.pointer import Tokens, escape, join

_NAME = 48
_VALUE = 32
_BITS = 4_096
"""Longest integer that is written out; Python refuses to write one of more than 4,300 digits."""
_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_.@:/+-]*")
"""A text that reads as a word; any other stands in quotes."""
_WORDS = ("true", "false", "null", "NaN", "Infinity")


def counted(number: int, what: str) -> str:
    """Return ``number`` with its noun: ``1 change``, ``2 changes``."""
    return f"{number:,} {what}{'s' if number != 1 else ''}"


def name_of(at: Tokens) -> str:
    """Return the pointer of a place, cut in the middle; ``the document`` for the whole."""
    if not at:
        return "the document"
    text = visible(join(at))
    if len(text) <= _NAME:
        return text
    last = visible(f"/{escape(at[-1])}")[-_NAME // 2 :]
    return f"{text[: _NAME - len(last) - 1]}…{last}"


def told(at: Tokens) -> str:
    """Return how a field is called before its value: a plain top-level name without its slash."""
    plain = len(at) == 1 and isinstance(at[0], str) and _BARE.fullmatch(at[0])
    return name_of(at)[1:] if plain else name_of(at)


def short(value: Any) -> str:
    """Return a value in at most some 40 characters: a word bare, another text in quotes, of a
    container how much it holds.
    """
    if isinstance(value, dict):
        return "{}" if not value else f"{{{counted(len(value), 'field')}}}"
    if isinstance(value, list):
        return "[]" if not value else f"[{counted(len(value), 'item')}]"
    if type(value) is int and value.bit_length() > _BITS:
        return f"(integer of {value.bit_length():,} bits)"
    if not isinstance(value, str):
        return _cut(source_text(value))
    if _BARE.fullmatch(value) and value not in _WORDS and len(value) <= _VALUE:
        return value
    return f'"{_cut(visible(dumps(value[: 4 * _VALUE])[1:-1]))}"'


def replaced(old: Any, new: Any) -> str:
    """Return ``old → new``, or ``edited`` for texts too long to stand side by side."""
    if isinstance(old, str) and isinstance(new, str) and max(len(old), len(new)) > _VALUE:
        return "edited"
    return f"{short(old)} → {short(new)}"


def _cut(text: str) -> str:
    return text if len(text) <= _VALUE else text[: _VALUE - 1] + "…"
