"""Which gates each checkpoint does not meet, with a link to the place, and the status machine."""

import streamlit as st
from viewer.analysis.transitions import edges

from viewer import charts, tables
from viewer.ui import selection
from viewer.ui.gates import gate_filter, gate_line
from viewer.ui.page import open_page, page_of

chosen = open_page(__file__)
result = chosen.result
gate_line(result)

found = gate_filter(result.violations)
if not result.violations:
    st.success("Every gate that could run is met by every checkpoint.", title="No violations")
else:
    event = st.dataframe(
        tables.violations(found, chosen.chain),
        key="violations_table",
        hide_index=True,
        on_select="rerun",
        selection_mode="single-cell",
        height=min(38 + 35 * len(found), 420),
        alt="Violations by checkpoint",
    )
    st.caption("Click a row to see the place in the state on the Timeline.")
    if event.selection.cells:
        violation = found[event.selection.cells[0][0]]
        if violation.index is not None:
            selection.choose(checkpoint=f"@{violation.index}", base=None, place=violation.pointer)
            st.switch_page(page_of("timeline"))
    if result.dropped:
        st.caption(f"{result.dropped} more were counted but not kept.")

machine = edges(chosen.chain)
if machine:
    st.subheader("Status machine")
    dark = st.context.theme.type == "dark"
    st.graphviz_chart(charts.machine(machine, dark=dark), width="content")
    st.caption("Grey: legal. Bold: taken, with how often. Red and dashed: taken though illegal.")
    with st.expander("Edges as a table"):
        st.dataframe(tables.edges(machine), hide_index=True, key="edges_table")
if result.not_run:
    st.subheader("Could not be judged")
    st.dataframe(tables.not_run(result.not_run), hide_index=True, key="not_run_table")
