"""Where a text may be cut: between what a reader sees as characters, never inside one.

The rules are those of Unicode Annex 29 ("extended grapheme clusters") as far as the standard
library knows the classes: a base with its marks, emoji joined by U+200D, flags, skin tones, tags,
Hangul syllables in parts, CR LF, and the two halves of a surrogate pair.
"""

import re
import unicodedata
from functools import cache

JOINER = "\u200d"
_FLAGS = "\U0001f1e6-\U0001f1ff"
_MARK_BLOCKS = (range(0x300, 0x20000), range(0xE0100, 0xE01F0))
"""All code points of the general categories Mn, Mc and Me lie here."""
_ALSO = (
    "\u200c"  # zero width non-joiner
    "\U0001f3fb-\U0001f3ff"  # skin tones
    "\U000e0020-\U000e007f"  # tags
    "\u1160-\u11ff\ud7b0-\ud7fb"  # Hangul vowels and final consonants in parts
)
_QUICK = "(?:[A-Za-z0-9_]++|[ \\t]++|[!-/:-@\\[-^`{-~])(?![^\\x00-\\x7f])"
"""A word, space or sign of ASCII with nothing behind it that could be a mark."""
_CJK = "\u2e80-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"


@cache
def _extenders() -> str:
    """Return the inside of a character class: what never stands apart from the one before it."""
    spans: list[list[int]] = []
    for block in _MARK_BLOCKS:
        for code in block:
            if unicodedata.category(chr(code))[0] != "M":
                continue
            if spans and spans[-1][1] == code - 1:
                spans[-1][1] = code
            else:
                spans.append([code, code])
    return "".join(f"{chr(a)}-{chr(b)}" for a, b in spans) + _ALSO


@cache
def _cluster() -> str:
    marks = f"[{_extenders()}]*"
    return (
        rf"[\x20-\x7e](?![^\x00-\x7f])|\r\n|[\ud800-\udbff][\udc00-\udfff]|[{_FLAGS}]{{2}}{marks}"
        rf"|[\r\n]|.{marks}(?:{JOINER}+.{marks})*{JOINER}*"
    )


@cache
def cluster_pattern() -> re.Pattern[str]:
    """Return a pattern whose matches, one after the other, are the characters of a text."""
    return re.compile(_cluster(), re.DOTALL)


@cache
def word_pattern() -> re.Pattern[str]:
    """Return a pattern that cuts a text into words, runs of space, and single other characters.

    Letters of scripts written without spaces stand alone, so that one of them can change.
    """
    marks = f"[{_extenders()}]*"
    letter = rf"(?![{_CJK}])\w{marks}(?:{JOINER}+\w{marks})*{JOINER}*"
    space = rf"[^\S\r\n]+(?![{_extenders()}{JOINER}])"
    return re.compile(rf"{_QUICK}|(?:{letter})+|{space}|{_cluster()}", re.DOTALL)


@cache
def sentence_pattern() -> re.Pattern[str]:
    """Return a pattern that cuts a line behind each sentence end and the spaces that follow it."""
    inside = rf"(?![{_extenders()}{JOINER}])"
    return re.compile(rf".+?(?:[.!?;:](?:\s+{inside})|[。！？](?:\s*{inside})|$)", re.DOTALL)


def shared_front(a: str, b: str) -> int:
    """Return how many code points ``a`` and ``b`` share at the front."""
    low, high = 0, min(len(a), len(b))
    while low < high:  # comparing slices runs at C speed
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def shared_back(a: str, b: str, front: int) -> int:
    """Return how many code points ``a`` and ``b`` share at the back, behind ``front``."""
    low, high = 0, min(len(a), len(b)) - front
    while low < high:
        middle = (low + high + 1) // 2
        if a[len(a) - middle : len(a) - low] == b[len(b) - middle : len(b) - low]:
            low = middle
        else:
            high = middle - 1
    return low


def boundary(text: str, position: int, reach: int = 64) -> int:
    """Return the last place at or before ``position`` where ``text`` may be cut.

    Looks at most ``reach`` code points back; marks heaped higher than that are cut.
    """
    if position >= len(text):
        return len(text)
    start = max(0, position - reach)
    # A line end or a space begins afresh whatever stands before it.
    start = max(start, text.rfind("\n", start, position), text.rfind(" ", start, position))
    best = start
    for found in cluster_pattern().finditer(text, start, min(len(text), position + reach)):
        if found.start() > position:
            break
        best = found.start()
    return best
