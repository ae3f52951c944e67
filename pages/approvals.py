"""What waits for a person, over all open sources. Read-only: nothing is decided here yet."""

import streamlit as st

from viewer import tables
from viewer.ui import overview, selection
from viewer.ui.checkpoint import violation_words
from viewer.ui.conversation import show_proposal
from viewer.ui.frame import frame_without_thread
from viewer.ui.grids import height
from viewer.ui.page import enter_all, page_of
from viewer.ui.say import literal
from viewer.ui.troubles import show_unopened

sources, unopened = enter_all(__file__)
found = overview.proposals(sources)
frame_without_thread("Approvals", [f"{len(found)} waiting", "read-only"])
show_unopened(unopened)
if not found:
    st.info("No thread of the open sources waits for a person.", title="Nothing waits")
    st.stop()

event = st.dataframe(
    tables.waiting([(one.label, one.proposal, len(one.violations)) for one in found]),
    key="waiting_table",
    hide_index=True,
    on_select="rerun",
    selection_mode="single-row-required",
    height=height(len(found)),
    alt="Proposals that wait for a person",
)
rows = event.selection.rows
one = found[rows[0] if rows and rows[0] < len(found) else 0]
for violation in one.violations:
    st.error(literal(violation_words(violation)), title="Breaks a rule")
show_proposal(one.proposal)
if st.button("Open on the Timeline", shortcut="o"):
    selection.choose(
        source=one.label, thread=one.ref.thread_id, namespace=one.ref.namespace or None
    )
    st.switch_page(page_of("timeline"))
