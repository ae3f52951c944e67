"""Schemas whose references make one value be judged by exponentially many subschemas."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from viewer.errors import PointerError
from viewer.jsontext import walk
from viewer.pointer import find, join, split

_MOST = 10_000
_LISTS = ("allOf", "anyOf", "oneOf")
_SINGLE = ("not", "if", "then", "else")


def branching(schema: Any) -> Iterator[tuple[str, str]]:
    """Yield pointer and reason of the first place where one value meets too many subschemas.

    Only what judges the same value counts: references, combinations and conditions, not the
    subschemas of its parts. A reference back to where it stands counts once.
    """
    found = _Count(schema)
    places = list(walk(schema))
    most = max(_MOST, len(places))  # a long list of choices is long, but judged once each
    for tokens, part in places:
        if isinstance(part, dict) and found.of(part) > most:
            yield join(tokens), f"holds one value against more than {most} subschemas"
            return


class _Count:
    """How many subschemas a value meets, by subschema."""

    def __init__(self, schema: Any) -> None:
        self._schema = schema
        self._known: dict[int, int] = {}

    def of(self, part: Any) -> int:
        """Return how many subschemas judge a value that ``part`` judges, itself included."""
        if not isinstance(part, dict):
            return 1
        if id(part) not in self._known:
            self._known[id(part)] = 1
            self._known[id(part)] = 1 + sum(self.of(other) for other in self._same_value(part))
        return self._known[id(part)]

    def _same_value(self, part: dict[str, Any]) -> Iterator[Any]:
        for name in _LISTS:
            several = part.get(name)
            yield from several if isinstance(several, list) else ()
        for name in _SINGLE:
            if name in part:
                yield part[name]
        depending = part.get("dependentSchemas")
        yield from depending.values() if isinstance(depending, dict) else ()
        where = part.get("$ref")
        if isinstance(where, str) and where.startswith("#"):
            try:
                yield find(self._schema, split(unquote(where[1:])))
            except PointerError:
                return  # an anchor, which names no place
