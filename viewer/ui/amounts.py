"""Totals of a run's usage and the choice of what the Usage page shows; the address carries it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from viewer.analysis.usage import UsageReport
from viewer.model import USAGE, Number
from viewer.ui import selection

SIZE = "state_bytes"
CONTEXT = "context_tokens"
TABS = ("steps", "fields", "nodes and models")
MODES = ("per step", "cumulative")
AXES = ("by step", "by clock")
_WORDS = {SIZE: "state size", CONTEXT: "context size", "cost_usd": "cost (US$)"}
_CUMULATIVE, _CLOCK = "cumulative", "clock"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What the page shows."""

    tab: str
    """One of `TABS`."""
    field: str
    """A usage field, `SIZE` or `CONTEXT`."""
    cumulative: bool
    clock: bool
    """Over time instead of over checkpoints."""
    budget: float | None
    """In the field's own unit; None for no line."""


def amount(field: str, value: Number) -> str:
    """Return a usage value as people read it; a missing record is "no record", never 0."""
    if value is None:
        return "no record"
    if field == "cost_usd":
        return f"${value:,.4f}".rstrip("0").rstrip(".") if value else "$0"
    if field == "model_seconds":
        return f"{value:,.3f} s"
    return f"{value:,}"


def word(field: str) -> str:
    """Return what a field is called on the page."""
    return _WORDS.get(field, field.replace("_", " "))


def totals_row(report: UsageReport) -> None:
    """Draw the totals of every field that some record gives."""
    with st.container(horizontal=True, gap="large"):
        for field in USAGE:
            value = getattr(report.totals, field)
            if value is not None or field in ("model_calls", "input_tokens", "output_tokens"):
                st.metric(word(field), amount(field, value), width="content")
    if not report.recorded:
        st.info(
            "This source records no usage, neither in the state nor in its messages. That is not "
            "the same as 0; only the size of each state is known.",
            title="No usage record",
        )


def choice(report: UsageReport, *, timed: bool) -> tuple[Shown, Any]:
    """Draw the choice of tab, field, mode and axis, set from the address.

    Returns what is chosen, and the row of the page where a tab may draw more to choose.

    Args:
        report: the usage of the run.
        timed: checkpoints carry times, so that a clock can be the axis.
    """
    wanted = selection.current()
    tab = wanted.tab if wanted.tab in TABS else TABS[0]
    known: list[str] = [f for f in USAGE if getattr(report.totals, f) is not None]
    fields = [*known, *([CONTEXT] if "input_tokens" in known else []), SIZE]
    field = wanted.filter if wanted.filter in fields else fields[min(1, len(known))]
    view = (wanted.view or "").split(",")
    summable = field not in (SIZE, CONTEXT)
    cumulative, clock = summable and _CUMULATIVE in view, timed and _CLOCK in view
    budget = None
    with st.container(horizontal=True, vertical_alignment="center"):
        _control("usage_tab", TABS, tab, lambda name: selection.choose(tab=name))
        if tab == TABS[0]:
            _control(
                "usage_mode",
                MODES,
                MODES[cumulative],
                lambda name: switch(_CUMULATIVE, name == MODES[1]),
                disabled=not summable,
            )
            _control(
                "usage_axis",
                AXES,
                AXES[clock],
                lambda name: switch(_CLOCK, name == AXES[1]),
                disabled=not timed,
                help=None if timed else "The source records no times",
            )
            budget = _budget(report, field)
    row = st.container(horizontal=True, vertical_alignment="center")
    if tab == TABS[0]:
        with row:
            _control("usage_field", fields, field, lambda name: selection.choose(filter=name))
    return Shown(tab=tab, field=field, cumulative=cumulative, clock=clock, budget=budget), row


def switch(part: str, on: bool) -> None:
    """Switch one part of the view, whatever was switched since the page was drawn last."""
    before = (selection.current().view or "").split(",")
    parts = [p for p in (_CUMULATIVE, _CLOCK) if (on if p == part else p in before)]
    selection.choose(view=",".join(parts) or None)


def _control(
    key: str,
    options: Sequence[str],
    chosen: str,
    choose: Callable[[str], None],
    *,
    disabled: bool = False,
    help: str | None = None,
) -> None:
    st.session_state[key] = chosen
    st.segmented_control(
        key.removeprefix("usage_").capitalize(),
        options,
        key=key,
        required=True,
        label_visibility="collapsed",
        format_func=word,
        disabled=disabled,
        help=help,
        on_change=lambda: choose(st.session_state[key]),
    )


def _budget(report: UsageReport, field: str) -> float | None:
    return st.number_input(
        "Budget",
        min_value=0.0,
        value=report.budget.get(field),
        key=f"usage_budget_{field}",
        label_visibility="collapsed",
        placeholder="Budget line at …",
        width=170,
    )
