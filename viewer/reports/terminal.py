"""Text for a terminal: tables that line up, and data that cannot drive the screen."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from viewer.jsontext import dumps, source_text

_JOINERS = "\u200c\u200d"
"""Scripts and emoji are spelt with them, so they stay."""
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U00013430-\U0001345f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f]"
)
"""Controls, half pairs, line separators and format characters that nobody sees."""


def safe(text: str) -> str:
    """Return ``text`` with every character escaped that moves a cursor or hides or turns text.

    Control characters, lone surrogates, line separators, direction marks and zero-width
    characters become escapes (``\\n``, ``\\u202e``); joiners stay, as words are spelt with them.
    """
    return _UNSAFE.sub(lambda found: _escape(found[0]), text)


def revealed(text: str) -> str:
    """Return ``text`` with everything but printable ASCII escaped, so that no two look alike."""
    return "".join(c if " " <= c <= "~" else _escape(c) for c in text)


def one_line(text: str) -> str:
    """Return ``text`` made safe, its line breaks as spaces."""
    return safe(" ".join(text.split("\n")))


def _escape(char: str) -> str:
    short = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char)
    code = ord(char)
    return short or (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


def value(found: Any, width: int = 60) -> str:
    """Return any JSON value on one line of at most ``width`` columns, strings in quotes.

    A value that a reader tagged with its type is led by the type's last word.
    """
    if isinstance(found, dict) and isinstance(found.get("$type"), str) and "value" in found:
        word = safe(found["$type"].rpartition(".")[2])
        return cut(f"{word} {value(found['value'], width)}", width)
    text = dumps(found) if isinstance(found, str | dict | list) else source_text(found)
    start = safe(text[: 4 * width])
    # A preview of a long text is as quick as one of a short text, unless all of it is accents.
    return cut(start if columns(start) > width else safe(text), width)


def cut(text: str, width: int) -> str:
    """Return ``text`` cut to ``width`` columns, the cut marked by an ellipsis."""
    if columns(text) <= width:
        return text
    used, end = 0, 0
    for end, char in enumerate(text):  # noqa: B007 (the place of the cut is used below)
        used += _columns_of(char)
        if used > width - 1:
            break
    return text[:end] + "…"


def columns(text: str) -> int:
    """Return how many terminal columns ``text`` takes."""
    return len(text) if text.isascii() else sum(map(_columns_of, text))


def _columns_of(char: str) -> int:
    if unicodedata.combining(char) or char in _JOINERS or unicodedata.category(char) == "Mn":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return rows under a head, columns aligned; numbers to the right, None as ``-``.

    Columns in which no row has a value are left out.
    """
    cells = [[_cell(entry) for entry in row] for row in rows]
    right = [_numeric(list(column)) for column in zip(*cells, strict=True)] if cells else []
    used = [i for i in range(len(head)) if any(row[i] not in ("", "-") for row in cells)]
    widths = {i: max(columns(text) for text in (head[i], *(row[i] for row in cells))) for i in used}
    lines = []
    for row in [list(head), *cells]:
        parts = [
            " " * (widths[i] - columns(row[i])) + row[i]
            if right[i]
            else row[i] + " " * (widths[i] - columns(row[i]))
            for i in used
        ]
        lines.append("  ".join(parts).rstrip())
    return "\n".join(lines)


def _cell(entry: Any) -> str:
    if entry is None:
        return "-"
    return safe(entry) if isinstance(entry, str) else source_text(entry)


def _numeric(column: list[str]) -> bool:
    return all(text in ("-", "") or text.lstrip("-").replace(".", "").isdigit() for text in column)
