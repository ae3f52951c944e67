"""Why the run stands where it stands, what comes next, the last good checkpoint."""

import streamlit as st

from viewer.ui import selection
from viewer.ui.answer import show_answer
from viewer.ui.page import open_page, page_of
from viewer.ui.stand import show_last_good, show_position

chosen = open_page(__file__)
here = chosen.position
show_answer(chosen.answer, chosen.ref)
show_position(chosen, here)
show_last_good(chosen, here)
if here.last_good is not None and st.button("Open the last good checkpoint", shortcut="o"):
    selection.choose(checkpoint=f"@{here.last_good}", base=None)
    st.switch_page(page_of("timeline"))
