"""What is searched for: a text or a regular expression, in keys and in the texts of scalars.

Regular expressions run in linear time, whatever the expression and the text: they are judged by
the engine of jsonschema-rs, which knows no look-around and no back references. Linear is not quick:
with nested repetitions it follows thousands of ways at each letter, so their size is limited too.
"""

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from viewer.errors import PointerError, QueryError
from viewer.jsontext import source_text
from viewer.pointer import Pattern, pattern

if TYPE_CHECKING:
    from jsonschema_rs import Validator

LONGEST = 1_000_000
"""Characters of one value that a regular expression looks at."""
_LARGEST = 150_000
"""Bytes of a compiled expression. Measured with nested repetitions on 1 MB of text: 2 s at the worst
with this, 100 s with twice as much, and none of it can be interrupted."""
_REACH = 400
"""Characters around the end of a match in which its bounds are looked for."""
_PLACED = re.compile(r"(/\S*): (.+)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What a person typed, and how it is meant."""

    text: str
    case: bool = False
    """Capital and small letters differ."""
    regex: bool = False


@dataclass(slots=True)
class Matcher:
    """Says whether a text matches a query.

    ``/usage/**: 899`` looks for ``899`` only at the places of the pointer pattern in front.

    Raises:
        QueryError: nothing is searched for, or the regular expression is none that can be run.
    """

    query: Query
    within: Pattern | None = None
    """Only places that this covers are searched."""
    cut: int = 0
    """Values of which only the first `LONGEST` characters were looked at."""
    _text: str = ""
    _search: "Validator | None" = None
    _whole: "Validator | None" = field(default=None)

    def __post_init__(self) -> None:
        self.within, text = _placed(self.query.text)
        if not text:
            raise QueryError("nothing to search for")
        self._text = text if self.query.case else text.lower()
        if self.query.regex:
            flags = "" if self.query.case else "(?i)"
            self._search = _compiled(flags + text, text)
            self._whole = _compiled(f"{flags}^(?:{text})$", text)

    def matches(self, text: str) -> bool:
        """Return whether ``text`` holds what is searched for."""
        if self._search is not None:
            if len(text) > LONGEST:
                self.cut += 1
                text = text[:LONGEST]
            return _holds(self._search, text)
        return self._text in (text if self.query.case else text.lower())

    def matches_scalar(self, value: Any) -> bool:
        """Return whether a scalar does, as it is written in source; strings without quotes."""
        return self.matches(value if type(value) is str else source_text(value))

    def span(self, text: str) -> tuple[int, int] | None:
        """Return where in ``text`` the first match begins and ends; None where that is not known."""
        whole = self._whole
        if self._search is None or whole is None:
            return self._plain_span(text)
        text = text[:LONGEST]
        if not _holds(self._search, text):
            return None
        low, high = 0, len(text)
        while low < high:  # the end of the match that ends first
            middle = (low + high) // 2
            low, high = (low, middle) if _holds(self._search, text[:middle]) else (middle + 1, high)
        starts = range(max(0, low - _REACH), low + 1)
        start = next((at for at in starts if _holds(whole, text[at:low])), None)
        if start is None:
            return None
        ends = range(min(len(text), low + _REACH), low - 1, -1)
        return start, next(at for at in ends if _holds(whole, text[start:at]))

    def _plain_span(self, text: str) -> tuple[int, int] | None:
        small = text if self.query.case else text.lower()
        at = small.find(self._text)
        # The small form of a few letters is longer: then places in the two texts do not agree.
        return None if at < 0 or len(small) != len(text) else (at, at + len(self._text))


def _placed(text: str) -> tuple[Pattern | None, str]:
    found = _PLACED.fullmatch(text)
    if found is None:
        return None, text
    try:
        return pattern(found[1]), found[2]
    except PointerError:
        return None, text


def _compiled(expression: str, text: str) -> "Validator":
    import jsonschema_rs

    try:
        options = jsonschema_rs.RegexOptions(size_limit=_LARGEST)
        return jsonschema_rs.validator_for({"pattern": expression}, pattern_options=options)
    except (jsonschema_rs.ValidationError, ValueError) as error:
        raise QueryError(_why(text)) from error


def _why(text: str) -> str:
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        return f"this is no regular expression: {error}"
    return (
        "this regular expression cannot be searched for: look-around, back references and "
        "large repetitions are left out, so that every search comes to an end"
    )


def _holds(expression: "Validator", text: str) -> bool:
    try:
        return expression.is_valid(text)
    except UnicodeEncodeError:  # half a surrogate pair
        return expression.is_valid(text.encode("utf-8", "replace").decode())
