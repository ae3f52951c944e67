"""Registers a panel with Streamlit: its ES modules joined into one, its style sheets into one.

Components v2 takes one module as text, so the few ``import { a } from "./b.js"`` lines that our
modules use are resolved here: each imported file is put before its importer, once, without its
``export`` words. Names at the top level of the files of one panel are therefore unique (a test
holds this). The files stay plain ES modules that a browser or node can load as they are.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

FOLDER = Path(__file__).parent
_IMPORT = re.compile(r'^import\s*\{[^}]*\}\s*from\s*"\./([a-z0-9_]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class)\b)", re.MULTILINE)


def script(name: str) -> str:
    """Return the text of the module ``name`` with everything it imports put before it."""
    parts: list[str] = []
    _collect(name, parts, set())
    return "\n".join(parts)


def _collect(name: str, parts: list[str], seen: set[str]) -> None:
    if name in seen:
        return
    seen.add(name)
    text = (FOLDER / name).read_text(encoding="utf-8")
    for wanted in _IMPORT.findall(text):
        _collect(wanted, parts, seen)
    parts.append(_EXPORT.sub("", _IMPORT.sub("", text)))


def style(name: str) -> str:
    """Return the style sheet ``name`` after those that the panels share."""
    sheets = ("base.css", "list.css", name)
    return "\n".join((FOLDER / sheet).read_text(encoding="utf-8") for sheet in sheets)


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
