"""Draws the tree and says what was chosen in it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from viewer.ui.panels.mount import nothing, register

_mount = register("tree")


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeResult:
    """What the reader of the tree chose last."""

    selected: str | None
    """JSON Pointer of the selected row; None before anything is selected."""


def show(payload: Mapping[str, Any], *, key: str) -> TreeResult:
    """Draw the tree and return what is selected in it."""
    found = _mount(
        key=key, data=dict(payload), default={"selected": None}, on_selected_change=nothing
    )
    selected = found.selected
    return TreeResult(selected=selected if isinstance(selected, str) else None)


def selected(key: str) -> str | None:
    """Return the pointer selected in the tree ``key`` before it is drawn in this run."""
    found = st.session_state.get(key)
    value = found.get("selected") if isinstance(found, Mapping) else None
    return value if isinstance(value, str) else None
