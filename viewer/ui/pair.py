"""The choice of any two checkpoints to compare."""

import streamlit as st

from viewer.analysis.loose_diff import Loose
from viewer.ui import selection
from viewer.ui.checkpoint import title
from viewer.ui.chosen import Chosen

_PARENT = -1


def pick_pair(chosen: Chosen) -> Loose:
    """Draw base and target pickers, set from the strip, and what a loose comparison passes over.

    A choice of checkpoint moves the strip. What is returned is empty for the exact comparison.
    """
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

        return _pick_loose()


def _pick_loose() -> Loose:
    with st.popover("Compare loosely"):
        order = st.checkbox("Ignore the order of lists", key="loose_order")
        types = st.checkbox("1 and 1.0 are equal", key="loose_types")
        digits = st.number_input(
            "Decimals that count", min_value=0, max_value=15, value=None, key="loose_digits"
        )
        ignored = st.text_input(
            "Ignore places",
            key="loose_ignore",
            placeholder="/messages/*/id  re:_at$",
            help="JSON Pointer patterns or re: and an expression for key names, blank between",
        )
    return Loose(
        ignore_order=order,
        ignore_number_type=types,
        significant=digits,
        ignore=tuple(ignored.split()),
    )


def _picked() -> None:
    base = st.session_state["pick_base"]
    selection.choose(
        checkpoint=f"@{st.session_state['pick_target']}",
        base=None if base == _PARENT else f"@{base}",
    )
