"""Totals of a run's usage and the choice of what the chart shows."""

import streamlit as st

from viewer.analysis.usage import UsageReport
from viewer.model import USAGE, Number

_SIZE = "state_bytes"


def amount(field: str, value: Number) -> str:
    """Return a usage value as people read it; a missing record is "no record", never 0."""
    if value is None:
        return "no record"
    if field == "cost_usd":
        return f"${value:,.4f}".rstrip("0").rstrip(".") if value else "$0"
    if field == "model_seconds":
        return f"{value:,.3f} s"
    return f"{value:,}"


def totals_row(report: UsageReport) -> None:
    """Draw the totals of every field that some record gives."""
    with st.container(horizontal=True, gap="large"):
        for field in USAGE:
            value = getattr(report.totals, field)
            if value is not None or field in ("model_calls", "input_tokens", "output_tokens"):
                st.metric(field.replace("_", " "), amount(field, value), width="content")


def field_picker(report: UsageReport) -> tuple[str, bool, float | None]:
    """Draw the choice of field, of per step or cumulative, and of a budget; return all three."""
    fields = [f for f in USAGE if getattr(report.totals, f) is not None]
    with st.container(horizontal=True, vertical_alignment="center"):
        field = st.segmented_control(
            "Field",
            [*fields, _SIZE],
            default=(*fields, _SIZE)[min(1, len(fields))],
            required=True,
            key="usage_field",
            label_visibility="collapsed",
            format_func=lambda name: name.replace("_", " "),
        )
        mode = st.segmented_control(
            "Mode",
            ["per step", "cumulative"],
            default="per step",
            required=True,
            key="usage_mode",
            label_visibility="collapsed",
            disabled=field == _SIZE,
        )
        budget = st.number_input(
            "Budget",
            min_value=0.0,
            value=report.budget.get(str(field)),
            key=f"usage_budget_{field}",
            label_visibility="collapsed",
            placeholder="Budget line at …",
            width=170,
        )
    return str(field), mode == "cumulative" and field != _SIZE, budget
