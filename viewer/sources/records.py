"""From the values of a chain, in source order, to records: wrapped, bare or as patches.

An object is a wrapper exactly when it has ``state`` (an object) or ``patch`` (an array) and no
key outside `WRAPPER`; any other object is a bare state, and a bare array is a JSON Patch. A patch
applies to its parent's state, or to the one before it where no link is given.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from viewer.chain import when
from viewer.errors import PatchError, ProfileError
from viewer.jsontext import type_name
from viewer.limits import Limits
from viewer.model import MISSING, Record
from viewer.patch import Room, apply, validated
from viewer.profiles import Profile, choose
from viewer.sources.elements import Element

WRAPPER = frozenset(
    {
        *("checkpoint_id", "id", "parent_id", "thread_id", "run_id", "namespace", "step"),
        *("created_at", "ts", "origin", "node", "versions", "decision", "state", "patch"),
    }
)


class Placed(NamedTuple):
    """A record with the thread and namespace that its wrapper names, None where it names none."""

    record: Record
    thread_id: str | None
    namespace: str


class _Unknown(NamedTuple):
    """Stands for a state that cannot be known."""

    reason: str
    """What is wrong with this record."""
    cause: str = ""
    """What is wrong for those that build on it; empty where its own patch fails."""


def is_wrapper(value: Any) -> bool:
    """Return whether ``value`` wraps a state or a patch."""
    return (
        type(value) is dict
        and (type(value.get("state")) is dict or type(value.get("patch")) is list)
        and value.keys() <= WRAPPER
    )


def records(elements: Iterable[Element], limits: Limits) -> list[Placed]:
    """Return a record for each element, its state rebuilt where it is stored as a patch."""
    work = _Rebuilding(limits)
    return [work.placed(element) for element in elements]


class _Rebuilding:
    """The states so far, by checkpoint id, for patches to apply to."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._room = Room()
        self._states: dict[str, Any] = {}
        self._last: Any = _Unknown("", "a patch stands before any checkpoint")
        self._profile: Profile | None = None

    def placed(self, element: Element) -> Placed:
        value = element.value
        if element.fault is not None:
            return self._lost(element, element.fault)
        if type(value) is list:
            return self._one(element, {}, self._patched(value, MISSING))
        if type(value) is not dict:
            return self._lost(
                element, f"a checkpoint is a JSON object, this is a {type_name(value)}"
            )
        if not is_wrapper(value):
            return self._one(element, {}, value)
        if type(value.get("state")) is dict:
            return self._one(element, value, value["state"])
        return self._one(
            element, value, self._patched(value["patch"], value.get("parent_id", MISSING))
        )

    def _lost(self, element: Element, fault: str) -> Placed:
        self._last = _Unknown(fault, f"the record {element.made_id} could not be read")
        lost = Record(
            place=element.place,
            made_id=element.made_id,
            fault=fault,
            listed=False,
            size_bytes=element.size_bytes,
            pointer=element.pointer,
        )
        return Placed(lost, None, "")

    def _patched(self, patch: list[Any], parent: Any) -> Any:
        try:
            operations = validated(patch)
        except PatchError as error:
            return _Unknown(f"not a JSON Patch: {error}")
        base = self._base(parent)
        if isinstance(base, _Unknown):
            return _Unknown(f"state unknown: {base.cause}", base.cause)
        try:
            return apply(base, operations, self._limits.depth, self._room)
        except PatchError as error:
            return _Unknown(f"the patch fails: {error}")

    def _base(self, parent: Any) -> Any:
        if parent is MISSING:
            return self._last
        name = _text(parent)
        if name is None:
            return _Unknown("", "a patch needs a parent, and this one says that it has none")
        return self._states.get(name, _Unknown("", f"its parent {name} does not stand before it"))

    def _one(self, element: Element, wrapper: dict[str, Any], state: Any) -> Placed:
        unknown = state if isinstance(state, _Unknown) else None
        fields, metadata = _fields(wrapper)
        found = Record(
            place=element.place,
            made_id=element.made_id,
            state=MISSING if unknown else state,
            fault=unknown.reason if unknown else None,
            fault_keyword="patch" if unknown else "unreadable",
            trusted=unknown is None,
            metadata=metadata,
            size_bytes=element.size_bytes,
            duplicate_keys=element.duplicate_keys,
            pointer=element.pointer,
            **fields,
        )
        self._remember(found, state)
        return Placed(found, _text(wrapper.get("thread_id")), _text(wrapper.get("namespace")) or "")

    def _remember(self, found: Record, state: Any) -> None:
        name = found.checkpoint_id or self._own_id(state) or found.made_id
        if isinstance(state, _Unknown) and not state.cause:
            state = _Unknown(state.reason, f"the patch of {name} fails")
        self._states[name] = self._last = state

    def _own_id(self, state: Any) -> str | None:
        if isinstance(state, _Unknown):
            return None
        if self._profile is None:
            try:
                self._profile = choose(state)
            except ProfileError:
                return None
        return _text(self._profile.field("checkpoint_id", state))


def _fields(wrapper: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a wrapper's fields for `Record`, and those with a value that none of them takes."""
    rest = {k: v for k, v in wrapper.items() if k not in ("state", "thread_id", "namespace")}
    if type(wrapper.get("state")) is not dict:
        rest.pop("patch", None)
    found: dict[str, Any] = {}
    for name, spellings, read in _READ:
        for spelling in spellings:
            if name not in found and (value := read(rest.get(spelling))) is not None:
                found[name] = value
                del rest[spelling]
    if "parent_id" in rest and rest["parent_id"] is None:
        found["parent_id"] = None
    return found, {k: v for k, v in rest.items() if v is not None}


def _text(value: Any) -> str | None:
    if type(value) is int and abs(value) < 10**18:
        return str(value)
    return value if type(value) is str and value else None


def _step(value: Any) -> int | None:
    return value if type(value) is int else None


def _origin(value: Any) -> str | None:
    return value if type(value) is str else None


def _nodes(value: Any) -> tuple[str, ...] | None:
    if type(value) is str:
        return (value,)
    if type(value) is list and all(type(node) is str for node in value):
        return tuple(value)
    return None


def _decision(value: Any) -> dict[str, Any] | None:
    return value if type(value) is dict else None


_READ = (
    ("checkpoint_id", ("checkpoint_id", "id"), _text),
    ("parent_id", ("parent_id",), _text),
    ("run_id", ("run_id",), _text),
    ("step", ("step",), _step),
    ("created_at", ("created_at", "ts"), when),
    ("origin", ("origin",), _origin),
    ("nodes", ("node",), _nodes),
    ("decision", ("decision",), _decision),
)
