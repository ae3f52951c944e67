"""Which chain each state of a document belongs to."""

from viewer.model import Problem, Record
from viewer.sources.elements import Element
from viewer.sources.langgraph.history_records import Entry

Key = tuple[str, str]
"""Thread id and namespace."""


class Chains:
    """What was found for each chain, in the order of the document."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.entries: dict[Key, list[Entry | Record]] = {}
        self.latest: dict[Key, Problem] = {}
        self._lost: list[Record] = []
        self._last: Key | None = None

    def add(self, key: Key, found: Entry | Record) -> None:
        """Put ``found`` at the end of the chain ``key``, after what was lost before it."""
        self._last = key
        self.entries.setdefault(key, []).extend((*self._lost, found))
        self._lost.clear()

    def lose(self, element: Element, reason: str) -> None:
        """Note a value that gives no state, in the chain of the one before it."""
        lost = Record(
            place=element.place,
            made_id=element.made_id,
            fault=reason,
            listed=False,
            size_bytes=element.size_bytes,
            pointer=element.pointer,
        )
        if self._last is None:
            self._lost.append(lost)
        else:
            self.entries[self._last].append(lost)

    def close(self) -> dict[Key, list[Entry | Record]]:
        """Return what each chain holds; what was lost alone is a thread of its own."""
        if self._lost:
            self.entries.setdefault((self.name, ""), []).extend(self._lost)
        return self.entries
