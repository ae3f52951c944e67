"""JSON as text: exact, always valid, never a lost value.

NaN and the infinities, which JSON lacks, become ``{"$type": "float", "value": "NaN"}``; half a
surrogate pair becomes its ``\\uXXXX`` escape; integers stay exact whatever their size.
"""

import json
import math
from collections.abc import Iterator
from typing import Any

_FLOAT_WORDS = {math.inf: "Infinity", -math.inf: "-Infinity"}


def float_word(value: float) -> str:
    """Return the JSON5 word of a float that JSON lacks: ``NaN``, ``Infinity`` or ``-Infinity``."""
    return _FLOAT_WORDS.get(value, "NaN")


def tagged(value: Any) -> Any:
    """Return ``value`` with each float that JSON lacks replaced by its tagged form."""
    if isinstance(value, float) and not math.isfinite(value):
        return {"$type": "float", "value": float_word(value)}
    if isinstance(value, dict):
        return {k: tagged(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [tagged(v) for v in value]
    return value


def dumps(value: Any, indent: int | None = None) -> str:
    """Return ``value`` as valid JSON text that any UTF-8 writer accepts."""
    separators = (",", ": ") if indent is not None else (",", ":")
    text = json.dumps(
        tagged(value), ensure_ascii=False, allow_nan=False, indent=indent, separators=separators
    )
    return escape_surrogates(text)


def escape_surrogates(text: str) -> str:
    """Return ``text`` with each lone surrogate written as ``\\uXXXX``; other text is untouched."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join(f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in text)
    return text


def visible(text: str) -> str:
    """Return ``text`` with control, bidirectional and invisible characters written as escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(f"\\u{ord(c):04x}" if _hidden(c) else c for c in text)


def _hidden(char: str) -> bool:
    code = ord(char)
    return (
        (code < 32 and char not in "\n\t")
        or 0x7F <= code <= 0x9F
        or 0x200B <= code <= 0x200F
        or 0x2028 <= code <= 0x202E
        or 0x2060 <= code <= 0x206F
        or 0xD800 <= code <= 0xDFFF
        or 0xFFF9 <= code <= 0xFFFB
        or 0xE0000 <= code <= 0xE007F
        or code in (0xFEFF, 0x00AD, 0x061C, 0x180E)
    )


def source_text(value: Any) -> str:
    """Return a scalar as it is written in source: strings bare, numbers exact, NaN as ``NaN``."""
    if isinstance(value, str):
        return escape_surrogates(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else float_word(value)
    if isinstance(value, int):
        return str(value)
    return dumps(value)


def type_name(value: Any) -> str:
    """Return the JSON type of ``value``: null, boolean, integer, number, string, array, object."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def walk(value: Any) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield ``(tokens, value)`` of every place in ``value``, root first, without recursion."""
    stack: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    while stack:
        at, here = stack.pop()
        yield at, here
        if isinstance(here, dict):
            stack.extend(((*at, k), v) for k, v in reversed(list(here.items())))
        elif isinstance(here, list):
            stack.extend(((*at, i), here[i]) for i in range(len(here) - 1, -1, -1))
