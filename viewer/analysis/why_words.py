"""Names, times and values as they stand in one line for people."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from viewer.jsontext import dumps, source_text
from viewer.model import Checkpoint

SHOWN = 3
"""Most names in a row."""


def moment(when: datetime | None) -> str:
    """Return a time to the minute, for people."""
    return "" if when is None else f"{when:%Y-%m-%d %H:%M} UTC"


def place(namespace: str, node: str) -> str:
    """Return a node with the subgraphs around it: ``team › ask``."""
    outer = [part.split(":", 1)[0] for part in namespace.split("|") if part and not part.isdigit()]
    return " › ".join([*outer, node] if node else outer)


def names(nodes: Iterable[str], *, quoted: bool = True) -> str:
    """Return names in words, repeated ones counted, and only the first few."""
    counts = Counter(node or "?" for node in nodes)
    words = [
        (f'"{node}"' if quoted else node) + (f" ×{n}" if n > 1 else "")
        for node, n in counts.items()
    ]
    if len(words) > SHOWN + 1:
        words = [*words[:SHOWN], f"{len(words) - SHOWN} more"]
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1]))) if words else ""


def short(text: str, most: int) -> str:
    """Return ``text`` on one line of at most ``most`` characters, a cut marked by an ellipsis.

    It is cut between words where one ends near the edge.
    """
    line = " ".join(text[: 8 * most].split())
    if len(line) <= most and len(text) <= 8 * most:
        return line
    cut = line[: most - 1]
    edge = cut.rfind(" ")
    ends = line[most - 1 : most] in ("", " ")
    return f"{cut if ends or edge < most // 2 else cut[:edge]}…"


def text(value: Any) -> str:
    """Return any JSON value on one line, strings in quotes."""
    return dumps(value) if isinstance(value, str | dict | list) else source_text(value)


def numbered(checkpoint: Checkpoint) -> str:
    """Return how a checkpoint is counted for people: by the source's step, else by its place."""
    if checkpoint.step is not None:
        return f"step {checkpoint.step}"
    return f"checkpoint {checkpoint.index + 1}"
