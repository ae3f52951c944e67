"""Cut a JSON document into the states and threads that LangGraph wrote into it.

They stand alone, in an array, in an array for each thread, or in an object by thread id.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import msgspec

from viewer.errors import ParseFault
from viewer.limits import DEFAULT_LIMITS
from viewer.pointer import join
from viewer.sources.broken_array import cut
from viewer.sources.json_bytes import WHITESPACE, parse, parse_slowly, utf8
from viewer.sources.langgraph.history_shape import (
    FIELDS,
    Text,
    is_state_text,
    is_thread_text,
    is_tuple_text,
)

_BLANK = WHITESPACE + b"\0"
_CLOSED = (b"]", b"}")

_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_elements = msgspec.json.Decoder(list[msgspec.Raw]).decode


class Part(NamedTuple):
    """The text of one state or thread in its document."""

    text: bytes
    pointer: str
    thread_id: str | None
    """What stands around it as the key of a thread."""


def parts(text: bytes) -> Iterator[Part]:
    """Yield the text of each state or thread in the document ``text``; nothing where it is another.

    Raises:
        ParseFault: where an array breaks off, after what stands before it.
    """
    return _parts(text, "", None, deep=True)


def _parts(text: bytes, pointer: str, thread_id: str | None, *, deep: bool) -> Iterator[Part]:
    begin = text.lstrip(_BLANK)[:1]
    if begin == b"{":
        members = _members_of(text)
        if is_state_text(members) or is_thread_text(members):
            yield Part(text, pointer, thread_id)
        elif deep:
            yield from _by_key(members)
    elif begin == b"[":
        elements = _elements_of(text)
        beginning, fault = _first_few(elements)
        if is_tuple_text(beginning):
            yield Part(text, pointer, thread_id)
            return
        for index, one in enumerate(_chained(beginning, fault, elements)):
            own = bytes(one)
            if deep and own[:1] == b"[" and not _is_told(own):
                yield from _parts(own, f"{pointer}/{index}", thread_id, deep=False)
            elif index or _is_told(own):
                yield Part(own, f"{pointer}/{index}", thread_id)
            else:
                return


def _by_key(members: Mapping[str, Text]) -> Iterator[Part]:
    """Yield what stands in an object by thread id, or beside scalars that describe it."""
    inner = {key: bytes(text) for key, text in members.items() if bytes(text)[:1] in (b"[", b"{")}
    filled = {key: text for key, text in inner.items() if text[1:].strip(WHITESPACE) not in _CLOSED}
    if not filled or any(
        next(_parts(t, "", None, deep=False), None) is None for t in filled.values()
    ):
        return
    named = members.get("thread_id")
    single = parse(bytes(named), 1).value if named is not None else None
    for key, text in filled.items():
        hint = key if len(inner) == len(members) else single if isinstance(single, str) else None
        yield from _parts(text, join((key,)), hint, deep=False)


def _chained(
    beginning: Sequence[Text], fault: ParseFault | None, rest: Iterator[Text]
) -> Iterator[Text]:
    yield from beginning
    if fault is not None:
        raise fault
    yield from rest


def _members_of(text: bytes) -> Mapping[str, Text]:
    try:
        return _members(text)
    except (msgspec.DecodeError, RecursionError):
        value = parse_slowly(utf8(text), DEFAULT_LIMITS.depth).value
        return {key: json.dumps(member).encode() for key, member in value.items()}


def _elements_of(text: bytes) -> Iterator[Text]:
    try:
        return iter(_elements(text))
    except (msgspec.DecodeError, RecursionError):
        return cut(text, text.index(b"[") + 1)


def _first_few(elements: Iterator[Text]) -> tuple[list[Text], ParseFault | None]:
    """Return one element more than a tuple may have at most, and what ended them too early."""
    found: list[Text] = []
    try:
        found.extend(islice(elements, len(FIELDS) + 1))
    except ParseFault as fault:
        return found, fault
    return found, None


def _is_told(text: bytes) -> bool:
    if text[:1] == b"[":
        return is_tuple_text(_first_few(_elements_of(text))[0])
    members = _members_of(text) if text[:1] == b"{" else {}
    return is_state_text(members) or is_thread_text(members)
