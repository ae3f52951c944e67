"""The rows of the Runs and Approvals pages: every thread of every open source."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from viewer import tables
from viewer.errors import ViewerError
from viewer.model import PHASES, Proposal, ThreadRef, Violation
from viewer.sources import Source
from viewer.ui import cache
from viewer.ui.answer import show_answer
from viewer.ui.page import violations_of
from viewer.ui.pickers import labels
from viewer.ui.say import literal
from viewer.writeback.proposal import waiting

NESTED = "runs_nested"
_FILTERS = ("runs_phase", "runs_filter", "runs_bad", NESTED)
_URGENT = ("failed", "waiting", "unknown")
_COLOURS = ("blue", "orange", "green", "red", "violet", "violet", "gray")
"""One a phase, in the order of `PHASES`."""
Row = Mapping[str, Any]


def rows(sources: Sequence[Source]) -> list[Row]:
    """Return one row a thread, with ``label`` (the source's short name) beside the table's columns.

    Shows progress while threads that were not read before are read and checked.
    """
    threads = [(label, s, ref) for label, s in labels(sources).items() for ref in s.threads]
    progress = st.progress(0.0, "Reading and checking threads …") if len(threads) > 50 else None
    found = []
    for number, (label, source, ref) in enumerate(threads):
        found.append(_row(label, source, ref, _nested(source, ref)))
        if progress is not None and number % 10 == 0:
            progress.progress(
                (number + 1) / len(threads), f"{number + 1} of {len(threads)} threads"
            )
    if progress is not None:
        progress.empty()
    return found


def _nested(source: Source, ref: ThreadRef) -> bool:
    """Return whether a chain is a subgraph's, whose thread has its own row."""
    return ref.namespace != "" and any(
        other.thread_id == ref.thread_id and other.namespace == "" for other in source.threads
    )


def _row(label: str, source: Source, ref: ThreadRef, nested: bool) -> Row:
    row = {
        "nested": nested,
        "label": label,
        "source": label,
        "thread": ref.thread_id,
        "namespace": ref.namespace,
        "reader": source.reader.name,
        "updated": ref.updated_at,
        "phase": "unknown",
    }
    try:
        chain = cache.chain(source, ref)
        result = cache.result(source, ref)
    except ViewerError as error:
        return {**row, "status": f"cannot be read: {error}", "problems": 1}
    head = chain.checkpoints[chain.head] if chain.head is not None else None
    answer = None if nested else cache.answer(source, ref)
    return {
        **row,
        "ref": ref,
        "answer": answer,
        "why": answer.sentence if answer else "",
        "findings": len(answer.findings) if answer else None,
        "phase": head.phase if head else "unknown",
        "status": head.status if head else None,
        "checkpoints": len(chain.checkpoints),
        "waiting": len(waiting(chain, copies=False)),
        "violations": violations_of(result),
        "rules": ", ".join(sorted({v.keyword for v in result.violations})),
        "problems": len(chain.problems) + len(source.problems),
        "updated": (head.created_at if head else None) or ref.updated_at,
        "profile": chain.profile.name,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """One thing that waits, and where."""

    label: str
    source: Source
    ref: ThreadRef
    proposal: Proposal
    violations: tuple[Violation, ...]
    """Of the checkpoint that waits."""


def proposals(sources: Sequence[Source]) -> list[Waiting]:
    """Return everything that waits for a person, oldest first, what has no time last."""
    found = []
    for label, source in labels(sources).items():
        for ref in source.threads:
            try:
                held, result = cache.chain(source, ref), cache.result(source, ref)
            except ViewerError:
                continue
            for proposal in waiting(held, copies=False):
                broken = tuple(
                    v for v in result.violations if v.checkpoint_id == proposal.checkpoint_id
                )
                found.append(
                    Waiting(
                        label=label, source=source, ref=ref, proposal=proposal, violations=broken
                    )
                )
    latest = datetime.max.replace(tzinfo=UTC)
    return sorted(found, key=lambda one: one.proposal.since or latest)


def phases(found: Sequence[Row]) -> list[str]:
    """Return the phases that occur, in their fixed order."""
    return [phase for phase in PHASES if any(row["phase"] == phase for row in found)]


def listed(found: Sequence[Row]) -> list[Row]:
    """Return the rows to count and list: those of subgraphs only where they were asked for."""
    asked = bool(st.session_state.get(NESTED))
    return [row for row in found if asked or not row["nested"]]


def filtered(found: Sequence[Row], *, phase: str | None, text: str, wrong: bool) -> list[Row]:
    """Return the rows of a phase whose words contain ``text``.

    Args:
        found: the rows listed.
        phase: only this one; None for all.
        text: what a row's words must hold, whatever the case.
        wrong: only rows with violations or findings.
    """
    needle = text.casefold().strip()
    return [
        row
        for row in found
        if (phase is None or row["phase"] == phase)
        and (not wrong or row.get("violations") or row.get("findings"))
        and (not needle or needle in _words(row))
    ]


def _words(row: Row) -> str:
    return " ".join(str(row.get(name)) for name in tables.RUNS).casefold()


def most_urgent(found: Sequence[Row]) -> Row | None:
    """Return the row that a person should look at first: failed, waiting, stopped half way.

    The newest of the worst phase; among threads that are done one with findings or violations.
    None where there is nothing to look at.
    """
    ranked = [(rank, row) for row in found if (rank := _urgency(row)) is not None]
    if not ranked:
        return None
    worst = min(rank for rank, _ in ranked)
    oldest = datetime.min.replace(tzinfo=UTC)
    rows = [row for rank, row in ranked if rank == worst]
    return max(rows, key=lambda row: row["updated"] or oldest)


def show_most_urgent(found: Sequence[Row]) -> None:
    """Draw the verdict on the thread to look at first, if there is one."""
    row = most_urgent(found)
    if row is not None:
        st.markdown(f"**Look at first** {literal(row['thread'])} in {literal(row['label'])}")
        show_answer(row["answer"], row["ref"], source=row["label"], compact=True)


def _urgency(row: Row) -> int | None:
    answer = row.get("answer")
    if answer is None:
        return None
    phase = row["phase"]
    if phase in _URGENT and (phase != "unknown" or answer.stops):
        return _URGENT.index(phase)
    return len(_URGENT) if row["findings"] or row["violations"] else None


def clear_filter() -> None:
    """Forget every filter of the Runs page."""
    for key in _FILTERS:
        st.session_state.pop(key, None)


def column_order(shown: Sequence[Row]) -> list[str]:
    """Return the columns worth showing, the telling ones first; one that says nothing is left out."""
    always = ("thread", "phase", "why", "violations", "checkpoints", "profile")
    names = (
        *("thread", "phase", "why", "namespace", "findings", "violations", "rules", "waiting"),
        *("source", "checkpoints", "problems", "updated", "status", "profile", "reader"),
    )
    telling = [n for n in names if n in always or any(row.get(n) for row in shown)]
    if all(row["source"] == row["thread"] for row in shown):
        telling.remove("source")
    return telling


def columns() -> dict[str, Any]:
    """Return how the columns of the Runs table are drawn."""
    number = st.column_config.NumberColumn
    return {
        "phase": st.column_config.MultiselectColumn(
            "phase", options=list(PHASES), color=list(_COLOURS), width=88
        ),
        "why": st.column_config.TextColumn("why", width=420),
        "findings": number("findings", width="small", help="What looks wrong without any rule"),
        "checkpoints": number("checkpoints", width="small"),
        "violations": number("violations", width="small"),
        "waiting": number("waiting", width="small", help="Proposals that wait for a person"),
        "problems": number("problems", width="small", help="What could not be read"),
        "updated": st.column_config.DatetimeColumn("updated", format="YYYY-MM-DD HH:mm:ss"),
    }
