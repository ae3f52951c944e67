"""Findings as data frames: fixed columns even when empty, values as their source text.

A column that mixes ``10`` and ``"checked"`` would be turned to text silently on its way to the
browser, so that ``1`` and ``"1"`` look alike; here every value is text before it gets there.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from viewer.analysis.grounding import Transcript
from viewer.analysis.transitions import Edge
from viewer.analysis.usage import UsageReport
from viewer.chain import Chain
from viewer.jsontext import dumps, source_text, type_name, visible
from viewer.model import USAGE, NotRun, Problem, Proposal, Violation, Writer

RUNS = (
    "source",
    "thread",
    "namespace",
    "phase",
    "why",
    "status",
    "checkpoints",
    "waiting",
    "violations",
    "findings",
    "rules",
    "problems",
    "updated",
    "reader",
    "profile",
)
_COLUMN_BITS = 63
_FLOAT_BITS = 1024
WRITERS: tuple[Writer, ...] = ("user", "model", "system", "tool_ok", "tool_refused")


def runs(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return one row a thread with the columns `RUNS`; what is not known is empty.

    The phase is a list of one, which is what a coloured pill is drawn from.
    """
    found = _frame(RUNS, ([row.get(name) for name in RUNS] for row in rows))
    found["phase"] = found["phase"].map(lambda phase: [phase])
    found["updated"] = pd.to_datetime(found["updated"], utc=True)
    return found


def violations(found: Sequence[Violation], chain: Chain) -> pd.DataFrame:
    """Return one row a violation: index, step, gate, keyword, pointer, message, checkpoint_id."""
    columns = ("index", "step", "gate", "keyword", "pointer", "message", "checkpoint_id")
    steps = [checkpoint.step for checkpoint in chain.checkpoints]
    return _frame(
        columns,
        (
            [
                v.index,
                None if v.index is None else steps[v.index],
                v.gate,
                v.keyword,
                v.pointer,
                "\n".join((v.message, *v.causes)),
                v.checkpoint_id,
            ]
            for v in found
        ),
    )


def not_run(found: Sequence[NotRun]) -> pd.DataFrame:
    """Return one row a rule that could not judge: gate, rule, reason, checkpoints (how many)."""
    grouped: dict[tuple[str, str, str], int] = {}
    for entry in found:
        key = (entry.gate, entry.rule, entry.reason)
        grouped[key] = grouped.get(key, 0) + 1
    columns = ("gate", "rule", "reason", "checkpoints")
    return _frame(columns, ([*key, count] for key, count in grouped.items()))


def problems(found: Sequence[Problem]) -> pd.DataFrame:
    """Return one row a problem: place, keyword, reason."""
    return _frame(("place", "keyword", "reason"), ([p.place, p.keyword, p.reason] for p in found))


def edges(found: Sequence[Edge]) -> pd.DataFrame:
    """Return one row an edge of the status machine: from, to, legal, taken, at (indices)."""
    return _frame(
        ("from", "to", "legal", "taken", "at"),
        (
            [
                "(start)" if e.source is None else e.source,
                e.target,
                "legal" if e.legal else "illegal",
                len(e.taken),
                ", ".join(f"@{i}" for i in e.taken[:20]) + (" …" if len(e.taken) > 20 else ""),
            ]
            for e in found
        ),
    )


def usage(report: UsageReport, chain: Chain) -> pd.DataFrame:
    """Return one row a checkpoint: index, step, checkpoint_id, state_bytes, then each usage field.

    A field that no record gives is missing, which is not 0.
    """
    columns = ("index", "step", "checkpoint_id", "state_bytes", *USAGE)
    frame = _frame(
        columns,
        (
            [
                s.index,
                chain.checkpoints[s.index].step,
                s.checkpoint_id,
                chain.checkpoints[s.index].size_bytes,
                *(getattr(s.usage, name) for name in USAGE),
            ]
            for s in report.steps
        ),
    )
    numbers = ["step", "state_bytes", *USAGE]
    frame[numbers] = frame[numbers].map(_drawable).apply(pd.to_numeric)
    return frame


def mentions(found: Transcript) -> pd.DataFrame:
    """Return one row an identifier: how often each writer wrote it, what a check on the transcript
    would believe of it, and what the state proves.
    """
    proven = {e.id for e in found.evidence}
    return _frame(
        ("identifier", "mentions", *WRITERS, "a check on the transcript", "the state"),
        (
            [
                m.id,
                m.count,
                *(dict(m.by).get(writer, 0) for writer in WRITERS),
                "believes it",
                "proves it" if m.id in proven else "does not prove it",
            ]
            for m in found.mentions
        ),
    )


def arguments(args: Mapping[str, Any]) -> pd.DataFrame:
    """Return one row an argument of an action: argument, value as text, JSON type."""
    return _frame(
        ("argument", "value", "type"),
        ([k, cell(v), type_name(v)] for k, v in args.items()),
    )


def waiting(found: Sequence[tuple[str, Proposal, int]]) -> pd.DataFrame:
    """Return one row a proposal that waits, from its source's name, itself and how many
    violations its checkpoint has.
    """
    columns = ["source", "thread", "actions", "since", "violations", "checkpoint_id", "kind"]
    rows = [
        [
            source,
            p.thread_id,
            ", ".join(a.tool for a in p.actions) or cell(p.value)[:200],
            p.since,
            violations,
            p.checkpoint_id,
            p.kind,
            p.inconsistency,
        ]
        for source, p, violations in found
    ]
    frame = _frame((*columns, "inconsistency"), rows)
    return frame if frame["inconsistency"].any() else frame[columns]


def cell(value: Any) -> str:
    """Return a value as a cell shows it: strings bare, all else as JSON."""
    return source_text(value) if not isinstance(value, dict | list) else dumps(value)


def _drawable(value: Any) -> Any:
    """Return an integer that no column of numbers can hold as the nearest float."""
    if type(value) is not int or value.bit_length() < _COLUMN_BITS:
        return value
    return (
        float(value) if value.bit_length() < _FLOAT_BITS else math.inf if value > 0 else -math.inf
    )


def _frame(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> pd.DataFrame:
    shown = [tuple(visible(c) if isinstance(c, str) else c for c in row) for row in rows]
    return pd.DataFrame(shown, columns=list(columns))
