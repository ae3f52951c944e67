"""Messages of a state in one shape, whatever framework wrote them.

Spellings read: OpenAI chat (``role``), OpenAI Responses items, Anthropic content blocks, and
LangChain's flat ``model_dump``, ``messages_to_dict`` (``type``, ``data``), ``dumpd`` (``lc``,
``kwargs``), pairs (``["user", "hi"]``), and the tagged form that our LangGraph readers make of a
stored object (``$type``, ``value``), that of an unopened pickle (``state``, ``__dict__``) too.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from viewer.analysis.message_content import Part, content_parts
from viewer.analysis.message_parts import (
    ToolCall,
    answered_call,
    holds_result,
    refused,
    text_of,
    tool_calls,
    word,
)
from viewer.analysis.message_usage import message_usage
from viewer.model import MISSING, Usage
from viewer.pointer import Tokens, find, join, split
from viewer.profiles import Profile

ROLES: Mapping[str, str] = {
    "human": "user",
    "user": "user",
    "ai": "assistant",
    "assistant": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
    "system": "system",
    "developer": "system",
    "remove": "remove",
    "prompt": "user",
    "function_call": "assistant",
    "custom_tool_call": "assistant",
    "reasoning": "assistant",
    "function_call_output": "tool",
    "custom_tool_call_output": "tool",
}
"""Spelling → role; ``remove`` is LangChain's instruction to drop a message, not a message."""
UNKNOWN = "unknown"
SNAPSHOT = "delta_snapshot"
"""Our LangGraph reader's tag of a delta channel's full value."""
_WRAPS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One entry of a state's message list."""

    index: int
    role: str
    """user, assistant, system, tool, remove; another framework's own word; or ``unknown``."""
    text: str
    """The text parts joined; images, reasoning and calls are not text."""
    name: str | None
    tool_calls: tuple[ToolCall, ...]
    usage: Usage | None
    """None where no record stands in the message."""
    id: str | None
    pointer: str
    """Of the entry as stored: what this reading leaves out stands there."""
    tool_call_id: str | None = None
    """Of a tool's answer: the call that it answers."""
    refused: bool | None = None
    """Of a tool's answer: whether it is marked as an error; None where nothing says."""
    parts: tuple[Part, ...] = ()
    """Everything of the content in its order, reasoning, images and the provider's own calls too;
    a content that is one text has one part."""
    artifact: str | None = None
    """Of a tool's answer: pointer of what the tool kept from the model."""


def messages(state: Any, profile: Profile) -> tuple[Message, ...]:
    """Return the messages of ``state``, one for each entry of its list and in that order.

    An entry that no spelling fits has role ``unknown``; nothing raises.
    """
    where, entries = message_list(state, profile)
    return tuple(read_message(i, entry, (*where, i)) for i, entry in enumerate(entries))


def message_list(state: Any, profile: Profile) -> tuple[Tokens, list[Any]]:
    """Return the place of the message list and the list itself; ``[]`` where there is none.

    The profile names the place. Where it names none, or nothing stands there, the first field
    whose entries are all LangChain message objects is taken: a graph may call it anything.
    """
    file = profile.file
    for pointer in (file.fields.messages, file.usage.messages if file.usage else None):
        if pointer is not None:
            found = find(state, pointer, MISSING)
            if isinstance(found, dict) and found.get("$type") == SNAPSHOT:
                found, pointer = found.get("value"), f"{pointer}/value"
            if isinstance(found, list):
                return split(pointer), found
    if isinstance(state, dict):
        for key, value in state.items():
            if isinstance(value, list) and value and all(map(_is_langchain, value)):
                return (key,), value
    return (), []


def read_message(index: int, entry: Any, at: Tokens) -> Message:
    """Return ``entry``, which stands at ``at`` in its state, as a message."""
    body, kind, inner = _unwrap(entry)
    where = (*at, *inner)
    content = body.get("content", body.get("output"))
    role = _role(body, kind, content)
    return Message(
        index=index,
        role=role,
        text=entry if isinstance(entry, str) else text_of(content),
        name=word(body.get("name")),
        tool_calls=tool_calls(body, where),
        usage=message_usage(body),
        id=message_id(entry),
        pointer=join(at),
        tool_call_id=answered_call(body, content) if role == "tool" else None,
        refused=refused(body, content) if role == "tool" else None,
        parts=content_parts(content, (*where, "content" if "content" in body else "output")),
        artifact=join((*where, "artifact")) if body.get("artifact") is not None else None,
    )


def message_id(entry: Any) -> str | None:
    """Return the id that ``entry`` carries; cheap, for entries repeated in every checkpoint."""
    return word(_unwrap(entry)[0].get("id"))


def fields(entry: Any) -> tuple[dict[str, Any], Tokens]:
    """Return the object in ``entry`` that holds the message's fields, and the way there."""
    body, _, inner = _unwrap(entry)
    return body, inner


def _unwrap(entry: Any) -> tuple[dict[str, Any], str, tuple[str, ...]]:
    """Return the object with the fields, the class or type name around it, and the way there."""
    body, kind = entry, ""
    inner: tuple[str, ...] = ()
    if isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], str):
        return {"role": entry[0], "content": entry[1]}, "", ()
    for _ in range(_WRAPS):
        if not isinstance(body, dict):
            return {}, kind, inner
        if isinstance(body.get("$type"), str) and isinstance(body.get("value"), dict):
            kind, step = body["$type"].rpartition(".")[2], "value"
        elif body.get("lc") in (1, 2) and isinstance(body.get("kwargs"), dict):
            names, step = body.get("id"), "kwargs"
            kind = (word(names[-1]) or "") if isinstance(names, list) and names else ""
        elif "content" in body:
            return body, kind, inner
        elif isinstance(body.get("data"), dict):
            kind, step = word(body.get("type")) or "", "data"
        elif isinstance(body.get("__dict__"), dict):
            step = "__dict__"
        elif kind and isinstance(body.get("state"), dict):
            step = "state"
        else:
            return body, kind, inner
        body, inner = body[step], (*inner, step)
    return (body if isinstance(body, dict) else {}), kind, inner


def is_message(entry: Any) -> bool:
    """Return whether ``entry`` is an object with a message's role and content, in any spelling."""
    body, kind, _ = _unwrap(entry)
    return "content" in body and _role(body, kind, body["content"]) != UNKNOWN


def _is_langchain(entry: Any) -> bool:
    if not isinstance(entry, dict):
        return False
    _, kind, inner = _unwrap(entry)
    return bool(inner) and kind.endswith(("Message", "MessageChunk"))


def _role(body: dict[str, Any], kind: str, content: Any) -> str:
    if holds_result(content):
        return "tool"
    for spelled in (body.get("role"), body.get("type"), kind):
        if isinstance(spelled, str):
            known = ROLES.get(spelled) or ROLES.get(_bare(spelled))
            if known is not None:
                return known
    return word(body.get("role")) or UNKNOWN


def _bare(spelled: str) -> str:
    return spelled.removesuffix("Chunk").removesuffix("Message").lower()
