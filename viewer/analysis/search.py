"""Where a text stands in any checkpoint of a chain: since when, until when, in how many.

Each state is compared with the one before it, and only what differs is searched, so that a chain
costs about its distinct content. An item of a list that moves stays the same place (paired as the
diff pairs it).
"""

from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal

from viewer.analysis.search_places import Places
from viewer.analysis.search_query import Matcher, Query
from viewer.analysis.search_trie import Found
from viewer.chain import Chain
from viewer.model import MISSING
from viewer.pointer import Tokens, join

__all__ = ["Hit", "Query", "Search", "search"]

MOST = 1_000
"""Hits reported; the rest are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A key or a value that matches, at one place."""

    kind: Literal["key", "value"]
    pointer: str
    """Where it stands in the checkpoint `first`."""
    last_pointer: str
    """Where it stands in the checkpoint `last`."""
    value: Any
    """What stands there in `first`; for a value the same as in every other checkpoint."""
    first: int
    """Index of the first checkpoint that has it."""
    last: int
    """Index of the last checkpoint that has it; it may lack in some between."""
    count: int
    """How many checkpoints have it."""
    at_head: bool
    """The live head has it."""

    @property
    def text(self) -> str:
        """What matched, for a key; a value's text is for the reader of `value`."""
        return self.pointer.rpartition("/")[2].replace("~1", "/").replace("~0", "~")


class Search:
    """A search over all checkpoints of a chain, which can be run in slices of time.

    Args:
        chain: the chain; its states are not mutated.
        query: what is searched for.

    Raises:
        QueryError: the query cannot be run.
    """

    def __init__(self, chain: Chain, query: Query) -> None:
        self.chain = chain
        self.matcher = Matcher(query)
        self.searched = 0
        """Checkpoints searched so far, oldest first."""
        self._places = Places(self.matcher, chain.profile.lists, chain.head)

    @property
    def total(self) -> int:
        """Checkpoints of the chain."""
        return len(self.chain.checkpoints)

    @property
    def full(self) -> bool:
        """The search stopped because it found too many places to keep."""
        return self._places.full

    @property
    def done(self) -> bool:
        """Whether nothing is left to search."""
        return self.full or self.searched == self.total

    @property
    def found(self) -> int:
        """How many hits there are so far."""
        return len(self._places.found)

    def run(self, seconds: float | None = None) -> None:
        """Search on to the end, or for about ``seconds`` (at least one checkpoint)."""
        end = None if seconds is None else perf_counter() + seconds
        while not self.done:
            state = self.chain.states[self.searched]
            if state is not MISSING:
                self._places.step(self.searched, state)
            self.searched += 1
            if end is not None and perf_counter() >= end:
                return

    def hits(self, most: int = MOST) -> tuple[Hit, ...]:
        """Return the first hits so far, by first checkpoint and then by pointer."""
        self._places.refresh()
        ordered = sorted(self._places.found, key=lambda one: (one.first, _order(one.place)))
        return tuple(_hit(one) for one in ordered[:most])


def search(chain: Chain, query: Query) -> tuple[Hit, ...]:
    """Return the hits of a whole search, at most `MOST`.

    Raises:
        QueryError: the query cannot be run.
    """
    run = Search(chain, query)
    run.run()
    return run.hits()


def _hit(one: Found) -> Hit:
    return Hit(
        kind=one.kind,
        pointer=join(one.place),
        last_pointer=join(one.last_place),
        value=one.value,
        first=one.first,
        last=one.last,
        count=one.count,
        at_head=one.at_head,
    )


def _order(place: Tokens) -> tuple[tuple[int, int, str], ...]:
    """Order places as a document has them: positions of a list as numbers."""
    return tuple((0, t, "") if isinstance(t, int) else (1, 0, t) for t in place)
