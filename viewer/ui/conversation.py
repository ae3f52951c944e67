"""State vs transcript: messages beside evidence, and a what-if proposal tried against both."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from viewer import tables
from viewer.analysis.grounding import GroundingFinding, Transcript, try_proposal
from viewer.analysis.mentions import writers
from viewer.jsontext import dumps
from viewer.model import MISSING, Proposal, Writer
from viewer.pointer import find
from viewer.ui.chosen import Chosen
from viewer.ui.say import literal, visible

_HERE = Path(__file__).parent
_MOST = 400
_HEIGHT = 640
_RAW = 20_000
"""Characters of a message as stored that are sent; the state tree has all of it."""
_RESULTS = ("tool_ok", "tool_refused")
_WORDS: Mapping[Writer, str] = {
    "user": "the user",
    "model": "the model",
    "system": "the system message",
    "tool_ok": "a tool's result",
    "tool_refused": "a tool's refusal",
}

_PANEL = st.components.v2.component(
    "checkpoint_viewer_conversation",
    html='<div class="panel conversation"></div>',
    css=(_HERE / "conversation.css").read_text(encoding="utf-8"),
    js=(_HERE / "conversation.js").read_text(encoding="utf-8"),
)


def show_conversation(chosen: Chosen, found: Transcript) -> None:
    """Draw the messages of the target checkpoint, each beside the evidence row of its result."""
    if not found.messages:
        st.info("This state holds no messages.", title="No transcript")
        return
    _PANEL(key="conversation", data=conversation_payload(chosen, found))


def conversation_payload(chosen: Chosen, found: Transcript) -> dict[str, Any]:
    """Return what the panel draws: one row a message, the newest 400 of them."""
    state = chosen.chain.states[chosen.target]
    rows = [] if state is MISSING else chosen.chain.profile.field("evidence", state)
    evidence = rows if isinstance(rows, list) else []
    ids = [m.id for m in found.mentions]
    ok = [isinstance(row, dict) and row.get("ok") is True for row in evidence]
    wrote = writers(found.messages, ok)
    results = [m.index for m, w in zip(found.messages, wrote, strict=True) if w in _RESULTS]
    beside = dict(zip(results, range(len(evidence)), strict=False))
    where = chosen.chain.profile.file.fields.evidence
    left = len(found.messages) - _MOST
    return {
        "height": _HEIGHT,
        "titles": [
            f"Transcript: {len(found.messages)} message"
            + ("s" if len(found.messages) != 1 else "")
            + (f" (the newest {_MOST} are shown)" if left > 0 else ""),
            f"State: {len(evidence)} rows of evidence"
            if where
            else "State: no evidence is declared",
        ],
        "proven": sorted({e.id for e in found.evidence}),
        "rows": [
            {
                "role": message.role,
                "name": visible(message.name or ""),
                "pointer": message.pointer,
                "raw": visible(dumps(find(state, message.pointer), indent=2)[:_RAW]),
                "others": [
                    {"kind": part.kind, "text": visible(part.text)}
                    for part in message.parts
                    if part.kind not in ("text", "call")
                ],
                "parts": _parts(message.text, ids, _WORDS[writer]),
                "calls": [
                    {"name": visible(call.name), "parts": _parts(_text(call.args), ids, "model")}
                    for call in message.tool_calls
                ],
                "evidence": _evidence(evidence, beside.get(message.index), where),
            }
            for message, writer in list(zip(found.messages, wrote, strict=True))[max(left, 0) :]
        ],
    }


def _parts(text: str, ids: Sequence[str], writer: str) -> list[dict[str, str]]:
    if not ids:
        return [{"text": visible(text)}]
    split = re.compile("(" + "|".join(re.escape(i) for i in ids) + ")")
    return [
        {"text": piece, "id": piece, "by": writer} if piece in ids else {"text": visible(piece)}
        for piece in split.split(text)
        if piece
    ]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else dumps(value)


def _evidence(rows: Sequence[Any], number: int | None, where: str | None) -> dict[str, Any] | None:
    if number is None:
        return None
    row = rows[number] if isinstance(rows[number], dict) else {"value": rows[number]}
    return {
        "ok": row.get("ok") is True,
        "tool": visible(str(row.get("tool", ""))),
        "pointer": f"{where}/{number}",
        "fields": [
            [visible(key), visible(tables.cell(value))]
            for key, value in row.items()
            if key not in ("ok", "tool")
        ],
    }


def try_what_if(chosen: Chosen) -> None:
    """Try each proposal of ``what_if/`` against the transcript and against the state."""
    for name, proposal in chosen.chain.sidecars.what_if.items():
        found = try_proposal(chosen.chain, proposal, chosen.target)
        with st.container(border=True):
            st.markdown(f"**What if** {literal(name)} **were proposed here?**")
            _two_verdicts(found)
            with st.expander("The proposal"):
                st.code(visible(dumps(proposal, indent=2)), language="json")


def _two_verdicts(found: Sequence[GroundingFinding]) -> None:
    judged = [f for f in found if f.keyword != "action_without_identifier"]
    for finding in found:
        if finding not in judged:
            st.info(literal(finding.message), title="Cannot be judged")
    if not judged:
        st.info("It proposes no action that names an identifier.")
        return
    left, right = st.columns(2)
    passes = all(f.believed_by_transcript for f in judged)
    proven = all(f.proved_by_state for f in judged)
    with left:
        say = st.warning if passes and not proven else st.success if passes else st.error
        say(
            "would let it pass: the identifier stands in the messages."
            if passes
            else "refuses it: the identifier stands nowhere in the messages.",
            title="A check on the transcript",
        )
    with right:
        if proven:
            st.success("lets it pass: a tool returned every identifier.", title="The state")
        else:
            reasons = " ".join(literal(f.message) for f in judged if not f.proved_by_state)
            st.error(f"refuses it. {reasons}", title="The state")


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
