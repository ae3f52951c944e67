"""Live follow: a page draws itself anew when what stands behind it has changed on disk."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from viewer.chain import Chain
from viewer.ui import selection

SECONDS = 2.0
"""Between two looks; longer where drawing the page takes long."""
_PATIENCE = 4
_FRESH = "follow_fresh"
_PLACE = "follow_place"
_NEWEST = "follow_newest"


def follow(look: Callable[[], object], before: object, took: float) -> None:
    """Look again every two seconds; rerun the page once ``look()`` differs from ``before``.

    A look that finds nothing new draws nothing and so sends next to nothing.

    Args:
        look: returns what changes when the source does; must be cheap.
        before: what it returned before the page read the source.
        took: seconds that reading took; a slow source is looked at less often.
    """
    st.session_state[_FRESH] = True
    st.fragment(_look, run_every=max(SECONDS, _PATIENCE * took))(look, before)


def _look(look: Callable[[], object], before: object) -> None:
    # The run that draws the page passes here too: a source that never rests must not hold it up.
    if not st.session_state.pop(_FRESH, False) and look() != before:
        st.rerun()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a person stood in a chain, by names that survive its growth."""

    thread: tuple[str | None, str | None, str | None]
    target: tuple[int, str]
    base: tuple[int, str] | None
    head: str | None
    count: int


def remember(chain: Chain, target: int, base: int | None) -> None:
    """Keep where a person stands, so that `grown` finds the place again in a longer chain."""

    def name(index: int) -> tuple[int, str]:
        return index, chain.checkpoints[index].checkpoint_id

    st.session_state[_PLACE] = _Place(
        thread=_thread(),
        target=name(target),
        base=None if base is None else name(base),
        head=_head(chain),
        count=len(chain.checkpoints),
    )


def grown(chain: Chain) -> tuple[int, int | None] | None:
    """Return target and base in ``chain`` if it has changed since `remember`, else None.

    They are the same checkpoints as before, wherever they stand now; with "follow the newest" on,
    the target is a new live head.
    """
    place = st.session_state.get(_PLACE)
    if not isinstance(place, _Place) or place.thread != _thread():
        return None
    new = len(chain.checkpoints) - place.count
    head = _head(chain)
    if new == 0 and head == place.head and _stands(chain, place.target) == place.target[0]:
        return None
    if new > 0:
        st.toast(f"{new} new checkpoint" + ("s" if new > 1 else ""))
    target = _stands(chain, place.target)
    base = None if place.base is None else _stands(chain, place.base)
    if st.session_state.get(_NEWEST) and head != place.head and chain.head is not None:
        return chain.head, None
    return None if target is None else (target, base)


def newest_toggle() -> None:
    """Draw the switch that keeps the newest checkpoint selected."""
    # The state of a widget ends with its page; the choice goes on.
    st.session_state[_NEWEST] = st.toggle(
        "Follow the newest",
        value=bool(st.session_state.get(_NEWEST)),
        help="New checkpoints always appear; this also steps to each new live head.",
    )


def _stands(chain: Chain, name: tuple[int, str]) -> int | None:
    index, checkpoint_id = name
    points = chain.checkpoints
    if index < len(points) and points[index].checkpoint_id == checkpoint_id:
        return index
    return next((c.index for c in points if c.checkpoint_id == checkpoint_id), None)


def _head(chain: Chain) -> str | None:
    return None if chain.head is None else chain.checkpoints[chain.head].checkpoint_id


def _thread() -> tuple[str | None, str | None, str | None]:
    here = selection.current()
    return here.source, here.thread, here.namespace
