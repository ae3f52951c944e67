"""Step through a chain: the state at each checkpoint as a tree, with what changed marked."""

import streamlit as st

from viewer.panels.tree import tree_payload
from viewer.ui.checkpoint import (
    changes_here,
    export,
    facts,
    messages_by_pointer,
    say_gap,
    thread_name,
)
from viewer.ui.page import open_page
from viewer.ui.panels import tree
from viewer.ui.selection import for_panel
from viewer.ui.tasks import show_rows, show_tasks

chosen = open_page(__file__)
checkpoint = chosen.chain.checkpoints[chosen.target]
facts(chosen)
show_tasks(chosen)
say_gap(chosen)
if not checkpoint.has_state:
    st.warning("This checkpoint is listed without a state; see the problems above.")
    st.stop()

tree.show(
    tree_payload(
        chosen.chain.state(chosen.target),
        changes_here(chosen),
        profile=chosen.chain.profile,
        violations=messages_by_pointer(chosen),
        title=f"State of checkpoint {checkpoint.checkpoint_id}",
        index=chosen.target,
        base=chosen.base,
        thread=thread_name(chosen),
        panel=for_panel(),
    ),
    key="tree",
)
show_rows(chosen)
export(chosen)
