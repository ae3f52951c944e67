"""What a search found and where it stands in the state at hand: a tree of places."""

from collections.abc import Iterator
from typing import Any, Literal

from viewer.jsontext import source_text
from viewer.pointer import Token, Tokens, join

Kind = Literal["key", "value"]


class Found:
    """A key or value that matches, at one place, in some of the checkpoints."""

    __slots__ = (
        "at_head",
        "count",
        "first",
        "kept",
        "kind",
        "last",
        "last_place",
        "place",
        "since",
        "value",
    )

    def __init__(self, kind: Kind, place: Tokens, value: Any, index: int, since: int) -> None:
        self.kind = kind
        self.place = self.last_place = place
        self.value = value
        self.first = self.last = index
        self.since: int | None = since
        """Ordinal of the state since which it stands without a gap; None while it does not."""
        self.kept = 0
        """Checkpoints that had it before that."""
        self.count = 0
        self.at_head = False

    def stood(self, place: Tokens, last: int, until: int, head: int | None) -> None:
        """Write down that it stood at ``place`` up to checkpoint ``last``.

        Args:
            place: where it stood there.
            last: index of the checkpoint.
            until: ordinal of the state after that.
            head: ordinal of the live head's state, once it is known.
        """
        since = until if self.since is None else self.since
        self.last, self.last_place = last, place
        self.count = self.kept + until - since
        self.at_head = self.at_head or (head is not None and since <= head < until)


class Node:
    """A place with something found at it or below."""

    __slots__ = ("key", "kids", "value")

    def __init__(self) -> None:
        self.key: Found | None = None
        self.value: Found | None = None
        self.kids: dict[Token, Node] = {}

    @property
    def bare(self) -> bool:
        """Whether nothing is found here or below."""
        return self.key is None and self.value is None and not self.kids

    def parted(
        self, start: int, until: int, shift: int
    ) -> tuple[dict[Token, "Node"], dict[int, "Node"]]:
        """Return the kids of a list's items outside ``start:until`` and those inside.

        The former stand where they stand after the items behind moved by ``shift``, the latter are
        counted from ``start``.
        """
        kids: dict[Token, Node] = {}
        middle: dict[int, Node] = {}
        for token, kid in self.kids.items():
            i = int(token)
            if start <= i < until:
                middle[i - start] = kid
            else:
                kids[i if i < start else i + shift] = kid
        return kids, middle


def standing(node: Node | None, at: Tokens) -> Iterator[tuple[Found, Tokens]]:
    """Yield what is found at ``node``, which stands at ``at``, and below it, with its places."""
    waiting = [] if node is None else [(node, at)]
    while waiting:
        here, place = waiting.pop()
        for one in (here.key, here.value):
            if one is not None:
                yield one, place
        waiting += [(kid, (*place, token)) for token, kid in here.kids.items()]


def name_of(kind: Kind, place: Tokens, value: Any) -> tuple[Any, ...]:
    """Return what tells found things apart: for a key its place, for a value also the value."""
    where = join(place)
    return (where,) if kind == "key" else (where, type(value), source_text(value))
