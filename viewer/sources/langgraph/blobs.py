"""One stored blob → its value: by the tag beside it, sharing what did not change.

Tags: ``msgpack``, ``json`` (langchain's first form), ``null``/``empty``, ``bytes``,
``bytearray``, ``pickle`` (read as inert nodes); ``TAG+CIPHER`` is sealed.
"""

import base64
import contextlib
from typing import Any, NamedTuple

import msgspec

from viewer.errors import ParseFault
from viewer.sources.langgraph.inert import tagged_nodes
from viewer.sources.langgraph.opcodes import inert
from viewer.sources.langgraph.tagged import MEMO_BYTES, Tagger
from viewer.sources.unify import unify

_ENTRIES = msgspec.msgpack.Decoder(dict[str, msgspec.Raw])
_ITEMS = msgspec.msgpack.Decoder(list[msgspec.Raw])
_VERSIONS = msgspec.msgpack.Decoder(dict[str, str | int | float])
SEALED = ("pickle", "encrypted")
"""``$type`` of the nodes that stand for blobs which are not read: in them, all or nothing is."""
_TELLING = frozenset(("v", "ts", "channel_versions", "versions_seen", "pending_sends"))
"""What a checkpoint says beside its values; the row tells its id, nothing asks for the rest."""
_CHANNEL_VERSIONS = ("", "channel_versions")
_CHANNEL_DEPTH = 1
"""A channel's value stands one level below the state."""


class Sealed(ParseFault):
    """A blob whose value stays unknown: encrypted, or a pickle that cannot be read inertly."""


class _Last(NamedTuple):
    raw: bytes
    value: Any


class Blobs:
    """Decodes the blobs of one thread, oldest first; equal parts become the same object.

    Args:
        depth: deepest nesting allowed.
        exact: as `Tagger` takes it.
    """

    def __init__(self, depth: int, *, exact: bool = False) -> None:
        self._depth = depth
        self._exact = exact
        self._tagger = Tagger(depth, exact=exact)
        self._last: dict[tuple[str, str], _Last] = {}
        self._parts: dict[bytes, Any] = {}
        self._held = 0

    def value(self, tag: str | None, raw: bytes | None) -> Any:
        """Return the tagged JSON value of a blob.

        Raises:
            Sealed: it is encrypted, or a pickle that cannot be read.
            ParseFault: it cannot be decoded.
        """
        if tag is not None and "+" in tag:
            size = len(raw or b"")
            raise Sealed(f"encrypted ({tag}, {size} bytes): the key is not in the store")
        if tag in ("null", "empty") or (tag is None and raw is None):
            return None
        if raw is None:
            raise ParseFault("the blob is NULL")
        if tag == "msgpack":
            return self._tagger.msgpack(raw)
        if tag in ("bytes", "bytearray"):
            return {"$type": "bytes", "b64": base64.b64encode(raw).decode("ascii")}
        if tag in ("json", "Checkpoint"):
            return self._tagger.json(raw)
        if tag == "pickle":
            return self._pickle(raw)
        raise ParseFault(f"unknown blob tag {tag!r}")

    def stand_in(self, tag: str | None, raw: bytes | None) -> tuple[Any, str | None]:
        """Return the value of a blob, or a node that stands for it with the reason."""
        try:
            return self.value(tag, raw), None
        except Sealed as fault:
            kind = SEALED[0] if tag == "pickle" else SEALED[1]
            return {"$type": kind, "tag": tag, "bytes": len(raw or b"")}, fault.reason
        except ParseFault as fault:
            node = {"$type": "undecodable", "tag": tag, **self._tagger.unread(raw or b"", fault)}
            return node, fault.reason

    def channel(self, name: str, tag: str | None, raw: bytes | None) -> tuple[Any, str | None]:
        """Return what `stand_in` does for a blob that is one channel's value by itself.

        It shares its parts with the value that the channel had before.
        """
        if tag == "msgpack" and raw:
            # What cannot be read is met again by `stand_in`, which keeps its bytes.
            with contextlib.suppress(ParseFault):
                return self._part("channel", name, msgspec.Raw(raw)), None
        return self.stand_in(tag, raw)

    def checkpoint(self, tag: str | None, raw: bytes | None) -> dict[str, Any]:
        """Return a checkpoint as stored (``v``, ``ts``, ``channel_values`` …, maybe empty).

        Raises:
            Sealed: it is encrypted, or a pickle that cannot be read.
            ParseFault: it cannot be decoded, or is no object.
        """
        found = self._checkpoint_parts(raw) if tag == "msgpack" and raw is not None else None
        if found is None:
            found = self.value(tag, raw)
        if not isinstance(found, dict) or "$type" in found:
            raise ParseFault("the checkpoint blob holds no object with text keys")
        channels = found.get("channel_values", {})
        if tag == "pickle" and isinstance(channels, dict):
            channels = {name: self._again(name, value) for name, value in channels.items()}
        return {**found, "channel_values": channels}

    def holds_values(self, tag: str | None, raw: bytes | None) -> bool:
        """Return whether a checkpoint has ``channel_values`` of its own, empty or not."""
        try:
            if tag == "msgpack" and raw is not None:
                return "channel_values" in _ENTRIES.decode(raw)
            found = self.value(tag, raw)
        except (ParseFault, msgspec.MsgspecError, RecursionError):
            return False
        return isinstance(found, dict) and "channel_values" in found

    def shape(self, tag: str | None, raw: bytes | None) -> dict[str, Any]:
        """Return a checkpoint without its ``channel_values``; empty where it cannot be read."""
        try:
            if tag == "msgpack" and raw is not None:
                parts = _ENTRIES.decode(raw)
                parts.pop("channel_values", None)
                return {name: self._tagger.msgpack(bytes(part)) for name, part in parts.items()}
            return self.checkpoint(tag, raw)
        except (ParseFault, msgspec.MsgspecError, RecursionError):
            return {}

    def _pickle(self, raw: bytes) -> Any:
        try:
            return tagged_nodes(inert(raw), depth=self._depth, size=len(raw), exact=self._exact)
        except ParseFault as fault:
            raise Sealed(
                f"a pickle of {len(raw)} bytes that is not read: {fault.reason}"
            ) from fault

    def _again(self, channel: str, value: Any) -> Any:
        """Return a channel's value, sharing what it has in common with the one before."""
        last = self._last.get(("channel", channel))
        if last is not None:
            value = unify(last.value, value)
        self._last["channel", channel] = _Last(b"", value)
        return value

    def _checkpoint_parts(self, raw: bytes) -> dict[str, Any] | None:
        """Return the checkpoint decoded part by part, or None where it must be done as a whole."""
        try:
            parts = _ENTRIES.decode(raw)
            channels = _ENTRIES.decode(parts.pop("channel_values", b"\x80"))
        except (msgspec.MsgspecError, RecursionError):
            return None
        if "$type" in channels:
            return None
        found: dict[str, Any] = {
            name: self._part("", name, part) for name, part in parts.items() if name in _TELLING
        }
        found["channel_values"] = {
            name: self._part("channel", name, part) for name, part in channels.items()
        }
        return found

    def _part(self, kind: str, name: str, part: msgspec.Raw) -> Any:
        last = self._last.get((kind, name))
        # Compared where it stands: most parts are what they were, and the large ones cost a copy.
        if last is not None and len(part) == len(last.raw) and last.raw.startswith(part):
            return last.value
        raw = bytes(part)
        value: Any = None
        if (kind, name) == _CHANNEL_VERSIONS:
            value = self._versions(raw)
        elif _nests(raw):
            value = (self._grown(last, raw) if last is not None else None) or self._items(raw)
        if value is None:
            value = self._tagger.msgpack(raw, _CHANNEL_DEPTH)
        self._last[kind, name] = _Last(raw, value)
        return value

    def _versions(self, raw: bytes) -> dict[str, str | int | float] | None:
        """Return text keys with text or numbers, decoded at once; None where it is anything else.

        There is nothing in it to share, and nothing to tag unless the bits of a number count.
        """
        try:
            found = None if self._exact else _VERSIONS.decode(raw)
        except msgspec.MsgspecError:
            return None
        return None if found is None or "$type" in found else found

    def _grown(self, last: _Last, raw: bytes) -> list[Any] | None:
        """Return the list of ``raw`` where it is the last one with elements after it."""
        now = _array(raw)
        was = _array(last.raw) if now is not None else None
        if was is None or now is None or not isinstance(last.value, list):
            return None
        count, start = was
        total, body = now
        if count == 0 or total <= count or len(last.value) != count:
            return None
        if not raw.startswith(memoryview(last.raw)[start:], body):
            return None
        tail = raw[body + len(last.raw) - start :]
        added = self._tagger.msgpack(_array_header(total - count) + tail, _CHANNEL_DEPTH)
        return [*last.value, *added]

    def _items(self, raw: bytes) -> list[Any] | dict[str, Any] | None:
        """Return a list or object of ``raw`` whose parts are shared by their own bytes.

        None where that gains nothing (no part is itself a list or object) or cannot be done.
        """
        try:
            if _array(raw) is not None:
                items = [bytes(item) for item in _ITEMS.decode(raw)]
                return [self._shared(i) for i in items] if any(map(_nests, items)) else None
            named = {name: bytes(entry) for name, entry in _ENTRIES.decode(raw).items()}
        except (msgspec.MsgspecError, RecursionError):
            return None
        if "$type" in named or not any(map(_nests, named.values())):
            return None
        return {name: self._shared(entry) for name, entry in named.items()}

    def _shared(self, raw: bytes) -> Any:
        known = self._parts.get(raw)
        if known is not None:
            return known
        made = self._tagger.msgpack(raw, _CHANNEL_DEPTH + 1)
        if _nests(raw):
            self._held += len(raw)
            if self._held > MEMO_BYTES:
                self._parts.clear()
                self._held = len(raw)
            self._parts[raw] = made
        return made


def _nests(raw: bytes) -> bool:
    """Return whether a msgpack value is an object or a list."""
    return 0x80 <= raw[0] <= 0x9F or 0xDC <= raw[0] <= 0xDF


def _array(raw: bytes) -> tuple[int, int] | None:
    """Return how many elements the msgpack array ``raw`` has and where the first begins."""
    first = raw[0] if raw else 0
    if 0x90 <= first <= 0x9F:
        return first & 0x0F, 1
    if first == 0xDC and len(raw) >= 3:
        return int.from_bytes(raw[1:3], "big"), 3
    if first == 0xDD and len(raw) >= 5:
        return int.from_bytes(raw[1:5], "big"), 5
    return None


def _array_header(count: int) -> bytes:
    return b"\xdd" + count.to_bytes(4, "big")
