"""Findings as data frames: fixed columns even when empty, values as their source text.

A column that mixes ``10`` and ``"checked"`` would be turned to text silently on its way to the
browser, so that ``1`` and ``"1"`` look alike; here every value is text before it gets there.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from viewer.analysis.grounding import GroundingFinding, Transcript
from viewer.analysis.transitions import Edge
from viewer.analysis.usage import UsageReport
from viewer.chain import Chain
from viewer.jsontext import dumps, source_text
from viewer.model import USAGE, NotRun, Problem, Proposal, Violation

RUNS = (
    "source",
    "thread",
    "namespace",
    "phase",
    "status",
    "checkpoints",
    "waiting",
    "violations",
    "problems",
    "updated",
    "reader",
    "profile",
)
WRITERS = ("user", "model", "system", "tool_ok", "tool_refused")


def runs(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return one row a thread with the columns `RUNS`; ``violations`` is empty where not computed."""
    return _frame(RUNS, ([row.get(name) for name in RUNS] for row in rows))


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
    frame[numbers] = frame[numbers].apply(pd.to_numeric)
    return frame


def mentions(found: Transcript) -> pd.DataFrame:
    """Return one row an identifier: how often each writer wrote it, and whether a tool proved it."""
    proven = {e.id for e in found.evidence}
    return _frame(
        ("identifier", "mentions", *WRITERS, "proven by state"),
        (
            [
                m.id,
                m.count,
                *(m.by.get(writer, 0) for writer in WRITERS),
                "yes" if m.id in proven else "no",
            ]
            for m in found.mentions
        ),
    )


def believed(found: Sequence[GroundingFinding]) -> pd.DataFrame:
    """Return one row a grounding finding: what the transcript believes against what is proved."""
    return _frame(
        ("identifier", "a check on the transcript", "the state", "finding", "message", "pointer"),
        (
            [
                f.identifier,
                "lets it pass" if f.believed_by_transcript else "refuses it",
                "proves it" if f.proved_by_state else "refuses it",
                f.keyword,
                f.message,
                f.pointer,
            ]
            for f in found
        ),
    )


def evidence(rows: Sequence[Any]) -> pd.DataFrame:
    """Return evidence rows of a state as one row each: every key a column, values as text."""
    columns: list[str] = []
    for row in rows:
        if isinstance(row, dict):
            columns += [key for key in row if key not in columns]
    return _frame(
        tuple(columns) or ("evidence",),
        (
            [cell(row[key]) if key in row else None for key in columns]
            if isinstance(row, dict)
            else [cell(row)]
            for row in rows
        ),
    )


def waiting(found: Sequence[tuple[str, Proposal]]) -> pd.DataFrame:
    """Return one row a proposal that waits: source, thread, checkpoint, kind, actions, since."""
    columns = ("source", "thread", "checkpoint_id", "kind", "actions", "since", "inconsistency")
    return _frame(
        columns,
        (
            [
                source,
                p.thread_id,
                p.checkpoint_id,
                p.kind,
                ", ".join(a.tool for a in p.actions) or "(no action)",
                p.since,
                p.inconsistency,
            ]
            for source, p in found
        ),
    )


def cell(value: Any) -> str:
    """Return a value as a cell shows it: strings bare, all else as JSON."""
    return source_text(value) if not isinstance(value, dict | list) else dumps(value)


def _frame(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> pd.DataFrame:
    return pd.DataFrame([tuple(row) for row in rows], columns=list(columns))
