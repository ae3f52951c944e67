"""Draws the tree. It tells the page nothing: what it needs it asks for (``viewer.ui.ask``)."""

from collections.abc import Mapping
from typing import Any

from viewer.ui.panels.mount import register

_mount = register("tree")


def show(payload: Mapping[str, Any], *, key: str) -> None:
    """Draw the tree."""
    _mount(key=key, data=dict(payload))
