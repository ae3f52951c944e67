"""What ``why`` says, for people in a terminal: the sentence first, then what bears it out."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from viewer.reports.parts import Document, blocks, counted, indented, problems, thread_of
from viewer.reports.terminal import cut, one_line, safe, value

_LINE = 240
"""Columns of one value; the whole is in the JSON."""
_FIELD = 60
_FIELDS = 12
_EVIDENCE = 4
WHOLE = '""'
"""The JSON Pointer of a whole document, as it can be typed."""
_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"))


def why(document: Document, now: datetime) -> str:
    """Return one block a thread; ages are told from ``now``."""
    rows = document["threads"]
    return blocks(
        *(_thread(row, now) for row in rows),
        "" if rows else "no threads",
        problems(document),
    )


def age(since: str | None, now: datetime) -> str:
    """Return how long ago a document's time is, in words; empty where there is none."""
    if since is None:
        return ""
    seconds = (now - datetime.fromisoformat(since).astimezone(UTC)).total_seconds()
    if seconds < 0:
        return "in the future"
    for size, unit in _UNITS:
        if seconds >= size:
            return f"{counted(int(seconds // size), unit)} ago"
    return "less than a minute ago"


def _thread(row: Mapping[str, Any], now: datetime) -> str:
    old = age(row["since"], now)
    head = f"{thread_of(row)} in {row['source']}: {row['phase']}{f', {old}' if old else ''}"
    lines = [safe(head), f"  {one_line(row['sentence'])}"]
    for stop in row["stops"]:
        lines += _stop(stop, now)
    if row["last_write"] is not None and row["stops"]:
        lines.append(_labelled("last write", _write(row["last_write"])))
    lines += _resume(row)
    lines += [line for finding in row["findings"] for line in _finding(finding)]
    lines += [_labelled("note", note) for note in row["notes"]]
    return "\n".join(lines)


def _stop(stop: Mapping[str, Any], now: datetime) -> list[str]:
    where, task = f"{stop['namespace']} | " if stop["namespace"] else "", stop["task"]
    old = age(stop["since"], now)
    at = (
        f"{where}{stop['node'] or '?'}{f', task {task}' if task else ''}, after "
        f"checkpoint {_named(stop)}{f', saved {old}' if old else ''}"
    )
    lines = [_labelled("stopped at", at)]
    if stop["error"] is not None:
        lines.append(_labelled("error", stop["error"]))
        lines.append(_labelled("", "(the store keeps only its repr: no traceback)"))
    for asked in stop["interrupts"]:
        lines.append(_labelled("waits for", f"{value(asked['value'], _LINE)} ({asked['id']})"))
    lines.append(_labelled("input", _input(stop["input"])))
    return lines


def _named(row: Mapping[str, Any]) -> str:
    step = f", step {row['step']}" if row.get("step") is not None else ""
    return f"{row['checkpoint_id']} (@{row['index']}{step})"


def _input(given: Mapping[str, Any]) -> str:
    if "value" in given:
        what = "argument of its Send" if given["kind"] == "send" else "the state there"
        what = "the run's input" if given["pointer"] == "/__start__" else what
        return f"{what}: {value(given['value'], _LINE)}"
    fields = list(given["fields"].items())
    where = "the run's input" if given["pointer"] == "/__start__" else "the state there"
    if not fields:
        return "the state there, which is empty or cannot be read"
    shown = ", ".join(f"{safe(k)}={cut(safe(v), _FIELD)}" for k, v in fields[:_FIELDS])
    more = len(fields) - len(fields[:_FIELDS]) + given["more_fields"]
    return f"{where}: {shown}" + (f" and {counted(more, 'field')} more" if more else "")


def _write(write: Mapping[str, Any]) -> str:
    others = [name for name in write["channels"] if name != write["channel"]]
    beside = ""
    if others:
        more = f" and {len(others) - 1} more" if len(others) > 1 else ""
        beside = f"{write['channel']}, {others[0]}{more}; "
    return (
        f"{write['node'] or 'a task without a name'} wrote {beside}{write['channel']} = "
        f"{value(write['value'], _FIELD * 2)}, after checkpoint {_named(write)}"
    )


def _resume(row: Mapping[str, Any]) -> list[str]:
    said = []
    nameless = any(not task["node"] for task in (*row["reruns"], *row["kept"]))
    unless = ", unless rows without a node's name are its" if nameless else ": it has saved nothing"
    for rerun in row["reruns"]:
        node = _task(rerun)
        if rerun["continues_in"]:
            said.append(f"enter {node} again, whose subgraph goes on in {rerun['continues_in']}")
        else:
            said.append(f"run {node} from its start{unless}")
    for kept in row["kept"]:
        what = f" wrote to {', '.join(kept['channels'])}" if kept["channels"] else " saved"
        said.append(f"keep what {_task(kept)}{what}, and not run it again")
    labels = ["a resume would", *[""] * len(said)]
    return [_labelled(label, line) for label, line in zip(labels, said, strict=False)]


def _task(row: Mapping[str, Any]) -> str:
    node = row["node"] or "a task without a name"
    return f"a call inside {node}" if row["call"] else str(node)


def _finding(row: Mapping[str, Any]) -> list[str]:
    lines = [_labelled("finding", f"{row['keyword']}: {row['message']}")]
    node = f" by node {row['node']}" if row["node"] else ""
    many = f"; {row['count']} checkpoints, last @{row['last_index']}" if row["count"] > 1 else ""
    space = f" in {row['namespace']}" if row["namespace"] else ""
    pointer = row["pointer"] or WHOLE
    lines.append(_labelled("", f"at {_named(row)}{space} {pointer}{node}{many}"))
    for one in row["evidence"][:_EVIDENCE]:
        lines.append(_labelled("", f"@{one['index']} {one['pointer'] or WHOLE}: {one['note']}"))
    return lines


def _labelled(label: str, text: str) -> str:
    return indented(indented(f"{label:<15}{cut(one_line(text), _LINE * 2)}"))
