"""Whether a change of a message list reached the model, by its recorded calls.

A message of the state is looked for in each call by its id, else by what it says. Reaching one of
several calls of a step is enough.
"""

from collections.abc import Sequence
from typing import Any, Literal

from viewer.analysis.messages import Message, fields, read_message
from viewer.analysis.said import ModelCall, said
from viewer.equality import same
from viewer.model import MISSING, Change
from viewer.pointer import Tokens, find

Reached = Literal["shown", "stale", "not shown", "left out", "unknown"]
_ORDER: tuple[Reached, ...] = ("shown", "stale", "unknown", "not shown", "left out")
_FOR_THE_MODEL = (
    "role",
    "type",
    "name",
    "content",
    "tool_calls",
    "invalid_tool_calls",
    "tool_call_id",
    "status",
    "additional_kwargs",
)
"""Fields of a message that a model can see; usage, artifacts and provider metadata it cannot."""


def reached(
    calls: Sequence[ModelCall], change: Change, state: Any, where: Tokens
) -> Reached | None:
    """Return whether ``change`` reached a model; None where it concerns no message.

    Args:
        calls: what was recorded for the checkpoint.
        change: one whose target is the checkpoint's state.
        state: that state.
        where: the place of its message list.
    """
    at = change.old_path if change.op == "remove" else change.path
    read = [call for call in calls if call.messages or not call.failed]
    if not where or at[: len(where)] != where[: len(at)] or not read:
        return None
    found = {_by(call, change, at, state, where) for call in read}
    return next(word for word in _ORDER if word in found)


def twins(calls: Sequence[ModelCall], change: Change, state: Any, where: Tokens) -> Any:
    """Return the recorded entry of a changed message, or what stands in it where the change does.

    `MISSING` where the change is of no single message, or no call had it.
    """
    at = change.path
    if not where or len(at) <= len(where) or at[: len(where)] != where:
        return MISSING
    number, rest = at[len(where)], at[len(where) + 1 :]
    entry = find(state, (*where, number), MISSING)
    if entry is MISSING or not isinstance(number, int):
        return MISSING
    message = read_message(number, entry, at)
    other = next((m for c in calls if (m := _twin(c, message) or _named(c, message))), None)
    if other is None:
        return MISSING
    found = next(c.entries[other.index] for c in calls if other in c.messages)
    held = fields(entry)[1]
    if not rest:
        return found
    return (
        find(fields(found)[0], rest[len(held) :], MISSING) if rest[: len(held)] == held else MISSING
    )


def _by(call: ModelCall, change: Change, at: Tokens, state: Any, where: Tokens) -> Reached:
    if len(at) <= len(where):
        return _list(call, change, where[len(at) :])
    number, rest = at[len(where)], at[len(where) + 1 :]
    position = number if isinstance(number, int) else 0
    if not rest and change.op == "remove":
        return _removed(call, read_message(position, change.old, at), find(state, where))
    if not rest:
        return _message(call, change, position)
    entry = find(state, (*where, number), MISSING)
    held = fields(entry)[1]
    if rest[: len(held)] != held or len(rest) == len(held):
        return "unknown" if entry is MISSING else _present(call, read_message(position, entry, at))
    return _field(call, change, read_message(position, entry, at), rest[len(held) :])


def _list(call: ModelCall, change: Change, inner: Tokens) -> Reached:
    new, old = (_messages(find(v, inner, MISSING)) for v in (change.new, change.old))
    if change.op == "remove":
        return "stale" if old and any(_twin(call, m) for m in old) else "shown"
    if new is None:
        return "unknown"
    if all(_present(call, m) == "shown" for m in new):
        return "shown"
    return "stale" if old and all(_present(call, m) == "shown" for m in old) else "not shown"


def _messages(listed: Any) -> tuple[Message, ...] | None:
    if not isinstance(listed, list):
        return None
    found = (read_message(i, entry, ("messages", i)) for i, entry in enumerate(listed))
    return tuple(m for m in found if m.role != "remove")


def _message(call: ModelCall, change: Change, position: int) -> Reached:
    found = _present(call, read_message(position, change.new, (position,)))
    if found == "shown" or change.old is MISSING:
        return found
    old = read_message(position, change.old, (position,))
    return found if _twin(call, old) is None else "stale"


def _removed(call: ModelCall, old: Message, left: Any) -> Reached:
    """Judge a message that went: one that says the same may still stand in the state."""
    if _twin(call, old) is None:
        return "shown"
    words = said(old)
    still = sum(said(m) == words for m in _messages(left) or ())
    return "shown" if len(call.places[words]) <= still else "stale"


def _present(call: ModelCall, message: Message) -> Reached:
    return "shown" if _twin(call, message) is not None else "not shown"


def _twin(call: ModelCall, message: Message) -> Message | None:
    """Return the call's message that says the same; where both have ids, that of the same id."""
    for place in call.places.get(said(message), ()):
        other = call.messages[place]
        if message.id is None or other.id is None or other.id == message.id:
            return other
    return None


def _named(call: ModelCall, message: Message) -> Message | None:
    return next((m for m in call.messages if m.id is not None and m.id == message.id), None)


def _field(call: ModelCall, change: Change, message: Message, rest: Tokens) -> Reached:
    if rest[0] not in _FOR_THE_MODEL:
        return "left out"
    other = _twin(call, message)
    if other is None:
        other = _named(call, message)
        if other is None:
            return "not shown"
    elif change.op == "remove" or rest[0] in ("content", "tool_calls", "role", "type"):
        return "shown"
    here = find(fields(call.entries[other.index])[0], rest, MISSING)
    if change.op == "remove":
        return "stale" if here is not MISSING and same(here, change.old) else "shown"
    if here is MISSING:
        return "unknown" if rest[0] in ("name", "status", "additional_kwargs") else "not shown"
    if same(here, change.new):
        return "shown"
    return "stale" if change.old is not MISSING and same(here, change.old) else "not shown"
