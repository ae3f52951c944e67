"""Answers what a panel asks for while a person works in it, without drawing the page anew.

A panel asks with ``ask(kind, args)`` (``viewer/panels/asking.js``). The question travels through one
invisible component in a fragment of its own, so an answer costs a fragment's run and no more. A new
kind of question is one function and one line in `ANSWERS`.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import streamlit as st

from viewer.errors import ViewerError
from viewer.panels.wire import text_of
from viewer.pointer import get
from viewer.ui.chosen import Chosen

_KEY = "ask"
_ANSWERED = "ask_answered"
_MOST = 32
"""Questions answered in one run; a panel that asks for more is told so."""

Args = Mapping[str, Any]

_MOUNT = st.components.v2.component(
    "checkpoint_viewer_ask",
    html='<div class="panel"></div>',
    js=(Path(__file__).parent / "ask.js").read_text(encoding="utf-8"),
)


def value(chosen: Chosen, args: Args) -> str:
    """Return the JSON text of the value at ``pointer`` in the state of checkpoint ``index``."""
    return text_of(get(chosen.chain.state(int(args["index"])), str(args["pointer"])))


ANSWERS: Mapping[str, str] = {
    "value": "viewer.ui.ask:value",
    "search": "viewer.ui.find:hits",
    "biography": "viewer.ui.biography:life",
    "states": "viewer.ui.ahead:states",
    "reducers": "viewer.ui.reducers:reducers",
    "nested": "viewer.ui.nested:nested",
    "conversation": "viewer.ui.conversation_answers:followed_conversation",
    "messages": "viewer.ui.conversation_answers:earlier_messages",
    "first_mention": "viewer.ui.conversation_answers:first_mentioned",
    "patch": "viewer.ui.pair_answers:patch",
    "base_value": "viewer.ui.pair_answers:base_value",
    "values": "viewer.ui.pair_answers:values",
    "untouched": "viewer.ui.pair_answers:untouched",
}
"""Kind of question → ``module:function`` that answers it with JSON. Imported when first asked, so
that no start waits for what few visits need."""


def answerer(kind: str) -> Callable[[Chosen, Args], Any]:
    """Return the function that answers questions of ``kind``, a key of `ANSWERS`."""
    module, _, name = ANSWERS[kind].partition(":")
    found: Callable[[Chosen, Args], Any] = getattr(import_module(module), name)
    return found


@st.fragment
def answer_questions(chosen: Chosen) -> None:
    """Answer what the panels of a page ask about the chosen thread."""
    asked = (st.session_state.get(_KEY) or {}).get("asked")
    turn = asked.get("turn") if isinstance(asked, Mapping) else None
    answers: dict[str, Any] = {}
    # Each question is answered in one run only: what was sent once is not sent with every rerun.
    if isinstance(asked, Mapping) and turn != st.session_state.get(_ANSWERED):
        answers = {str(q["id"]): _answer(chosen, q) for q in asked["questions"][:_MOST]}
        st.session_state[_ANSWERED] = turn
    _MOUNT(
        key=_KEY,
        data={"turn": turn, "answers": answers},
        on_asked_change=lambda: None,
    )


def _answer(chosen: Chosen, question: Mapping[str, Any]) -> dict[str, Any]:
    kind = str(question.get("kind"))
    if kind not in ANSWERS:
        return {"error": f"nobody answers {kind!r}"}
    try:
        return {"answer": answerer(kind)(chosen, question.get("args") or {})}
    except (ViewerError, KeyError, TypeError, ValueError, IndexError) as error:
        return {"error": str(error)}
