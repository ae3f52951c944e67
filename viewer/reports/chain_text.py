"""One thread for people in a terminal: its checkpoints, a state, its transcript."""

from collections.abc import Callable, Mapping
from typing import Any

from viewer.jsontext import dumps
from viewer.reports.parts import (
    Document,
    Rows,
    blocks,
    columns_of,
    counted,
    indented,
    moment,
    problems,
    safe_lines,
    thread_of,
)
from viewer.reports.terminal import cut, one_line, safe, value

_LINE = 400
"""Columns of an error or interrupt; the whole is in the JSON."""


def show(document: Document) -> str:
    """Return one state, one field, or the table of checkpoints."""
    if "state" in document:
        return _json(document["state"])
    if "checkpoint" in document:
        found = document["value"]
        return safe_lines(found) if isinstance(found, str) else _json(found)
    rows = document["checkpoints"]
    leaves = frozenset(document["heads"])
    live = document["heads"][-1] if leaves else None
    head = (
        f"{thread_of(document)} in {document['source']}: "
        f"{counted(len(rows), 'checkpoint')}, reader {document['reader']}, "
        f"profile {document['profile']}"
    )
    found = columns_of(
        rows,
        ("INDEX", "index"),
        ("CHECKPOINT", "checkpoint_id"),
        ("PARENT", _parents(rows)),
        ("STEP", "step"),
        ("ORIGIN", "origin"),
        ("NODES", lambda r: ", ".join(r["nodes"])),
        ("STATUS", "status"),
        ("PHASE", "phase"),
        ("NEXT", lambda r: ", ".join(r["next"])),
        ("SAVED", lambda r: moment(r["created_at"])),
        ("BYTES", "size_bytes"),
        ("NOTES", lambda r: _notes(r, leaves, live)),
        *((("VALUE", _field_value),) if "field" in document else ()),
    )
    return blocks(safe(head), found, _stops(rows), problems(document))


def _parents(rows: Rows) -> Callable[[Mapping[str, Any]], str]:
    """Return what says where a checkpoint came from, where that is not the line above it."""
    index = {row["checkpoint_id"]: row["index"] for row in rows}

    def parent(row: Mapping[str, Any]) -> str:
        known = index.get(row["parent_id"])
        if row["parent_id"] is None:
            return "none" if row["index"] else ""
        if known is None:
            return f"{row['parent_id']} (missing)"
        return "" if known == row["index"] - 1 else f"@{known}"

    return parent


def _field_value(row: Mapping[str, Any]) -> str:
    return value(row["value"]) if "value" in row else ""


def _notes(row: Mapping[str, Any], leaves: frozenset[str], live: str | None) -> str:
    name = row["checkpoint_id"]
    notes = [
        "live head" if name == live else "head" if name in leaves else "",
        "no state" if not row["has_state"] else "",
        "untrusted" if not row["trusted"] else "",
        f"{row['gap']} missing before" if row["gap"] else "",
    ]
    return ", ".join(note for note in notes if note)


def _stops(rows: Rows) -> str:
    """Return the errors and interrupts of the checkpoints, one a line."""
    lines = []
    for row in rows:
        for error in row["errors"]:
            lines.append(f"  @{row['index']} error in {error['node'] or '?'}: {error['message']}")
        for stop in row["interrupts"]:
            what = "waits" if stop["open"] else "waits no more"
            lines.append(
                f"  @{row['index']} interrupt {stop['id']} {what}: {value(stop['value'], 160)}"
            )
    shown = (cut(one_line(line), _LINE) for line in lines)
    return "\n".join(["errors and interrupts:", *shown]) if lines else ""


def transcript(document: Document) -> str:
    """Return identifiers by who wrote them, the evidence, and what the checks say."""
    at = document["checkpoint"]
    head = f"{thread_of(at)} at {at['checkpoint_id']}: {counted(document['messages'], 'message')}"
    mentions = columns_of(
        document["mentions"],
        ("IDENTIFIER", "id"),
        ("TIMES", "count"),
        ("USER", lambda r: r["by"]["user"]),
        ("MODEL", lambda r: r["by"]["model"]),
        ("SYSTEM", lambda r: r["by"]["system"]),
        ("TOOL OK", lambda r: r["by"]["tool_ok"]),
        ("TOOL REFUSED", lambda r: r["by"]["tool_refused"]),
    )
    evidence = columns_of(
        document["evidence"],
        ("PROVEN", "id"),
        ("CHECKPOINT", "checkpoint_id"),
        ("POINTER", "pointer"),
    )
    return blocks(
        safe(head),
        mentions if document["mentions"] else _unmentioned(document),
        evidence if document["evidence"] else f"no evidence: {one_line(document['why'] or '')}",
        _findings("findings:", document["findings"]),
        *(
            _findings(f"what if {row['name']}:", row["findings"], "it names no action")
            for row in document["what_if"]
        ),
        problems(document),
    )


def _unmentioned(document: Document) -> str:
    if document["identifiers_declared"]:
        return "no identifier is mentioned"
    return "which words are identifiers the profile does not say ([grounding] identifiers)"


def _findings(head: str, rows: Rows, otherwise: str = "") -> str:
    if not rows:
        return f"{safe(head)} {otherwise}" if otherwise else ""
    found = columns_of(
        rows,
        ("IDENTIFIER", "identifier"),
        ("POINTER", "pointer"),
        ("TRANSCRIPT", lambda r: "believes" if r["believed_by_transcript"] else "does not believe"),
        ("STATE", lambda r: "proves" if r["proved_by_state"] else "does not prove"),
        ("MESSAGE", "message"),
    )
    return f"{safe(head)}\n{indented(found)}"


def _json(found: Any) -> str:
    return safe_lines(dumps(found, indent=2))
