"""Registers a panel with Streamlit's Components v2, and mounts it."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from viewer.panels.modules import script, style


def register(panel: str) -> Callable[..., Any]:
    """Return the mount function of the panel whose files are ``<panel>.js`` and ``<panel>.css``."""
    mount: Callable[..., Any] = st.components.v2.component(
        f"checkpoint_viewer_{panel}",
        html='<div class="panel"></div>\n<!-- filled by the module -->',
        css=style(f"{panel}.css"),
        js=script(f"{panel}.js"),
    )
    return mount


def nothing() -> None:
    """Stand in for a callback: Streamlit keeps a state key only when one is registered."""
