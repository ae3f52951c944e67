"""The digest of a JSON value: SHA-256 over its canonical text (RFC 8785).

Canonical JSON has one number type and no lone surrogates. What it cannot carry is written as an
object: a number as ``{"$number": "1.0"}``, a text with half a surrogate pair as
``{"$text": "x\\ud800"}``; so ``1`` and ``1.0`` have two digests.
"""

import hashlib
from math import isfinite
from typing import Any

import rfc8785

from viewer.jsontext import escape_surrogates

_SAFE = 2**53 - 1
_DECIMAL_BITS = 14_000
"""Python refuses to write integers of more than 4,300 digits in decimal."""


def digest(value: Any) -> str:
    """Return ``sha256:`` and 64 hexadecimal digits for a JSON value; key order does not count.

    Raises:
        RecursionError: the value is nested deeper than Python can follow.
    """
    return f"sha256:{hashlib.sha256(rfc8785.dumps(_carried(value))).hexdigest()}"


def _carried(value: Any) -> Any:
    """Return ``value`` with what RFC 8785 cannot carry exactly put into objects."""
    if isinstance(value, dict):
        return {escape_surrogates(key): _carried(child) for key, child in value.items()}
    if isinstance(value, list):
        return [_carried(child) for child in value]
    if isinstance(value, str):
        text = escape_surrogates(value)
        return value if text == value else {"$text": text}
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        if abs(value) <= _SAFE:
            return value
        return {"$number": str(value) if value.bit_length() < _DECIMAL_BITS else hex(value)}
    # -0.0 equals 0.0, and adding zero makes them one text.
    return value if isfinite(value) and not value.is_integer() else {"$number": repr(value + 0.0)}
