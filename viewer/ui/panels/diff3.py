"""Draws the diff3 and says what was asked for in it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from viewer.panels.wire import text_of
from viewer.ui.panels.mount import nothing, register

_mount = register("diff3")
_MANY = 200
"""Rows beyond which they travel as one text: Streamlit's front end walks every value it is given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffResult:
    """What the reader of the diff asked for."""

    action: str | None = None
    """``swap`` in the one run after base and target were asked to change places."""


def show(payload: Mapping[str, Any], *, key: str) -> DiffResult:
    """Draw the diff and return what was asked for in it; it asks only for what the page answers."""
    rows = payload["rows"]
    packed = {"rows": text_of(rows)} if len(rows) > _MANY else {}
    found = _mount(key=key, data={**payload, **packed}, on_action_change=nothing)
    action = found.action
    return DiffResult(action=action if isinstance(action, str) else None)
