"""What happened to one list, in words: what was appended, removed, edited, reordered."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from viewer.analysis.messages import UNKNOWN, read_message
from viewer.analysis.summary_words import counted, short
from viewer.model import Change
from viewer.pointer import Tokens

ROLES = 3
"""Most messages whose roles are said one by one."""


class ListCount:
    """What happened to the items of one list."""

    def __init__(self, at: Tokens, listed: Sequence[Any], changes: Sequence[Change]) -> None:
        depth = len(at) + 1
        own = [c for c in changes if len(c.path) == depth]
        places = [c.path[-1] for c in own if c.op == "add" and isinstance(c.path[-1], int)]
        self.added = [c.new for c in own if c.op == "add"]
        self.removed = [c.old for c in own if c.op == "remove"]
        self.moved = sum(c.op == "move" for c in own)
        self.edited = {c.path[depth - 1] for c in changes if len(c.path) > depth}
        self.edited |= {c.path[-1] for c in own if c.op == "replace"}
        last = sorted(place for place in places if isinstance(place, int))
        together = all(b == a + 1 for a, b in pairwise(last))
        self.appended = bool(last) and together and last[-1] == len(listed) - 1


def roles(entries: Sequence[Any]) -> str:
    """Return the roles of few messages in brackets, none where one has no role that we know."""
    if len(entries) > ROLES:
        return ""
    roles = [read_message(i, entry, (i,)).role for i, entry in enumerate(entries)]
    return "" if UNKNOWN in roles else f" ({', '.join(short(role) for role in roles)})"


def list_words(name: str, at: Tokens, listed: Sequence[Any], changes: Sequence[Change]) -> str:
    """Return what happened to a list that is no message list: ``2 appended to /plan``."""
    found = ListCount(at, listed, changes)
    parts = []
    if found.added:
        word = "appended to" if found.appended else "inserted in"
        parts.append(f"{len(found.added):,} {word}")
    if found.removed:
        parts.append(f"{len(found.removed):,} removed from")
    if found.edited:
        parts.append(f"{len(found.edited):,} edited in")
    if not parts:
        return f"{name} reordered"
    moved = " (reordered)" if found.moved else ""
    return f"{' and '.join(parts)} {name}{moved}"


def message_words(at: Tokens, listed: Any, changes: Sequence[Change]) -> str:
    """Return what happened to the message list at ``at``: ``2 messages appended (user, tool)``.

    ``listed`` is what stands there in the target.
    """
    whole = next((c for c in changes if len(c.path) <= len(at)), None)
    if whole is not None:
        old, new = (v if isinstance(v, list) else [] for v in (whole.old, whole.new))
        sides = ((old, "removed"), (new, "added"))
        told = [f"{counted(len(found), 'message')} {word}" for found, word in sides if found]
        return ", ".join(told) or "the list of messages is another"
    found = ListCount(at, listed if isinstance(listed, list) else [], changes)
    parts = []
    if found.added:
        word = "appended" if found.appended else "inserted"
        parts.append(f"{counted(len(found.added), 'message')} {word}{roles(found.added)}")
    if found.removed:
        parts.append(f"{counted(len(found.removed), 'message')} removed{roles(found.removed)}")
    if found.edited:
        parts.append(f"{counted(len(found.edited), 'message')} edited")
    if found.moved:
        parts.append("messages reordered")
    return ", ".join(parts)
