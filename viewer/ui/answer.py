"""Why a thread stands where it stands, on a page: the verdict, with its places as links."""

import streamlit as st

from viewer.model import ThreadRef, Why
from viewer.panels.verdict import verdict_payload
from viewer.ui import selection
from viewer.ui.page import page_of
from viewer.ui.panels import verdict


def show_answer(
    why: Why, ref: ThreadRef, *, source: str | None = None, compact: bool = False
) -> None:
    """Draw the verdict on a thread; a click on a place in it opens that place on the Timeline.

    Args:
        why: the answer.
        ref: the thread that it is about.
        source: label of its source; None for the source that is chosen already.
        compact: keep it low, with what does not fit a scroll away.
    """
    payload, places = verdict_payload(why)
    clicked = verdict.show({**payload, "compact": compact}, key="verdict")
    if clicked is None or clicked >= len(places):
        return
    place = places[clicked]
    selection.choose(
        **({} if source is None else {"source": source}),
        thread=ref.thread_id,
        namespace=place.namespace or None,
        checkpoint=place.checkpoint_id,
        base=None,
        at=place.pointer or None,
    )
    st.switch_page(page_of("timeline"))
