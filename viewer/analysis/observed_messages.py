"""How the messages of one model call differ from those of another.

Messages are the same by id, else by role and what they say. One that says something else under the
same id, or answers the same call, or stands in the place of one that is alike, was edited.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from viewer.analysis.message_parts import json_text
from viewer.analysis.messages import Message
from viewer.analysis.pairing import Alignment, alike, gaps, likeness
from viewer.analysis.said import said
from viewer.analysis.sequence import common

LIKE = 0.3
"""Likeness from which two messages of one role in one place are one edited message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageChange:
    """One message that a model was shown and was not shown the call before, or otherwise."""

    op: Literal["added", "dropped", "edited", "moved"]
    role: str
    text: str
    """What it says now; of a dropped one, what it said."""
    old: str | None
    """Of an edited one, what it said."""
    at: str
    """Pointer in what the model was shown; empty for a dropped one."""


class Compared(NamedTuple):
    """The changes in the order of the later call, a dropped message before what follows it."""

    changes: tuple[MessageChange, ...]
    kept: int


def compare_messages(
    base: Sequence[Message], target: Sequence[Message], places: Sequence[str]
) -> Compared:
    """Return how the messages ``target``, which stand at ``places``, differ from ``base``."""
    source, moved = _paired(base, target)
    found: list[MessageChange] = []
    gone = deque(sorted(set(range(len(base))) - set(source)))
    kept = 0
    for j, (i, message, at) in enumerate(zip(source, target, places, strict=True)):
        while i >= 0 and j not in moved and gone and gone[0] < i:
            found.append(_dropped(base[gone.popleft()]))
        words = words_of(message)
        if i < 0:
            found.append(_change("added", message, words, None, at))
        elif said(base[i]) != said(message):
            found.append(_change("edited", message, words, words_of(base[i]), at))
        elif j in moved:
            found.append(_change("moved", message, words, None, at))
        else:
            kept += 1
    return Compared((*found, *(_dropped(base[i]) for i in gone)), kept)


def words_of(message: Message) -> str:
    """Return what a message says as one text: its text, then each call with its arguments."""
    calls = (f"→ {call.name or 'a tool'}({json_text(call.args)})" for call in message.tool_calls)
    other = (f"[{p.kind}]" for p in message.parts if p.kind in ("image", "file", "audio"))
    return "\n".join(text for text in (message.text, *calls, *other) if text)


def _paired(base: Sequence[Message], target: Sequence[Message]) -> tuple[list[int], set[int]]:
    """Return for each target message the position of the same one in the base, -1 where there is
    none; and which of them changed places.
    """
    shared = _own_ids(base) & _own_ids(target)
    numbers: dict[object, int] = {}
    a, b = (
        [
            numbers.setdefault(("id", m.id) if m.id in shared else said(m), len(numbers))
            for m in messages
        ]
        for messages in (base, target)
    )
    source, moved = [-1] * len(b), set()
    for i, j in common(a, b):
        source[j] = i
    spare: dict[int, deque[int]] = defaultdict(deque)
    for i in sorted(set(range(len(a))) - set(source)):
        spare[a[i]].append(i)
    for j, number in enumerate(b):
        if source[j] < 0 and spare.get(number):
            source[j] = spare[number].popleft()
            moved.add(j)
    _edited(base, target, source, moved)
    return source, moved


def _own_ids(messages: Sequence[Message]) -> set[str]:
    times = Counter(m.id for m in messages if m.id is not None)
    return {name for name, count in times.items() if count == 1}


def _edited(
    base: Sequence[Message], target: Sequence[Message], source: list[int], moved: set[int]
) -> None:
    """Pair in ``source`` what is left: the answers of one call, then what is alike in one gap."""
    left = set(range(len(base))) - set(source)
    answers = {m.tool_call_id: i for i, m in enumerate(base) if i in left and m.tool_call_id}
    for j, message in enumerate(target):
        if source[j] < 0 and message.tool_call_id in answers:
            source[j] = answers.pop(message.tool_call_id)
    anchored = Alignment(source, moved | _crossing(source, moved), False, "")
    for gone, fresh in list(gaps(anchored, len(base))):
        for p, q in alike([words_of(base[i]) for i in gone], [words_of(target[j]) for j in fresh]):
            i, j = gone[p], fresh[q]
            same_role = base[i].role == target[j].role
            if same_role and likeness(words_of(base[i]), words_of(target[j])) >= LIKE:
                source[j] = i


def _crossing(source: Sequence[int], moved: set[int]) -> set[int]:
    """Return the target positions whose base stands before that of one earlier in the target."""
    found, last = set(), -1
    for j, i in enumerate(source):
        if i >= 0 and j not in moved:
            if i < last:
                found.add(j)
            last = max(last, i)
    return found


def _dropped(message: Message) -> MessageChange:
    return _change("dropped", message, words_of(message), None, "")


def _change(
    op: Literal["added", "dropped", "edited", "moved"],
    message: Message,
    text: str,
    old: str | None,
    at: str,
) -> MessageChange:
    return MessageChange(op=op, role=message.role, text=text, old=old, at=at)
