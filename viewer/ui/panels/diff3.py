"""Draws the diff3 and says what was chosen in it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from viewer.ui.panels.mount import nothing, register

_mount = register("diff3")


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffResult:
    """What the reader of the diff chose last."""

    selected: str | None
    """JSON Pointer of the selected change; None before anything is selected."""


def show(payload: Mapping[str, Any], *, key: str) -> DiffResult:
    """Draw the diff and return which change is selected in it."""
    found = _mount(
        key=key, data=dict(payload), default={"selected": None}, on_selected_change=nothing
    )
    selected = found.selected
    return DiffResult(selected=selected if isinstance(selected, str) else None)
