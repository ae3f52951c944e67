"""Many threads for people in a terminal: each function prints the document of one command."""

from collections.abc import Mapping
from typing import Any

from viewer.model import GATES
from viewer.reports.parts import (
    Document,
    Rows,
    blocks,
    columns_of,
    counted,
    indented,
    moment,
    problems,
    thread_of,
)
from viewer.reports.terminal import safe

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


def opened(document: Document) -> str:
    """Return where the app is and what it shows."""
    lines = [f"  {safe(row['source'])}" for row in document["sources"]]
    return "\n".join([f"Checkpoint Viewer is at {document['url']} (Ctrl-C stops it)", *lines])


def identify(document: Document) -> str:
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
    return f"{safe(row['source'])}: {safe(what)}\n{indented(rest)}"


def runs(document: Document) -> str:
    """Return the table of threads and what could not be read."""
    rows = document["threads"]
    sources = dict.fromkeys(row["source"] for row in rows)
    found = columns_of(
        rows,
        *((("SOURCE", "source"),) if len(sources) > 1 else ()),
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
        ("UPDATED", lambda r: moment(r["updated_at"])),
    )
    head = safe(next(iter(sources))) if len(sources) == 1 else ""
    return blocks(head, found if rows else "no threads", problems(document))


def check(document: Document) -> str:
    """Return every violation, what could not be judged, and what was looked at."""
    rows, checked = document["violations"], document["checked"]
    where = [("SOURCE", "source")] if checked["sources"] > 1 else []
    found = columns_of(
        rows,
        *where,
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
        *where,
        ("THREAD", thread_of),
        ("INDEX", "index"),
        ("GATE", "gate"),
        ("RULE", "rule"),
        ("REASON", "reason"),
    )
    total = len(rows) + document["dropped"]
    more = f" ({document['dropped']:,} not listed)" if document["dropped"] else ""
    gates = [g for g in GATES if any(t["gates"][g] == "run" for t in document["threads"])]
    summary = (
        f"{counted(total, 'violation')}{more}: checked {counted(checked['sources'], 'source')}, "
        f"{counted(checked['threads'], 'thread')}, {counted(checked['checkpoints'], 'checkpoint')} "
        f"(gates: {', '.join(gates) or 'none'})"
    )
    return blocks(
        found if rows else "",
        f"not judged:\n{indented(missed)}" if document["not_run"] else "",
        _unjudged(document["threads"]),
        _whole(document["threads"]),
        problems(document),
        summary,
    )


def _with_causes(row: Mapping[str, Any]) -> str:
    causes = "; ".join(row.get("causes", ()))
    return f"{row['message']} ({causes})" if causes else str(row["message"])


def _unjudged(threads: Rows) -> str:
    """Say which threads no gate could judge, and what would help."""
    lines = []
    for row in threads:
        if row["judged"]:
            continue
        words = {gate: word for gate, word in row["gates"].items() if gate != "parse"}
        stuck = [gate for gate, word in words.items() if word == "not run"]
        if stuck:
            why = f"{' and '.join(stuck)} could not run"
        elif "run" in words.values():
            why = "not every rule could judge every checkpoint"
        else:
            why = f"profile {row['profile']} declares nothing to check; give --schema FILE"
        lines.append(f"  {thread_of(row)} in {row['source']}: {why}")
    return "\n".join(["could not tell:", *map(safe, lines)]) if lines else ""


def _whole(threads: Rows) -> str:
    names = ", ".join(row["source"] for row in threads if row["whole_file"])
    return safe(f"judged as one document, for the schema takes no object: {names}") if names else ""


def usage(document: Document) -> str:
    """Return usage per step and in total; ``-`` says that no record is at hand."""
    amounts = [(head, key) for head, key in _USAGE if _any(document, key)]
    threads = [row for row in document["threads"] if row["recorded"]]
    if not threads:
        return blocks("no usage is recorded", problems(document))
    steps: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for row in document["steps"]:
        steps.setdefault(_key(row), []).append({**row, "name": row["checkpoint_id"]})
    tables = [_steps(thread, steps.get(_key(thread), []), amounts) for thread in threads]
    silent = [row for row in document["threads"] if not row["recorded"]]
    return blocks(
        *tables,
        _all_threads(document, len(threads), amounts),
        _named("no usage is recorded in", silent),
        problems(document),
    )


_Amounts = list[tuple[str, str]]


def _key(row: Mapping[str, Any]) -> tuple[str, ...]:
    return (row["source"], row["thread_id"], row["namespace"])


def _steps(thread: Mapping[str, Any], rows: Rows, amounts: _Amounts) -> str:
    """Return a thread's name, a table of its steps with their sum, and its budget."""
    total = {**thread, "index": None, "name": "total"}
    found = columns_of([*rows, total], ("INDEX", "index"), ("CHECKPOINT", "name"), *amounts)
    head = f"{thread_of(thread)} in {thread['source']}"
    if thread["budget"]:
        most = [f"{name} {_of(thread[name])} of {n:g}" for name, n in thread["budget"].items()]
        head += f" (budget: {', '.join(most)})"
    return f"{safe(head)}\n{found}"


def _of(amount: float | None) -> str:
    return "-" if amount is None else f"{amount:g}"


def _all_threads(document: Document, threads: int, amounts: _Amounts) -> str:
    if threads < 2:
        return ""
    total = {"name": f"all {threads} threads", **document["totals"]}
    return columns_of([total], ("", "name"), *amounts)


def _named(what: str, threads: Rows) -> str:
    lines = [f"  {thread_of(row)} in {row['source']}" for row in threads]
    return "\n".join([f"{what}:", *map(safe, lines)]) if lines else ""


def _any(document: Document, key: str) -> bool:
    return any(row[key] is not None for row in (*document["steps"], document["totals"]))
