"""States as strict JSON, for judges that take nothing else."""

from collections.abc import Mapping
from typing import Any

from viewer.errors import ViewerError

_SHIFT = 0x100000
"""Takes half a surrogate pair to a private character: one character stays one."""


def plain(value: Any) -> tuple[Any, Mapping[str, str]]:
    """Return a copy of ``value`` that is strict JSON, and the original of each key renamed in it.

    Keys become text, tuples lists, and each half of a surrogate pair a private character.

    Raises:
        ViewerError: ``value`` holds something that is no JSON, or is nested too deep.
    """
    renamed: dict[str, str] = {}
    try:
        return _plain(value, renamed), renamed
    except RecursionError as error:
        raise ViewerError("the state is nested too deep to be judged") from error


def _plain(value: Any, renamed: dict[str, str]) -> Any:
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, list | tuple):
        return [_plain(child, renamed) for child in value]
    if isinstance(value, dict):
        return {_key(key, renamed): _plain(child, renamed) for key, child in value.items()}
    raise ViewerError(f"the state holds a value that is no JSON: a Python {type(value).__name__}")


def _key(key: Any, renamed: dict[str, str]) -> str:
    text = key if isinstance(key, str) else str(key)
    found = _text(text)
    if found != text:
        renamed[found] = text
    return found


def _text(text: str) -> str:
    if text.isascii():
        return text
    return "".join(chr(ord(c) + _SHIFT) if "\ud800" <= c <= "\udfff" else c for c in text)
