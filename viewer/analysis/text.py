"""Changes inside text: word by word, cut near the first difference, or invisible.

Lines are aligned first and words only inside lines that changed, so a long text with a few edits
costs little. A text without line ends is cut at sentence ends.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from viewer.analysis.graphemes import (
    boundary,
    cluster_pattern,
    sentence_pattern,
    shared_back,
    shared_front,
    word_pattern,
)
from viewer.analysis.invisible import invisible_difference
from viewer.analysis.sequence import common

__all__ = ["Segment", "invisible_difference", "preview", "word_segments"]

MARK = "…"
_LONG_LINE = 400
"""Code points above which a line is cut at its sentence ends."""
_HIGHEST = 64
"""Most code points of one character that a preview shows."""
_LONG_WORD = 40
"""Code points above which a changed word is compared inside."""


class Segment(NamedTuple):
    """A run of text that stands in both, only in the old or only in the new text."""

    kind: Literal["same", "old", "new"]
    text: str


def word_segments(old: str, new: str) -> list[Segment]:
    """Return how ``old`` became ``new``: joined, same and old are ``old``, same and new ``new``.

    No segment begins or ends inside a character as a reader sees it.
    """
    out: list[Segment] = []
    for olds, news in _hunks(_lines(old), _lines(new)):
        if olds == news:
            _add(out, "same", "".join(olds))
            continue
        words = word_pattern().findall
        for a, b in _hunks(words("".join(olds)), words("".join(news))):
            if a == b:
                _add(out, "same", "".join(a))
            else:
                _changed(out, "".join(a), "".join(b))
    return _joined(out)


def _lines(text: str) -> list[str]:
    lines = text.splitlines(keepends=True)
    if all(len(line) <= _LONG_LINE for line in lines):
        return lines
    cut = sentence_pattern().findall
    return [part for line in lines for part in (cut(line) if len(line) > _LONG_LINE else [line])]


def _hunks(old: Sequence[str], new: Sequence[str]) -> list[tuple[Sequence[str], Sequence[str]]]:
    """Return runs of parts, alternately equal and different, that make up both sequences."""
    numbers: dict[str, int] = {}
    a = [numbers.setdefault(part, len(numbers)) for part in old]
    b = [numbers.setdefault(part, len(numbers)) for part in new]
    front = 0
    while front < min(len(a), len(b)) and a[front] == b[front]:
        front += 1
    back = 0
    while back < min(len(a), len(b)) - front and a[-1 - back] == b[-1 - back]:
        back += 1
    pairs = common(a[front : len(a) - back], b[front : len(b) - back])
    out: list[tuple[Sequence[str], Sequence[str]]] = [(old[:front], new[:front])]
    i = j = front
    for p, q in [*pairs, (len(a) - back - front, len(b) - back - front)]:
        p, q = p + front, q + front
        if (i, j) != (p, q):
            out.append((old[i:p], new[j:q]))
        i, j = p + 1, q + 1
        out.append((old[p:i], new[q:j]))
    out[-1] = (old[len(old) - back :], new[len(new) - back :])
    return [hunk for hunk in out if hunk[0] or hunk[1]]


def _changed(out: list[Segment], old: str, new: str) -> None:
    front = back = 0
    if min(len(old), len(new)) > _LONG_WORD:
        front = shared_front(old, new)
        front = min(boundary(old, front), boundary(new, front))
        back = shared_back(old, new, front)
        while back and not (_cuts(old, len(old) - back) and _cuts(new, len(new) - back)):
            back -= 1
    _add(out, "same", old[:front])
    _add(out, "old", old[front : len(old) - back])
    _add(out, "new", new[front : len(new) - back])
    _add(out, "same", old[len(old) - back :])


def _cuts(text: str, position: int) -> bool:
    return boundary(text, position) == position


def _add(out: list[Segment], kind: Literal["same", "old", "new"], text: str) -> None:
    if text:
        out.append(Segment(kind, text))


def _joined(parts: list[Segment]) -> list[Segment]:
    """Join neighbours of a kind; a lone space between two changes belongs to both."""
    out: list[Segment] = []
    old = new = ""
    for place, (kind, text) in enumerate(parts):
        inside = 0 < place < len(parts) - 1 and (old or new)
        if kind == "same" and not (
            inside and text.isspace() and "\n" not in text and parts[place + 1].kind != "same"
        ):
            _add(out, "old", old)
            _add(out, "new", new)
            old = new = ""
            if out and out[-1].kind == "same":
                out[-1] = Segment("same", out[-1].text + text)
            else:
                out.append(Segment("same", text))
            continue
        old += text if kind != "new" else ""
        new += text if kind != "old" else ""
    _add(out, "old", old)
    _add(out, "new", new)
    return out


def preview(old: str, new: str, width: int = 160) -> tuple[str, str]:
    """Return both texts cut to ``width`` characters that show the first difference.

    ``…`` stands where something is cut off. Characters are counted and kept whole as a reader sees
    them; one of more than 64 code points is cut.
    """
    if max(len(old), len(new)) <= width:
        return old, new
    front = shared_front(old, new)
    front = min(boundary(old, front), boundary(new, front))
    rest = max(len(old), len(new)) - front
    lead = max(width // 4, width - rest - 2)
    start = 0 if front <= lead else boundary(old, front - lead)
    return _cut(old, start, width), _cut(new, start, width)


def _cut(text: str, start: int, width: int) -> str:
    before = MARK if start else ""
    room = width - len(before)
    parts: list[str] = []
    for found in cluster_pattern().finditer(text, start):
        if len(parts) == room:
            return before + "".join(parts[:-1]) + MARK
        parts.append(found[0][:_HIGHEST])
    return before + "".join(parts)
