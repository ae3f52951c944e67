"""Findings for people in a terminal: each function prints the document of one command."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from viewer.jsontext import dumps
from viewer.reports.terminal import one_line, safe, table, value

_Document = Mapping[str, Any]
_Rows = Sequence[Mapping[str, Any]]
_USAGE = (
    ("CALLS", "model_calls"),
    ("INPUT", "input_tokens"),
    ("OUTPUT", "output_tokens"),
    ("TOTAL", "total_tokens"),
    ("CACHE READ", "cache_read_tokens"),
    ("CACHE WRITE", "cache_write_tokens"),
    ("REASONING", "reasoning_tokens"),
    ("COST USD", "cost_usd"),
    ("SECONDS", "model_seconds"),
)


def columns_of(rows: _Rows, *columns: tuple[str, str | Callable[[Mapping[str, Any]], Any]]) -> str:
    """Return a table of ``rows``: a column is a head and a key, or a function of the row."""
    return table(
        [head for head, _ in columns],
        [[row[get] if isinstance(get, str) else get(row) for _, get in columns] for row in rows],
    )


def counted(number: int, what: str, many: str | None = None) -> str:
    """Return ``number`` with its noun (``1 change``, ``2 changes``)."""
    return f"{number:,} {what if number == 1 else many or what + 's'}"


def blocks(*parts: str) -> str:
    """Return the non-empty ``parts`` with a blank line between them."""
    return "\n\n".join(part for part in parts if part)


def problems(document: _Document) -> str:
    """Return what could not be read, one a line; empty where all could."""
    rows = document["problems"]
    if not rows:
        return ""
    lines = [f"  {safe(row['place'])}: {one_line(row['reason'])}" for row in rows]
    return "\n".join([f"{counted(len(rows), 'problem')}:", *lines])


def thread_of(row: Mapping[str, Any]) -> str:
    """Return a row's thread, with its namespace where it is no root."""
    space = row["namespace"]
    return f"{row['thread_id']} / {space}" if space else str(row["thread_id"])


def opened(document: _Document) -> str:
    """Return where the app is and what it shows."""
    lines = [f"  {safe(row['source'])}" for row in document["sources"]]
    return "\n".join([f"Checkpoint Viewer is at {document['url']} (Ctrl-C stops it)", *lines])


def identify(document: _Document) -> str:
    """Return each place with the reader that claims it and what the others miss."""
    return blocks(*(_place(row) for row in document["sources"]), problems(document))


def _place(row: Mapping[str, Any]) -> str:
    if row["reader"]:
        what = row["reader"]
    elif row["claimed_by"]:
        what = f"claimed by {' and '.join(row['claimed_by'])}; choose with --format"
    else:
        what = "no reader knows this"
    rest = columns_of(
        sorted(row["readers"], key=lambda r: not r["claims"]),
        ("", lambda r: "+" if r["claims"] else "-"),
        ("READER", "reader"),
        ("WHY", "why"),
    )
    return f"{safe(row['source'])}: {safe(what)}\n{_indented(rest)}"


def runs(document: _Document) -> str:
    """Return the table of threads and what could not be read."""
    rows = document["threads"]
    found = columns_of(
        rows,
        ("SOURCE", "source"),
        ("THREAD", "thread_id"),
        ("NAMESPACE", "namespace"),
        ("READER", "reader"),
        ("PROFILE", "profile"),
        ("CHECKPOINTS", "checkpoints"),
        ("STATUS", "status"),
        ("PHASE", "phase"),
        ("HEAD", "head"),
        ("WAITING", "waiting"),
        ("VIOLATIONS", "violations"),
        ("UPDATED", "updated_at"),
    )
    return blocks(found if rows else "no threads", problems(document))


def show(document: _Document) -> str:
    """Return one state, one field, or the table of checkpoints."""
    if "state" in document:
        return _json(document["state"])
    if "checkpoint" in document:
        found = document["value"]
        return safe_lines(found) if isinstance(found, str) else _json(found)
    rows = document["checkpoints"]
    live = document["heads"][-1] if document["heads"] else None
    head = (
        f"{thread_of(document)} in {document['source']}: "
        f"{counted(len(rows), 'checkpoint')}, reader {document['reader']}, "
        f"profile {document['profile']}"
    )
    found = columns_of(
        rows,
        ("", lambda r: _mark(r, live, document["heads"])),
        ("INDEX", "index"),
        ("CHECKPOINT", "checkpoint_id"),
        ("PARENT", "parent_id"),
        ("STEP", "step"),
        ("ORIGIN", "origin"),
        ("NODES", lambda r: ", ".join(r["nodes"])),
        ("STATUS", "status"),
        ("PHASE", "phase"),
        ("NEXT", lambda r: ", ".join(r["next"])),
        ("SAVED", "created_at"),
        ("BYTES", "size_bytes"),
        ("NOTES", _notes),
        *((("VALUE", _field_value),) if "field" in document else ()),
    )
    return blocks(safe(head), found, _stops(rows), problems(document))


def _mark(row: Mapping[str, Any], live: str | None, heads: Sequence[str]) -> str:
    if row["checkpoint_id"] == live:
        return "*"
    return "+" if row["checkpoint_id"] in heads else ""


def _field_value(row: Mapping[str, Any]) -> str:
    return value(row["value"]) if "value" in row else ""


def _notes(row: Mapping[str, Any]) -> str:
    notes = [
        "no state" if not row["has_state"] else "",
        "untrusted" if not row["trusted"] else "",
        f"{row['gap']} missing before" if row["gap"] else "",
    ]
    return ", ".join(note for note in notes if note)


def _stops(rows: _Rows) -> str:
    """Return the errors and interrupts of the checkpoints, one a line."""
    lines = []
    for row in rows:
        for error in row["errors"]:
            lines.append(f"  @{row['index']} error in {error['node'] or '?'}: {error['message']}")
        for stop in row["interrupts"]:
            what = "waits" if stop["open"] else "was answered"
            lines.append(f"  @{row['index']} interrupt {stop['id']} {what}: {value(stop['value'])}")
    return "\n".join(["stopped at:", *map(one_line, lines)]) if lines else ""


def check(document: _Document) -> str:
    """Return every violation, what could not be judged, and what was looked at."""
    rows, checked = document["violations"], document["checked"]
    found = columns_of(
        rows,
        ("THREAD", thread_of),
        ("INDEX", "index"),
        ("CHECKPOINT", "checkpoint_id"),
        ("GATE", "gate"),
        ("KEYWORD", "keyword"),
        ("POINTER", lambda r: r["pointer"] or '""'),
        ("MESSAGE", lambda r: _with_causes(r)),
    )
    missed = columns_of(
        document["not_run"],
        ("THREAD", thread_of),
        ("INDEX", "index"),
        ("GATE", "gate"),
        ("RULE", "rule"),
        ("REASON", "reason"),
    )
    total = len(rows) + document["dropped"]
    more = f" ({document['dropped']:,} not listed)" if document["dropped"] else ""
    summary = (
        f"{counted(total, 'violation')}{more}: checked {counted(checked['sources'], 'source')}, "
        f"{counted(checked['threads'], 'thread')}, {counted(checked['checkpoints'], 'checkpoint')}"
    )
    return blocks(
        found if rows else "",
        f"not judged:\n{_indented(missed)}" if document["not_run"] else "",
        _unjudged(document["threads"]),
        problems(document),
        summary,
    )


def _with_causes(row: Mapping[str, Any]) -> str:
    causes = "; ".join(row.get("causes", ()))
    return f"{row['message']} ({causes})" if causes else str(row["message"])


def _unjudged(threads: _Rows) -> str:
    """Say which threads no gate could judge, and what would help."""
    lines = []
    for row in threads:
        if row["judged"]:
            continue
        stuck = [gate for gate, word in row["gates"].items() if word == "not run"]
        why = (
            f"{' and '.join(stuck)} could not run"
            if stuck
            else f"profile {row['profile']} declares nothing to check; give --schema FILE"
        )
        lines.append(f"  {thread_of(row)} in {row['source']}: {why}")
    return "\n".join(["could not tell:", *map(safe, lines)]) if lines else ""


def usage(document: _Document) -> str:
    """Return usage per step and in total; ``-`` says that no record is at hand."""
    amounts = [(head, key) for head, key in _USAGE if _any(document, key)]
    if not amounts:
        return blocks("no usage is recorded", problems(document))
    several = len(document["threads"]) > 1
    rows = [
        *({**row, "name": row["checkpoint_id"]} for row in document["steps"]),
        *({**row, "index": None, "name": "thread"} for row in document["threads"] if several),
    ]
    rows.sort(key=_thread_order(document["threads"]))
    last = {"thread_id": "", "namespace": "", "index": None, "name": "total", **document["totals"]}
    found = columns_of(
        [*rows, last],
        *((("THREAD", thread_of),) if several else ()),
        ("INDEX", "index"),
        ("CHECKPOINT", "name"),
        *amounts,
    )
    return blocks(found, _budgets(document["threads"]), problems(document))


def _thread_order(threads: _Rows) -> Callable[[Mapping[str, Any]], int]:
    place = {(t["source"], t["thread_id"], t["namespace"]): i for i, t in enumerate(threads)}
    return lambda row: place[row["source"], row["thread_id"], row["namespace"]]


def _any(document: _Document, key: str) -> bool:
    return any(row[key] is not None for row in (*document["steps"], document["totals"]))


def _budgets(threads: _Rows) -> str:
    lines = [
        f"  {thread_of(row)}: {name} {row[name] if row[name] is not None else '-'} of {most:g}"
        for row in threads
        for name, most in row["budget"].items()
    ]
    return "\n".join(["budget:", *map(safe, lines)]) if lines else ""


def transcript(document: _Document) -> str:
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
        mentions if document["mentions"] else "no identifier is mentioned",
        evidence if document["evidence"] else f"no evidence: {one_line(document['why'] or '')}",
        _findings("findings:", document["findings"]),
        *(
            _findings(f"what if {row['name']}:", row["findings"], "it names no action")
            for row in document["what_if"]
        ),
        problems(document),
    )


def _findings(head: str, rows: _Rows, otherwise: str = "") -> str:
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
    return f"{safe(head)}\n{_indented(found)}"


def safe_lines(text: str) -> str:
    """Return ``text`` made safe line by line, its line breaks kept."""
    return "\n".join(safe(line) for line in text.split("\n"))


def _json(found: Any) -> str:
    return safe_lines(dumps(found, indent=2))


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.split("\n"))
