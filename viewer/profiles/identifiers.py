"""Identifiers found in text by a profile's patterns, in time linear in the text.

A profile may be anyone's, and Python's ``re`` can take exponential time. So a pattern must be of
the RE2-safe subset (no backreference, no lookaround, no flags), may not repeat a group
that holds a repeat or an alternative, and each of its repeats without an end is given one.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import groupby

from viewer.errors import ProfileError

LONGEST = 64
"""End given to ``*``, ``+`` and ``{n,}``; a longer run is found as several identifiers."""
_WAYS = LONGEST * LONGEST
"""Most ways in which the repeats of one pattern may share a text among them."""
_REPEATS = 512
"""Largest bound that a pattern may write itself."""
_TOKEN = re.compile(
    r"""(?P<escape>\\.)
      | (?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])
      | (?P<open>\((?:\?(?:P<\w+>|[aiLmsux]+\)|:|[^:P]|P[^<]))?)
      | (?P<close>\))
      | (?P<repeat>(?:[*+?]|\{\d{0,6},?\d{0,6}\})[?+]?)
      | (?P<char>.)""",
    re.VERBOSE | re.DOTALL,
)
_BOUNDS = re.compile(r"\{(\d*)(,?)(\d*)\}")


def occurrences(text: str, patterns: tuple[str, ...]) -> Iterator[str]:
    """Yield each identifier in ``text`` as often as it stands there, in the order of the text.

    Where two patterns meet at one place the longer match counts, once.

    Raises:
        ProfileError: a pattern is no regular expression or not of the safe subset.
    """
    return (text[start:end] for start, end in spans(text, patterns))


def spans(text: str, patterns: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Yield where each of the `occurrences` begins and ends in ``text``.

    Raises:
        ProfileError: a pattern is no regular expression or not of the safe subset.
    """
    found = sorted(
        (match.start(), -match.end())
        for pattern in patterns
        for match in compiled(pattern).finditer(text)
        if match.end() > match.start()
    )
    reached = 0
    for start, group in groupby(found, key=lambda span: span[0]):
        end = -next(group)[1]
        if start >= reached:
            reached = end
            yield start, end


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return ``pattern`` ready for use, its endless repeats bounded.

    Raises:
        ProfileError: it is no regular expression or not of the safe subset.
    """
    try:
        return re.compile(_bounded(pattern))
    except (re.error, OverflowError, RecursionError) as error:
        raise ProfileError(f"identifier pattern {pattern!r}: {error}") from error


def _bounded(pattern: str) -> str:
    out: list[str] = []
    open_groups: list[bool] = []
    """Per open group: whether one text can be read in several ways by what is inside it."""
    closed = False
    ways = 1
    for token in _TOKEN.finditer(pattern):
        text, kind = token.group(), token.lastgroup
        inside, closed = closed, False
        if kind == "escape" and (text[1] in "gk" or (text[1].isdigit() and text[1] != "0")):
            raise ProfileError(f"identifier pattern {pattern!r} has a backreference")
        if kind == "open":
            if text[1:2] == "?" and text != "(?:" and not text.startswith("(?P<"):
                raise ProfileError(f"identifier pattern {pattern!r}: {text!r} is not allowed")
            open_groups.append(False)
        elif kind == "close" and open_groups:
            closed = open_groups.pop()
        elif kind == "repeat":
            text, least, most = _repeat(text)
            ways *= 1 if least == most else most - least + 1
            if ways > _WAYS or most > _REPEATS or (inside and most > 1):
                raise ProfileError(f"identifier pattern {pattern!r} repeats too freely")
        if kind == "repeat" or text == "|":
            open_groups = [True] * len(open_groups)
        out.append(text)
    return "".join(out)


def _repeat(text: str) -> tuple[str, int, int]:
    """Return a quantifier with an end, and its bounds."""
    mode = text[-1] if len(text) > 1 and text[-1] in "?+" else ""
    plain = text.removesuffix(mode)
    if plain == "?":
        return text, 0, 1
    if plain in ("*", "+"):
        least = int(plain == "+")
        return f"{{{least},{LONGEST}}}{mode}", least, LONGEST
    bounds = _BOUNDS.fullmatch(plain)
    if bounds is None or plain == "{}":
        return text, 1, 1
    low, comma, high = bounds.groups()
    least = int(low or 0)
    most = int(high) if high else max(least, LONGEST) if comma else least
    return f"{{{least},{most}}}{mode}", least, most
