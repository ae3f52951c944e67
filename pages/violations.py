"""Which gates each checkpoint does not meet, with a link to the place, and the status machine."""

import streamlit as st

from viewer import charts, tables
from viewer.analysis.transitions import edges
from viewer.ui.gates import filtered, gate_line, show_violations
from viewer.ui.page import open_page

chosen = open_page(__file__)
result = chosen.result
gate_line(result)

found = filtered(result.violations)
if not result.violations:
    st.success("Every gate that could run is met by every checkpoint.", title="No violations")
else:
    show_violations(chosen, found)
    if result.dropped:
        st.caption(f"{result.dropped:,} more were counted but not kept.")

machine = edges(chosen.chain)
if machine:
    st.header("Status machine")
    dark = st.context.theme.type == "dark"
    st.graphviz_chart(charts.machine(machine, dark=dark), width="content")
    st.caption("Grey: legal. Bold: taken, with how often. Red and dashed: taken though illegal.")
    with st.expander("Edges as a table"):
        st.dataframe(tables.edges(machine), hide_index=True, key="edges_table")
if result.not_run:
    st.header("Could not be judged")
    st.dataframe(tables.not_run(result.not_run), hide_index=True, key="not_run_table")
