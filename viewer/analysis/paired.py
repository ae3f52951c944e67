"""By what the items of each changed list were paired, as the diff really did it."""

from collections.abc import Iterable, Mapping
from typing import Any

from viewer.analysis.pairing import STRONG, value_at
from viewer.jsontext import visible
from viewer.model import MISSING, Change
from viewer.pointer import Tokens, join

BY_VALUE = "what they hold"
"""What the items hold: first at both ends, then by a longest common order, then by likeness."""
BY_POSITION = "position"
BETWEEN = "equal neighbours"
"""One item differs in a list of the same length, and stands between the same others."""


class Paired:
    """Takes down, while a diff walks, what paired each list that it compared item by item."""

    def __init__(self) -> None:
        self._by: dict[Tokens, str] = {}

    def note(self, to: Tokens, by: str | None, declared: str | None = None) -> None:
        """Take down that ``by`` (a key, a word above, or None for `BY_VALUE`) paired the list at
        ``to`` of the target, where the profile wants the key ``declared``.
        """
        self._by[to] = BY_VALUE if by is None else _word(by, declared)

    def between(self, to: Tokens, x: Any, declared: str | None) -> None:
        """Take down that ``x``, alone among equal neighbours, is the same item on both sides."""
        keys = (key for key in (declared, *STRONG) if key is not None)
        found = next((key for key in keys if value_at(x, key) is not MISSING), None)
        self.note(to, BETWEEN if found is None else found, declared)

    def words(self, changes: Iterable[Change]) -> Mapping[str, str]:
        """Return pointer of each list in the target that has a change inside → what paired it.

        A list may be compared in vain on the way to the shortest account: it has none.
        """
        touched: set[Tokens] = set()
        for change in changes:
            place = change.path[:-1]
            # What stands above a place already taken stands there too.
            while place not in touched:
                touched.add(place)
                place = place[:-1]
        return {join(to): by for to, by in self._by.items() if to in touched}


def _word(by: str, declared: str | None) -> str:
    return f"{visible(by)} (profile)" if by == declared else visible(by)
