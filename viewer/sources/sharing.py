"""Load the documents of one chain so that what did not change is the same Python object.

Neighbouring checkpoints are nearly equal. Only the outer levels of a document are cut into raw
slices; a slice whose bytes equal those of the document before it is not parsed again: its value
is taken from there. Equal bytes are strictly equal values, so the diff may skip whatever is
identical, and a chain costs little more memory than its changes.
"""

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import is_ as is_same
from typing import Any, Literal

import msgspec

from viewer.errors import ParseFault
from viewer.limits import DEFAULT_LIMITS
from viewer.sources.json_bytes import (
    NOT_REGULAR,
    WHITESPACE,
    Irregular,
    decode,
    is_deeper,
    is_shallow,
    keys_stand_once,
    parse_slowly,
    utf8,
)
from viewer.sources.members import KeyCheck
from viewer.sources.unify import identity, unify

SMALL = 1024
"""Slices shorter than this are parsed and unified: cutting them up costs more."""
_RESTING = 16
"""Documents to parse whole after one whose bytes told nothing (keys reordered, new layout)."""
_WASTED = 0.6
"""Share of a document parsed above which its bytes told nothing."""

Raw = msgspec.Raw
Buffer = bytes | msgspec.Raw


class SharedLoader:
    """Loads documents one after another; keeps only the raw bytes of the last one.

    One loader serves one chain and one thread of execution.

    Args:
        fmt: what the bytes are.
        depth: deepest nesting of a document.
        parse: for msgpack, turns one slice into a value in place of msgspec; it must be a pure
            function of the bytes.
    """

    def __init__(
        self,
        fmt: Literal["json", "msgpack"] = "json",
        depth: int = DEFAULT_LIMITS.depth,
        parse: Callable[[bytes], Any] | None = None,
    ) -> None:
        module = msgspec.json if fmt == "json" else msgspec.msgpack
        self.duplicate_keys: tuple[str, ...] = ()
        """Pointers of the keys that stand twice in one object of the last loaded document."""
        self._json = fmt == "json"
        self._depth = depth
        self._members = module.Decoder(dict[str, Raw]).decode
        self._elements = module.Decoder(list[Raw]).decode
        self._one = parse or msgspec.msgpack.Decoder().decode
        self._keys = KeyCheck()
        self._raw: bytes | None = None
        self._top: dict[str, Raw] | None = None
        self._value: Any = None
        self._parsed = 0
        self._rest = 0
        # What was parsed for the document at hand; its keys are counted all at once.
        self._texts: list[bytes] = []
        self._values: list[Any] = []

    def load(self, raw: bytes) -> Any:
        """Return the value of ``raw``, made of the last document's subtrees where they are equal.

        Raises:
            ParseFault: the bytes yield no value; the loader stays as it was.
        """
        whole = raw
        if self._json:
            whole = utf8(raw)
            raw = whole.strip(WHITESPACE)
        try:
            value, top = self._load(raw)
            doubled: tuple[str, ...] = ()
            kept: bytes | None = raw
        except NOT_REGULAR as error:
            value, doubled = self._load_slowly(whole, error)
            top, kept = None, None
        self._raw, self._top, self._value, self.duplicate_keys = kept, top, value, doubled
        return value

    def _load(self, raw: bytes) -> tuple[Any, dict[str, Raw] | None]:
        try:
            found = self._load_by_bytes(raw)
            if self._texts and not keys_stand_once(b"".join(self._texts), self._values):
                raise Irregular
            return found
        finally:
            self._texts.clear()
            self._values.clear()

    def _load_by_bytes(self, raw: bytes) -> tuple[Any, dict[str, Raw] | None]:
        if self._raw is None or self._rest:
            self._rest = max(0, self._rest - 1)
            return unify(self._value, self._parse(raw, self._depth)), None
        if raw == self._raw:
            return self._value, self._top
        self._parsed = 0
        found = self._share(self._raw, self._value, raw, self._depth, self._top)
        if self._parsed > _WASTED * len(raw) and len(raw) > 4 * SMALL:
            self._rest = _RESTING
        return found

    def _load_slowly(self, raw: bytes, error: Exception) -> tuple[Any, tuple[str, ...]]:
        """Return the value of a whole document that no cut through its bytes can be trusted for."""
        if self._json:
            value, doubled = parse_slowly(raw, self._depth)
        elif isinstance(error, RecursionError):
            try:
                value, doubled = self._parse(raw, self._depth), ()
            except RecursionError:
                raise ParseFault("nested deeper than the program can follow") from error
        else:
            raise ParseFault(f"not MessagePack: {error}") from error
        try:
            return unify(self._value, value), doubled
        except RecursionError:
            return value, doubled  # Correct, and less shared than it might be.

    def _parse(self, raw: bytes, room: int) -> Any:
        self._parsed += len(raw)
        if self._json:
            value = decode(raw)
            if raw[:1] in (b"{", b"["):
                if not is_shallow(raw, value, room):
                    raise Irregular
                self._texts.append(raw)
                self._values.append(value)
            return value
        value = self._one(raw)
        if len(raw) > room and is_deeper(value, room):
            raise ParseFault(f"nested more than {self._depth} deep (limit: depth)")
        return value

    def _share(
        self, old_raw: Buffer, old: Any, raw: bytes, room: int, top: dict[str, Raw] | None = None
    ) -> tuple[Any, dict[str, Raw] | None]:
        """Return the value of ``raw`` and, for an object, its slices."""
        kind = type(old)
        if room > 0 and kind is dict and self._opens(raw, b"{", 0x80, (0xDE, 0xDF)):
            return self._object(old_raw, old, raw, room, top)
        if room > 0 and kind is list and self._opens(raw, b"[", 0x90, (0xDC, 0xDD)):
            return self._array(old_raw, old, raw, room), None
        return unify(old, self._parse(raw, room)), None

    def _opens(self, raw: bytes, mark: bytes, fixed: int, sized: tuple[int, int]) -> bool:
        if self._json:
            return raw[:1] == mark
        return bool(raw) and (raw[0] & 0xF0 == fixed or raw[0] in sized)

    def _object(
        self,
        old_raw: Buffer,
        old: dict[str, Any],
        raw: bytes,
        room: int,
        top: dict[str, Raw] | None,
    ) -> tuple[Any, dict[str, Raw] | None]:
        try:
            members = self._members(raw)
            before = self._members(old_raw) if top is None else top
        except msgspec.DecodeError:
            # MessagePack keys need not be text, and JSON may be irregular.
            return unify(old, self._parse(raw, room)), None
        if self._json and not self._keys.once_each(raw, members):
            raise Irregular
        value = {}
        same = len(members) == len(old) == len(before)
        for key, slice_ in members.items():
            old_slice = before.get(key)
            if old_slice is None:
                value[key] = self._parse(bytes(slice_), room - 1)
                same = False
            elif old_slice == slice_:
                value[key] = old[key]
            else:
                was = old[key]
                found = value[key] = self._child(old_slice, was, bytes(slice_), room - 1)
                same = same and found is was
        return (old if same else value), members

    def _child(self, old_raw: Buffer, old: Any, raw: bytes, room: int) -> Any:
        kind = type(old)
        if kind is dict or kind is list:
            if len(raw) < SMALL:
                return unify(old, self._parse(raw, room))
            return self._share(old_raw, old, raw, room)[0]
        return self._parse(raw, room)

    def _array(self, old_raw: Buffer, old: list[Any], raw: bytes, room: int) -> list[Any]:
        if self._json and old:
            added = _appended(old_raw, raw)
            if added is not None:
                return [*old, *self._parse(added, room)]
        try:
            now, before = self._elements(raw), self._elements(old_raw)
        except msgspec.DecodeError:
            return unify(old, self._parse(raw, room))  # type: ignore[no-any-return]
        if len(before) != len(old):
            return unify(old, self._parse(raw, room))  # type: ignore[no-any-return]
        shorter = min(len(before), len(now))
        start = 0
        while start < shorter and before[start] == now[start]:
            start += 1
        end = 0
        while end < shorter - start and before[-1 - end] == now[-1 - end]:
            end += 1
        changed = range(start, len(before) - end)
        middle = [*self._middle(before, old, changed, now[start : len(now) - end], room - 1)]
        if len(middle) == len(changed) and all(map(is_same, middle, old[start : changed.stop])):
            return old
        value = old[:start]
        value += middle
        value += old[len(old) - end :]
        return value

    def _middle(
        self, before: list[Raw], old: list[Any], was: range, slices: list[Raw], room: int
    ) -> Iterator[Any]:
        """Yield the elements between the equal ends: moved, edited, positional or new ones."""
        if not was:
            yield from (self._parse(bytes(slice_), room) for slice_ in slices)
            return
        by_bytes = {bytes(before[i]): i for i in was}
        by_name = {name: i for i in was if (name := identity(old[i])) is not None}
        for position, slice_ in enumerate(slices, was.start):
            own = bytes(slice_)
            moved = by_bytes.get(own)
            if moved is not None:
                yield old[moved]
            elif len(slices) == len(was) and (len(was) == 1 or not by_name):
                yield self._child(before[position], old[position], own, room)
            else:
                value = self._parse(own, room)
                name = identity(value)
                twin = by_name.get(name) if name is not None else None
                if twin is None and name is None and position in was:
                    twin = position
                yield value if twin is None else unify(old[twin], value)


def _appended(old_raw: Buffer, raw: bytes) -> bytes | None:
    """Return the array of what ``raw`` has after all elements of ``old_raw``; else None."""
    old_text = memoryview(old_raw)
    end = len(old_text) - 1
    while old_text[end - 1] in WHITESPACE:
        end -= 1
    # Copying the old text is only worth while where its last bytes are there.
    near = max(0, end - 16)
    if raw[end : end + 1] != b"," or raw[near:end] != old_text[near:end]:
        return None
    return b"[" + raw[end + 1 :] if raw.startswith(bytes(old_text[:end])) else None


class _Pause:
    """How many loads want the collector off, and whether it was on before the first."""

    lock = threading.Lock()
    depth = 0
    was_enabled = False


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the garbage collector off during a bulk load, and turn it on again if it was on.

    Parsing makes many containers and no cycles; the collector would visit them again and again.
    """
    with _Pause.lock:
        if _Pause.depth == 0:
            _Pause.was_enabled = gc.isenabled()
            gc.disable()
        _Pause.depth += 1
    try:
        yield
    finally:
        with _Pause.lock:
            _Pause.depth -= 1
            if _Pause.depth == 0 and _Pause.was_enabled:
                gc.enable()
