"""The text, the calls and the tool results inside one message's fields."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from viewer.jsontext import walk
from viewer.pointer import Tokens, join

_TEXT_PARTS = ("text", "input_text", "output_text")
_CALL_PARTS = ("tool_use", "tool_call")
_CALL_TYPES = ("function_call", "custom_tool_call")
_RESULT = "tool_result"
_ARGUMENTS = 1_000_000
"""Longest arguments text that is read as JSON, in characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call that the model asked for."""

    id: str | None
    name: str
    args: Any
    """The arguments as JSON; text as the model wrote it where that is no JSON."""
    pointer: str
    error: str | None = None
    """Why the framework could not read the call; None where it could."""


def word(value: Any) -> str | None:
    """Return ``value`` where it is a text of at least one character, else None."""
    return value if isinstance(value, str) and value else None


def parts(content: Any) -> list[Any]:
    """Return the parts of a content that is a list; a plain text has none."""
    return content if isinstance(content, list) else []


def part_type(part: Any) -> str:
    """Return a part's own ``type``, or empty."""
    return (word(part.get("type")) or "") if isinstance(part, dict) else ""


def holds_result(content: Any) -> bool:
    """Return whether a content carries a tool's result (Anthropic writes it under role user)."""
    return any(part_type(part) == _RESULT for part in parts(content))


def text_of(content: Any) -> str:
    """Return the text parts joined without a separator, as LangChain's ``.text`` does.

    Images, reasoning and calls are not text; a content of another JSON type is written as JSON.
    """
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    if isinstance(content, list):
        return "".join(_part_text(part) for part in content)
    return json_text(content)


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    kind = part_type(part)
    if kind == _RESULT:
        inner = part.get("content")
        if isinstance(inner, list):
            return "".join(_part_text(p) for p in inner if part_type(p) != _RESULT)
        return text_of(inner)
    key = "refusal" if kind == "refusal" else "text"
    if isinstance(part, dict) and (not kind or kind in (*_TEXT_PARTS, "refusal")):
        return word(part.get(key)) or ""
    return ""


def json_text(value: Any) -> str:
    """Return ``value`` as one line to search in: JSON where that can be written, else its text."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, TypeError, RecursionError):
        return " ".join(v for _, v in walk(value) if isinstance(v, str))


def tool_calls(body: dict[str, Any], where: Tokens) -> tuple[ToolCall, ...]:
    """Return the calls of a message whose fields are ``body`` and stand at ``where``.

    The same calls spelled twice in one message (``tool_calls``, ``additional_kwargs``, content
    parts) are taken once. Calls that LangChain could not parse come last, with the reason.
    """
    listed = parts(body.get("invalid_tool_calls"))
    broken = [_call(c, (*where, "invalid_tool_calls", i)) for i, c in enumerate(listed)]
    unread = {call.id for call in broken if call.id is not None}
    found: list[ToolCall] = []
    for at, spelled in _call_lists(body):
        if not found:
            calls = (_call(c, (*where, *at, i)) for i, c in spelled)
            found += [call for call in calls if call.id not in unread]
    extra = body.get("additional_kwargs")
    if not found and isinstance(extra, dict) and isinstance(extra.get("function_call"), dict):
        found.append(_call(extra["function_call"], (*where, "additional_kwargs", "function_call")))
    if body.get("type") in _CALL_TYPES:
        found.append(_call(body, where))
    return (*found, *broken)


def _call_lists(body: dict[str, Any]) -> Iterator[tuple[Tokens, Iterable[tuple[int, Any]]]]:
    extra = body.get("additional_kwargs")
    kept = extra.get("tool_calls") if isinstance(extra, dict) else None
    yield ("tool_calls",), enumerate(parts(body.get("tool_calls")))
    yield ("additional_kwargs", "tool_calls"), enumerate(parts(kept))
    content = enumerate(parts(body.get("content")))
    yield ("content",), (found for found in content if part_type(found[1]) in _CALL_PARTS)


def _call(call: Any, at: Tokens) -> ToolCall:
    body = call if isinstance(call, dict) else {}
    inner = body.get("function")
    spelled = inner if isinstance(inner, dict) else body
    keys = ("args", "arguments", "input")
    args = next((spelled[key] for key in keys if key in spelled), None)
    return ToolCall(
        id=word(body.get("call_id")) or word(body.get("id")),
        name=word(spelled.get("name")) or "",
        args=_parsed(args) if isinstance(args, str) else args,
        pointer=join(at),
        error=word(body.get("error")),
    )


def _parsed(text: str) -> Any:
    if len(text) > _ARGUMENTS:
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def answered_call(body: dict[str, Any], content: Any) -> str | None:
    """Return the id of the call that a tool's message answers, or None."""
    results = [part for part in parts(content) if part_type(part) == _RESULT]
    keys = ("tool_call_id", "call_id", "tool_use_id")
    return next((found for h in (body, *results) for k in keys if (found := word(h.get(k)))), None)


def refused(body: dict[str, Any], content: Any) -> bool | None:
    """Return whether a tool's message is marked as an error; None where nothing says."""
    status = body.get("status")
    if status in ("error", "success"):
        return bool(status == "error")
    marks = [p.get("is_error") for p in parts(content) if part_type(p) == _RESULT]
    known = [mark for mark in marks if isinstance(mark, bool)]
    return any(known) if known else None
