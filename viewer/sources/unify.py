"""Make a freshly parsed value share what it has in common with an older one."""

import math
from typing import Any

from viewer.model import MISSING

_NAMES = ("id", "seq", "key")


def identity(value: Any) -> tuple[str, Any] | None:
    """Return what names an object among its neighbours, as far as sharing is concerned."""
    if type(value) is dict:
        for name in _NAMES:
            found = value.get(name)
            if type(found) is str or type(found) is int:
                return name, found
    return None


def unify(old: Any, new: Any) -> Any:
    """Return ``new`` with every subtree that strictly equals its counterpart in ``old`` replaced.

    ``new`` must be fresh: it is changed in place. Where all of it equals ``old``, that is
    ``old`` itself. ``-0.0`` is not shared with ``0.0``: it is written differently.
    """
    kind = type(new)
    if kind is not type(old):
        return new
    if kind is dict:
        return _unify_objects(old, new)
    if kind is list:
        return _unify_arrays(old, new)
    return old if _equal(old, new) else new


def _equal(old: Any, new: Any) -> bool:
    """Return whether two values of one scalar type are written as the same value."""
    if type(new) is float and new == 0.0:
        return bool(old == new) and math.copysign(1, old) == math.copysign(1, new)
    return bool(old == new or (old != old and new != new))


def _unify_objects(old: dict[Any, Any], new: dict[Any, Any]) -> dict[Any, Any]:
    same = len(old) == len(new)
    for key, value in new.items():
        other = old.get(key, MISSING)
        if other is value:
            continue
        kind = type(value)
        if kind is not type(other):
            same = False
        elif kind is str or kind is int:  # most values, without a call
            if other == value:
                new[key] = other
            else:
                same = False
        elif kind is dict or kind is list:
            shared = _unify_objects(other, value) if kind is dict else _unify_arrays(other, value)
            if shared is other:
                new[key] = other
            else:
                same = False
        elif _equal(other, value):
            new[key] = other
        else:
            same = False
    return old if same else new


def _unify_arrays(old: list[Any], new: list[Any]) -> list[Any]:
    same = len(old) == len(new)
    named: dict[tuple[str, Any], Any] | None = None
    other: Any
    for position, value in enumerate(new):
        other = old[position] if position < len(old) else MISSING
        if type(value) is dict:
            name = identity(value)
            if name is not None and identity(other) != name:
                if named is None:
                    named = {n: v for v in old if (n := identity(v)) is not None}
                other = named.get(name, MISSING)
                same = False
        kind = type(value)
        if kind is not type(other):
            shared = value
        elif kind is dict:
            shared = _unify_objects(other, value)
        elif kind is list:
            shared = _unify_arrays(other, value)
        else:
            shared = other if _equal(other, value) else value
        if shared is other:
            new[position] = other
        else:
            same = False
    return old if same else new
