"""Texts that differ although they look the same on screen."""

import unicodedata

from viewer.analysis.graphemes import shared_back, shared_front

_CONTEXT = 32
"""Code points around the difference that composition may reach into."""
_WINDOW = 256
"""Code points looked at first: most differences show at once."""
_NAMED = 6
"""Most code points named on one side."""
_SILENT = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0") | {
    chr(code) for code in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
}
"""Code points of other categories than Cc and Cf that draw nothing."""
_TWINS = str.maketrans(
    "АВЕЅІЈКМНОРСТУХаеоріјѕсухһԁԛԝ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧον",
    "ABESIJKMHOPCTYXaeopijscyxhdqw" + "ABEZHIKMNOPTYXov",
)
"""Cyrillic and Greek letters drawn like Latin ones (Unicode Technical Standard 39)."""


def invisible_difference(old: str, new: str) -> str | None:
    """Return in words how two texts differ that look the same, naming code points; else None.

    Looks the same: composed against decomposed letters, zero-width and control characters, kinds
    of space and of line end, space at the end, letters of another script drawn alike.
    """
    if old == new:
        return None
    front = shared_front(old, new)
    back = shared_back(old, new, front)
    start, cut = max(0, front - _CONTEXT), max(0, back - _CONTEXT)
    if _differ_soon(old[start : start + _WINDOW], new[start : start + _WINDOW]):
        return None
    if _drawn(old[start : len(old) - cut]) != _drawn(new[start : len(new) - cut]):
        return None
    olds = _named(old[front : len(old) - back])
    news = _named(new[front : len(new) - back])
    return f"looks the same, but the old text has {olds} where the new text has {news}"


def _differ_soon(old: str, new: str) -> bool:
    """Return whether the first of the drawn text tells already that the texts look different."""
    a, b = _drawn(old), _drawn(new)
    sure = min(len(a), len(b)) - _CONTEXT
    return sure > 0 and a[:sure] != b[:sure]


def _drawn(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = unicodedata.normalize("NFC", "".join(map(_seen, text)))
    return "\n".join(line.rstrip() for line in text.split("\n")).translate(_TWINS)


def _seen(char: str) -> str:
    if char in "\n\t":
        return char
    category = unicodedata.category(char)
    if category == "Zs":
        return " "
    return "" if category in ("Cc", "Cf") or char in _SILENT else char


def _named(text: str) -> str:
    if not text:
        return "nothing"
    names = [f"U+{ord(c):04X} {unicodedata.name(c, 'without a name')}" for c in text[:_NAMED]]
    more = len(text) - _NAMED
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")
