"""Every thread of every source: where each one stands; a click opens it."""

import streamlit as st

from viewer import tables
from viewer.ui import overview, selection
from viewer.ui.frame import frame_without_thread
from viewer.ui.grids import clicked_row
from viewer.ui.page import enter_all, page_of
from viewer.ui.troubles import show_unopened

sources, unopened = enter_all(__file__)
everything = overview.rows(sources)
rows = overview.listed(everything)
threads = f"{len(rows)} thread" + ("s" if len(rows) != 1 else "")
opened = f"{len(sources)} source" + ("s" if len(sources) != 1 else "")
frame_without_thread("Runs", [opened, threads])
show_unopened(unopened)

with st.container(horizontal=True, vertical_alignment="center"):
    phase = st.segmented_control(
        "Phase",
        overview.phases(rows),
        key="runs_phase",
        label_visibility="collapsed",
        format_func=lambda name: f"{name} {sum(r['phase'] == name for r in rows)}",
    )
    wanted = st.text_input(
        "Filter",
        key="runs_filter",
        placeholder="Filter by source, thread, status …",
        label_visibility="collapsed",
        width=320,
        live=True,
    )
    wrong = st.toggle("with violations or findings", key="runs_bad")
    if any(row["nested"] for row in everything):
        st.toggle("subgraphs", key=overview.NESTED)

shown = overview.filtered(rows, phase=phase, text=wanted, wrong=wrong)
if not shown:
    st.info("No thread passes this filter.", title="Nothing to show")
    st.button("Clear the filter", on_click=overview.clear_filter)
    st.stop()

overview.show_most_urgent(shown)
clicked = clicked_row(
    tables.runs(shown),
    key="runs_table",
    alt="Every thread with its phase and violations",
    column_config=overview.columns(),
    column_order=overview.column_order(shown),
)
st.caption("Click a row to open it on the Timeline.")
if clicked is not None:
    row = shown[clicked]
    selection.choose(source=row["label"], thread=row["thread"], namespace=row["namespace"] or None)
    st.switch_page(page_of("timeline"))
