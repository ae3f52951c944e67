"""Changes and states as CSV (RFC 4180), for spreadsheets: text stays text, numbers stay exact."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from viewer.jsontext import escape_surrogates, source_text, type_name, walk
from viewer.pointer import Tokens, join

CHANGES = (
    "op",
    "path",
    "old_path",
    "old_type",
    "old",
    "new_type",
    "new",
    "delta",
    "noise",
    "shown_to_model",
)
PLACES = ("pointer", "type", "value")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""How a cell begins that a spreadsheet may run."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def changes_csv(document: Mapping[str, Any], verdicts: Sequence[str] = ()) -> str:
    """Return the changes of a diff document, a line each under a head of names.

    Strings stand bare, all else as JSON; ``old_type`` and ``new_type`` tell them apart and are empty
    where there is no value. ``verdicts`` says of each change whether the model was shown it.
    """
    rows = document["changes"]
    marks = list(verdicts) or [""] * len(rows)
    return _csv(CHANGES, (_change(row, mark) for row, mark in zip(rows, marks, strict=True)))


def state_csv(state: Any, under: Tokens = ()) -> str:
    """Return each place of ``state`` that holds no other place: its pointer, type and value.

    ``under`` is where the value itself stands.
    """
    rows = ((inert(join((*under, *at))), type_name(v), _cell(v)) for at, v in leaves(state))
    return _csv(PLACES, rows)


def leaves(state: Any) -> Iterator[tuple[Tokens, Any]]:
    """Yield each place of ``state`` that holds no other place, in the order of the document."""
    return ((at, v) for at, v in walk(state) if not (isinstance(v, dict | list) and v))


def inert(text: str) -> str:
    """Return ``text`` so that no spreadsheet runs it: an apostrophe before what may be a formula."""
    shown = _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", escape_surrogates(text))
    return f"'{shown}" if text.lstrip(" ").startswith(_FORMULA) else shown


def _change(row: Mapping[str, Any], verdict: str) -> list[str]:
    sides = [
        cell
        for side in ("old", "new")
        for cell in ((type_name(row[side]), _cell(row[side])) if side in row else ("", ""))
    ]
    delta = source_text(row["delta"]) if "delta" in row else ""
    noise = "true" if row.get("noise") else ""
    return [
        row["op"],
        inert(row["path"]),
        inert(row.get("old_path", "")),
        *sides,
        delta,
        noise,
        verdict,
    ]


def _cell(value: Any) -> str:
    return inert(value) if isinstance(value, str) else source_text(value)


def _csv(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(head)
    writer.writerows(rows)
    return out.getvalue()
