"""Answers what a panel asks for while a person works in it, without drawing the page anew.

A panel asks with ``ask(kind, args)`` (``viewer/panels/asking.js``). The question travels through one
invisible component in a fragment of its own, so an answer costs a fragment's run and no more. A new
kind of question is one function and one line in `ANSWERS`.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from viewer.errors import ViewerError
from viewer.panels.wire import text_of
from viewer.pointer import get
from viewer.ui import pair_answers
from viewer.ui.ahead import states
from viewer.ui.biography import life
from viewer.ui.chosen import Chosen
from viewer.ui.conversation_answers import (
    earlier_messages,
    first_mentioned,
    followed_conversation,
)
from viewer.ui.find import hits
from viewer.ui.nested import nested
from viewer.ui.reducers import reducers

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


def _value(chosen: Chosen, args: Args) -> str:
    """Return the JSON text of the value at ``pointer`` in the state of checkpoint ``index``."""
    return text_of(get(chosen.chain.state(int(args["index"])), str(args["pointer"])))


ANSWERS: Mapping[str, Callable[[Chosen, Args], Any]] = {
    "value": _value,
    "search": hits,
    "biography": life,
    "states": states,
    "reducers": reducers,
    "nested": nested,
    "conversation": followed_conversation,
    "messages": earlier_messages,
    "first_mention": first_mentioned,
    "patch": pair_answers.patch,
    "base_value": pair_answers.base_value,
    "values": pair_answers.values,
    "untouched": pair_answers.untouched,
}
"""What each kind of question is answered with; must be JSON."""


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
        return {"answer": ANSWERS[kind](chosen, question.get("args") or {})}
    except (ViewerError, KeyError, TypeError, ValueError, IndexError) as error:
        return {"error": str(error)}
