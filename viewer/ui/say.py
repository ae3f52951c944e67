"""Text from data, shown as the literal text that it is.

Streamlit reads Markdown, LaTeX, emoji shortcodes, colour and icon directives in almost every
label and message; a state's own words must never be read so. Backslashes are no help: shortcodes
are replaced after they are gone. Inside a code span nothing is replaced but ``:material/``, which
Streamlit rewrites in the source itself, before there are spans: a word joiner, which draws nothing,
keeps it apart.
"""

import re

_TICKS = re.compile(r"`+")
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


def visible(text: str) -> str:
    """Return ``text`` with control, bidirectional and invisible characters written as escapes."""
    return "".join(f"\\u{ord(c):04x}" if _hidden(c) else c for c in text)


def _hidden(char: str) -> bool:
    code = ord(char)
    return (
        (code < 32 and char not in "\n\t")
        or 0x7F <= code <= 0x9F
        or 0x200B <= code <= 0x200F
        or 0x202A <= code <= 0x202E
        or 0x2060 <= code <= 0x206F
        or 0xD800 <= code <= 0xDFFF
        or code in (0xFEFF, 0x00AD, 0x061C)
    )
