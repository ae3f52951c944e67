"""What stands in a message's content, part by part, whoever wrote it.

Part types are those of LangChain's standard content blocks, OpenAI (chat and Responses), Anthropic
(server tools, citations, thinking) and Bedrock.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from viewer.analysis.message_parts import json_text, part_type, word
from viewer.pointer import Tokens, join

PartKind = Literal[
    "text",
    "reasoning",
    "refusal",
    "image",
    "audio",
    "video",
    "file",
    "call",
    "result",
    "server call",
    "server result",
    "other",
]
PART_KINDS: tuple[PartKind, ...] = get_args(PartKind)

_KINDS: Mapping[str, PartKind] = {
    "": "text",
    "text": "text",
    "input_text": "text",
    "output_text": "text",
    "text-plain": "file",
    "refusal": "refusal",
    "reasoning": "reasoning",
    "reasoning_content": "reasoning",
    "thinking": "reasoning",
    "redacted_thinking": "reasoning",
    "summary_text": "reasoning",
    "image": "image",
    "image_url": "image",
    "input_image": "image",
    "audio": "audio",
    "input_audio": "audio",
    "video": "video",
    "file": "file",
    "input_file": "file",
    "document": "file",
    "tool_use": "call",
    "tool_call": "call",
    "tool_call_chunk": "call",
    "invalid_tool_call": "call",
    "function_call": "call",
    "tool_result": "result",
    "server_tool_use": "server call",
    "server_tool_call": "server call",
    "server_tool_call_chunk": "server call",
    "mcp_tool_use": "server call",
    "web_search_call": "server call",
    "file_search_call": "server call",
    "code_interpreter_call": "server call",
    "image_generation_call": "server call",
    "server_tool_result": "server result",
    "mcp_tool_result": "server result",
}
_TEXTS = ("text", "refusal", "reasoning", "thinking", "input_text", "output_text")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a content."""

    kind: PartKind
    text: str
    """What a person can read of it: the words, a call's name and arguments, an image's address."""
    pointer: str
    citations: int = 0
    """How many sources the part names; they stand in it as stored."""


def content_parts(content: Any, at: Tokens) -> tuple[Part, ...]:
    """Return the parts of ``content``, which stands at ``at``; a text is one, null is none."""
    if content is None or content == "":
        return ()
    if not isinstance(content, list):
        text = content if isinstance(content, str) else json_text(content)
        return (Part(kind="text", text=text, pointer=join(at)),)
    return tuple(_part(part, (*at, i)) for i, part in enumerate(content))


def _part(part: Any, at: Tokens) -> Part:
    if isinstance(part, str):
        return Part(kind="text", text=part, pointer=join(at))
    kind = part_kind(part)
    cited = part.get("annotations") or part.get("citations") if isinstance(part, dict) else None
    return Part(
        kind=kind,
        text=_words(part, kind),
        pointer=join(at),
        citations=len(cited) if isinstance(cited, list) else 0,
    )


def part_kind(part: Any) -> PartKind:
    """Return what a part of a content is."""
    spelled = part_type(part)
    if not isinstance(part, dict) or (not spelled and not isinstance(part.get("text"), str)):
        return "other"
    if spelled.endswith("_tool_result") and spelled not in _KINDS:
        return "server result"
    return _KINDS.get(spelled, "other")


def _words(part: Any, kind: PartKind) -> str:
    if not isinstance(part, dict):
        return json_text(part)
    for key in _TEXTS:
        if isinstance(part.get(key), str):
            return str(part[key])
    if kind in ("reasoning", "result", "server result"):
        return _inner(part)
    if kind in ("call", "server call"):
        args = next((part[k] for k in ("args", "input", "arguments") if k in part), None)
        return f"{word(part.get('name')) or part_type(part)} {_text(args)}".rstrip()
    return _address(part)


def _inner(part: dict[str, Any]) -> str:
    inner = next((part[k] for k in ("summary", "content", "output") if k in part), None)
    if isinstance(inner, list):
        return "\n".join(p["text"] if _is_text(p) else json_text(p) for p in inner)
    return _text(inner)


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("text"), str)


def _address(part: dict[str, Any]) -> str:
    """Return how a picture or file is named: never its bytes."""
    link = part.get("image_url")
    spelled = (
        link.get("url") if isinstance(link, dict) else link,
        *(part.get(k) for k in ("url", "file_id", "filename", "id", "mime_type")),
    )
    found = next((s for s in spelled if isinstance(s, str) and s), "")
    return found.partition(",")[0] if found.startswith("data:") else found


def _text(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else json_text(value)
