"""Draws the conversation and says what was asked for in it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from viewer.ui.panels.mount import nothing, register

_mount = register("conversation")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationResult:
    """What a click asked for, in the one run after it."""

    edit: str | None
    """JSON Pointer of the tool's result that a person wants to change in memory."""
    open: tuple[int, str] | None
    """Index of a checkpoint and a place in it, to be shown on the Timeline."""


def show(payload: Mapping[str, Any], *, key: str) -> ConversationResult:
    """Draw the conversation and return what was just asked for in it."""
    found = _mount(key=key, data=dict(payload), on_edit_change=nothing, on_open_change=nothing)
    edit, place = found.edit, found.open
    known = isinstance(place, Mapping) and isinstance(place.get("index"), int)
    return ConversationResult(
        edit=edit if isinstance(edit, str) else None,
        open=(place["index"], str(place.get("at", ""))) if known and place is not None else None,
    )
