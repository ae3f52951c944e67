"""Text from data in Markdown: always a code span, the one place where nothing is markup.

Outside of one, names with an at sign, numbers with a hash and addresses turn live where Markdown is
shown to others, whatever is escaped.
"""

import re

from viewer.reports.terminal import safe

_TICKS = re.compile(r"`+")
_PIPE = re.compile(r"(\\?)\|")


def code(text: str) -> str:
    """Return ``text`` as a code span on one line that may also stand in a table's cell.

    A pipe is written ``\\|``, which a table reads as a pipe; behind a backslash, where it would end
    the cell, ``\\u007c``.
    """
    shown = _PIPE.sub(lambda found: "\\\\u007c" if found[1] else "\\|", safe(text))
    if not shown.strip():
        return "(empty)"
    fence = "`" * (max((len(run) for run in _TICKS.findall(shown)), default=0) + 1)
    pad = " " if shown[0] in "` " or shown[-1] in "` " else ""
    return f"{fence}{pad}{shown}{pad}{fence}"
