"""Values and messages as OpenTelemetry writes them, as plain JSON and plain messages.

Attribute values: OTLP's JSON encoding (``stringValue``, ``intValue`` as text …). Messages, newest
first: ``gen_ai.input.messages`` (GenAI conventions 1.37: role and ``parts``), message events
(1.36), and what instrumentations wrote before: LangSmith's ``gen_ai.prompt`` (the run's inputs as
JSON text), Traceloop's ``gen_ai.prompt.0.content``, OpenInference's ``llm.input_messages.0.…``.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from viewer.errors import ParseFault
from viewer.sources.json_bytes import parse

Attributes = Mapping[str, Any]

_EVENT = re.compile(r"gen_ai\.(system|user|assistant|tool)\.message")
_NUMBERED = re.compile(r"(?:gen_ai\.prompt|llm\.input_messages)\.(\d{1,6})\.(?:message\.)?(.+)")
_TOOL = re.compile(r"llm\.tools\.(\d{1,6})\.tool\.json_schema")
_CALL = re.compile(
    r"(?:message\.)?tool_calls\.(\d{1,6})\.(?:tool_call\.)?(?:function\.)?(id|name|arguments)"
)


def attributes(listed: Any, depth: int) -> dict[str, Any]:
    """Return OTLP's list of ``{key, value}`` as one object."""
    if isinstance(listed, dict):
        return listed
    return {
        entry["key"]: _value(entry.get("value"), depth)
        for entry in (listed if isinstance(listed, list) else ())
        if isinstance(entry, dict) and isinstance(entry.get("key"), str)
    }


def _value(wrapped: Any, depth: int) -> Any:
    if not isinstance(wrapped, dict) or depth <= 0:
        return wrapped
    for key, inner in wrapped.items():
        if key in ("arrayValue", "kvlistValue"):
            values = inner.get("values") if isinstance(inner, dict) else None
            if key == "kvlistValue":
                return attributes(values, depth - 1)
            return [_value(v, depth - 1) for v in values] if isinstance(values, list) else []
        if key == "intValue":
            return int(inner) if re.fullmatch(r"-?\d{1,19}", str(inner)[:30]) else inner
        if key in ("stringValue", "boolValue", "doubleValue", "bytesValue"):
            return inner
    return None


def decoded(value: Any, depth: int) -> Any:
    """Return what a text holds as JSON; anything else, and text that is no JSON, as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return parse(value.encode(errors="surrogatepass"), depth).value
    except ParseFault:
        return value


def input_messages(found: Attributes, events: Iterable[Attributes], depth: int) -> list[Any] | None:
    """Return the messages that a span says its model call got; None where it says none."""
    system = decoded(found.get("gen_ai.system_instructions"), depth)
    given = decoded(found.get("gen_ai.input.messages"), depth)
    if isinstance(given, list) or system:
        first = [{"role": "system", "content": _content(_parts(system))}] if system else []
        return [*first, *(m for one in given or () for m in _from_parts(one))]
    told = [m for event in events if (m := _from_event(event, depth)) is not None]
    if told:
        return told
    prompt = decoded(found.get("gen_ai.prompt"), depth)
    if isinstance(prompt, dict) and isinstance(prompt.get("messages"), list):
        listed = prompt["messages"]
        return listed[0] if listed and isinstance(listed[0], list) else listed
    if isinstance(prompt, list):
        return prompt
    if isinstance(prompt, str) and prompt:
        return [{"role": "user", "content": prompt}]
    return _numbered(found, depth)


def tool_definitions(found: Attributes, depth: int) -> list[Any]:
    """Return the tools that a model call could use, as the instrumentation describes them."""
    listed = decoded(found.get("gen_ai.tool.definitions"), depth)
    if isinstance(listed, list):
        return listed
    numbered = ((_TOOL.fullmatch(key), value) for key, value in found.items())
    known = {int(match.group(1)): value for match, value in numbered if match is not None}
    return [decoded(known[number], depth) for number in sorted(known)]


def _parts(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [{"type": "text", "content": value}]


def _from_parts(message: Any) -> Iterator[Any]:
    """Yield a message of role and parts as plain messages: one a tool's answer."""
    if not isinstance(message, dict) or not isinstance(message.get("parts"), list):
        yield message
        return
    rest, calls, answers = [], [], []
    for part in message["parts"]:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "tool_call":
            calls.append(
                {"id": part.get("id"), "name": part.get("name"), "args": part.get("arguments")}
            )
        elif kind == "tool_call_response":
            answers.append(part)
        else:
            rest.append(part)
    if rest or calls or not answers:
        plain = {k: v for k, v in message.items() if k in ("role", "name", "id")}
        yield {**plain, "content": _content(rest), **({"tool_calls": calls} if calls else {})}
    for part in answers:
        said = part.get("response", part.get("result"))
        text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
        yield {"role": "tool", "tool_call_id": part.get("id"), "content": text}


def _content(parts: list[Any]) -> Any:
    plain = [_part(part) for part in parts]
    if not plain:
        return ""
    if len(plain) == 1 and isinstance(plain[0], dict) and plain[0].get("type") == "text":
        return plain[0].get("text", plain)
    return plain


def _part(part: Any) -> Any:
    if not isinstance(part, dict) or not isinstance(part.get("content"), str):
        return part
    if part.get("type") == "text":
        return {"type": "text", "text": part["content"]}
    if part.get("type") == "reasoning":
        return {"type": "reasoning", "reasoning": part["content"]}
    return part


def _from_event(event: Attributes, depth: int) -> Any:
    named = _EVENT.fullmatch(str(event.get("event.name", ""))[:60])
    if named is None:
        return None
    body = decoded(event.get("body"), depth)
    told = {**event, **body} if isinstance(body, dict) else event
    message: dict[str, Any] = {"role": told.get("role", named.group(1))}
    message["content"] = decoded(told.get("content", ""), depth)
    calls = decoded(told.get("tool_calls"), depth)
    if isinstance(calls, list):
        message["tool_calls"] = calls
    if named.group(1) == "tool":
        message["tool_call_id"] = told.get("id")
    return message


def _numbered(found: Attributes, depth: int) -> list[Any] | None:
    """Return messages whose fields are attributes of their own, by their numbers."""
    messages: dict[int, dict[str, Any]] = {}
    calls: dict[tuple[int, int], dict[str, Any]] = {}
    for key, value in found.items():
        match = _NUMBERED.fullmatch(key)
        if match is None:
            continue
        number, field = int(match.group(1)), match.group(2)
        message = messages.setdefault(number, {})
        if (call := _CALL.fullmatch(field)) is not None:
            calls.setdefault((number, int(call.group(1))), {})[call.group(2)] = value
        elif field in ("role", "tool_call_id", "name"):
            message[field] = value
        elif field == "content":
            message[field] = decoded(value, depth)
    for (number, _), fields in sorted(calls.items()):
        messages[number].setdefault("tool_calls", []).append(fields)
    return [{"content": "", **messages[n]} for n in sorted(messages)] or None
