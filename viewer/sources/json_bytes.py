"""Exact values from the bytes of one JSON text (RFC 8259, and what Python's writer adds to it).

msgspec reads the regular text: exact integers, no silent loss. What it refuses but Python's own
writer produces (NaN, Infinity, half a surrogate pair, a byte order mark) goes to the standard
library. UTF-16 and UTF-32 are recognised by their mark or by their zero bytes (RFC 4627, §3).
"""

import codecs
import json
import re
from typing import Any, NamedTuple

import msgspec

from viewer.errors import ParseFault
from viewer.jsontext import escape_surrogates, walk
from viewer.pointer import join

WHITESPACE = b" \t\n\r"

decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ZEROS: dict[tuple[bool, ...], str] = {
    (True, True, True, False): "utf-32-be",
    (False, True, True, True): "utf-32-le",
    (True, False, True, False): "utf-16-be",
    (False, True, False, True): "utf-16-le",
}
_DIGITS = 4300
"""Python converts no longer integer from or to text (CVE-2020-10735)."""
_LONG_INTEGER = re.compile(
    rf'"(?:[^"\\]|\\.)*"|(?<![\d.eE+])-?(\d{{{_DIGITS + 1},}})(?![\d.eE])', re.DOTALL
)
_WORD = re.compile(r"[+-]?[A-Za-z_][A-Za-z_0-9]*")


class Parsed(NamedTuple):
    """One JSON value and the pointers of the keys that stand twice in one of its objects."""

    value: Any
    duplicate_keys: tuple[str, ...]


class Irregular(Exception):
    """The text needs `parse_slowly`: regular reading would lose something."""


NOT_REGULAR = (Irregular, msgspec.DecodeError, RecursionError)
"""What `parse_regular` raises where `parse_slowly` must look."""


def encoding(head: bytes) -> tuple[str, int]:
    """Return the encoding of a text that begins with ``head``, and the length of its mark."""
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name, len(mark)
    first = head[:4]
    zeros = tuple(byte == 0 for byte in first)
    return (_ZEROS.get(zeros, "utf-8") if len(first) == 4 else "utf-8"), 0


def utf8(raw: bytes) -> bytes:
    """Return ``raw`` as UTF-8 without a mark; UTF-8 itself is not checked here.

    Raises:
        ParseFault: UTF-16 or UTF-32 text is broken; the reason names the byte.
    """
    if raw[:1] in (b"{", b"[") and raw[1:2] != b"\0":
        return raw
    name, mark = encoding(raw[:4])
    if name == "utf-8":
        return raw[mark:] if mark else raw
    try:
        return raw[mark:].decode(name).encode()
    except UnicodeDecodeError as error:
        at = mark + error.start
        reason = f"not {name.upper()}, which its first bytes announce: {error.reason} at byte {at}"
        raise ParseFault(reason) from error


def parse(raw: bytes, depth: int) -> Parsed:
    """Return the value of ``raw``, a whole JSON text in any encoding that JSON may have.

    Raises:
        ParseFault: the bytes yield no value, or one nested deeper than ``depth``.
    """
    text = utf8(raw)
    try:
        return Parsed(parse_regular(text, depth), ())
    except NOT_REGULAR:
        return parse_slowly(text, depth)


def parse_regular(raw: bytes, depth: int) -> Any:
    """Return the value of ``raw``, UTF-8 without a mark, by the fast way alone.

    Raises:
        NOT_REGULAR: this way cannot tell; `parse_slowly` can.
    """
    value = decode(raw)
    if not is_shallow(raw, value, depth) or not keys_stand_once(raw, value):
        raise Irregular
    return value


def is_shallow(raw: bytes, value: Any, depth: int) -> bool:
    """Return whether ``value``, read from ``raw``, is nested ``depth`` deep at most."""
    return (
        len(raw) <= 2 * depth
        or raw.count(b"[") + raw.count(b"{") <= depth
        or not is_deeper(value, depth)
    )


def keys_stand_once(raw: bytes, value: Any) -> bool:
    """Return whether the regular text ``raw``, read as ``value``, lost no member to a later one.

    Each member and each colon inside a string accounts for one ``:`` in the text, and the value
    written anew has as many, unless a member was lost. An escaped colon would spoil the count;
    then the answer is False too. Several texts may be joined, their values in a list.
    """
    colons = raw.count(b":")
    return colons < 2 or (
        _encode(value).count(b":") == colons
        and not (b"\\u003" in raw and (b"\\u003a" in raw or b"\\u003A" in raw))
    )


def parse_slowly(raw: bytes, depth: int) -> Parsed:
    """Return the value of ``raw``, UTF-8 without a mark, with everything that is odd about it.

    Raises:
        ParseFault: the bytes yield no value, or one nested deeper than ``depth``.
    """
    text = _text(raw)
    doubled: dict[int, tuple[dict[str, Any], list[str]]] = {}

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            seen: set[str] = set()
            twice = {key for key, _ in pairs if key in seen or seen.add(key)}  # type: ignore[func-returns-value]
            doubled[id(found)] = (found, [key for key in found if key in twice])
        return found

    try:
        value = json.loads(text, object_pairs_hook=members)
    except json.JSONDecodeError as error:
        raise fault(error) from error
    except RecursionError as error:
        raise ParseFault(_too_deep(depth)) from error
    except ValueError as error:
        raise _long_integer(text) from error
    if is_deeper(value, depth):
        raise ParseFault(_too_deep(depth))
    if not doubled:
        return Parsed(value, ())
    return Parsed(
        value,
        tuple(
            join((*at, key))
            for at, here in walk(value)
            for key in doubled.get(id(here), ((), ()))[1]
        ),
    )


def is_deeper(value: Any, depth: int) -> bool:
    """Return whether containers stand in ``value`` more than ``depth`` inside one another."""
    level = [value] if type(value) in (dict, list) else []
    for _ in range(depth):
        if not level:
            return False
        level = [
            child
            for here in level
            for child in (here.values() if type(here) is dict else here)
            if type(child) is dict or type(child) is list
        ]
    return bool(level)


def fault(error: json.JSONDecodeError) -> ParseFault:
    """Return what the standard library found as a named fault with line and column."""
    text, at = error.doc, error.pos
    reason = f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
    if not text.strip(" \t\n\r"):
        reason = "empty: no JSON value"
    elif not text.strip("\0 \t\n\r"):
        reason = f"a block of {text.count(chr(0))} zero bytes, no JSON value"
    elif error.msg.startswith("Unterminated"):
        reason = "cut off: the text ends inside a string that begins here"
    elif at >= len(text.rstrip(" \t\n\r")):
        reason = f"cut off: {error.msg[:1].lower()}{error.msg[1:]}, but the text ends"
    elif word := _WORD.match(text, at):
        reason = f"not JSON: {word.group()[:20]!r} is no JSON value"
    elif "Expecting" in error.msg:
        reason += f", found {escape_surrogates(text[at : at + 1])!r}"
    return ParseFault(reason, error.lineno, error.colno)


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        at = error.start
        line = raw.count(b"\n", 0, at) + 1
        before = raw[raw.rfind(b"\n", 0, at) + 1 : at].decode(errors="replace")
        reason = (
            f"not UTF-8: byte 0x{raw[at]:02x} at offset {at} ({error.reason}); "
            "if the text is Latin-1 or Windows-1252, save it as UTF-8"
        )
        raise ParseFault(reason, line, len(before) + 1) from error


def _long_integer(text: str) -> ParseFault:
    for match in _LONG_INTEGER.finditer(text):
        if match.group(1):
            at = match.start()
            digits = len(match.group(1))
            reason = f"integer of {digits} digits; the longest that is read has {_DIGITS}"
            return ParseFault(reason, text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at))
    return ParseFault(f"an integer has more than {_DIGITS} digits")


def _too_deep(depth: int) -> str:
    return f"nested more than {depth} deep (limit: depth)"
