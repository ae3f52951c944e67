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


def draw_frame(line: dict[str, Any]) -> None:
    """Draw the frame of a page about one thread; the address follows the selection.

    Args:
        line: title, phase, status, facts, violations (None where not computed), problems, verdict.
    """
    _mount(line, addressed=True)


def frame_without_thread(title: str, facts: Sequence[str]) -> None:
    """Draw the frame of a page that is about all sources; the address stays as it is."""
    line = {"title": title, "facts": list(facts), "violations": None, "problems": 0}
    _mount(line, addressed=False)


def _mount(line: dict[str, Any], *, addressed: bool) -> None:
    _FRAME(
        key=selection.FRAME,
        data={
            "line": line,
            "params": selection.current().params() if addressed else None,
            "page": selection.page(),
            "steps": list(selection.STEPS),
            "answered": selection.answered(),
        },
        on_navigated_change=lambda: None,
    )
