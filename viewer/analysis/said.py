"""What a message says, in a form in which the state's and a recording's can be compared.

The state keeps an object of a class, a recording plain JSON, OpenTelemetry yet another spelling:
they say the same where role, text, other parts, calls and the call answered are the same. Names,
usage and provider metadata say nothing to a model, or not in every spelling, and do not count.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from viewer.analysis.message_content import Part
from viewer.analysis.message_parts import json_text
from viewer.analysis.messages import UNKNOWN, Message, fields, read_message

Said = tuple[Any, ...]
_IN_THE_TEXT = ("text", "refusal", "result", "call")
"""Parts that `Message.text` or `Message.tool_calls` holds already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One recorded call of a model."""

    node: str
    messages: tuple[Message, ...]
    entries: tuple[Any, ...]
    """The messages as recorded, in the same order."""
    tools: tuple[Any, ...]
    failed: bool
    places: Mapping[Said, tuple[int, ...]]
    """What is said → which messages say it."""


def said(message: Message) -> Said:
    """Return what ``message`` says; two messages that say the same compare equal."""
    return (
        message.role,
        message.text,
        tuple((call.id, call.name, json_text(call.args)) for call in message.tool_calls),
        message.tool_call_id,
        tuple(_seen(part) for part in message.parts if part.kind not in _IN_THE_TEXT),
    )


def _seen(part: Part) -> tuple[str, str]:
    return part.kind, part.text


def model_calls(observation: Any) -> tuple[ModelCall, ...] | None:
    """Return the calls that an observation holds; None where it has another form.

    Read are ``{"calls": [call, …]}``, as recordings are joined, and one call alone; a call is an
    object with a list ``messages`` and the ``recorded_by`` or ``format`` of a recording.
    """
    listed = observation.get("calls") if isinstance(observation, Mapping) else None
    found = listed if isinstance(listed, list) and listed else [observation]
    if not all(isinstance(call, Mapping) and _is_call(call) for call in found):
        return None
    return tuple(_model_call(call) for call in found)


def plain_call(observation: Any, state_messages: Sequence[Any]) -> ModelCall | None:
    """Return an observation that is a message list, or has one as ``messages``, as a call.

    None where it is none, and where the state keeps its messages as plain as the observation: then
    places tell more than words do.
    """
    listed = observation.get("messages") if isinstance(observation, Mapping) else observation
    wrapped = any(fields(entry)[1] for entry in state_messages)
    if not wrapped or not isinstance(listed, list) or not listed:
        return None
    made = _model_call({"messages": listed})
    return None if any(m.role == UNKNOWN for m in made.messages) else made


def _is_call(call: Mapping[str, Any]) -> bool:
    return ("recorded_by" in call or "format" in call) and "messages" in call


def _model_call(call: Mapping[str, Any]) -> ModelCall:
    listed = call.get("messages")
    entries = tuple(listed) if isinstance(listed, list) else ()
    tools, node = call.get("tools"), call.get("node")
    messages = tuple(read_message(i, e, ("messages", i)) for i, e in enumerate(entries))
    places: dict[Said, tuple[int, ...]] = {}
    for message in messages:
        words = said(message)
        places[words] = (*places.get(words, ()), message.index)
    return ModelCall(
        node=node if isinstance(node, str) else "",
        messages=messages,
        entries=entries,
        places=places,
        tools=tuple(tools) if isinstance(tools, list) else (),
        failed=call.get("error") is not None,
    )


def conversation(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Return the messages without those of the system and without instructions to remove one.

    A system prompt that the app adds stands in the recording alone; one that stands in the state
    is left out on both sides.
    """
    return tuple(m for m in messages if m.role not in ("system", "remove"))
