"""Values of a LangGraph store as tagged JSON: nothing is imported, nothing is called.

msgpack extension codes carry what a class would need to make the value again; here they become
``{"$type": "module.Name", "$ctor": how, "value": …}`` (langgraph-checkpoint's
``serde/jsonplus.py`` is the source of the codes). Bytes become ``{"$type": "bytes", "b64": …}``;
an object with keys that are not text, or with a key ``$type`` of its own, becomes
``{"$type": "map", "items": [[key, value], …]}``. Integers and floats stay as they are, NaN too.

For people, secrets are masked and the members of a set are sorted. Read with ``exact``, nothing is
lost: ``encoding.encoded`` makes the stored bytes again.
"""

import base64
import json
import math
import struct
from typing import Any

import msgspec
import ormsgpack

from viewer.errors import ParseFault
from viewer.sources.langgraph.codes import CONSTRUCTORS, KNOWN, NDARRAY, SNAPSHOT
from viewer.sources.langgraph.encoding import Unencodable, encoded
from viewer.sources.langgraph.masks import is_secret, masked, names_secret
from viewer.sources.langgraph.sets import SETS, sorted_members

EXT_DEPTH = 64
"""Deepest nesting of extension values inside each other; deeper ones keep their bytes."""
MEMO_BYTES = 64 * 1024 * 1024
"""Extension payloads remembered, so that equal ones become the same object."""
_SCALARS = (str, type(None), int, float, bool)
_TEXT = frozenset((str,))
_WHOLE = msgspec.msgpack.Decoder(msgspec.Raw)
_NAN = struct.pack(">d", math.nan)


class _Ext:
    """A finished extension value inside a value that is still being tagged."""

    __slots__ = ("height", "value")

    def __init__(self, value: Any, height: int) -> None:
        self.value = value
        self.height = height


class Tagger:
    """Turns msgpack and JSON bytes into tagged JSON; equal extension values are one object.

    Args:
        depth: deepest nesting allowed; deeper values raise `ParseFault`.
        exact: keep what people are not shown: secrets, the order of sets, the bits of a NaN.
    """

    def __init__(self, depth: int, *, exact: bool = False) -> None:
        self._depth = depth
        self._exact = exact
        self._plain = tuple(kind for kind in _SCALARS if not exact or kind is not float)
        self._memo: dict[tuple[int, bytes], _Ext] = {}
        self._held = 0
        self._nesting = 0
        self._deepest = 0

    def msgpack(self, raw: bytes, at: int = 0) -> Any:
        """Return the value of ``raw``, which stands ``at`` levels below the state's root.

        Raises:
            ParseFault: the bytes are no msgpack, or nest too deep.
        """
        self._deepest = at
        return self._tag(self._unpack(raw), at)

    def json(self, raw: bytes) -> Any:
        """Return the value of JSON text as LangGraph's first serializer wrote it (``lc`` objects).

        Raises:
            ParseFault: the bytes are no JSON, or nest too deep.
        """
        self._deepest = 0
        try:
            encoding = "utf-8" if raw[:2] == b'{"' else json.detect_encoding(raw)
            text = raw.decode(encoding, "surrogatepass")
            value = (_JSON if '"lc"' in text or "\\" in text else _PLAIN_JSON).decode(text)
        except (ValueError, RecursionError) as error:
            raise ParseFault(f"no JSON: {_short(error)}") from error
        return self._tag(value, 0)

    def _unpack(self, raw: bytes) -> Any:
        try:
            return ormsgpack.unpackb(raw, ext_hook=self._ext, option=ormsgpack.OPT_NON_STR_KEYS)
        except (ValueError, RecursionError) as error:
            raise ParseFault(f"no msgpack: {_short(error)}") from error

    def _ext(self, code: int, payload: bytes) -> _Ext:
        """Return the finished value of an extension; never raises, as ormsgpack hides why."""
        known = self._memo.get((code, payload))
        if known is not None:
            return known
        outer, self._deepest = self._deepest, 0
        self._nesting += 1
        try:
            if self._nesting > EXT_DEPTH:
                raise ParseFault(f"more than {EXT_DEPTH} extension values inside each other")
            value = self._ext_value(code, self._tag(self._unpack(payload), 1))
            self._check(code, payload, value)
            made = _Ext(value, self._deepest)
        except ParseFault as error:
            return _Ext({"$type": "ext", "code": code, **self.unread(payload, error)}, 1)
        finally:
            self._nesting -= 1
            self._deepest = outer
        self._held += len(payload)
        if self._held > MEMO_BYTES:
            self._memo.clear()
            self._held = len(payload)
        self._memo[(code, payload)] = made
        return made

    def _check(self, code: int, payload: bytes, value: Any) -> None:
        """Refuse a payload of which ``value`` does not tell everything, so that it keeps its bytes.

        Raises:
            ParseFault: bytes stand behind its end; or, read with ``exact``, are written otherwise.
        """
        if self._exact:
            try:
                if encoded(value) != encoded({"$type": "ext", "code": code, "b64": _b64(payload)}):
                    raise ParseFault("bytes that are not in their shortest form")
            except Unencodable as error:
                raise ParseFault(str(error)) from error
        elif code not in KNOWN:
            try:
                _WHOLE.decode(payload)
            except msgspec.MsgspecError as error:
                raise ParseFault(f"no msgpack: {_short(error)}") from error

    def _tag(self, value: Any, at: int) -> Any:
        """Return ``value`` tagged; lists and objects, which are ours alone, are changed in place."""
        kind = type(value)
        if kind in self._plain:
            return value
        if kind is float:
            return _exact_float(value)
        if kind is _Ext:
            self._reach(at + value.height)
            return value.value
        if kind is dict or kind is list or kind is tuple:
            self._reach(at + 1)
        if kind is list:
            for index, child in enumerate(value):
                if type(child) not in self._plain:
                    value[index] = self._tag(child, at + 1)
            return value
        if kind is dict:
            return self._tag_object(value, at)
        if kind is _Lc:
            return self._tag_lc(value, at)
        if kind is tuple:
            return [self._tag(child, at + 1) for child in value]
        if kind is bytes:
            return {"$type": "bytes", "b64": _b64(value)}
        return {"$type": "ext", "repr": repr(value)[:200]}

    def _tag_object(self, value: dict[Any, Any], at: int) -> dict[str, Any]:
        if "$type" in value or not _TEXT.issuperset(map(type, value)):
            self._reach(at + 3)
            entries = [[self._tag(k, at + 3), self._tag(v, at + 3)] for k, v in value.items()]
            return {"$type": "map", "items": entries}
        for key, child in value.items():
            if type(child) not in self._plain:
                value[key] = self._tag(child, at + 1)
        return value

    def _tag_lc(self, value: "_Lc", at: int) -> dict[str, Any]:
        """Return what langchain's own JSON says of an object; its ``id`` is the class's path."""
        found = value.found
        positional, named = found.get("args") or [], found.get("kwargs") or {}
        body = named if named or not positional else positional
        if body is positional and isinstance(body, list) and len(body) == 1:
            body = body[0]
        made: dict[str, Any] = {
            "$type": ".".join(map(str, found["id"])),
            "$ctor": f"lc{found['lc']}",
            "value": self._tag(body, at + 1),
        }
        if named and positional:
            made["args"] = self._tag(positional, at + 1)
        if found.get("method"):
            made["$method"] = self._tag(found["method"], at + 1)
        return self._settled(made)

    def _ext_value(self, code: int, payload: Any) -> dict[str, Any]:
        if code == SNAPSHOT:
            return {"$type": "delta_snapshot", "value": payload}
        if isinstance(payload, list):
            if code == NDARRAY and len(payload) == 4 and _is_bytes(payload[3]):
                dtype, shape, order, body = payload
                return {
                    "$type": "ndarray",
                    "dtype": dtype,
                    "shape": shape,
                    "order": order,
                    "b64": body["b64"],
                }
            if (
                code in CONSTRUCTORS
                and len(payload) in (3, 4)
                and all(isinstance(part, str) for part in payload[:2])
            ):
                return self._settled(_constructed(CONSTRUCTORS[code], *payload))
        return {"$type": "ext", "code": code, "value": payload}

    def _settled(self, made: dict[str, Any]) -> dict[str, Any]:
        """Return ``made`` with a set's members in one order and a secret masked."""
        if self._exact:
            return made
        body = made["value"]
        if is_secret(made["$type"]):
            given = [body, made.get("args")] if "args" in made else body
            return masked({key: made[key] for key in ("$type", "$ctor")}, given)
        if made["$type"] in SETS and isinstance(body, list):
            made["value"] = sorted_members(body)
        return made

    def unread(self, raw: bytes, fault: ParseFault) -> dict[str, Any]:
        """Return why bytes give no value, and the bytes unless they may hold a secret."""
        if names_secret(raw) and not self._exact:
            return {"error": fault.reason, "withheld": f"{len(raw)} bytes that name a secret"}
        return {"error": fault.reason, "b64": _b64(raw)}

    def _reach(self, depth: int) -> None:
        if depth > self._deepest:
            if depth > self._depth:
                raise ParseFault(f"nested deeper than {self._depth} levels")
            self._deepest = depth


class _Lc:
    """An object of langchain's own JSON form, met while JSON is parsed."""

    __slots__ = ("found",)

    def __init__(self, found: dict[str, Any]) -> None:
        self.found = found


def _revived(found: dict[str, Any]) -> Any:
    if (
        found.get("lc") in (1, 2)
        and found.get("type") in ("constructor", "not_implemented", "secret")
        and isinstance(found.get("id"), list)
    ):
        return _Lc(found)
    return found


_JSON = json.JSONDecoder(object_hook=_revived)
_PLAIN_JSON = json.JSONDecoder()
"""For texts without an object of langchain's: its parser calls nothing of ours."""


def _constructed(how: str, module: str, name: str, value: Any, *method: Any) -> dict[str, Any]:
    made: dict[str, Any] = {"$type": f"{module}.{name}", "$ctor": how, "value": value}
    if "." in name:
        made["$name"] = name
    if method:
        (made["$method"],) = method
    return made


def _is_bytes(node: Any) -> bool:
    return isinstance(node, dict) and node.get("$type") == "bytes"


def _exact_float(value: float) -> Any:
    """Return a float; a NaN that is not Python's own with its bits."""
    bits = struct.pack(">d", value)
    if math.isnan(value) and bits != _NAN:
        return {"$type": "float", "value": "NaN", "bits": bits.hex()}
    return value


def _b64(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")


def _short(error: Exception) -> str:
    return str(error)[:200] or type(error).__name__
