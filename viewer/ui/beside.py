"""The choice of a second run to lay over the first; the address names it (``against_…``)."""

from dataclasses import dataclass

import streamlit as st

from viewer.chain import Chain
from viewer.errors import ViewerError
from viewer.model import ThreadRef
from viewer.settings import settings
from viewer.sources import Source
from viewer.ui import cache, selection
from viewer.ui.chosen import Chosen
from viewer.ui.pickers import label_meant, labels, thread_label
from viewer.ui.say import literal

_KEY = "beside"


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """A second run."""

    name: str
    source: Source
    ref: ThreadRef
    chain: Chain


def pick_beside(chosen: Chosen) -> Beside | None:
    """Draw the picker of a second run, set from the address; return the run, None where none is."""
    named = labels(cache.sources(settings())[0])
    runs = {
        (label, ref.thread_id, ref.namespace): (source, ref)
        for label, source in named.items()
        for ref in source.threads
        if not (source.location == chosen.source.location and ref == chosen.ref)
    }
    here = selection.current()
    wanted = (
        label_meant(named, here.against_source or here.source) or "",
        here.against_thread or "",
        here.against_namespace or "",
    )
    known = wanted if here.against_thread is not None and wanted in runs else None
    st.session_state[_KEY] = known
    st.selectbox(
        "Compare with",
        list(runs),
        index=None,
        key=_KEY,
        label_visibility="collapsed",
        placeholder="Compare with another run …",
        width=280,
        format_func=lambda run: f"beside {_called(*run)}",
        on_change=_picked,
    )
    if here.against_thread is not None and known is None:
        st.warning(f"The address compares with {literal(here.against_thread)}, which is not open.")
    if known is None:
        return None
    source, ref = runs[known]
    try:
        return Beside(name=_called(*known), source=source, ref=ref, chain=cache.chain(source, ref))
    except ViewerError as error:
        st.error(literal(str(error)), title="The other run cannot be read")
        return None


def _called(label: str, thread: str, namespace: str) -> str:
    name = thread_label(ThreadRef(thread_id=thread, namespace=namespace))
    return name if label == name else f"{name} in {label}"


def _picked() -> None:
    run = st.session_state[_KEY]
    label, thread, namespace = run or (None, None, None)
    selection.choose(
        against_source=label,
        against_thread=thread,
        against_namespace=namespace or None,
        against=None,
    )
