"""The choice of any two states to compare."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from viewer.analysis.loose_diff import Loose
from viewer.errors import ViewerError
from viewer.model import MISSING
from viewer.settings import settings
from viewer.sources import Source
from viewer.ui import bases, cache, selection
from viewer.ui.bases import Base, Elsewhere
from viewer.ui.checkpoint import say_gap, title
from viewer.ui.chosen import Chosen
from viewer.ui.loosely import pick_loose
from viewer.ui.pickers import labels, thread_label
from viewer.ui.say import literal

_PARENT, _OTHER = -1, -2
_TURN = "upload_turn"
"""Counts the files that were let go: Streamlit empties an uploader only under another key."""
_UPLOADED = "uploaded"
_MB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """What is compared, and how."""

    base: Base
    loose: Loose
    """Empty for the exact comparison."""
    sources: Sequence[Source]
    exports: Any
    """Where in the line of pickers the menu of exports belongs."""


def pick_pair(chosen: Chosen) -> Pair:
    """Draw the pickers, set from strip and address, and return what they hold.

    Stops the script where there is nothing to compare with, with what to do next.
    """
    sources, _ = cache.sources(settings())
    with st.container(horizontal=True, vertical_alignment="bottom"):
        slot = st.container(width=340)
        st.session_state["pick_target"] = chosen.target
        st.selectbox(
            "Target",
            [checkpoint.index for checkpoint in chosen.chain.checkpoints],
            key="pick_target",
            on_change=_picked_target,
            width=340,
            label_visibility="collapsed",
            format_func=lambda i: f"target: {title(chosen.chain, i)}",
        )
        file, fault = _pick_other(chosen, sources)
        loose = pick_loose()
        exports = st.container(width="content")
    away, lost = _away(chosen, sources) if file is None else (None, "")
    base = file or (bases.away(away, chosen) if away else bases.here(chosen))
    with slot:
        _pick_base(chosen, base)
    if fault:
        st.error(literal(fault), title="The uploaded file cannot be compared")
    if lost:
        _say_lost(lost)
    usable = _usable(chosen, base)
    bases.keep_base(usable)
    return Pair(base=usable, loose=loose, sources=sources, exports=exports)


def _away(chosen: Chosen, sources: Sequence[Source]) -> tuple[Elsewhere | None, str]:
    wanted = selection.current()
    if wanted.base is not None and wanted.against_thread is not None:
        # The strip has set a base of its own since.
        selection.choose(**dict.fromkeys(selection.AGAINST))
    try:
        return bases.elsewhere(chosen, sources), ""
    except ViewerError as error:
        return None, str(error)


def _say_lost(why: str) -> None:
    """Say that the base of the address is not there: another one would be read as the one meant."""
    st.error(f"The address names a base that is not here: {literal(why)}.", title="No such base")
    if st.button("Compare with the parent instead"):
        selection.choose(**dict.fromkeys(selection.AGAINST))
        st.rerun()
    st.stop()


def _pick_base(chosen: Chosen, base: Base | None) -> None:
    chain = chosen.chain
    parent = chain.checkpoints[chosen.target].parent
    words = "no parent: nothing before" if parent is None else f"its parent {title(chain, parent)}"
    other = base is not None and base.kind in ("file", "elsewhere")
    by_hand = chosen.base is not None and chosen.base != parent
    st.session_state["pick_base"] = _OTHER if other else chosen.base if by_hand else _PARENT
    named = {_PARENT: words, **({_OTHER: base.title} if base is not None and other else {})}
    st.selectbox(
        "Base",
        [*named, *(checkpoint.index for checkpoint in chain.checkpoints)],
        key="pick_base",
        on_change=_picked_base,
        label_visibility="collapsed",
        format_func=lambda i: f"base: {named.get(i) or title(chain, i)}",
    )


def _usable(chosen: Chosen, base: Base | None) -> Base:
    """Return ``base`` where both sides have a state; say what it is where it is no neighbour."""
    target = chosen.chain.checkpoints[chosen.target]
    if base is None:
        st.info(
            f"Its parent, {literal(target.parent_id or '')}, is not in this source. Choose a base "
            "above, or step on with → or j.",
            title="Nothing to compare with",
        )
        st.stop()
    if base.state is MISSING or not target.has_state:
        st.warning("One of the two checkpoints is listed without a state; choose another.")
        st.stop()
    if base.kind == "nothing":
        st.caption("Nothing before: this is the first checkpoint, so everything in it is added.")
    elif base.kind == "file":
        st.caption("The base is an uploaded file. An uploaded file is not part of the link.")
    elif base.kind == "here":
        say_gap(chosen)
    return base


def _pick_other(chosen: Chosen, sources: Sequence[Source]) -> tuple[Base | None, str]:
    """Draw the choice of a base outside the chain; return an uploaded one, or why it is none."""
    most = settings().limits.upload_bytes
    with st.popover("Other base", on_change="rerun", key="other_open") as drawn:
        # Other chains are read only when somebody is about to choose among them.
        if drawn.open:
            _pick_elsewhere(chosen, sources)
            st.divider()
        file = st.file_uploader(
            "Or a JSON file",
            key=f"upload_{st.session_state.get(_TURN, 0)}",
            type="json",
            max_upload_size=max(1, most // _MB),
            help="It stays in this browser tab and is not part of the link.",
        )
    if file is None:
        st.session_state.pop(_UPLOADED, None)
        return None, ""
    kept = st.session_state.get(_UPLOADED)
    if kept is not None and kept[0] == file.file_id:
        return kept[1], ""
    try:
        base = bases.uploaded(file.name, file.getvalue())
    except ViewerError as error:
        return None, str(error)
    # Only this browser's session holds it: nobody else is to compare with it.
    st.session_state[_UPLOADED] = (file.file_id, base)
    return base, ""


def _pick_elsewhere(chosen: Chosen, sources: Sequence[Source]) -> None:
    """Draw source, thread and checkpoint of another chain, and the button that takes it."""
    named = labels(sources)
    own = next(label for label, source in named.items() if source is chosen.source)
    wanted = selection.current()
    held = wanted.against_source if wanted.against_source in named else own
    label = st.selectbox("Source of the base", list(named), index=list(named).index(held))
    source = named[label]
    threads = list(source.threads)
    if not threads:
        st.caption("This source holds no thread.")
        return
    first = next(
        (i for i, ref in enumerate(threads) if ref.thread_id == wanted.against_thread),
        next(
            (i for i, r in enumerate(threads) if source is not chosen.source or r != chosen.ref), 0
        ),
    )
    ref = st.selectbox(
        "Thread of the base", threads, index=first, format_func=thread_label, key=f"other_{label}"
    )
    try:
        chain = cache.chain(source, ref)
    except ViewerError as error:
        st.error(literal(str(error)), title="This thread cannot be read")
        return
    points = [checkpoint.index for checkpoint in reversed(chain.checkpoints)]
    index = st.selectbox(
        "Checkpoint of the base",
        points,
        format_func=lambda i: title(chain, i),
        key=f"other_{label}_{ref!a}",
    )
    st.button(
        "Compare with this",
        type="primary",
        on_click=_take,
        kwargs={
            "against_source": None if source is chosen.source else label,
            "against_thread": ref.thread_id,
            "against_namespace": ref.namespace or None,
            "against": bases.name_of(chain, points[0] if index is None else index),
        },
    )


def _take(**against: str | None) -> None:
    _let_go()
    st.session_state["other_open"] = False
    selection.choose(base=None, **against)


def _let_go() -> None:
    st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1


def _picked_base() -> None:
    base = st.session_state["pick_base"]
    if base == _OTHER:
        return
    _let_go()
    selection.choose(
        checkpoint=f"@{st.session_state['pick_target']}",
        base=None if base == _PARENT else f"@{base}",
        **dict.fromkeys(selection.AGAINST),
    )


def _picked_target() -> None:
    selection.choose(checkpoint=f"@{st.session_state['pick_target']}")
