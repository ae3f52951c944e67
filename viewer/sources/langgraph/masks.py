"""Secrets that LangGraph stores in clear text: their value is never shown, whether it changed is.

pydantic hides ``SecretStr`` from logs, but LangGraph's serializer asks it for the secret and stores
that. Here each distinct secret gets a number, in the order in which this process meets them, so
that a diff tells a changed key from an unchanged one, across threads and sources too. A digest of
the value would tell as much but could be tried against guessed values; the numbers say nothing
else. What the numbers are found by is a digest under a key that dies with the process.
"""

import hashlib
import json
import os
from typing import Any

MASK = "**********"
UNNUMBERED = 0
"""Stands for a secret met after `NUMBERED` others; such ones are not told apart."""
NUMBERED = 100_000
_NAMES = ("SecretStr", "SecretBytes")
_KEY = os.urandom(32)
_numbers: dict[bytes, int] = {}


def is_secret(type_name: str) -> bool:
    """Return whether ``module.Name`` is a class whose whole value is a secret."""
    return type_name.endswith(_NAMES) or type_name.startswith("pydantic.types.Secret[")


def masked(head: dict[str, Any], secret: Any) -> dict[str, Any]:
    """Return a node that names the class and the secret's number, without value and length.

    Args:
        head: ``$type`` and ``$ctor``.
        secret: the value, as tagged JSON.
    """
    return {**head, "value": MASK, "$masked": _number(secret)}


def names_secret(raw: bytes) -> bool:
    """Return whether bytes that cannot be read may hold a secret, so that they are not shown."""
    return b"Secret" in raw


def _number(secret: Any) -> int:
    text = json.dumps(secret, sort_keys=True).encode()
    digest = hashlib.blake2b(text, key=_KEY, digest_size=16).digest()
    if digest not in _numbers and len(_numbers) >= NUMBERED:
        return UNNUMBERED
    return _numbers.setdefault(digest, len(_numbers) + 1)
