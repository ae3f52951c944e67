"""What the pages say about one checkpoint beside its state."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from viewer.chain import Chain
from viewer.jsontext import dumps
from viewer.model import Change, Finding, Violation
from viewer.panels.titles import checkpoint_title
from viewer.ui import cache
from viewer.ui.chosen import Chosen
from viewer.ui.say import literal

_SHOWN = 50

title = checkpoint_title


def changes_here(chosen: Chosen) -> Sequence[Change]:
    """Return the changes from base to target; none where there is no base or it has no state."""
    base, target = chosen.base, chosen.target
    points = chosen.chain.checkpoints
    if base is None or not (points[base].has_state and points[target].has_state):
        return ()
    return cache.changes(chosen.source, chosen.ref, base, target)


def messages_by_pointer(chosen: Chosen) -> Mapping[str, Sequence[str]]:
    """Return violations and findings of the target checkpoint by place, for the tree's marks."""
    found: dict[str, list[str]] = {}
    for violation in _here(chosen):
        if violation.gate != "parse":
            found.setdefault(violation.pointer, []).append(violation_words(violation))
    for finding in _findings(chosen):
        found.setdefault(finding.pointer, []).append(finding_words(finding))
    return found


def finding_words(finding: Finding) -> str:
    """Return a finding as one sentence: what it is, then the message."""
    return f"{finding.keyword.replace('_', ' ')}: {finding.message}"


def _findings(chosen: Chosen) -> list[Finding]:
    here = cache.findings_in(chosen.answer, chosen.ref.namespace)
    return [finding for finding in here if finding.index == chosen.target]


def violation_words(violation: Violation) -> str:
    """Return a violation as one sentence: gate, place, what is wrong there."""
    place = violation.pointer or "the state as a whole"
    if violation.gate == "parse":
        place = "after this checkpoint" if violation.checkpoint_id is None else "this checkpoint"
    return f"{violation.gate}: {place}: {violation.message}"


def _here(chosen: Chosen) -> list[Violation]:
    return [v for v in chosen.result.violations if v.index == chosen.target]


def thread_name(chosen: Chosen) -> str:
    """Return what names the chain among all that are open: what a panel keeps, it keeps for it."""
    ref = chosen.ref
    return dumps([chosen.source.name, ref.thread_id, ref.namespace])


def say_gap(chosen: Chosen) -> None:
    """Say where records are missing between base and target: their change is not one step."""
    missing = records_between(chosen.chain, chosen.base, chosen.target)
    if missing:
        what = "1 record is" if missing == 1 else f"{missing} records are"
        st.warning(
            f"{what} missing between @{chosen.base} and @{chosen.target}: "
            "what changed here may be the work of several steps."
        )


def records_between(chain: Chain, base: int | None, target: int) -> int:
    """Return how many records are known to be missing on the way from ``base`` to ``target``.

    0 where ``base`` is no ancestor of ``target``: then no line leads from one to the other.
    """
    missing, at = 0, chain.checkpoints[target]
    while at.index != base and at.parent is not None:
        missing += at.gap
        at = chain.checkpoints[at.parent]
    return missing if at.index == base else 0


def facts(chosen: Chosen) -> None:
    """Draw what the strip does not say of the target checkpoint, and its violations."""
    here = chosen.chain.checkpoints[chosen.target]
    known: list[tuple[str, Any]] = [
        ("checkpoint", here.checkpoint_id + (" (made)" if here.id_made else "")),
        ("origin", here.origin),
        ("next", None if here.tasks else ", ".join(here.next_live or here.next)),
        ("saved", here.created_at and here.created_at.isoformat(sep=" ", timespec="milliseconds")),
        ("compared with", None if chosen.base is None else f"@{chosen.base}"),
    ]
    st.markdown(
        " · ".join(
            f"{name} {literal(str(value))}" for name, value in known if value not in (None, "")
        )
    )
    for violation in _here(chosen)[:_SHOWN]:
        st.markdown(f":red[✕] {literal(violation_words(violation))}")
    for finding in _findings(chosen)[:_SHOWN]:
        st.markdown(f":orange[◉] {literal(finding_words(finding))}")
