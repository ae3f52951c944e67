"""Draws the presenter and says when it was left."""

from collections.abc import Mapping
from typing import Any

from viewer.ui.panels.mount import nothing, register

_mount = register("presenter")


def show(payload: Mapping[str, Any], *, key: str) -> Mapping[str, Any] | None:
    """Draw the presenter; return ``{index}`` of the step that it was just left at, else None."""
    found = _mount(key=key, data=dict(payload), on_leave_change=nothing)
    return found.leave if isinstance(found.leave, Mapping) else None
