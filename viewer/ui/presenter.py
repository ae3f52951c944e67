"""Walks a run for others to see: the steps that the run folder carries, else its checkpoints."""

import streamlit as st

from viewer.analysis.walk import walk_of
from viewer.errors import SourceError
from viewer.panels.presenter import presenter_payload
from viewer.ui import selection
from viewer.ui.chosen import Chosen
from viewer.ui.panels import presenter
from viewer.ui.say import literal


def show_presenter(chosen: Chosen) -> None:
    """Draw the presenter over the page; leaving it leads to the checkpoint of its last step."""
    try:
        walk = walk_of(chosen.chain)
    except SourceError as error:
        st.error(
            f"{literal(str(error))}. `schemas/walk.schema.json` says what a walk is; without one "
            "the checkpoints are walked.",
            title="This run cannot be presented",
        )
        return
    payload = presenter_payload(chosen.chain, walk)
    left = presenter.show({**payload, "panel": selection.for_panel()}, key="presenter")
    if left is not None:
        at = left.get("index")
        to = {"checkpoint": f"@{at}", "base": None} if isinstance(at, int) else {}
        selection.choose(view=None, at=None, **to)
        st.rerun()
