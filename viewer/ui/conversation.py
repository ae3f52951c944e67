"""State vs transcript: the messages beside the evidence, and what the panel asks for."""

from collections.abc import Mapping

import streamlit as st

from viewer import tables
from viewer.analysis.grounding import Transcript
from viewer.jsontext import dumps
from viewer.model import Proposal
from viewer.panels.conversation import conversation_payload
from viewer.reports.conversation import as_markdown, mentions_document
from viewer.ui import selection
from viewer.ui.chosen import Chosen
from viewer.ui.page import page_of
from viewer.ui.panels import conversation
from viewer.ui.say import file_name, literal, visible
from viewer.ui.what_if import start_with

VIEWS: Mapping[str, str] = {"read": "Read", "what-if": "What if …", "present": "Present"}
_KEY = "transcript_view"


def pick_view() -> str:
    """Draw the choice of the page's view and return it: read, what-if or present."""
    asked = selection.current().view
    wanted = asked if asked is not None and asked in VIEWS else "read"
    st.session_state[_KEY] = wanted
    st.segmented_control(
        "View",
        tuple(VIEWS),
        key=_KEY,
        format_func=lambda name: VIEWS[name],
        label_visibility="collapsed",
        on_change=_view_chosen,
    )
    return wanted


def _view_chosen() -> None:
    chosen = st.session_state[_KEY]
    selection.choose(view=chosen if chosen in ("what-if", "present") else None, at=None)


def show_conversation(chosen: Chosen, found: Transcript) -> None:
    """Draw the messages of the target checkpoint beside its state; says what is missing."""
    if not chosen.chain.checkpoints[chosen.target].has_state:
        st.warning("This checkpoint is listed without a state. Step on with → or j.")
        return
    if not found.messages:
        where = chosen.chain.profile.file.fields.messages
        st.info(
            f"This state holds no messages{f' at {literal(where)}' if where else ''}: it is a "
            "position and no conversation. The Timeline shows the whole state, the Diff what a "
            "model was shown of it, and **Present** above walks through the run.",
            title="No transcript here",
        )
    asked = conversation.show(
        conversation_payload(chosen.chain, chosen.target, found), key="conversation"
    )
    if asked.open is not None:
        index, at = asked.open
        selection.choose(checkpoint=f"@{index}", base=None, at=at, view=None)
        st.switch_page(page_of("timeline"))
    if asked.edit is not None:
        start_with(asked.edit)
        selection.choose(view="what-if")
        st.rerun()


def show_export(chosen: Chosen) -> None:
    """Offer the conversation with its evidence as Markdown, and the mentions as JSON."""
    with st.container(horizontal=True):
        st.download_button(
            "Download as Markdown",
            lambda: as_markdown(chosen.chain, chosen.target),
            file_name(chosen.ref.thread_id, f"-{chosen.target}-conversation.md"),
            "text/markdown",
            on_click="ignore",
        )
        st.download_button(
            "Download mentions as JSON",
            lambda: dumps(mentions_document(chosen.chain, chosen.target), indent=2),
            file_name(chosen.ref.thread_id, f"-{chosen.target}-mentions.json"),
            "application/json",
            on_click="ignore",
        )


def show_proposal(proposal: Proposal) -> None:
    """Draw one waiting proposal: each action with its arguments, and the raw value."""
    if proposal.inconsistency:
        st.error(literal(proposal.inconsistency), title="Waiting with nothing pending")
    for action in proposal.actions:
        with st.container(border=True):
            st.markdown(f"**Would call** {literal(action.tool)}")
            if isinstance(action.args, dict) and action.args:
                st.dataframe(
                    tables.arguments(action.args),
                    hide_index=True,
                    width="content",
                    height="content",
                )
            elif action.args is not None:
                st.code(visible(dumps(action.args, indent=2)), language="json")
    with st.expander("As stored", expanded=not proposal.actions):
        st.code(visible(dumps(proposal.value, indent=2)), language="json")
