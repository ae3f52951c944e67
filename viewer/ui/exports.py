"""Tables as files: CSV as a spreadsheet reads it, JSON with exact values."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

import streamlit as st

from viewer.analysis.growth import Growth
from viewer.analysis.usage import UsageReport
from viewer.analysis.usage_groups import UsageGroup, context_tokens
from viewer.chain import Chain
from viewer.jsontext import dumps, visible
from viewer.model import USAGE, Violation
from viewer.reports.tables_csv import inert
from viewer.ui.say import file_name

Rows = Iterable[Mapping[str, Any]]


def download(name: str, kind: str, rows: Callable[[], Rows]) -> None:
    """Draw a button for CSV and one for JSON.

    Args:
        name: what the table is about, as the file is to be called.
        kind: of rows: ``usage``, ``violations`` …
        rows: returns them; asked only when a button is pressed.
    """
    with st.container(horizontal=True, gap="small", width="content"):
        for ending, mime, write in (
            ("csv", "text/csv", as_csv),
            ("json", "application/json", as_json),
        ):
            st.download_button(
                ending.upper(),
                partial(_written, write, rows),
                file_name(name, f"-{kind}.{ending}"),
                mime,
                key=f"{kind}_{ending}",
                help=f"Download this table as {ending.upper()}",
                on_click="ignore",
            )


def _written(write: Callable[[Rows], bytes], rows: Callable[[], Rows]) -> bytes:
    return write(rows())


def as_json(rows: Rows) -> bytes:
    """Return rows as a JSON array; numbers exact, times in ISO 8601, what is not known null."""
    plain = [{name: _plain(value) for name, value in row.items()} for row in rows]
    return (dumps(plain, indent=1) + "\n").encode()


def as_csv(rows: Rows) -> bytes:
    """Return rows as CSV; what is not known is empty, which is not 0."""
    found = list(rows)
    out = io.StringIO(newline="")
    names = list(dict.fromkeys(name for row in found for name in row))
    writer = csv.DictWriter(out, names)
    writer.writeheader()
    for row in found:
        writer.writerow({name: _cell(value) for name, value in row.items()})
    return out.getvalue().encode()


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _cell(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, list | tuple | dict):
        return json.dumps(value)
    return inert(visible(value)) if isinstance(value, str) else value


def of_runs(rows: Rows) -> Rows:
    """Return what the Runs page knows of threads, under the names of its table."""
    names = ("source", "thread", "namespace", "phase", "status", "why", "checkpoints", "size")
    more = ("waiting", "violations", "findings", "rules", "problems", "tokens", "total", "updated")
    wanted = (*names, *more, "profile", "reader", "checked")
    return [{name: row.get(name) for name in wanted} for row in rows]


def of_growth(found: Growth) -> Rows:
    """Return one row a field and checkpoint: its size in bytes."""
    return [
        {"field": one.field, "index": index, "bytes": size}
        for one in found.fields
        for index, size in zip(found.indices, one.sizes, strict=True)
    ]


def of_groups(found: Sequence[UsageGroup], what: str) -> Rows:
    """Return one row a group of usage."""
    return [
        {what: one.name, "steps": one.steps, **{n: getattr(one.usage, n) for n in USAGE}}
        for one in found
    ]


def of_usage(report: UsageReport, chain: Chain) -> Rows:
    """Return one row a checkpoint: what its step cost and what all to it cost, numbers exact."""
    return [
        {
            "index": step.index,
            "step": chain.checkpoints[step.index].step,
            "checkpoint_id": step.checkpoint_id,
            "nodes": ", ".join(chain.checkpoints[step.index].nodes),
            "created_at": chain.checkpoints[step.index].created_at,
            "state_bytes": chain.checkpoints[step.index].size_bytes,
            "context_tokens": context_tokens(step),
            **{name: getattr(step.usage, name) for name in USAGE},
            **{f"cumulative_{name}": getattr(step.cumulative, name) for name in USAGE},
        }
        for step in report.steps
    ]


def of_violations(found: Sequence[Violation], chain: Chain) -> Rows:
    """Return one row a violation."""
    return [
        {
            "index": v.index,
            "step": None if v.index is None else chain.checkpoints[v.index].step,
            "checkpoint_id": v.checkpoint_id,
            "created_at": None if v.index is None else chain.checkpoints[v.index].created_at,
            "gate": v.gate,
            "keyword": v.keyword,
            "pointer": v.pointer,
            "message": v.message,
            "causes": list(v.causes),
        }
        for v in found
    ]
