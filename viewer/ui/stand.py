"""The Resume page's answers: where the run stands, what comes next, where it was last good."""

import streamlit as st

from viewer.analysis.resume import Position
from viewer.ui.chosen import Chosen
from viewer.ui.say import literal, visible


def show_position(chosen: Chosen, here: Position) -> None:
    """Say which checkpoint the run stands at and what comes next."""
    st.header("Position")
    rows = [
        ("checkpoint", here.checkpoint_id, f"@{here.index}" if here.index is not None else None),
        ("step", None if here.step is None else str(here.step), None),
        ("written by", here.node, None),
        ("status", here.status, f"phase {here.phase}"),
        ("waits for", here.waits_for, None),
    ]
    known = [
        f"**{name}** {literal(value)}" + (f" · {more}" if more else "")
        for name, value, more in rows
        if value is not None
    ]
    st.markdown("  \n".join(known))
    said = [f"– {reason}" for reason in here.reasons]
    # Where the run stopped half way, the answer above names what comes next task by task.
    if not chosen.answer.stops:
        said.insert(0, here.next_action)
    if said:
        st.header("Next action" if not chosen.answer.stops else "Doubts")
        st.text(visible("\n".join(said)))


def show_last_good(chosen: Chosen, here: Position) -> None:
    """Name the last checkpoint on the live lineage that meets every gate."""
    st.header("Last good checkpoint")
    if here.last_good is None:
        st.warning("No checkpoint on the live lineage meets every gate that could run.")
        return
    good = chosen.chain.checkpoints[here.last_good]
    where = f"{literal(good.checkpoint_id)} (@{good.index})"
    if here.last_good == here.index:
        said = f"The head itself, {where}, meets every gate that could run."
        if here.phase == "failed" or any(stop.error for stop in chosen.answer.stops):
            st.info(f"{said} Gates judge the stored state; they say nothing about the error.")
        else:
            st.success(said)
    else:
        behind = (here.index or 0) - good.index
        st.warning(f"{where}: the {behind} after it break a rule or cannot be read.")
