"""Text from data in Markdown: always a code span, the one place where nothing is markup.

Outside of one, names with an at sign, numbers with a hash and addresses turn live where Markdown is
shown to others, whatever is escaped.
"""

import re
from collections.abc import Mapping
from typing import Any

from viewer.reports.parts import thread_of
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


def named(row: Mapping[str, Any]) -> str:
    """Return what a row says of which checkpoint or file it is, on one line."""
    if row["checkpoint_id"] is None:
        return code(str(row["source"]))
    step = "" if row["step"] is None else f", step {row['step']}"
    where = f"thread {code(thread_of(row))} in {code(str(row['source']))}"
    return f"@{row['index']} {code(row['checkpoint_id'])}{step}, {where}"
