"""Whether a file is a list of messages, and in whose words, told by its content."""

from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import msgspec

from viewer.errors import ParseFault, SourceError
from viewer.limits import DEFAULT_LIMITS
from viewer.sources.conversations.pydantic_ai import is_message
from viewer.sources.files import lines, read_bytes
from viewer.sources.json_bytes import WHITESPACE, encoding, parse, utf8

Dialect = Literal["openai", "langchain", "pydantic-ai", "claude-code"]

_LOOKED_AT = 50
"""Entries that must all be messages of one dialect."""
_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function", "model"})
_KINDS = frozenset({"human", "ai", "system", "tool", "function", "chat", "developer", "remove"})
_CHUNKS = frozenset(
    {"AIMessageChunk", "HumanMessageChunk", "ToolMessageChunk", "SystemMessageChunk"}
)
_RESPONSES = frozenset({"message", "function_call", "function_call_output", "reasoning"})
_CLAUDE = frozenset({"user", "assistant", "system", "summary", "progress", "attachment"})
_HINTS = (b'"role"', b'"kind"', b'"type"', b'"lc"', b'"data"')
_BLANK = WHITESPACE + b"\0"
_elements = msgspec.json.Decoder(list[msgspec.Raw]).decode


def recognised(path: Path, head: bytes) -> Dialect | None:
    """Return in whose words the file at ``path`` lists messages, or None where it does not.

    Args:
        path: a regular file.
        head: its first bytes.
    """
    name, mark = encoding(head[:4])
    start = head[mark:].decode(name, "replace").encode(errors="replace").lstrip(_BLANK)
    if start[:1] not in (b"[", b"{") or not any(hint in start for hint in _HINTS):
        return None
    try:
        seen = path.stat()
        return _recognised(path, seen.st_size, seen.st_mtime_ns)
    except (SourceError, ParseFault, OSError):
        return None


@lru_cache(maxsize=8)
def _recognised(path: Path, size: int, changed: int) -> Dialect | None:
    """Answer once for several readers that ask of the same file."""
    filled = (text for line in lines(path, DEFAULT_LIMITS) if (text := line.strip(_BLANK)))
    first = next(filled, b"")
    if first[:1] == b"{":
        texts = [first, *islice(filled, _LOOKED_AT - 1)]
        if len(texts) > 1:
            return dialect_of([_value(text) for text in texts])
    if first[:1] != b"[":
        return None
    try:
        texts = [bytes(text) for text in _elements(utf8(read_bytes(path, DEFAULT_LIMITS)))]
    except (msgspec.DecodeError, RecursionError):
        return None
    return dialect_of([_value(text) for text in texts[:_LOOKED_AT]])


def _value(text: bytes) -> Any:
    try:
        return parse(text, DEFAULT_LIMITS.depth).value
    except ParseFault:
        return None  # A lost line says nothing; the others do.


def dialect_of(entries: list[Any]) -> Dialect | None:
    """Return the one dialect whose messages ``entries`` are; None for none, or no entry.

    What is no object (a lost line, a stray number) says nothing, as long as most are objects.
    """
    known = [entry for entry in entries if isinstance(entry, dict)]
    if not known or len(known) * 2 < len(entries):
        return None
    if all(map(is_message, known)):
        return "pydantic-ai"
    if sum(map(_is_claude, known)) * 5 >= len(known) * 4 and any(
        isinstance(one.get("message"), dict) for one in known
    ):
        return "claude-code"
    if all(map(_is_langchain, known)):
        return "langchain"
    return "openai" if all(map(_is_openai, known)) else None


def _is_claude(entry: dict[str, Any]) -> bool:
    kind, message = entry.get("type"), entry.get("message")
    if isinstance(message, dict):
        named = "sessionId" in entry or "uuid" in entry
        return kind in ("user", "assistant") and named and _among(message.get("role"), _ROLES)
    # Lines beside the messages: summaries, titles, snapshots of files. Each names its type.
    return isinstance(kind, str) and (
        "sessionId" in entry or "leafUuid" in entry or kind in _CLAUDE
    )


def _among(word: Any, words: frozenset[str]) -> bool:
    """Return whether ``word``, of any type, is one of ``words``."""
    return isinstance(word, str) and word in words


def _is_langchain(entry: dict[str, Any]) -> bool:
    if entry.get("lc") == 1:
        way = entry.get("id")
        return isinstance(way, list) and "messages" in way and isinstance(entry.get("kwargs"), dict)
    kind, data = entry.get("type"), entry.get("data")
    if not _among(kind, _KINDS | _CHUNKS):
        return False
    if isinstance(data, dict):
        return "content" in data and entry.keys() <= {"type", "data"}
    return "content" in entry and "role" not in entry


def _is_openai(entry: dict[str, Any]) -> bool:
    if _among(entry.get("role"), _ROLES):
        told = ("content", "tool_calls", "function_call", "parts", "refusal")
        # A state may have a field called role; it has others of its own besides.
        return any(key in entry for key in told) and not entry.keys() & {"status", "step", "state"}
    return _among(entry.get("type"), _RESPONSES) and ("call_id" in entry or "summary" in entry)
