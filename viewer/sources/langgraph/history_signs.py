"""Whether a file is LangGraph's account of a thread in JSON, told by its content."""

import re
from functools import lru_cache
from itertools import islice
from pathlib import Path

import msgspec

from viewer.errors import ParseFault, SourceError
from viewer.limits import DEFAULT_LIMITS
from viewer.sources.files import lines, read_bytes
from viewer.sources.json_bytes import WHITESPACE, encoding, parse, utf8
from viewer.sources.langgraph.history_parts import parts
from viewer.sources.langgraph.history_shape import is_thread, told

_KNOWN = (
    rb'\{\s*"(?:values|next|tasks|config|checkpoint|metadata|created_at|thread_id)"\s*:'
    rb'|\{\s*"(?=[^\0]*"values")(?:parent_config|parent_checkpoint|(?:parent_)?checkpoint_id'
    rb'|(?:state_)?updated_at|interrupts|status|error|ttl)"\s*:'
)
"""How a state or thread begins, whatever order its members have; many other objects begin with the
second kind of names, and few of those have ``values`` near."""
_TEXT = rb'"(?:[^"\\]|\\.)*"'
_MAY_BE = re.compile(
    rb"[\s\0]*(?:(?:\[\s*){0,2}(?:%(state)s)|\[\s*\[|"
    # … or an object by thread id, where scalars may stand before the first thread.
    rb"\{\s*(?:%(text)s\s*:\s*(?:%(text)s|[-+.\w]+)\s*,\s*){0,8}%(text)s\s*:\s*"
    rb"(?:(?:\[\s*)?(?:%(state)s)|\[\s*[\[\]]))" % {b"state": _KNOWN, b"text": _TEXT}
)
_TUPLE = re.compile(rb"[\s\0]*\[\s*\{")
_TUPLE_BYTES = 8 * 1024 * 1024
"""Largest file looked into for one lone tuple: any array of objects may be one."""
_LINES = 200

_scan = msgspec.json.Decoder(msgspec.Raw).decode


def recognised(path: Path, head: bytes) -> str | None:
    """Return what the file at ``path`` holds where that is LangGraph's account of a thread.

    Args:
        path: a regular file.
        head: its first bytes.
    """
    name, mark = encoding(head[:4])
    start = head[mark:].decode(name, "replace").encode(errors="replace")
    lone = _MAY_BE.match(start) is None
    if lone and not _TUPLE.match(start):
        return None
    try:
        if lone and path.stat().st_size > _TUPLE_BYTES:
            return None
        seen = path.stat()
        return _recognised(path, seen.st_size, seen.st_mtime_ns)
    except (SourceError, ParseFault, OSError):
        return None


@lru_cache(maxsize=4)
def _recognised(path: Path, size: int, changed: int) -> str | None:
    """Answer once for several readers that ask of the same file."""
    texts = (line.strip(WHITESPACE + b"\0") for line in lines(path, DEFAULT_LIMITS))
    filled = (line for line in texts if line)
    first = next(filled, b"")
    if _is_whole(first):
        return _kind(utf8(first))
    found = _kind(utf8(read_bytes(path, DEFAULT_LIMITS)))
    if found is None:
        later = next((line for line in islice(filled, _LINES) if _is_whole(line)), None)
        found = None if later is None else _kind(later)
    return found


def _is_whole(line: bytes) -> bool:
    try:
        _scan(line)
    except (msgspec.DecodeError, RecursionError):
        try:
            parse(line, DEFAULT_LIMITS.depth)
        except ParseFault:
            return False
    return True


def _kind(text: bytes) -> str | None:
    first = next(parts(text), None)
    if first is None:
        return None
    body = told(parse(first.text, DEFAULT_LIMITS.depth).value)
    if body is None:
        return None
    return (
        "a thread of LangGraph's Agent Server, its latest values only"
        if is_thread(body)
        else "states of a LangGraph thread (ThreadState or StateSnapshot)"
    )
