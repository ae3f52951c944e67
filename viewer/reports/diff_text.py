"""A diff for people in a terminal: one block a change, told apart by sign, word and layout."""

from collections import Counter
from collections.abc import Mapping
from typing import Any
from unicodedata import category, normalize

from viewer.analysis.text import invisible_difference, preview, word_segments
from viewer.jsontext import source_text, type_name
from viewer.reports.parts import blocks, counted, problems, thread_of
from viewer.reports.terminal import revealed, safe, value

_SIGNS = {"add": "+", "remove": "-", "replace": "~", "move": ">"}
_WORDS = (("add", "added"), ("remove", "removed"), ("replace", "changed"), ("move", "moved"))
_WIDTH = 100
_COUNTED = 100_000
"""Most characters of two texts whose differing places are counted: the count is a help, no more."""


def text(document: Mapping[str, Any]) -> str:
    """Return the changes, the folded noise and the counts."""
    shown = [row for row in document["changes"] if not row.get("noise")]
    folded = len(document["changes"]) - len(shown)
    head = f"{_name(document['base'])} -> {_name(document['target'])}"
    return blocks(
        f"{safe(head)}\n{safe(document['summary'])}" if document["changes"] else safe(head),
        "\n".join(_change(row) for row in shown),
        f"{counted(folded, 'change')} folded as noise: {', '.join(document['rules']['noise'])}"
        if folded
        else "",
        _notes(document),
        problems(document),
        _counts(document),
    )


def _name(row: Mapping[str, Any]) -> str:
    if row["checkpoint_id"] is None:
        return str(row["source"])
    return f"{thread_of(row)} @{row['index']} {row['checkpoint_id']}"


def _change(row: Mapping[str, Any]) -> str:
    head = f"{_SIGNS[row['op']]} {safe(row['path']) or '(the whole document)'}"
    if row["op"] == "add":
        return f"{head}  {value(row['new'], _WIDTH)}"
    if row["op"] == "remove":
        return f"{head}  {value(row['old'], _WIDTH)}"
    if row["op"] == "move":
        return f"{head}  moved from {safe(row['old_path'])}"
    return f"{head}{_replaced(row)}"


def _replaced(row: Mapping[str, Any]) -> str:
    old, new = row["old"], row["new"]
    places = 0
    if isinstance(old, str) and isinstance(new, str) and len(old) + len(new) > _WIDTH:
        places = _places(old, new) if len(old) + len(new) <= _COUNTED else 0
        old, new = preview(old, new, _WIDTH)
    before, after = _pair(old, new)
    was = f"  (was at {safe(row['old_path'])})" if "old_path" in row else ""
    note = f"  (differs in {places} places)" if places > 1 else _note(row)
    if len(before) + len(after) <= _WIDTH:
        return f"  {before} -> {after}{note}{was}"
    return f"{note}{was}\n    - {before}\n    + {after}"


def _places(old: str, new: str) -> int:
    """Return at how many places the words of two texts differ."""
    kinds = [segment.kind for segment in word_segments(old, new)]
    return sum(
        kind != "same" and (at == 0 or kinds[at - 1] == "same") for at, kind in enumerate(kinds)
    )


def _pair(old: Any, new: Any) -> tuple[str, str]:
    """Return both values on a line each; escaped in full where they would look the same."""
    before, after = value(old, _WIDTH + 4), value(new, _WIDTH + 4)
    texts = isinstance(old, str) and isinstance(new, str)
    if _look(before) == _look(after) or (texts and invisible_difference(old, new)):
        return revealed(before), revealed(after)
    return before, after


def _look(text: str) -> str:
    """Return what remains of ``text`` for the eye: compatible forms, nothing of no width."""
    return "".join(c for c in normalize("NFKC", text) if category(c) not in ("Cf", "Mn"))


def _note(row: Mapping[str, Any]) -> str:
    if "delta" in row:
        return f"  ({'+' if row['delta'] > 0 else ''}{source_text(row['delta'])})"
    if row.get("same_number"):
        return "  (the same number)"
    if row.get("type_changed"):
        return f"  ({type_name(row['old'])} became {type_name(row['new'])})"
    return ""


def _notes(document: Mapping[str, Any]) -> str:
    return "\n".join(
        f"{safe(note['path']) or 'the list'}: {note['reason']}"
        for note in document["rules"]["unpaired"]
    )


def _counts(document: Mapping[str, Any]) -> str:
    """Return the counts of what is listed above; what is folded as noise is counted apart."""
    listed = Counter(row["op"] for row in document["changes"] if not row.get("noise"))
    noise = len(document["changes"]) - listed.total()
    parts = [f"{listed[op]:,} {word}" for op, word in _WORDS if listed[op]]
    how = " by the loose rules" if document["rules"]["loose"] else ""
    if not document["changes"]:
        return f"no difference{how}"
    told = f"{counted(listed.total(), 'change')}{how}" + (f": {', '.join(parts)}" if parts else "")
    return f"{told}; {noise:,} as noise" if noise else told
