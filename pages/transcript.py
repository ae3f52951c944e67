"""The same run as the model saw it and as the runtime knows it, and where the transcript lies."""

import streamlit as st

from viewer.analysis.grounding import UNPROVEN, transcript
from viewer.ui.conversation import pick_view, show_conversation, show_export
from viewer.ui.page import open_page
from viewer.ui.presenter import show_presenter
from viewer.ui.say import literal
from viewer.ui.what_if import say_presets, try_what_if

chosen = open_page(__file__)
view = pick_view()
if view == "present":
    show_presenter(chosen)
    st.stop()
if view == "what-if":
    try_what_if(chosen)
    st.stop()

found = transcript(chosen.chain, chosen.target)
say_presets(chosen)
for finding in found.findings:
    if finding.keyword == UNPROVEN:
        st.error(literal(finding.message))
show_conversation(chosen, found)
if found.messages:
    show_export(chosen)
