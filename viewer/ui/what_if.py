"""What if: a tool's result or a proposal is changed in memory, and both checks run again."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from viewer.analysis.diff import diff
from viewer.analysis.grounding import UNNAMED
from viewer.analysis.what_if import Verdict, editable, judge, returned, with_edits
from viewer.errors import ViewerError
from viewer.jsontext import dumps, source_text
from viewer.model import MISSING
from viewer.pointer import find
from viewer.ui.chosen import Chosen
from viewer.ui.json_form import edit_value
from viewer.ui.say import literal, visible

PROPOSAL = "the proposal"
_OWN = "the proposal in this state"
_KEY = "what_if"
"""Of what a person changed: the scope it belongs to, the edits (pointer → value), and a turn that
widgets carry in their keys, so that a reset draws them anew."""
_PLACE = "what_if_place"
_SHOWN = 12


def start_with(pointer: str) -> None:
    """Let the editor open with the tool's result at ``pointer``."""
    st.session_state[_PLACE] = pointer


def proposals(chosen: Chosen) -> dict[str, Any]:
    """Return the proposals that can be tried here, by name: the run's own presets, then the state's."""
    chain = chosen.chain
    found = dict(chain.sidecars.what_if)
    own = chain.profile.field("proposal", chain.state(chosen.target))
    if own not in (None, MISSING, {}, []):
        found[_OWN] = own
    return found


def say_presets(chosen: Chosen) -> None:
    """Say in a line of each preset what both checks would do with it here."""
    if not chosen.chain.checkpoints[chosen.target].has_state:
        return
    for name, proposal in chosen.chain.sidecars.what_if.items():
        found = judge(chosen.chain, chosen.target, proposal)
        st.markdown(
            f"**What if** {literal(name)} **were proposed here?** A check on the transcript "
            f"{_says(found.believed)}; the state {_says(found.proved)}."
        )


def _says(passes: bool | None) -> str:
    words = {True: "would let it pass", False: "**refuses it**", None: "cannot judge it"}
    return words[passes]


@st.fragment
def try_what_if(chosen: Chosen) -> None:
    """Let a person change a tool's result or a proposal, and show both verdicts before and after."""
    if not chosen.chain.checkpoints[chosen.target].has_state:
        st.warning("This checkpoint is listed without a state: there is nothing to change.")
        return
    known = proposals(chosen)
    if not known:
        st.info(
            "No proposal stands in this state, and the run folder carries none. Put one into "
            "`what_if/NAME.json` beside the checkpoints, in the shape that the profile's proposals "
            "have, and it can be tried here.",
            title="Nothing to try",
        )
        return
    chain = chosen.chain
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox("Proposal", list(known), format_func=visible, key="what_if_name")
        places = {e.pointer: e.title for e in editable(chain, chosen.target)} | {PROPOSAL: PROPOSAL}
        if st.session_state.get(_PLACE) not in places:
            st.session_state[_PLACE] = next(iter(places))
        place = st.selectbox(
            "Change", list(places), format_func=lambda at: visible(places[at]), key=_PLACE
        )
        held = _held(chosen, name)
        edits: dict[str, Any] = held["edits"]
        suggested = returned(chain, chosen.target, known[name])
        if suggested:
            st.button(
                "What if the tool had returned it?",
                type="primary",
                on_click=_put,
                args=(held, edits | suggested),
            )
        if edits:
            st.button("Reset", help="Back to what is recorded", on_click=_put, args=(held, {}))
    st.caption("In memory only: nothing is written to the source, whatever you change here.")
    left, right = st.columns([5, 6], gap="medium")
    with left:
        recorded = known[name] if place == PROPOSAL else find(chain.state(chosen.target), place)
        key = f"what_if:{held['turn']}:{chosen.target}:{place}"
        value = edit_value(recorded, edits.get(place, recorded), key=key)
        if value is not MISSING:
            edits = {
                at: v
                for at, v in (edits | {place: value}).items()
                if _differs(chosen, known[name], at, v)
            }
            held["edits"] = edits
    with right:
        _before_and_after(chosen, known[name], edits)


def _held(chosen: Chosen, name: str) -> dict[str, Any]:
    """Return what a person changed here; another checkpoint or proposal begins afresh."""
    scope = (chosen.source.name, chosen.ref.thread_id, chosen.ref.namespace, chosen.target, name)
    held: dict[str, Any] | None = st.session_state.get(_KEY)
    if held is None or held["scope"] != scope:
        turn = held["turn"] + 1 if held else 0
        held = {"scope": scope, "edits": {}, "turn": turn}
        st.session_state[_KEY] = held
    return held


def _put(held: dict[str, Any], edits: Mapping[str, Any]) -> None:
    """Hold ``edits`` instead; the form opens with one of them, so that it shows what is in effect."""
    if edits and st.session_state.get(_PLACE) not in edits:
        st.session_state[_PLACE] = next(iter(edits))
    st.session_state[_KEY] = {**held, "edits": dict(edits), "turn": held["turn"] + 1}


def _recorded(chosen: Chosen, proposal: Any, place: str) -> Any:
    return proposal if place == PROPOSAL else find(chosen.chain.state(chosen.target), place)


def _differs(chosen: Chosen, proposal: Any, place: str, value: Any) -> bool:
    return bool(list(diff(_recorded(chosen, proposal, place), value)))


def _before_and_after(chosen: Chosen, proposal: Any, edits: Mapping[str, Any]) -> None:
    chain, at = chosen.chain, chosen.target
    before = judge(chain, at, proposal)
    after = before
    if edits:
        in_state = {place: value for place, value in edits.items() if place != PROPOSAL}
        try:
            after = judge(with_edits(chain, at, in_state), at, edits.get(PROPOSAL, proposal))
        except ViewerError as error:
            st.error(literal(str(error)), title="This change cannot be tried")
            return
    _proposed(edits.get(PROPOSAL, proposal), after)
    first, second = st.columns(2)
    with first:
        st.markdown("**As recorded**")
        _verdicts(before)
    with second:
        st.markdown("**With your change**" if edits else "**With your change** (none yet)")
        _verdicts(after)
    for one in after.findings:
        if one.keyword == UNNAMED:
            st.info(literal(one.message), title="Cannot be judged")
    if edits:
        flips = [
            word
            for word, old, new in (
                ("the check on the transcript", before.believed, after.believed),
                ("the state", before.proved, after.proved),
            )
            if old is not new
        ]
        st.markdown(
            f"**Changed its verdict:** {' and '.join(flips)}."
            if flips
            else "**Neither verdict changed.**"
        )
        _changes(chosen, proposal, edits)


def _proposed(proposal: Any, found: Verdict) -> None:
    """Show what the verdicts are about: each action judged, with its arguments."""
    seen = dict.fromkeys(
        f.pointer.rpartition("/")[0] if f.identifier else f.pointer for f in found.findings
    )
    for at in list(seen)[:_SHOWN]:
        action = find(proposal, at, MISSING)
        if action is not MISSING:
            st.caption(f"Proposed · {literal(at)}")
            st.code(visible(dumps(action)), language="json", wrap_lines=True)


def _verdicts(found: Verdict) -> None:
    if found.believed is None or found.proved is None:
        st.info("It proposes no action that names an identifier.")
        return
    if not found.believed:
        st.error(
            "refuses it: the identifier stands nowhere in the messages.",
            title="A check on the transcript",
        )
    elif found.proved:
        st.success(
            "lets it pass: the identifier stands in the messages.",
            title="A check on the transcript",
        )
    else:
        st.warning(
            "would let it pass: the identifier stands in the messages.",
            title="A check on the transcript",
        )
    if found.proved:
        st.success("lets it pass: a tool returned every identifier.", title="The state")
    else:
        judged = [f for f in found.findings if f.keyword != UNNAMED and not f.proved_by_state]
        st.error(f"refuses it. {' '.join(literal(f.message) for f in judged)}", title="The state")


def _changes(chosen: Chosen, proposal: Any, edits: Mapping[str, Any]) -> None:
    lines = []
    for place, value in edits.items():
        for change in diff(_recorded(chosen, proposal, place), value):
            root = "proposal" if place == PROPOSAL else place
            old = "" if change.old is MISSING else literal(source_text(change.old)[:200])
            new = "" if change.new is MISSING else literal(source_text(change.new)[:200])
            lines.append(
                f"- {literal(root + change.pointer)}: {old or 'absent'} → {new or 'removed'}"
            )
    st.markdown("\n".join(lines[:_SHOWN]))
    if len(lines) > _SHOWN:
        st.caption(f"and {len(lines) - _SHOWN} more changes")
    with st.expander("What is judged instead"):
        for place, value in edits.items():
            st.caption(literal(place))
            st.code(visible(dumps(value, indent=2)), language="json")
