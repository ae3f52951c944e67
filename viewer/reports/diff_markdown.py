"""A diff as Markdown: the sentence, what was compared, a table of changes, what the model saw."""

from collections.abc import Mapping, Sequence
from typing import Any

from viewer.analysis.text import preview
from viewer.jsontext import source_text
from viewer.reports.markdown_text import code, named
from viewer.reports.parts import counted
from viewer.reports.terminal import value

ROWS = 500
"""Most changes in the table; the rest are counted."""
_WIDTH = 100
_WORDS = {"add": "added", "remove": "removed", "replace": "changed", "move": "moved"}
_HEAD = ("change", "place", "old", "new")


def text(document: Mapping[str, Any], observation: str = "", verdicts: Sequence[str] = ()) -> str:
    """Return the diff ``document`` as Markdown in which no text of the data is markup.

    Args:
        document: As `viewer.reports.diff_document.diff_document` makes it.
        observation: What the model was shown of the target and how that is known, in words.
        verdicts: One a change, in the same order; empty where nobody judged.
    """
    rows = document["changes"]
    marks = list(verdicts) or [""] * len(rows)
    shown = [(row, mark) for row, mark in zip(rows, marks, strict=True) if not row.get("noise")]
    parts = [
        f"## What changed: {_short(document['base'])} → {_short(document['target'])}",
        f"**{code(document['summary'])}**",
        _sides(document, observation),
    ]
    if shown:
        parts.append(_table(shown[:ROWS], bool(verdicts)))
    if len(shown) > ROWS:
        parts.append(f"{counted(len(shown) - ROWS, 'change')} more, not listed here.")
    if folded := len(rows) - len(shown):
        patterns = ", ".join(code(pattern) for pattern in document["rules"]["noise"])
        parts.append(f"{counted(folded, 'change')} folded as noise: {patterns}")
    if document["rules"]["loose"]:
        parts.append("Compared loosely: " + code(source_text(document["rules"]["loose"])))
    return "\n\n".join(parts) + "\n"


def _short(row: Mapping[str, Any]) -> str:
    return code(str(row["source"])) if row["index"] is None else f"@{row['index']}"


def _sides(document: Mapping[str, Any], observation: str) -> str:
    lines = [f"- {side}: {named(document[side])}" for side in ("base", "target")]
    if observation:
        lines.append(f"- the model: {code(observation)}")
    return "\n".join(lines)


def _table(rows: Sequence[tuple[Mapping[str, Any], str]], judged: bool) -> str:
    head = (*_HEAD, "the model") if judged else _HEAD
    lines = [_line(head), _line(["---"] * len(head))]
    for row, verdict in rows:
        old, new = _values(row)
        cells = [_WORDS[row["op"]], _place(row), old, new]
        lines.append(_line([*cells, verdict] if judged else cells))
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _place(row: Mapping[str, Any]) -> str:
    here = code(row["path"]) if row["path"] else "the whole document"
    return f"{here} from {code(row['old_path'])}" if "old_path" in row else here


def _values(row: Mapping[str, Any]) -> tuple[str, str]:
    old, new = row.get("old"), row.get("new")
    if row["op"] == "move":
        return "", ""
    if isinstance(old, str) and isinstance(new, str) and len(old) + len(new) > _WIDTH:
        old, new = preview(old, new, _WIDTH)
    before = code(value(old, _WIDTH)) if "old" in row else ""
    after = code(value(new, _WIDTH)) if "new" in row else ""
    if "delta" in row:
        sign = "+" if row["delta"] > 0 else ""
        after += f" ({sign}{source_text(row['delta'])})"
    return before, after
