"""Draws the strip and says what was chosen in it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from viewer.ui import selection
from viewer.ui.panels.mount import nothing, register

_mount = register("strip")


@dataclass(frozen=True, slots=True, kw_only=True)
class StripResult:
    """Where the reader stands."""

    selected: int
    base: int | None
    """None means the parent of the selected checkpoint."""
    action: str | None = None
    """``diff`` in the one run after ``d`` was pressed."""
    opened: tuple[str, int] | None = None
    """Namespace and index in the one run after a checkpoint of another chain was clicked."""


def position(key: str) -> StripResult | None:
    """Return where the strip ``key`` stands before it is drawn in this run, if it was drawn."""
    found = st.session_state.get(key)
    if not isinstance(found, Mapping) or not isinstance(found.get("selected"), int):
        return None
    base = found.get("base")
    return StripResult(selected=found["selected"], base=base if isinstance(base, int) else None)


def move(key: str, selected: int, base: int | None = None) -> None:
    """Make the strip ``key`` go to ``selected`` when it is drawn next (a link in the same page)."""
    st.session_state[f"{key}:move"] = (selected, base)


def show(payload: Mapping[str, Any], *, key: str) -> StripResult:
    """Draw the strip and return where it stands.

    The position in ``payload`` counts only when the strip is drawn first or for another chain:
    afterwards the strip knows better, and an unchanged payload costs nothing to send. Use `move`
    to send it somewhere.
    """
    placed = f"{key}:placed"
    known: dict[str, Any] | None = st.session_state.get(placed)
    wanted = st.session_state.pop(f"{key}:move", None)
    fresh = known is not None and (known["rev"] != payload["rev"] or key not in st.session_state)
    if known is None or fresh or wanted is not None:
        selected, base = wanted or (payload["selected"], payload["base"])
        turn = known["turn"] + 1 if known else 0
        known = {"rev": payload["rev"], "selected": selected, "base": base, "turn": turn}
        st.session_state[placed] = known
        st.session_state[key] = {"selected": selected, "base": base}
    found = _mount(
        key=key,
        data={**payload, **known, "outside": selection.compares_outside()},
        default={"selected": payload["selected"], "base": payload["base"]},
        on_selected_change=nothing,
        on_base_change=nothing,
        on_action_change=nothing,
        on_open_change=nothing,
    )
    last = payload["count"] - 1
    chosen = found.selected if isinstance(found.selected, int) else payload["selected"]
    base = found.base if isinstance(found.base, int) and found.base <= last else None
    action = found.action if isinstance(found.action, str) else None
    return StripResult(
        selected=max(0, min(chosen, last)), base=base, action=action, opened=_opened(found.open)
    )


def _opened(told: Any) -> tuple[str, int] | None:
    if not isinstance(told, Mapping):
        return None
    namespace, index = told.get("namespace"), told.get("index")
    if not isinstance(namespace, str) or not isinstance(index, int) or index < 0:
        return None
    return namespace, index
