"""Identifiers standing in the transcript, each counted by who wrote it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from viewer.analysis.message_parts import json_text
from viewer.analysis.messages import Message
from viewer.model import Writer
from viewer.profiles.identifiers import occurrences

WRITERS: tuple[Writer, ...] = get_args(Writer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """One identifier and where it stands; standing there proves nothing."""

    id: str
    count: int
    by: Mapping[Writer, int]
    """Every writer, those with 0 too."""
    places: tuple[tuple[str, Writer], ...]
    """Pointer of the message or of the tool call in it, and who wrote it; one an occurrence."""


def mentions(
    listed: Sequence[Message], rows_ok: Sequence[bool], patterns: tuple[str, ...]
) -> tuple[Mention, ...]:
    """Return the identifiers in the messages, in the order in which they first stand there.

    Args:
        listed: the messages of one state.
        rows_ok: of each evidence row of that state, whether its tool succeeded.
        patterns: the profile's regular expressions.

    Raises:
        ProfileError: a pattern cannot be used.
    """
    places: dict[str, list[tuple[str, Writer]]] = {}
    for message, writer in zip(listed, writers(listed, rows_ok), strict=True):
        for pointer, text in texts(message):
            for name in occurrences(text, patterns):
                places.setdefault(name, []).append((pointer, writer))
    return tuple(
        Mention(
            id=name,
            count=len(found),
            by={w: sum(1 for _, by in found if by == w) for w in WRITERS},
            places=tuple(found),
        )
        for name, found in places.items()
    )


def writers(listed: Sequence[Message], rows_ok: Sequence[bool]) -> tuple[Writer, ...]:
    """Return who wrote each message (design: "Usage and mentions").

    With native tool calls the results have role ``tool`` and a later user message is the user's.
    In structured mode they have role ``user``: every user message but the first is a result. The
    n-th result belongs to the n-th evidence row, whose ``ok`` decides. Beyond the rows the
    message's own mark decides; one without role ``tool`` is then the user's.

    A role that is a word of its own (an agent's name) counts as the model's, none as the user's.
    """
    native = any(message.role == "tool" for message in listed)
    found: list[Writer] = []
    results = 0
    asked = False
    for message in listed:
        later_user = message.role == "user" and asked and not native
        if message.role == "tool" or later_user:
            row = rows_ok[results] if results < len(rows_ok) else None
            results += 1
            found.append(_result(message, row))
        else:
            found.append(_author(message.role))
        asked = asked or message.role == "user"
    return tuple(found)


def _result(message: Message, row_ok: bool | None) -> Writer:
    if row_ok is None and message.role == "user":
        return "user"
    worked = not message.refused if row_ok is None else row_ok
    return "tool_ok" if worked else "tool_refused"


def _author(role: str) -> Writer:
    if role in ("user", "unknown"):
        return "user"
    return "system" if role in ("system", "remove") else "model"


def texts(message: Message) -> list[tuple[str, str]]:
    """Return the texts in which a mention can stand: what was said, and each call's arguments.

    Each with the pointer of the message, or of the call in it.
    """
    calls = (
        (call.pointer, call.args if isinstance(call.args, str) else json_text(call.args))
        for call in message.tool_calls
    )
    return [(message.pointer, message.text), *calls]
