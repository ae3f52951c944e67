"""Text from data, shown as the literal text that it is.

Streamlit reads Markdown, LaTeX, emoji shortcodes, colour and icon directives in almost every
label and message; a state's own words must never be read so. Backslashes are no help: shortcodes
are replaced after they are gone. Inside a code span nothing is replaced but ``:material/``, which
Streamlit rewrites in the source itself, before there are spans: a word joiner, which draws nothing,
keeps it apart.
"""

import re

from viewer.jsontext import visible

__all__ = ["file_name", "literal", "visible"]

_TICKS = re.compile(r"`+")
_ODD = re.compile(r"[^\w.-]")
_ICON = ":material/"
_KEPT_APART = ":material\u2060/"


def literal(text: str) -> str:
    """Return ``text`` as one Markdown code span, the only place where Streamlit reads nothing."""
    shown = visible(text).replace("\n", "⏎").replace(_ICON, _KEPT_APART)
    if not shown.strip():
        return "(empty)"
    longest = max((len(run) for run in _TICKS.findall(shown)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if shown[0] in "` " or shown[-1] in "` " else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def file_name(text: str, ending: str) -> str:
    """Return a name for a download that no file system and no reader misreads.

    Letters, digits, ``.``, ``_`` and ``-`` of ``text`` stay, at most 80; ``ending`` is ours.
    """
    return (_ODD.sub("_", text[:80]).lstrip(".") or "thread") + ending
