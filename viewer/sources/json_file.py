"""Read one JSON document: a checkpoint, an array of them, or ``{"checkpoints": […]}``.

The array may be a patch chain. Of an array that is broken in the middle, the elements before the
fault are read. ``{"checkpoints": […]}`` may also say ``thread_id`` and ``format_version``; with
any other key it is a state that happens to hold a list of that name.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from viewer.errors import ParseFault
from viewer.limits import Limits
from viewer.model import Problem
from viewer.sources.base import Probe, Reader, Reading, Verdict
from viewer.sources.broken_array import cut
from viewer.sources.elements import Element, element
from viewer.sources.files import read_bytes
from viewer.sources.grouping import loaded
from viewer.sources.json_bytes import WHITESPACE, parse_slowly, utf8
from viewer.sources.json_shape import shape_of
from viewer.sources.members import KeyCheck
from viewer.sources.sharing import SharedLoader

LIST = "checkpoints"
_BESIDE = frozenset({LIST, "format_version", "thread_id"})
_OPENING = re.compile(
    rb'\s*\{\s*(?:"(?:format_version|thread_id)"\s*:\s*(?:"[^"\\]*"|\d+)\s*,\s*)*"checkpoints"\s*:\s*\['
)

_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_elements = msgspec.json.Decoder(list[msgspec.Raw]).decode


class _List(NamedTuple):
    """The checkpoints of a document that lists them."""

    texts: Iterable[bytes | msgspec.Raw]
    pointer: str
    thread_id: str | None = None


def detect(probe: Probe) -> Verdict:
    """Claim a file that is one JSON object or one array of objects."""
    shape = shape_of(probe)
    if shape.kind == "lines":
        return Verdict(False, "several JSON values, one a line")
    return Verdict(shape.kind in ("object", "array"), shape.why)


def open_file(path: Path, limits: Limits) -> Reading:
    """Return the threads of the file at ``path``.

    Raises:
        SourceError: it cannot be read.
    """
    raw = read_bytes(path, limits)
    loader = SharedLoader(depth=limits.depth)
    problems: list[Problem] = []
    try:
        text = utf8(raw)
        listed = _listed(text, str(path), limits, problems)
    except ParseFault:
        listed = None
    if listed is None:
        alone = [element(loader, raw, str(path), path.stem)]
        return loaded(str(path), alone, limits, name=path.stem)
    return loaded(
        str(path),
        _each(loader, str(path), listed),
        limits,
        name=listed.thread_id or path.stem,
        problems=problems,
    )


def elements_of(path: Path, limits: Limits) -> Iterator[Element]:
    """Yield an element for each entry of the array that the file at ``path`` holds.

    Raises:
        SourceError: the file cannot be read.
    """
    text = utf8(read_bytes(path, limits))
    listed = _listed(text, str(path), limits, [])
    if listed is not None:
        yield from _each(SharedLoader(depth=limits.depth), str(path), listed)


def _each(loader: SharedLoader, path: str, listed: _List) -> Iterator[Element]:
    index = 0
    try:
        for text in listed.texts:
            pointer = f"{listed.pointer}/{index}"
            yield element(loader, bytes(text), path, f"item:{index}", pointer=pointer)
            index += 1
    except ParseFault as error:
        place = f"{path}:{error.line}:{error.column}"
        yield Element(place, f"item:{index}", 0, fault=error.reason)


def _listed(text: bytes, path: str, limits: Limits, problems: list[Problem]) -> _List | None:
    """Return the elements of a document that lists checkpoints; None where it is one checkpoint."""
    if text.lstrip(WHITESPACE)[:1] == b"[":
        try:
            return _List(_elements(text), "")
        except (msgspec.DecodeError, RecursionError):
            return _List(cut(text, text.index(b"[") + 1), "")
    try:
        members = _members(text)
    except (msgspec.DecodeError, RecursionError):
        return _listed_irregularly(text, limits)
    if not (LIST in members and members.keys() <= _BESIDE and bytes(members[LIST])[:1] == b"["):
        return None
    if not KeyCheck().once_each(text, members):
        for pointer in parse_slowly(text, limits.depth).duplicate_keys:
            if pointer.count("/") == 1:
                reason = "key stands twice in one object; the last value is used"
                place = f"{path}#{pointer}"
                problems.append(Problem(place=place, reason=reason, keyword="duplicate_key"))
    name = parse_slowly(bytes(members["thread_id"]), 0).value if "thread_id" in members else None
    thread_id = name if isinstance(name, str) and name else None
    return _List(_elements(members[LIST]), f"/{LIST}", thread_id)


def _listed_irregularly(text: bytes, limits: Limits) -> _List | None:
    opening = _OPENING.match(text)
    if opening is None:
        return None
    try:
        value = parse_slowly(text, limits.depth).value
        name = value.get("thread_id")
        if not value.keys() <= _BESIDE:
            return None
    except ParseFault:
        name = None
    return _List(cut(text, opening.end()), f"/{LIST}", name if isinstance(name, str) else None)


READER = Reader(
    name="json-file",
    title='One JSON document: a checkpoint, an array of checkpoints, {"checkpoints": […]}',
    detect=detect,
    open=open_file,
)
