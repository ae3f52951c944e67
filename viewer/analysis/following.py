"""Where a place of one state stands in another: keys stand still, members of lists may move."""

from typing import Any, NamedTuple

from viewer.analysis.list_changes import ends
from viewer.analysis.pairing import align, identity, value_at
from viewer.pointer import Pattern, Tokens, array_index, find

Lists = tuple[tuple[Pattern, str], ...]
VALUE = "what it holds"
POSITION = "position"


class Lost(NamedTuple):
    """A member that its list no longer has."""

    container: Tokens
    """The list."""
    key: str | None
    """The key that would tell the member again; None where nothing would."""
    value: Any
    """The member's value of that key."""
    rest: Tokens
    """The place inside the member."""


class Followed(NamedTuple):
    """Where a place went."""

    at: Tokens | Lost
    ways: tuple[str, ...]
    """How members of lists were told on the way: a key, `VALUE` or `POSITION`."""


def follow(a: Any, b: Any, place: Tokens, lists: Lists) -> Followed:
    """Return where the ``place`` of state ``a`` stands in state ``b``; whether it is there or not.

    Members of lists are paired as the diff pairs them, and by position where that pairs nothing.
    """
    to: Tokens = ()
    ways: list[str] = []
    for depth, token in enumerate(place):
        rest = place[depth + 1 :]
        if a is b:
            return Followed((*to, token, *rest), tuple(ways))
        i = array_index(token)
        if type(a) is list and type(b) is list and i is not None and i < len(a):
            declared = next((key for where, key in lists if where.matches(to)), None)
            j, way = _member(a, b, i, declared)
            ways += [way] if way else []
            if j is None:
                known = None if way in (VALUE, POSITION) else way
                value = None if known is None else value_at(a[i], known)
                return Followed(Lost(to, known, value, rest), tuple(ways))
            to = (*to, j)
            a, b = a[i], b[j]
        elif type(a) is dict and type(b) is dict and token in a and token in b:
            to = (*to, token)
            a, b = a[str(token)], b[str(token)]
        else:
            return Followed((*to, token, *rest), tuple(ways))
    return Followed(to, tuple(ways))


def found_again(lost: Lost, state: Any) -> Tokens | None:
    """Return where a lost member stands in ``state``; None where it does not, or nobody can tell."""
    members = None if lost.key is None else find(state, lost.container)
    if not isinstance(members, list) or lost.key is None:
        return None
    for position, member in enumerate(members):
        value = value_at(member, lost.key)
        if type(value) is type(lost.value) and value == lost.value:
            return (*lost.container, position, *lost.rest)
    return None


def _member(a: list[Any], b: list[Any], i: int, declared: str | None) -> tuple[int | None, str]:
    """Return where member ``i`` of ``a`` stands in ``b``, and what told so ('' : nothing had to)."""
    if i < len(b) and a[i] is b[i]:
        return i, ""
    start, tail = ends(a, b)
    if i < start:
        return i, ""
    if i >= len(a) - tail:
        return i + len(b) - len(a), VALUE if len(a) != len(b) else ""
    x, y = a[start : len(a) - tail], b[start : len(b) - tail]
    at = i - start
    if not y:
        # Its list has nothing new: only an identity of its own could tell it in a later one.
        told = identity([a[i]], [a[i]], declared)[0]
        return None, told.key if told is not None and told.strong else VALUE
    told = identity(x, y, declared)[0]
    if told is not None and told.strong:
        j = next((j for j, value in enumerate(told.target) if value == told.base[at]), None)
        return (None if j is None else start + j), told.key
    source = align(x, y, declared).source
    if at in source:
        return start + source.index(at), VALUE if told is None else told.key
    if at < len(source) and source[at] < 0:
        return i, POSITION
    return None, VALUE
