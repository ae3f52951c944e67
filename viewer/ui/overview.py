"""The rows of the Runs and Approvals pages: every thread of every open source."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from viewer import tables
from viewer.errors import ViewerError
from viewer.model import PHASES, Proposal, ThreadRef, Violation
from viewer.sources import Source
from viewer.ui import cache, selection
from viewer.ui.answer import show_answer
from viewer.ui.filters import Row, most_urgent
from viewer.ui.grids import clicked_cell
from viewer.ui.judging import Listing, fill_telling
from viewer.ui.page import page_of
from viewer.ui.pickers import labels, shortened
from viewer.ui.say import literal, visible
from viewer.writeback.proposal import waiting

_COLOURS = ("blue", "orange", "green", "red", "violet", "violet", "gray")
"""One a phase, in the order of `PHASES`."""
_WRAPPED = 62
"""Pixels of a row of three lines; Streamlit wraps text in rows of more than 4 rem only."""
_WRAP = "runs_wrap"
_ORDER = "runs_order"
_SOURCE = 28
"""Characters of a source's name that fit into its column."""
_WHY = "runs_why"
_UNFOLDED = "runs_unfolded"


def rows(sources: Sequence[Source]) -> list[Row]:
    """Return one row a thread, every one of them read and checked."""
    listing = Listing(sources)
    listing.fill(float("inf"))
    return listing.rows


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
    listing = Listing(sources)
    fill_telling(listing)
    named = labels(sources)
    found = []
    for row in listing.rows:
        if not row.get("waiting"):
            continue
        source = named[row["label"]]
        try:
            ref = cache.ref_of(source, row["thread"], row["namespace"])
            held, result = cache.chain(source, ref), cache.result(source, ref)
        except ViewerError:
            continue
        for proposal in waiting(held, copies=False):
            broken = tuple(
                v for v in result.violations if v.checkpoint_id == proposal.checkpoint_id
            )
            found.append(
                Waiting(
                    label=row["label"],
                    source=source,
                    ref=ref,
                    proposal=proposal,
                    violations=broken,
                )
            )
    latest = datetime.max.replace(tzinfo=UTC)
    return sorted(found, key=lambda one: one.proposal.since or latest)


def show_first(sources: Sequence[Source], shown: Sequence[Row]) -> None:
    """Say which thread to look at first, in one line that unfolds to the verdict on it.

    A thread whose "why" was clicked stands there instead.
    """
    asked = st.session_state.get(_WHY)
    row = next((one for one in shown if _name(one) == asked), None)
    word = "Look at first" if row is None else "Why"
    row = row or most_urgent(shown)
    if row is None:
        return
    source, ref = _thread(sources, row)
    with st.container(key="first", gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(
                f"**{word}** {literal(row['thread'])} in {literal(row['label'])}", width="content"
            )
            if st.button("Open on the Timeline", key="first_open", type="tertiary"):
                open_thread(row)
            _unfold(word == "Why")
        st.text(visible(str(row["why"])))
        if st.session_state.get(_UNFOLDED):
            try:
                answer = cache.answer(source, ref)
            except ViewerError as error:
                st.error(literal(str(error)), title="This thread cannot be read now")
                return
            show_answer(answer, ref, source=row["label"], compact=True)


def _unfold(asked: bool) -> None:
    """Draw the button that shows or hides the verdict; hiding an asked one ends the asking."""
    shown = bool(st.session_state.get(_UNFOLDED))
    if st.button("Less" if shown else "More", key="first_more", type="tertiary"):
        st.session_state[_UNFOLDED] = not shown
        if shown and asked:
            st.session_state.pop(_WHY, None)
        st.rerun()


def show_table(shown: Sequence[Row]) -> None:
    """Draw the threads; a click opens one, a click on its "why" shows all that is known of it."""
    before = st.session_state.get(_ORDER, [])
    here = selection.current()
    # A grid that is given other rows loses the first click on it; another key makes a new grid.
    rows = hash(frozenset(map(_name, shown)))
    cell = clicked_cell(
        tables.runs(_brief_sources(shown), timezone()),
        key=f"runs_table {here.filter} {here.view} {here.tab} {rows}",
        alt="Every thread with its phase, why it stands there, and its violations",
        column_config=columns(),
        column_order=column_order(shown),
        row_height=_WRAPPED if st.session_state.get(_WRAP) else None,
    )
    # The list may have been drawn anew, in another order, between the click and this run.
    st.session_state[_ORDER] = [_name(row) for row in shown]
    if cell is None or cell[0] >= len(before):
        return
    row = next((one for one in shown if _name(one) == before[cell[0]]), None)
    if row is None:
        return
    if cell[1] == "why":
        st.session_state[_WHY] = _name(row)
        st.session_state[_UNFOLDED] = True
        st.rerun()
    open_thread(row)


def wrap_switch() -> None:
    """Draw the switch between dense rows and rows whose text is wrapped."""
    st.toggle(
        "wrap",
        key=_WRAP,
        persist_state="session",
        help="Rows of three lines, so that long sentences show whole",
    )


def open_thread(row: Row) -> None:
    """Leave the list for the Timeline of one thread.

    Chips and order are left as they are: they end with the page, which remembers them, and this
    page may run once more before the other one does.
    """
    selection.choose(source=row["label"], thread=row["thread"], namespace=row["namespace"] or None)
    st.switch_page(page_of("timeline"))


def timezone() -> tzinfo:
    """Return the time zone of the browser, UTC where it does not say."""
    try:
        return ZoneInfo(st.context.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


def column_order(shown: Sequence[Row]) -> list[str]:
    """Return the columns worth showing, the telling ones first; one that says nothing is left out."""
    always = ("thread", "phase", "why", "violations", "checkpoints", "updated")
    names = [
        *("thread", "phase", "why", "found", "updated", "tokens", "namespace", "violations"),
        *("rules", "waiting", "source", "checkpoints", "size", "problems", "time", "status"),
        *("profile", "reader"),
    ]
    if len({(row["thread"], row.get("namespace")) for row in shown}) < len(shown):
        # Only the source tells threads of one name apart.
        names.remove("source")
        names.insert(1, "source")
    there = {name for row in shown for name, value in row.items() if value} | set(always)
    there |= {"time"} if "updated" in there else set()
    if all(row["source"] == row["thread"] for row in shown):
        there.discard("source")
    return [name for name in names if name in there]


def columns() -> dict[str, Any]:
    """Return how the columns of the Runs table are drawn."""
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    return {
        "thread": text("thread", width=170),
        "phase": st.column_config.MultiselectColumn(
            "phase", options=list(PHASES), color=list(_COLOURS), width=88
        ),
        "why": text("why", width=430, help="Click to read it whole, with what a resume would do"),
        "tokens": st.column_config.BarChartColumn(
            "tokens per step", width=120, y_min=0, help="Empty where no usage is recorded"
        ),
        "found": text("findings", width=170, help="What looks wrong without any rule"),
        "source": text("source", width=190, help="A long name lacks its middle"),
        "checkpoints": number("checkpoints", width="small", format="localized"),
        "size": number("state size", width="small", format="bytes", help="Of the live head"),
        "violations": number("violations", width="small"),
        "waiting": number("waiting", width="small", help="Proposals that wait for a person"),
        "problems": number("problems", width="small", help="What could not be read"),
        "updated": st.column_config.DatetimeColumn("updated", format="distance", width=110),
        "time": text("updated at", width=330, help="UTC, and the time of this browser"),
    }


def _brief_sources(shown: Sequence[Row]) -> list[Row]:
    brief = shortened([str(row["source"]) for row in shown], _SOURCE)
    return [{**row, "source": brief[str(row["source"])]} for row in shown]


def _name(row: Row) -> tuple[str, str, str]:
    return str(row["label"]), str(row["thread"]), str(row["namespace"])


def _thread(sources: Sequence[Source], row: Row) -> tuple[Source, ThreadRef]:
    source = labels(sources)[row["label"]]
    return source, cache.ref_of(source, row["thread"], row["namespace"])
