"""An observation as the calls of a model that it holds: messages, system prompt and the rest."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from viewer.analysis.messages import Message, message_list, read_message
from viewer.analysis.observe import Observation
from viewer.analysis.said import conversation
from viewer.model import MISSING
from viewer.pointer import Tokens
from viewer.profiles import Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One thing that a model was shown."""

    node: str
    messages: tuple[Message, ...]
    places: tuple[str, ...]
    system: str | None
    prompts: int
    """How many messages the system prompt is made of; ``messages`` are without them."""
    rest: Any
    """What was shown beside the messages."""


def shown_calls_of(observation: Observation, profile: Profile) -> list[Shown]:
    """Return each thing that an observation says was shown, in the order of the calls."""
    value = observation.value
    if value is MISSING:
        return []
    if observation.calls is None:
        if isinstance(value, list):
            return [_one("", _read(value, ()), {})]
        where, listed = message_list(value, profile)
        return [_one("", _read(listed, where), _without(value, where) if listed else value)]
    several = isinstance(value, dict) and isinstance(value.get("calls"), list)
    found = []
    for number, call in enumerate(observation.calls):
        if call.failed and not call.messages:
            continue
        at: Tokens = ("calls", number) if several else ()
        at = at if isinstance(value, list) else (*at, "messages")
        rest = {"tools": list(call.tools)} if call.tools else {}
        found.append(_one(call.node, _read(call.entries, at), rest))
    return found


def _read(entries: Sequence[Any], at: Tokens) -> tuple[Message, ...]:
    return tuple(read_message(i, entry, (*at, i)) for i, entry in enumerate(entries))


def _one(node: str, messages: tuple[Message, ...], rest: Any) -> Shown:
    said = conversation(messages)
    prompt = [m.text for m in messages if m.role == "system"]
    return Shown(
        node=node,
        messages=said,
        places=tuple(m.pointer for m in said),
        system="\n\n".join(prompt) if prompt else None,
        prompts=len(prompt),
        rest=rest,
    )


def _without(value: Any, where: Tokens) -> Any:
    """Return ``value`` without its message list; what is not on the way there is shared."""
    if not isinstance(value, dict):
        return {}
    left = {key: child for key, child in value.items() if key != where[0]}
    if len(where) > 1:
        left[str(where[0])] = _without(value[where[0]], where[1:])
    return left


def call_pairs(before: Sequence[Shown], now: Sequence[Shown]) -> Iterator[tuple[Shown, Shown]]:
    """Yield each of ``now`` behind the last call before it: by the same node where one made any."""
    line = list(before)
    for call in now:
        yield next((one for one in reversed(line) if one.node == call.node), line[-1]), call
        line.append(call)
