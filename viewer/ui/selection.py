"""What is chosen: the one reader and writer of the address and of Streamlit's session state.

Widgets, the strip and the address bar can all change the selection. It is kept here between runs;
widgets are set from it before they are drawn. Search text and personal data never enter the
address.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl

import streamlit as st

from viewer.jsontext import escape_surrogates

_KEY = "selection"
_PAGE = "selection_page"
_ANSWERED = "selection_answered"
_MOVED = "selection_moved"
_TURN = "selection_turn"
_LINKED = "selection_linked"
FRAME = "frame"
STEPS = ("checkpoint", "base")
"""Parameters that the strip writes while it steps."""
PANEL = ("at", "view", "filter")
"""Parameters that a panel writes on the pages of `HELD`; elsewhere they are the page's own."""
HELD: Mapping[str, tuple[str, ...]] = {"timeline": PANEL, "diff": PANEL, "transcript": ("at",)}
"""What the panels of a page write themselves; the rest of `PANEL` is the page's own there."""
AGAINST = ("against_source", "against_thread", "against_namespace", "against")
"""Parameters that name a base outside the thread."""
PARAMS = ("source", "thread", "namespace", *STEPS, *AGAINST, "tab", "gate", *PANEL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What a person looks at; None leaves the choice to the page."""

    source: str | None = None
    """Label of the source, unique among those open."""
    thread: str | None = None
    namespace: str | None = None
    checkpoint: str | None = None
    """An id or ``@INDEX``, as the command line names it."""
    base: str | None = None
    """None means the parent of the checkpoint."""
    against_source: str | None = None
    """Label of the source of a base in another thread; None for the same source."""
    against_thread: str | None = None
    """None: the base is a checkpoint of this thread, as `base` says."""
    against_namespace: str | None = None
    against: str | None = None
    """The checkpoint of that thread; None means its live head."""
    tab: str | None = None
    gate: str | None = None
    at: str | None = None
    """JSON Pointer of the place that is selected in the page's panel."""
    view: str | None = None
    """How the page shows what it shows (``split``, ``unified`` …); its own word."""
    filter: str | None = None
    """What is filtered, in the page's own words; never text that was searched for."""

    def params(self) -> dict[str, str]:
        """Return the selection as the address carries it."""
        named = {name: getattr(self, name) for name in PARAMS}
        return {
            name: escape_surrogates(value) for name, value in named.items() if value is not None
        }


def current() -> Selection:
    """Return the selection as it stands in this run."""
    found = st.session_state.get(_KEY)
    return found if isinstance(found, Selection) else Selection()


def choose(**parts: str | None) -> None:
    """Change parts of the selection; what depends on a changed part falls back to its default."""
    before = current()
    after = replace(before, **parts)
    if before.source is not None and after.source != before.source:
        after = replace(after, thread=parts.get("thread"), namespace=parts.get("namespace"))
    if before.thread is not None and (after.thread, after.namespace) != (
        before.thread,
        before.namespace,
    ):
        after = replace(after, **{name: parts.get(name) for name in (*STEPS, *AGAINST, "at")})
    if parts.keys() & set(STEPS):
        st.session_state[_MOVED] = True
    if parts.keys() & set(PANEL):
        _asked()
        st.session_state[_LINKED] = True
    st.session_state[_KEY] = after


def recall(**parts: str | None) -> None:
    """Fill in what a page remembers of its own parameters, where the address was left bare.

    Unlike `choose` it is no link: what is recalled ends with the page.
    """
    st.session_state[_KEY] = replace(current(), **parts)


def moved() -> bool:
    """Return whether the checkpoint was chosen by a link or the address since the last call."""
    return bool(st.session_state.pop(_MOVED, False))


def stepped(checkpoint: str, base: str | None) -> None:
    """Take over where the strip stands; it has written the address itself."""
    st.session_state[_KEY] = replace(current(), checkpoint=checkpoint, base=base)


def compares_outside() -> bool:
    """Return whether the page compares with a base in another thread: no parent is the base then."""
    here = current()
    return st.session_state.get(_PAGE) == "diff" and (
        here.against_thread is not None and here.base is None
    )


def for_panel() -> dict[str, Any]:
    """Return what the address or a link asks of the page's panel: at, view, filter, and the turn.

    The panel follows it when the turn is a new one; afterwards the panel knows better, and writes
    these parameters into the address itself (the event ``checkpointaddress``, see ``frame.js``).
    """
    here = current()
    return {
        "turn": st.session_state.get(_TURN, 0),
        **{name: getattr(here, name) for name in PANEL},
    }


def held() -> list[str]:
    """Return the parameters that the strip and the panel of this page write themselves."""
    return [*STEPS, *HELD.get(page(), ())]


def follow_address(page: str) -> None:
    """Take the selection from the address where the address is what changed.

    That is at a session's first run, when Back or Forward led to another page, and when the frame
    reports Back or Forward on the same page. A click in the menu clears the address and so
    changes nothing.
    """
    moved = st.session_state.get(_PAGE) != page
    st.session_state[_PAGE] = page
    told = (st.session_state.get(FRAME) or {}).get("navigated")
    if isinstance(told, str):
        st.session_state[_ANSWERED] = told
        _take(dict(parse_qsl(told.removeprefix("?"), keep_blank_values=True)))
    elif moved and len(st.query_params):
        _take(dict(st.query_params.to_dict()))
    elif moved and _LINKED not in st.session_state:
        # What a page showed, and how, belongs to it alone.
        st.session_state[_KEY] = replace(current(), at=None, view=None, filter=None, tab=None)
    st.session_state.pop(_LINKED, None)


def page() -> str:
    """Return the stem of the page that runs."""
    return str(st.session_state[_PAGE])


def answered() -> str | None:
    """Return the address whose report by the frame was last followed."""
    found = st.session_state.get(_ANSWERED)
    return found if isinstance(found, str) else None


def _asked() -> None:
    st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1


def _take(params: Mapping[str, str]) -> None:
    _asked()
    st.session_state[_MOVED] = True
    st.session_state[_KEY] = Selection(**{k: v for k, v in params.items() if k in PARAMS})
