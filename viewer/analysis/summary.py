"""A whole diff in one sentence: "2 messages appended, status running → waiting_approval".

What a reader asks first comes first: the messages, the fields that say how the run stands, then
the rest in the order of the document, what left and what is new, and last what the profile folds.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from viewer.analysis.messages import message_list
from viewer.analysis.summary_lists import list_words, message_words
from viewer.analysis.summary_words import counted, name_of, replaced, short, told
from viewer.model import MISSING, Change
from viewer.pointer import Tokens, find, split
from viewer.profiles import Profile

CLAUSES = 7
"""Most things said; what is left is counted."""
_NAMES = 3
"""Most fields named in one clause."""
_SPLIT = 3
"""Most members of an object that are told one by one."""
_DEEP = 2
"""Levels down to which the members of an object are told one by one."""
_FIRST = ("status", "next", "step")


def summary(
    changes: Sequence[Change], base: Any, target: Any, profile: Profile | None = None
) -> str:
    """Return ``changes`` as one sentence without a full stop, of at most some 400 characters.

    The time is linear in the number of changes. Names and values are cut and made visible.

    Args:
        changes: From ``base`` to ``target``, as `viewer.analysis.diff.diff` gives them.
        base: A JSON value.
        target: A JSON value.
        profile: Says where the messages are, which fields come first and what is noise.
    """
    if not changes:
        return "no difference"
    patterns = profile.noise if profile else ()
    said = [c for c in changes if not any(p.matches(c.path) for p in patterns)]
    whole = next((c for c in said if not c.path), None)
    if whole is not None:
        return f"the whole document {replaced(whole.old, whole.new)}"
    sides = _Sides(base, target, _message_place(base, target, profile))
    if isinstance(target, list):
        clauses = list(sides.clauses((), said)) if said else []
    else:
        clauses = _fields(said, sides, profile)
    spare = len(clauses) - CLAUSES
    last = [f"{spare} more"] if spare > 1 else []
    clauses = clauses[:CLAUSES] if last else clauses
    sentence = " and ".join([", ".join(clauses), *last])
    if noise := len(changes) - len(said):
        return (
            f"{sentence}; {noise:,} as noise"
            if sentence
            else f"only noise: {counted(noise, 'change')}"
        )
    return sentence


def _fields(changes: Sequence[Change], sides: "_Sides", profile: Profile | None) -> list[str]:
    """Return what is said of each field of an object, of those that came and left together."""
    groups: dict[str, list[Change]] = {}
    gone: list[Change] = []
    fresh: list[Change] = []
    for change in changes:
        alone = len(change.path) == 1 and change.path != sides.where
        if alone and change.op in ("add", "remove"):
            (fresh if change.op == "add" else gone).append(change)
        else:
            groups.setdefault(str(change.path[0]), []).append(change)
    order = _order(groups, sides.where, profile)
    clauses = [clause for name in order for clause in sides.clauses((name,), groups[name])]
    return [*clauses, *_named(gone, "removed"), *_named(fresh, "added")]


def _message_place(base: Any, target: Any, profile: Profile | None) -> Tokens | None:
    if profile is None:
        return None
    for state in (target, base):
        where, listed = message_list(state, profile)
        if listed:
            return where
    return None


def _order(groups: Iterable[str], where: Tokens | None, profile: Profile | None) -> list[str]:
    """Return the top-level fields in the order in which they are told."""
    fields = profile.file.fields if profile else None
    pointers = (fields.status, fields.stop_reason, fields.node) if fields else ()
    first = [str(where[0])] if where else []
    first += [split(pointer)[0] for pointer in pointers if pointer]
    first += _FIRST
    step = split(fields.step)[:1] if fields and fields.step else ()
    rank = {name: i for i, name in reversed(list(enumerate([*first, *step])))}
    return sorted(groups, key=lambda name: rank.get(name, len(first) + 1))


def _named(changes: Sequence[Change], word: str) -> list[str]:
    """Return one clause for the fields that came or left; a single scalar is told with its value."""
    if not changes:
        return []
    if len(changes) == 1:
        return [_single(changes[0])]
    names = ", ".join(name_of(change.path) for change in changes[:_NAMES])
    more = len(changes) - _NAMES
    names += f" and {more} more" if more > 0 else ""
    return [f"{len(changes)} fields {word} ({names})"]


class _Sides:
    """Both states, for what their changes do not say: what stood in a container."""

    def __init__(self, base: Any, target: Any, where: Tokens | None) -> None:
        self.base = base
        self.target = target
        self.where = where

    def clauses(self, at: Tokens, changes: Sequence[Change], depth: int = 0) -> Iterator[str]:
        """Yield what is said of ``changes``, all of which are below ``at``."""
        if self.where is not None and at == self.where[: len(at)]:
            inside = [c for c in changes if c.path[: len(self.where)] == self.where]
            if inside:
                yield message_words(self.where, find(self.target, self.where), inside)
            changes = [c for c in changes if c.path[: len(self.where)] != self.where]
            if not changes:
                return
        if len(changes) == 1 and changes[0].op == "replace":
            yield _single(changes[0])
            return
        at, listed = self._holder(at, _common(changes))
        if listed is not None:
            yield list_words(name_of(at), at, listed, changes)
        elif len(changes) == 1:
            yield _single(changes[0])
        elif (way := _counters(changes)) is not None:
            yield f"{name_of(at)} {way}"
        else:
            parts = _parts(at, changes)
            if len(parts) > _SPLIT or depth == _DEEP:
                yield f"{counted(len(changes), 'change')} in {name_of(at)}"
                return
            for token, below in parts.items():
                yield from self.clauses((*at, token), below, depth + 1)

    def _holder(self, at: Tokens, common: Tokens) -> tuple[Tokens, list[Any] | None]:
        """Return the first list on the way from ``at`` to ``common``, with the target's items."""
        a, b = find(self.base, at, MISSING), find(self.target, at, MISSING)
        for depth in range(len(at), len(common) + 1):
            if isinstance(b, list):
                return common[:depth], b
            if isinstance(a, list):
                return common[:depth], []
            if depth < len(common):
                a, b = (find(v, common[depth : depth + 1], MISSING) for v in (a, b))
        return common, None


def _single(change: Change) -> str:
    if change.op == "replace":
        return f"{told(change.path)} {replaced(change.old, change.new)}"
    if change.op == "move":
        return f"{name_of(change.path)} moved from {name_of(change.old_path)}"
    value, word = (change.new, "added") if change.op == "add" else (change.old, "removed")
    if isinstance(value, dict | list):
        return f"{name_of(change.path)} {word}"
    return f"{told(change.path)} {short(value)} {word}"


def _counters(changes: Sequence[Change]) -> str | None:
    """Return ``grew`` or ``shrank`` where every change is of a number, all in one direction."""
    ways = set()
    for change in changes:
        old, new = change.old, change.new
        if type(old) not in (int, float) or type(new) not in (int, float) or old == new:
            return None
        ways.add(new > old)
    return None if len(ways) != 1 else "grew" if ways.pop() else "shrank"


def _common(changes: Sequence[Change]) -> Tokens:
    """Return the deepest place that holds every change; a single change is held by its container."""
    first = changes[0].path
    shared = len(first) - 1
    for change in changes[1:]:
        shared = min(shared, len(change.path) - 1)
        while first[:shared] != change.path[:shared]:
            shared -= 1
    return first[:shared]


def _parts(at: Tokens, changes: Sequence[Change]) -> dict[str | int, list[Change]]:
    found: dict[str | int, list[Change]] = {}
    for change in changes:
        found.setdefault(change.path[len(at)], []).append(change)
    return found
