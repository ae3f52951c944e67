"""The same run as the model saw it and as the runtime knows it, and where the transcript lies."""

import streamlit as st

from viewer import tables
from viewer.analysis.grounding import transcript
from viewer.ui.conversation import show_conversation, try_what_if
from viewer.ui.page import open_page
from viewer.ui.say import visible

chosen = open_page(__file__)
found = transcript(chosen.chain, chosen.target)

try_what_if(chosen)
if found.mentions:
    st.subheader("Who wrote each identifier")
    st.dataframe(
        tables.mentions(found),
        hide_index=True,
        key="mentions_table",
        alt="Mentions of each identifier by writer",
    )
for finding in found.findings:
    st.text(visible(finding.message))
show_conversation(chosen, found)
