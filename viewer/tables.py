"""Findings as data frames: fixed columns even when empty, values as their source text.

A column that mixes ``10`` and ``"checked"`` would be turned to text silently on its way to the
browser, so that ``1`` and ``"1"`` look alike; here every value is text before it gets there.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any

import pandas as pd

from viewer.analysis.grounding import Transcript
from viewer.analysis.growth import Growth
from viewer.analysis.transitions import Edge
from viewer.analysis.usage import UsageReport
from viewer.analysis.usage_groups import UsageGroup, context_tokens
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
    "found",
    "rules",
    "problems",
    "updated",
    "size",
    "tokens",
    "reader",
    "profile",
)
_COLUMN_BITS = 63
_FLOAT_BITS = 1024
_POINTS = 60
WRITERS: tuple[Writer, ...] = ("user", "model", "system", "tool_ok", "tool_refused")


def runs(rows: Iterable[Mapping[str, Any]], zone: tzinfo = UTC) -> pd.DataFrame:
    """Return one row a thread with the columns `RUNS` and ``time``; what is not known is empty.

    The phase is a list of one, which is what a coloured pill is drawn from.

    Args:
        rows: threads.
        zone: of the person who reads ``time``.
    """
    rows = list(rows)
    found = _frame(RUNS, ([row.get(name) for name in RUNS] for row in rows))
    found["phase"] = found["phase"].map(lambda phase: [phase] if phase else [])
    found["time"] = [told_time(row.get("updated"), zone) for row in rows]
    found["updated"] = pd.to_datetime(found["updated"], utc=True)
    return found


def told_time(value: datetime | None, zone: tzinfo) -> str | None:
    """Return a time as people read it, in UTC and where it differs in ``zone`` besides."""
    if value is None:
        return None
    there, here = value.astimezone(UTC), value.astimezone(zone)
    text = f"{there:%Y-%m-%d %H:%M:%S} UTC"
    if there.utcoffset() == here.utcoffset():
        return text
    day = "%H:%M:%S" if there.date() == here.date() else "%Y-%m-%d %H:%M:%S"
    return f"{text} · {here:{day}} {here.tzname()}"


def violations(found: Sequence[Violation], chain: Chain, zone: tzinfo = UTC) -> pd.DataFrame:
    """Return one row a violation: index, step, gate, keyword, pointer, message, checkpoint_id and
    the time of its checkpoint as people in ``zone`` read it.
    """
    columns = ("index", "step", "gate", "keyword", "pointer", "message", "checkpoint_id", "time")
    steps = [checkpoint.step for checkpoint in chain.checkpoints]
    times = [told_time(checkpoint.created_at, zone) for checkpoint in chain.checkpoints]
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
                None if v.index is None else times[v.index],
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


def usage(
    report: UsageReport, chain: Chain, special: Mapping[int, Sequence[str]] | None = None
) -> pd.DataFrame:
    """Return one row a checkpoint: index, step, checkpoint_id, nodes, created_at, what is special
    about it (``marks``), state_bytes, context_tokens, then each usage field.

    A field that no record gives is missing, which is not 0.
    """
    columns = (
        *("index", "step", "checkpoint_id", "nodes", "created_at", "marks", "state_bytes"),
        *("context_tokens", *USAGE),
    )
    frame = _frame(
        columns,
        (
            [
                s.index,
                chain.checkpoints[s.index].step,
                s.checkpoint_id,
                ", ".join(chain.checkpoints[s.index].nodes),
                chain.checkpoints[s.index].created_at,
                ", ".join((special or {}).get(s.index, ())),
                chain.checkpoints[s.index].size_bytes,
                context_tokens(s),
                *(getattr(s.usage, name) for name in USAGE),
            ]
            for s in report.steps
        ),
    )
    numbers = ["step", "state_bytes", "context_tokens", *USAGE]
    frame[numbers] = frame[numbers].map(_drawable).apply(pd.to_numeric)
    frame["created_at"] = pd.to_datetime(frame["created_at"], utc=True)
    return frame


def groups(found: Sequence[UsageGroup], what: str) -> pd.DataFrame:
    """Return one row a group of usage: its name under ``what``, steps, then each usage field that
    some group has; a name that the source does not give is "not recorded".
    """
    frame = _frame(
        (what, "steps", *USAGE),
        (
            [g.name or "not recorded", g.steps, *(getattr(g.usage, name) for name in USAGE)]
            for g in found
        ),
    )
    numbers = list(USAGE)
    frame[numbers] = frame[numbers].map(_drawable).apply(pd.to_numeric)
    return frame.drop(columns=[name for name in USAGE if frame[name].isna().all()])


def growth(found: Growth) -> pd.DataFrame:
    """Return one row a field: field, bytes at first and last, how much it grew, its most, how many
    steps made it grow, and its sizes in at most 60 steps.
    """
    columns = ("field", "grew", "first", "last", "most", "steps_grown", "sizes")
    every = max(1, -(-len(found.indices) // _POINTS))
    return _frame(
        columns,
        (
            [
                "(the whole state)" if one.field is None else one.field,
                one.grew,
                one.first,
                one.last,
                one.most,
                one.steps_grown,
                [float(size or 0) for size in one.sizes[::every]],
            ]
            for one in found.fields
        ),
    )


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


def texts(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> pd.DataFrame:
    """Return rows of plain text under ``columns``."""
    return _frame(columns, rows)


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
