"""The bar above the Runs table: saved filters, chips with counts, search, order.

Chips, order and the switch for subgraphs stand in the address; the text that is searched for does
not, it stays with the browser's session and is there again after Back.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from viewer import tables
from viewer.model import PHASES
from viewer.ui import selection

Row = Mapping[str, Any]
FLAGS = ("violations", "findings", "problems")
"""Chips beside the phases: the row has some of it."""
SAVED: Mapping[str, tuple[str, ...]] = {
    "all": (),
    "needs attention": ("waiting", "failed", "violations", "findings"),
    "waiting": ("waiting",),
    "failed": ("failed",),
    "with violations": ("violations",),
}
"""Saved filters: a row passes where any of the chips holds."""
ORDERS = ("attention", "updated")
NESTED = "subgraphs"
_CHIPS, _SAVED, _TEXT, _ORDER, _NESTED = (
    *("runs_chips", "runs_saved", "runs_filter", "runs_sort", "runs_nested"),
)
_KEPT_TEXT = "runs_text"
_KEPT = "runs_kept"
_URGENT = ("failed", "waiting")


def recall() -> None:
    """Bring back chips, order and subgraphs where the page is entered under a bare address.

    Streamlit pushes such an address before it opens another page, so Back comes here first.
    """
    here = selection.current()
    kept = st.session_state.get(_KEPT)
    if _CHIPS not in st.session_state and kept and not (here.filter or here.view or here.tab):
        selection.recall(**kept)


def bar(everything: Sequence[Row], more: Callable[[], None]) -> tuple[list[Row], list[Row]]:
    """Draw the bar; return the rows that there are, and those of them that pass, in order.

    Chips count the rows that the searched text leaves.

    Args:
        everything: all rows.
        more: draws what else stands in the bar.
    """
    wanted = selection.current()
    st.session_state[_KEPT] = {"filter": wanted.filter, "view": wanted.view, "tab": wanted.tab}
    chips = _asked(wanted.filter)
    nested = wanted.tab == NESTED
    every = [row for row in everything if nested or not row["nested"]]
    order = wanted.view if wanted.view in ORDERS else ORDERS[0]
    with st.container(horizontal=True, vertical_alignment="center"):
        text = _search()
        # A count says how many rows a chip would leave, so the text counts as well.
        rows = filtered(every, (), text)
        _saved(rows, chips)
        _ordered(order)
        if nested or any(row["nested"] for row in everything):
            st.session_state[_NESTED] = nested
            st.toggle(
                NESTED,
                key=_NESTED,
                on_change=lambda: selection.choose(
                    tab=NESTED if st.session_state[_NESTED] else None
                ),
            )
        more()
    _chips(rows, chips)
    return every, ordered(filtered(rows, chips, ""), order)


def filtered(rows: Sequence[Row], chips: Sequence[str], text: str) -> list[Row]:
    """Return the rows for which any of ``chips`` holds and whose words contain ``text``.

    Args:
        rows: the rows listed.
        chips: phases and `FLAGS`; none passes all.
        text: what a row's words must hold, whatever the case.
    """
    needle = text.casefold().strip()
    return [
        row
        for row in rows
        if (not chips or any(holds(row, chip) for chip in chips))
        and (not needle or needle in _words(row))
    ]


def holds(row: Row, chip: str) -> bool:
    """Return whether a phase or one of `FLAGS` is true of a row."""
    return bool(row.get(chip)) if chip in FLAGS else row["phase"] == chip


def ordered(rows: Sequence[Row], order: str) -> list[Row]:
    """Return rows by what needs a person first, or by time; the newest first in both."""
    oldest = datetime.min.replace(tzinfo=UTC)
    newest = sorted(rows, key=lambda row: row["updated"] or oldest, reverse=True)
    return newest if order == "updated" else sorted(newest, key=_urgency)


def most_urgent(rows: Sequence[Row]) -> Row | None:
    """Return the row that a person should look at first; None where nothing needs it.

    The newest of the worst kind: failed, waiting, stopped half way, with violations or findings.
    """
    first = next(iter(ordered([row for row in rows if row.get("checked")], ORDERS[0])), None)
    return first if first is not None and _urgency(first) <= _LOOK else None


_LOOK = 4


def _urgency(row: Row) -> int:
    phase = row["phase"]
    if row["nested"] or not row["checked"]:
        return 6
    if phase in _URGENT:
        return _URGENT.index(phase)
    if row.get("stops") and phase == "unknown":
        return 2
    if row.get("violations"):
        return 3
    if row.get("findings"):
        return _LOOK
    return 5 if row.get("problems") or phase == "running" else 7


def nothing_passes() -> None:
    """Say that no row passes the filter, and offer to clear it."""
    st.info("No thread passes this filter.", title="Nothing to show")
    st.button("Clear the filter", on_click=_clear)


def _clear() -> None:
    st.session_state.pop(_TEXT, None)
    st.session_state.pop(_KEPT_TEXT, None)
    selection.choose(filter=None)


def _asked(words: str | None) -> tuple[str, ...]:
    known = (*PHASES, *FLAGS)
    asked = (words or "").split(",")
    return tuple(name for name in known if name in asked)


def _search() -> str:
    if _TEXT not in st.session_state:
        st.session_state[_TEXT] = st.session_state.get(_KEPT_TEXT, "")
    text = st.text_input(
        "Search",
        key=_TEXT,
        placeholder="Search in thread, why, status, source …",
        label_visibility="collapsed",
        live=True,
        type="search",
        width=250,
    )
    st.session_state[_KEPT_TEXT] = text
    return str(text)


def _saved(rows: Sequence[Row], chips: tuple[str, ...]) -> None:
    st.session_state[_SAVED] = next((n for n, s in SAVED.items() if set(s) == set(chips)), None)
    st.segmented_control(
        "Saved filters",
        list(SAVED),
        key=_SAVED,
        label_visibility="collapsed",
        on_change=lambda: _choose(SAVED.get(st.session_state[_SAVED] or "all", ())),
        format_func=lambda name: f"{name} {len(filtered(rows, SAVED[name], '')):,}",
    )


def _chips(rows: Sequence[Row], chips: tuple[str, ...]) -> None:
    counts = {chip: sum(holds(row, chip) for row in rows) for chip in (*PHASES, *FLAGS)}
    st.session_state[_CHIPS] = list(chips)
    st.pills(
        "Phase",
        [chip for chip, count in counts.items() if count or chip in chips],
        selection_mode="multi",
        key=_CHIPS,
        label_visibility="collapsed",
        on_change=lambda: _choose(st.session_state[_CHIPS]),
        format_func=lambda chip: f"{chip} {counts[chip]:,}",
    )


def _ordered(order: str) -> None:
    st.session_state[_ORDER] = order
    st.segmented_control(
        "Order",
        ORDERS,
        key=_ORDER,
        required=True,
        label_visibility="collapsed",
        format_func=lambda name: f"by {name}",
        on_change=lambda: selection.choose(
            view=None if st.session_state[_ORDER] == ORDERS[0] else st.session_state[_ORDER]
        ),
    )


def _choose(chips: Sequence[str]) -> None:
    selection.choose(filter=",".join(chips) or None)


def _words(row: Row) -> str:
    return " ".join(str(row.get(name)) for name in tables.RUNS).casefold()
