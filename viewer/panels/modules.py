"""Joins the ES modules of a panel into one text, and its style sheets into one.

Components v2 takes one module as text, so the few ``import { a } from "./b.js"`` lines that our
modules use are resolved here: each imported file is put before its importer, once, without its
``export`` words. Names at the top level of the files of one panel are therefore unique (a test
holds this). The files stay plain ES modules that a browser or node can load as they are.
"""

import re
from pathlib import Path

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
