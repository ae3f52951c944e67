"""What is found of each thread of every source, filled in while the page is shown already.

Reading and checking a thread takes milliseconds, and there may be thousands. The list is drawn from
what the sources say without loading; the rest follows in rounds, and what was found stays.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from time import perf_counter
from typing import Any

import streamlit as st

from viewer.analysis.check import CheckResult, check
from viewer.analysis.usage import UsageReport, usage
from viewer.analysis.why import why
from viewer.chain import Chain
from viewer.errors import ViewerError
from viewer.model import Checkpoint, Number, ThreadRef, Why
from viewer.sources import Source
from viewer.ui import cache, cached_usage
from viewer.ui.page import violations_of
from viewer.ui.pickers import labels
from viewer.writeback.proposal import waiting

Row = Mapping[str, Any]
FIRST_SECONDS = 0.8
"""Spent on checking before the page is drawn: a handful of threads is complete at once."""
_ROUND_SECONDS = 2.5
"""Between two drawings of the list while it fills."""
_KEPT = 50_000
_CACHED = 200
_POINTS = 60
_STOPPED = "runs_stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Thread:
    label: str
    source: Source
    ref: ThreadRef
    nested: bool
    """A subgraph's chain, whose thread has its own row."""
    alone: bool
    """The thread has no other chain."""
    problems: int
    """Of the source as a whole."""
    stamp: cache.Stamp

    @property
    def key(self) -> tuple[str, ThreadRef]:
        return ascii(self.source.name), self.ref


class Listing:
    """Every thread of the open sources: one row each, as far as it is known."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._found = cached_usage.judged()
        self._threads = [one for label, s in labels(sources).items() for one in _threads(label, s)]
        missing = [one for one in self._threads if not self._known(one)]
        oldest = float("-inf")
        missing.sort(key=lambda one: -(_seconds(one.ref) or oldest))
        self.missing = missing
        """Threads that are not checked yet, the newest first."""

    @property
    def rows(self) -> list[Row]:
        """One row a thread in source order; what an older state of the source told stands until
        the thread is checked again.
        """
        return [
            dict(self._found[one.key][1]) | {"label": one.label, "source": one.label}
            if one.key in self._found
            else _bare(one)
            for one in self._threads
        ]

    def __len__(self) -> int:
        return len(self._threads)

    def fill(self, seconds: float, tell: Any = None) -> None:
        """Check threads for about ``seconds``.

        Args:
            seconds: how long.
            tell: is called now and then, with nothing; may end the script.
        """
        with cache.stamps_held():
            self._fill(seconds, tell)

    def _fill(self, seconds: float, tell: Any) -> None:
        told = perf_counter()
        end = told + seconds
        while self.missing and (now := perf_counter()) < end:
            if tell is not None and now - told > 0.25:
                tell()
                told = now
            one = self.missing.pop(0)
            self._found.pop(one.key, None)
            self._found[one.key] = one.stamp, _judge(one)
        for key in list(islice(self._found, max(len(self._found) - _KEPT, 0))):
            del self._found[key]

    def _known(self, one: _Thread) -> bool:
        found = self._found.get(one.key)
        return found is not None and found[0] == one.stamp


def show_progress(listing: Listing) -> Any:
    """Say how far the checking is, with a button to stop it or to go on; return what is redrawn."""
    if not listing.missing:
        st.session_state.pop(_STOPPED, None)
        return None
    stopped = bool(st.session_state.get(_STOPPED))
    with st.container(horizontal=True, vertical_alignment="center", key="runs_progress"):
        line = st.empty()
        st.button(
            "Go on checking" if stopped else "Stop checking",
            key="runs_stop",
            on_click=lambda: st.session_state.update({_STOPPED: not stopped}),
        )
    _tell(listing, line)
    return line


def go_on(listing: Listing, line: Any) -> None:
    """Check more threads and draw the page again, unless a person has stopped it or all is done."""
    if line is None or st.session_state.get(_STOPPED):
        return
    listing.fill(_ROUND_SECONDS, lambda: _tell(listing, line))
    st.rerun()


def fill_telling(listing: Listing) -> None:
    """Check every thread before the page goes on, with a count where that takes long."""
    listing.fill(FIRST_SECONDS)
    if listing.missing:
        line = st.empty()
        listing.fill(float("inf"), lambda: _tell(listing, line))
        line.empty()


def _tell(listing: Listing, line: Any) -> None:
    done, all_of_them = len(listing) - len(listing.missing), len(listing)
    line.progress(done / all_of_them, f"checked {done:,} of {all_of_them:,} threads")


def _threads(label: str, source: Source) -> list[_Thread]:
    refs = source.threads
    roots = {ref.thread_id for ref in refs if ref.namespace == ""}
    chains = Counter(ref.thread_id for ref in refs)
    problems, stamp = len(source.problems), cache.stamp(source.location)
    return [
        _Thread(
            label=label,
            source=source,
            ref=ref,
            nested=ref.namespace != "" and ref.thread_id in roots,
            alone=chains[ref.thread_id] == 1,
            problems=problems,
            stamp=stamp,
        )
        for ref in refs
    ]


def _bare(one: _Thread) -> dict[str, Any]:
    """Return what is known of a thread without reading it."""
    return {
        "checked": False,
        "nested": one.nested,
        "label": one.label,
        "source": one.label,
        "thread": one.ref.thread_id,
        "namespace": one.ref.namespace,
        "reader": one.source.reader.name,
        "checkpoints": one.ref.checkpoints,
        "updated": one.ref.updated_at,
        "phase": None,
        "why": "not checked yet",
    }


def _judge(one: _Thread) -> Row:
    row = {**_bare(one), "checked": True, "phase": "unknown", "why": ""}
    try:
        chain, result, answer, report = _found(one)
    except ViewerError as error:
        return {**row, "status": f"cannot be read: {error}", "problems": 1}
    head = chain.checkpoints[chain.head] if chain.head is not None else None
    return {
        **row,
        "why": answer.sentence if answer else "",
        "findings": len(answer.findings) if answer else None,
        "found": _kinds(answer) if answer else "",
        "stops": bool(answer and answer.stops),
        "phase": head.phase if head else "unknown",
        "status": head.status if head else None,
        "checkpoints": len(chain.checkpoints),
        "size": head.size_bytes if head else None,
        "tokens": sparkline(report),
        "total": _total(report),
        "waiting": len(waiting(chain, copies=False)),
        "violations": violations_of(result),
        "rules": ", ".join(sorted({v.keyword for v in result.violations})),
        "problems": len(chain.problems) + one.problems,
        "updated": _updated(head, one.ref),
        "profile": chain.profile.name,
    }


def _kinds(answer: Why) -> str:
    """Return the kinds of the findings in words, behind their number where there are several."""
    kinds = ", ".join(dict.fromkeys(f.keyword.replace("_", " ") for f in answer.findings))
    return f"{len(answer.findings)}: {kinds}" if len(answer.findings) > 1 else kinds


def _found(one: _Thread) -> tuple[Chain, CheckResult, Why | None, UsageReport]:
    """Return what the analyses say of a thread.

    Of thousands the caches would keep none long enough, and asking them costs as much as the work.
    """
    source, ref = one.source, one.ref
    if one.alone and len(source.threads) > _CACHED:
        chain = source.chain(ref)
        result = check(chain)
        return chain, result, why(chain, {}, violations=result.violations), usage(chain)
    answer = None if one.nested else cache.answer(source, ref)
    spent = cached_usage.spent(source, ref)
    return cache.chain(source, ref), cache.result(source, ref), answer, spent


def sparkline(report: UsageReport) -> list[float] | None:
    """Return the tokens of each step, in at most 60 parts of equally many steps.

    A step without a record counts nothing here; None where no step has one.
    """
    tokens = [step.usage.total_tokens for step in report.steps]
    if all(number is None for number in tokens):
        return None
    width = -(-len(tokens) // _POINTS)
    return [
        float(sum(n or 0 for n in tokens[at : at + width])) for at in range(0, len(tokens), width)
    ]


def _total(report: UsageReport) -> Number:
    return report.totals.total_tokens


def _updated(head: Checkpoint | None, ref: ThreadRef) -> Any:
    return (head.created_at if head else None) or ref.updated_at


def _seconds(ref: ThreadRef) -> float | None:
    return None if ref.updated_at is None else ref.updated_at.timestamp()
