"""Draws the verdict and says what was chosen in it."""

from collections.abc import Mapping
from typing import Any

from viewer.ui.panels.mount import nothing, register

_mount = register("verdict")


def show(payload: Mapping[str, Any], *, key: str) -> int | None:
    """Draw the verdict and return the number of the link that was just clicked."""
    found = _mount(key=key, data=dict(payload), on_open_change=nothing)
    return found.open if isinstance(found.open, int) else None
