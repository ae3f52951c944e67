"""The line above every page, and the address bar that goes with the selection."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from viewer.ui import selection

_HERE = Path(__file__).parent
_FRAME = st.components.v2.component(
    "checkpoint_viewer_frame",
    html='<div class="panel frame"></div>',
    css=(_HERE / "frame.css").read_text(encoding="utf-8"),
    js=(_HERE / "frame.js").read_text(encoding="utf-8"),
)


def draw_frame(line: dict[str, Any], at: int) -> None:
    """Draw the frame of a page about one thread; the address follows the selection.

    Args:
        line: title, phase, status, facts, violations (None where no gate judged), problems, verdict.
        at: Index of the checkpoint drawn below; the page is dimmed while the strip is elsewhere.
    """
    _mount(line, at=at)


def asked_for() -> str | None:
    """Return the page that a click in the frame asked for, in the one run after it."""
    found = (st.session_state.get(selection.FRAME) or {}).get("open")
    return found if isinstance(found, str) else None


def frame_without_thread(title: str, facts: Sequence[str]) -> None:
    """Draw the frame of a page that is about all sources; the address says what it filters."""
    line = {"title": title, "facts": list(facts), "violations": None, "problems": 0}
    _mount(line, only=(*selection.PANEL, "tab"))


def _mount(line: dict[str, Any], *, only: Sequence[str] = (), at: int | None = None) -> None:
    params = selection.current().params()
    _FRAME(
        key=selection.FRAME,
        data={
            "line": line,
            "params": {n: v for n, v in params.items() if n in only} if only else params,
            "page": selection.page(),
            "at": at,
            "held": selection.held(),
            "answered": selection.answered(),
        },
        on_navigated_change=lambda: None,
        on_open_change=lambda: None,
    )
