"""Tagged JSON → the msgpack bytes that LangGraph stored, equal byte for byte.

What was read with ``exact`` (`viewer.sources.langgraph.tagged`) and has gone through JSON text
comes back as LangGraph's serializer writes it: every length in its shortest form, floats in 64
bits. Extension values that another program wrote in longer forms keep their bytes; other values
come back equal, in fewer bytes.
"""

import base64
import binascii
import math
from collections.abc import Mapping
from typing import Any

import ormsgpack

from viewer.errors import ViewerError
from viewer.jsontext import float_word
from viewer.sources.langgraph.codes import CONSTRUCTORS, NDARRAY, SNAPSHOT

_CODES = {how: code for code, how in CONSTRUCTORS.items()}
_FLOATS = {float_word(value): value for value in (math.inf, -math.inf, math.nan)}
_FIXED_EXT = {1: 0xD4, 2: 0xD5, 4: 0xD6, 8: 0xD7, 16: 0xD8}


class Unencodable(ViewerError):
    """A value that cannot be written as msgpack: masked, read from a pickle, or no tagged JSON."""


def encoded(value: Any) -> bytes:
    """Return the msgpack of tagged JSON.

    Raises:
        Unencodable: a part of it is masked, comes from a pickle, or is no tagged JSON.
    """
    out = bytearray()
    try:
        _write(value, out)
    except RecursionError as error:
        raise Unencodable("nested too deep to be written") from error
    except (KeyError, TypeError, ValueError, binascii.Error) as error:
        raise Unencodable(f"no tagged JSON: {error!r}"[:200]) from error
    return bytes(out)


def _write(value: Any, out: bytearray) -> None:
    if isinstance(value, list):
        out += _header(len(value), 0x90, 15, (None, 0xDC, 0xDD))
        for member in value:
            _write(member, out)
    elif not isinstance(value, dict):
        out += ormsgpack.packb(value)
    elif "$type" not in value:
        out += _header(len(value), 0x80, 15, (None, 0xDE, 0xDF))
        for key, entry in value.items():
            out += ormsgpack.packb(key)
            _write(entry, out)
    else:
        _write_tagged(value, out)


def _write_tagged(node: Mapping[str, Any], out: bytearray) -> None:
    kind = node["$type"]
    if "$masked" in node:
        raise Unencodable(f"the value of a {kind} is masked")
    if "$ctor" in node:
        _write_constructed(node, out)
    elif kind == "bytes":
        raw = _unb64(node["b64"])
        out += _header(len(raw), 0, -1, (0xC4, 0xC5, 0xC6)) + raw
    elif kind == "float":
        bits = node.get("bits")
        out += b"\xcb" + bytes.fromhex(bits) if bits else ormsgpack.packb(_FLOATS[node["value"]])
    elif kind == "map":
        out += _header(len(node["items"]), 0x80, 15, (None, 0xDE, 0xDF))
        for key, entry in node["items"]:
            _write(key, out)
            _write(entry, out)
    elif kind == "ndarray":
        body = {"$type": "bytes", "b64": node["b64"]}
        out += _extension(NDARRAY, [node["dtype"], node["shape"], node["order"], body])
    elif kind == "delta_snapshot":
        out += _extension(SNAPSHOT, node["value"])
    elif kind == "ext" and "b64" in node:
        out += _extension_of(node["code"], _unb64(node["b64"]))
    elif kind == "ext" and "value" in node:
        out += _extension(node["code"], node["value"])
    else:
        raise Unencodable(f"a node of type {kind!r} has no msgpack form")


def _write_constructed(node: Mapping[str, Any], out: bytearray) -> None:
    kind, how = node["$type"], node["$ctor"]
    if how not in _CODES:
        raise Unencodable(f"a {kind} that was stored another way ({how}) has no msgpack form")
    name = node.get("$name")
    if name is None:
        module, _, name = kind.rpartition(".")
    else:
        module = kind.removesuffix(f".{name}")
    payload = [module, name, node["value"]]
    if "$method" in node:
        payload.append(node["$method"])
    out += _extension(_CODES[how], payload)


def _extension(code: int, payload: Any) -> bytes:
    body = bytearray()
    _write(payload, body)
    return _extension_of(code, bytes(body))


def _extension_of(code: int, body: bytes) -> bytes:
    fixed = _FIXED_EXT.get(len(body))
    start = bytes([fixed]) if fixed else _header(len(body), 0, -1, (0xC7, 0xC8, 0xC9))
    return start + bytes([code & 0xFF]) + body


def _header(count: int, small: int, most: int, wide: tuple[int | None, int, int]) -> bytes:
    """Return the first bytes of a value: its type and how long it is, in the shortest form.

    Args:
        count: how many entries or bytes follow.
        small: the type byte that ``count`` is added to, up to ``most``.
        most: the most that the small form can count.
        wide: the type bytes before a count of one (None: there is none), two and four bytes.
    """
    one, two, four = wide
    if count <= most:
        return bytes([small + count])
    if one is not None and count < 1 << 8:
        return bytes([one, count])
    if count < 1 << 16:
        return bytes([two]) + count.to_bytes(2, "big")
    return bytes([four]) + count.to_bytes(4, "big")


def _unb64(text: str) -> bytes:
    return base64.b64decode(text, validate=True)
