"""A state as Markdown: which checkpoint it is of, and a table of its places."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from viewer.jsontext import type_name
from viewer.pointer import Tokens, join
from viewer.reports.markdown_text import code, named
from viewer.reports.parts import counted
from viewer.reports.tables_csv import leaves
from viewer.reports.terminal import value

ROWS = 1_000
"""Most places in the table; the rest are counted."""
_WIDTH = 200


def text(row: Mapping[str, Any], state: Any, under: Tokens = ()) -> str:
    """Return ``state``, whose checkpoint ``row`` names, as Markdown without any live markup.

    ``under`` is where it stands in the checkpoint's state, where it is a part of it.

    Values longer than a line are cut; nothing else is left out but counted.
    """
    found = leaves(state)
    lines = [
        f"| {code(join((*under, *at))) if at or under else 'the whole state'} | {type_name(v)} | {code(value(v, _WIDTH))} |"
        for at, v in islice(found, ROWS)
    ]
    more = sum(1 for _ in found)
    parts = [
        f"## State of {named(row)}",
        "\n".join(["| place | type | value |", "| --- | --- | --- |", *lines]),
        *([f"{counted(more, 'place')} more, not listed here."] if more else []),
    ]
    return "\n\n".join(parts) + "\n"
