"""The rows of the Runs and Approvals pages: every thread of every open source."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from viewer.errors import ViewerError
from viewer.model import PHASES, Proposal, ThreadRef, Violation
from viewer.sources import Source
from viewer.ui import cache
from viewer.ui.page import violations_of
from viewer.ui.pickers import labels
from viewer.writeback.proposal import waiting

_FILTERS = ("runs_phase", "runs_filter", "runs_bad")
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
        found.append(_row(label, source, ref))
        if progress is not None and number % 10 == 0:
            progress.progress(
                (number + 1) / len(threads), f"{number + 1} of {len(threads)} threads"
            )
    if progress is not None:
        progress.empty()
    return found


def _row(label: str, source: Source, ref: Any) -> Row:
    row = {
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
    return {
        **row,
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


def filtered(found: Sequence[Row], *, phase: str | None, text: str, violating: bool) -> list[Row]:
    """Return the rows of a phase whose words contain ``text`` and, if asked, that break a rule."""
    needle = text.casefold().strip()
    return [
        row
        for row in found
        if (phase is None or row["phase"] == phase)
        and (not violating or row.get("violations"))
        and (not needle or needle in " ".join(str(v) for v in row.values()).casefold())
    ]


def clear_filter() -> None:
    """Forget every filter of the Runs page."""
    for key in _FILTERS:
        st.session_state.pop(key, None)


def column_order(shown: Sequence[Row]) -> list[str]:
    """Return the columns worth showing, the telling ones first; one that says nothing is left out."""
    always = ("thread", "phase", "status", "violations", "checkpoints", "profile")
    names = (
        *("thread", "source", "namespace", "phase", "status", "violations", "rules", "waiting"),
        *("checkpoints", "problems", "updated", "profile", "reader"),
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
        "checkpoints": number("checkpoints", width="small"),
        "violations": number("violations", width="small"),
        "waiting": number("waiting", width="small", help="Proposals that wait for a person"),
        "problems": number("problems", width="small", help="What could not be read"),
        "updated": st.column_config.DatetimeColumn("updated", format="YYYY-MM-DD HH:mm:ss"),
    }
