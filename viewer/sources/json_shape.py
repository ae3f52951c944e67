"""What JSON a file holds, told by its content and never by its name."""

from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from viewer.errors import ParseFault, SourceError
from viewer.limits import DEFAULT_LIMITS
from viewer.sources.base import NOT_JSON, Probe
from viewer.sources.conversations.signs import recognised as messages_in
from viewer.sources.files import lines, read_bytes
from viewer.sources.json_bytes import WHITESPACE, encoding, parse
from viewer.sources.langgraph.history_signs import recognised
from viewer.sources.recorded_call import recording_kind
from viewer.sources.sqlite_file import is_database, is_wal

SIDECAR_FILES = ("about.json", "working.schema.json", "versions.json", "walk.json")
"""Files of a run folder that are never checkpoints."""
_LOOKED_AT = 200
"""Most lines looked at after the first."""
_BLANK = WHITESPACE + b"\0"

_scan = msgspec.json.Decoder(msgspec.Raw).decode

Kind = Literal["object", "array", "lines", "none"]


class Shape(NamedTuple):
    """``object`` and ``array`` are one document, ``lines`` one value a line, ``none`` no chain."""

    kind: Kind
    why: str


def shape_of(probe: Probe) -> Shape:
    """Return the shape of the file that ``probe`` stands for; reads its beginning once more."""
    if probe.is_dir:
        return Shape("none", "a folder, not a file")
    if not probe.size:
        return Shape("none", "the file is empty")
    if is_database(probe.head) or is_wal(probe.head):
        return Shape("none", NOT_JSON)
    if probe.path.name in SIDECAR_FILES and _describes_a_run(probe.names):
        return Shape("none", f"{probe.path.name} describes a run: open its folder")
    return shape_at(probe.path, probe.head)


def shape_at(path: Path, head: bytes) -> Shape:
    """Return the shape of the file at ``path`` whose first bytes are ``head``."""
    told = recognised(path, head)
    if told is not None:
        return Shape("none", told)
    if messages_in(path, head) is not None:
        return Shape("none", "a list of messages: a conversation, no states")
    start = _start(head)
    if recording_kind(start) is not None:
        return Shape("none", "recorded model calls: open the store that they stand beside")
    if start[:1] == b"[":
        return _array(path, start)
    if start[:1] == b"{" and start[1:].lstrip(WHITESPACE)[:1] not in b"\"}'/":
        return Shape("none", "begins with '{', but no key follows")
    if start[:1] != b"{" and b"{" not in head:
        return Shape("none", f"begins with {_excerpt(start)}, not with an object or an array")
    return _object_or_lines(path, start)


def _start(head: bytes) -> bytes:
    name, mark = encoding(head[:4])
    text = head[mark:].decode(name, "replace").encode(errors="replace")
    return text.lstrip(_BLANK)


def _array(path: Path, start: bytes) -> Shape:
    first = start[1:].lstrip(WHITESPACE)[:1]
    if first == b"]":
        return Shape("none", "an empty array holds no checkpoint")
    if first != b"{":
        return Shape("none", "an array whose first element is no object")
    if _first_lines(path).kind == "lines":
        return Shape("lines", "one JSON value a line")
    return Shape("array", "a JSON array of objects")


def stands_in_lines(path: Path) -> bool:
    """Return whether the file at ``path`` is one JSON value a line, of several."""
    return _first_lines(path).kind == "lines"


def _object_or_lines(path: Path, start: bytes) -> Shape:
    found = _first_lines(path)
    if found.kind == "none" and start[:1] == b"{":
        return Shape("object", "a JSON object")
    return found


def _first_lines(path: Path) -> Shape:
    """Tell lines from one document: what the first line leaves open, the others decide."""
    try:
        texts = (line.strip(_BLANK) for line in lines(path, DEFAULT_LIMITS))
        filled = (line for line in texts if line)
        first = next(filled, b"")
        whole = _is_container(first)
        others = list(islice(filled, 1 if whole else _LOOKED_AT))
        if whole:
            if others:
                return Shape("lines", "one JSON value a line")
            return Shape("none", "a single line")
        # A broken first line: some other line must be an object of its own …
        objects = sum(line[:1] == b"{" and _is_container(line) for line in others)
        if not objects or objects * 2 < len(others):
            return Shape("none", f"begins with {_excerpt(first)}, not with an object or an array")
        # … and the file no document whose layout only looks like that.
        if first[:1] in (b"{", b"[") and (first[-1:] in b"{[," or _is_whole(path)):
            return Shape("none", "one document over several lines")
    except SourceError as error:
        return Shape("none", error.reason)
    return Shape("lines", "one JSON value a line, the first of them broken")


def _is_container(line: bytes) -> bool:
    if line[:3] == b"\xef\xbb\xbf":
        line = line[3:]
    if line[:1] not in (b"{", b"["):
        return False
    try:
        _scan(line)
        return True
    except (msgspec.DecodeError, RecursionError):
        pass  # Broken, or irregular as NaN is.
    try:
        parse(line, DEFAULT_LIMITS.depth)
    except ParseFault:
        return False
    return True


def _is_whole(path: Path) -> bool:
    try:
        parse(read_bytes(path, DEFAULT_LIMITS), DEFAULT_LIMITS.depth)
    except ParseFault:
        return False
    return True


def _describes_a_run(names: tuple[str, ...]) -> bool:
    return any(name in names for name in ("about.json", "checkpoints", "chain.jsonl"))


def _excerpt(start: bytes) -> str:
    return repr(start[:1].decode("ascii", "replace"))
