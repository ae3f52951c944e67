"""Step through a chain: the state at each checkpoint as a tree, with what changed marked."""

import streamlit as st

from viewer.ui.ahead import tree_payload_here
from viewer.ui.checkpoint import facts, say_gap
from viewer.ui.page import open_page
from viewer.ui.panels import tree
from viewer.ui.selection import for_panel
from viewer.ui.state_exports import offer_state
from viewer.ui.tasks import show_rows, show_tasks

chosen = open_page(__file__)
checkpoint = chosen.chain.checkpoints[chosen.target]
facts(chosen)
show_tasks(chosen)
say_gap(chosen)
if not checkpoint.has_state:
    st.warning("This checkpoint is listed without a state; see the problems above.")
tree.show(tree_payload_here(chosen, for_panel(), key="tree"), key="tree")
show_rows(chosen)
if checkpoint.has_state:
    offer_state(chosen)
