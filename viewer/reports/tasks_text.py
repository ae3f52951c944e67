"""What ``show --tasks`` says, for people in a terminal: what ran after each checkpoint."""

from collections.abc import Mapping, Sequence
from typing import Any

from viewer.reports.parts import Document, blocks, counted, indented, problems, thread_of
from viewer.reports.terminal import cut, one_line, safe, value

_LINE = 240
_VALUE = 120


def tasks(document: Document) -> str:
    """Return, for each checkpoint, its tasks with all that they stored."""
    rows = document["checkpoints"]
    head = f"{thread_of(document)} in {document['source']}: {counted(len(rows), 'checkpoint')}"
    return blocks(safe(head), *map(_checkpoint, rows), problems(document))


def _checkpoint(row: Mapping[str, Any]) -> str:
    step = "" if row["step"] is None else f" step {row['step']}"
    by = f", written by {', '.join(row['nodes'])}" if row["nodes"] else ""
    lines = [f"@{row['index']}{step} {row['checkpoint_id']}{by}"]
    for task in row["tasks"]:
        lines += _task(task)
    if row["caller_writes"]:
        lines += ["  the caller, without a task", *_writes(row["caller_writes"])]
    return "\n".join(cut(one_line(line), _LINE) for line in lines)


def _task(task: Mapping[str, Any]) -> Sequence[str]:
    asked = any(interrupt["open"] for interrupt in task["interrupts"])
    word = (
        "finished"
        if task["finished"]
        else "waits"
        if asked
        else "failed"
        if task["errors"]
        else "has saved nothing"
    )
    given = f" with {value(task['input'], _VALUE)}" if "input" in task else ""
    nested = f", subgraph {task['namespace']}" if task["namespace"] else ""
    head = f"  {task['node'] or '?'} {word}{given} ({task['kind']} {task['id']}{nested})"
    return [head, *_writes(task["writes"])]


def _writes(writes: Sequence[Mapping[str, Any]]) -> list[str]:
    return [indented(f"    {w['channel']} = {value(w['value'], _VALUE)}") for w in writes]
