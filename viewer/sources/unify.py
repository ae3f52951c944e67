"""Make a freshly parsed value share what it has in common with an older one."""

import math
from typing import Any

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
    if type(new) is dict and type(old) is dict:
        return _unify_objects(old, new)
    if type(new) is list and type(old) is list:
        return _unify_arrays(old, new)
    return old if _equal(old, new) else new


def _equal(old: Any, new: Any) -> bool:
    kind = type(new)
    if kind is not type(old) or kind is dict or kind is list:
        return False
    if kind is float:
        if old != old:
            return bool(new != new)
        return bool(old == new) and math.copysign(1, old) == math.copysign(1, new)
    return bool(old == new)


def _unify_objects(old: dict[Any, Any], new: dict[Any, Any]) -> dict[Any, Any]:
    same = len(old) == len(new)
    for key, value in new.items():
        if key not in old:
            same = False
            continue
        other = old[key]
        kind = type(value)
        if kind is dict or kind is list:
            shared = unify(other, value)
            if shared is not value:
                new[key] = shared
            same = same and shared is other
        elif (kind is type(other) and value == other and kind is not float) or _equal(other, value):
            new[key] = other
        else:
            same = False
    return old if same else new


def _unify_arrays(old: list[Any], new: list[Any]) -> list[Any]:
    same = len(old) == len(new)
    named: dict[tuple[str, Any], Any] | None = None
    for position, value in enumerate(new):
        other = old[position] if position < len(old) else None
        name = identity(value)
        if name is not None and identity(other) != name:
            if named is None:
                named = {n: v for v in old if (n := identity(v)) is not None}
            other = named.get(name)
            same = False
        if other is None and value is not None:
            same = False
            continue
        shared = unify(other, value)
        if shared is not value:
            new[position] = shared
        same = same and shared is other
    return old if same else new
