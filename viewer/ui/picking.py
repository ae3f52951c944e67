"""The choice of any two checkpoints to compare."""

import streamlit as st

from viewer.ui import selection
from viewer.ui.checkpoint import title
from viewer.ui.page import Chosen

_PARENT = -1


def pick_pair(chosen: Chosen) -> None:
    """Draw base and target pickers, set from the strip; a choice moves the strip."""
    chain = chosen.chain
    everything = [checkpoint.index for checkpoint in chain.checkpoints]
    parent = chain.checkpoints[chosen.target].parent
    by_hand = chosen.base is not None and chosen.base != parent
    st.session_state["pick_base"] = chosen.base if by_hand else _PARENT
    st.session_state["pick_target"] = chosen.target
    words = "no parent" if parent is None else f"its parent {title(chain, parent)}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Base",
            [_PARENT, *everything],
            key="pick_base",
            on_change=_picked,
            width=340,
            label_visibility="collapsed",
            format_func=lambda i: f"base: {words if i == _PARENT else title(chain, i)}",
        )
        st.selectbox(
            "Target",
            everything,
            key="pick_target",
            on_change=_picked,
            width=340,
            label_visibility="collapsed",
            format_func=lambda i: f"target: {title(chain, i)}",
        )


def _picked() -> None:
    base = st.session_state["pick_base"]
    selection.choose(
        checkpoint=f"@{st.session_state['pick_target']}",
        base=None if base == _PARENT else f"@{base}",
    )
