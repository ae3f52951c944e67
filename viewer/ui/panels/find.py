"""Draws the search line and says which hit was opened on another page or in another chain."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from viewer.ui.panels.mount import nothing, register

_mount = register("find")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The place of a hit."""

    namespace: str
    index: int
    pointer: str


def show(payload: Mapping[str, Any], *, key: str) -> Opened | None:
    """Draw the search line; return the hit that was just opened, in the one run after it."""
    found = _mount(key=key, data=dict(payload), on_open_change=nothing).open
    match found:
        case {"namespace": str(namespace), "index": int(index), "pointer": str(pointer)}:
            return Opened(namespace=namespace, index=index, pointer=pointer)
    return None
