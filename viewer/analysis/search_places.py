"""The places at which something matches, carried from each state of a chain to the next."""

from collections.abc import Iterable
from typing import Any

from viewer.analysis.list_changes import ends
from viewer.analysis.pairing import align
from viewer.analysis.search_query import Matcher
from viewer.analysis.search_trie import Found, Kind, Node, name_of, standing
from viewer.model import MISSING
from viewer.pointer import Pattern, Token, Tokens

KEPT = 20_000
"""Most places kept; a search that finds more stops."""
LEVELS = 60
"""Levels compared by recursion; what differs deeper is searched anew."""


class Places:
    """What was found so far.

    Args:
        matcher: says what matches.
        lists: pattern of a list → the key that identifies its items.
        head: index of the live head.
    """

    def __init__(
        self, matcher: Matcher, lists: tuple[tuple[Pattern, str], ...], head: int | None
    ) -> None:
        self.found: list[Found] = []
        self.full = False
        self._matcher = matcher
        self._lists = lists
        self._head = head
        self._head_ordinal: int | None = None
        self._state: Any = MISSING
        self._root: Node | None = None
        self._ordinal = -1
        self._index = -1
        self._before = -1
        """Index of the state before the one at hand."""
        self._ended: dict[tuple[Any, ...], Found] = {}
        self._keys: dict[str, bool] = {}

    def step(self, index: int, state: Any) -> None:
        """Take up the state of the next checkpoint."""
        self._ordinal += 1
        self._before, self._index = self._index, index
        if index == self._head:
            self._head_ordinal = self._ordinal
        if self._state is MISSING:
            self._root = self._open(state, ())
        else:
            self._root = self._pair(self._state, state, self._root, (), ())
        self._state = state

    def refresh(self) -> None:
        """Bring count, last place and so on of what still stands up to date."""
        for one, place in standing(self._root, ()):
            one.stood(place, self._index, self._ordinal + 1, self._head_ordinal)

    def _pair(self, old: Any, new: Any, node: Node | None, at: Tokens, to: Tokens) -> Node | None:
        """Return what is found in ``new`` (at ``to``); ``node`` was in ``old`` (at ``at``)."""
        if old is new:
            return node
        kind = type(new)
        if kind is type(old) and len(to) < LEVELS:
            if kind is dict:
                return self._members(old, new, node or Node(), at, to)
            if kind is list:
                return self._elements(old, new, node or Node(), at, to)
        if kind is type(old) and kind not in (dict, list) and _written(old) == _written(new):
            return node
        key = None
        if node is not None:
            key, node.key = node.key, None
            self._close(node, at)
        found = self._open(new, to)
        if key is not None:
            found = found or Node()
            found.key = key
        return found

    def _members(
        self, old: dict[str, Any], new: dict[str, Any], node: Node, at: Tokens, to: Tokens
    ) -> Node | None:
        kids = node.kids
        for key, y in new.items():
            x = old.get(key, MISSING)
            if x is y:
                continue
            here = (*to, key)
            if x is MISSING:
                found = self._open_member(key, y, here)
            else:
                found = self._pair(x, y, kids.get(key), (*at, key), here)
            if found is not None:
                kids[key] = found
            else:
                kids.pop(key, None)
        for gone in [token for token in kids if token not in new]:
            self._close(kids.pop(gone), (*at, gone))
        return None if node.bare else node

    def _elements(
        self, old: list[Any], new: list[Any], node: Node, at: Tokens, to: Tokens
    ) -> Node | None:
        start, tail = ends(old, new)
        shift, until = len(new) - len(old), len(old) - tail
        a, b = old[start:until], new[start : len(new) - tail]
        source = [-1] * len(b)
        if a and b:
            declared = next((key for where, key in self._lists if where.matches(to)), None)
            source = align(a, b, declared).source
        kids, middle = node.parted(start, until, shift)
        for i in middle.keys() - set(source):
            self._close(middle[i], (*at, start + i))
        for j, i in enumerate(source):
            here = (*to, start + j)
            if i < 0:
                found = self._open(b[j], here)
            else:
                found = self._pair(a[i], b[j], middle.get(i), (*at, start + i), here)
            if found is not None:
                kids[start + j] = found
        node.kids = kids
        return None if node.bare else node

    def _open_member(self, key: str, value: Any, to: Tokens) -> Node | None:
        found = self._open(value, to)
        if self._key_matches(key):
            found = found or Node()
            found.key = self._note("key", to, value)
        return None if found is None or found.bare else found

    def _open(self, value: Any, to: Tokens) -> Node | None:
        """Return what is found in ``value``, which is new at ``to``."""
        root = Node()
        if type(value) not in (dict, list):
            if self._matcher.matches_scalar(value):
                root.value = self._note("value", to, value)
            return None if root.bare else root
        waiting: list[tuple[Tokens, Any]] = [((), value)]
        while waiting and not self.full:
            at, here = waiting.pop()
            named = type(here) is dict
            members: Iterable[tuple[Token, Any]] = here.items() if named else enumerate(here)
            for token, child in members:
                if named and self._key_matches(str(token)):
                    self._put(root, (*at, token), "key", child, to)
                if type(child) is dict or type(child) is list:
                    waiting.append(((*at, token), child))
                elif self._matcher.matches_scalar(child):
                    self._put(root, (*at, token), "value", child, to)
        return None if root.bare else root

    def _put(self, node: Node, inside: Tokens, kind: Kind, value: Any, to: Tokens) -> None:
        one = self._note(kind, (*to, *inside), value)
        if one is None:
            return
        for token in inside:
            node = node.kids.setdefault(token, Node())
        if kind == "key":
            node.key = one
        else:
            node.value = one

    def _key_matches(self, key: str) -> bool:
        known = self._keys.get(key)
        if known is None:
            known = self._keys[key] = self._matcher.matches(key)
        return known

    def _note(self, kind: Kind, place: Tokens, value: Any) -> Found | None:
        """Return the found thing at ``place``: one that stood there before, or a new one."""
        within = self._matcher.within
        if within is not None and not within.matches(place):
            return None
        one = self._ended.pop(name_of(kind, place, value), None)
        if one is not None:
            one.kept, one.since = one.count, self._ordinal
            return one
        if len(self.found) >= KEPT:
            self.full = True
            return None
        one = Found(kind, place, value, self._index, self._ordinal)
        self.found.append(one)
        return one

    def _close(self, node: Node, at: Tokens) -> None:
        for one, place in standing(node, at):
            one.stood(place, self._before, self._ordinal, self._head_ordinal)
            one.since = None
            self._ended[name_of(one.kind, place, one.value)] = one


def _written(value: Any) -> Any:
    return repr(value) if type(value) is float else value
