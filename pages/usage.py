"""What the model calls of a run cost, per step and cumulative, against the budget."""

import streamlit as st

from viewer import charts, tables
from viewer.analysis.usage import usage
from viewer.ui.amounts import field_picker, totals_row
from viewer.ui.grids import height
from viewer.ui.page import open_page
from viewer.ui.say import file_name

chosen = open_page(__file__)
report = usage(chosen.chain)
frame = tables.usage(report, chosen.chain)
totals_row(report)
if not report.recorded:
    st.info(
        "This source records no usage, neither in the state nor in its messages. That is not the "
        "same as 0; only the size of each state is known.",
        title="No usage record",
    )
field, cumulative, budget = field_picker(report)
st.plotly_chart(
    charts.usage(frame, field, cumulative=cumulative, budget=budget),
    key="usage_chart",
    alt=f"{field} by checkpoint",
)
if any(step.total_computed for step in report.steps):
    st.caption("total_tokens is computed (input + output): the source does not record it.")
recorded = frame.dropna(axis="columns", how="all")
st.dataframe(recorded, hide_index=True, key="usage_table", height=height(len(frame)))
st.download_button(
    "Download CSV",
    recorded.to_csv(index=False),
    file_name(chosen.ref.thread_id, "-usage.csv"),
    "text/csv",
    on_click="ignore",
)
