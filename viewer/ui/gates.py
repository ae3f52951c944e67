"""Which gates ran, and the filter by gate that the address carries."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import streamlit as st

from viewer import tables
from viewer.analysis.check import CheckResult
from viewer.model import GATES, Violation
from viewer.ui import exports, selection
from viewer.ui.chosen import Chosen
from viewer.ui.grids import clicked_cell
from viewer.ui.overview import timezone
from viewer.ui.page import page_of
from viewer.ui.say import literal, visible

_WORDS = {"run": "ran", "not applicable": "not declared", "not run": "could not run"}


def gate_line(result: CheckResult) -> None:
    """Say of each gate whether it ran and how many violations it found."""
    found = Counter(v.gate for v in result.violations)
    parts = []
    for gate in GATES:
        state = result.gates.get(gate, "not applicable")
        count = f"**{found[gate]}**" if state == "run" else _WORDS[state]
        parts.append(f"{gate} {count}")
    st.markdown("Gates: " + " · ".join(parts))


def filtered(violations: Sequence[Violation]) -> list[Violation]:
    """Draw the filters by gate and by keyword, kept in the address; return what passes both."""
    wanted = selection.current()
    gates = [gate for gate in GATES if any(v.gate == gate for v in violations)]
    with st.container(horizontal=True, vertical_alignment="center"):
        found = _picked("gate", gates, [v.gate for v in violations], wanted.gate)
        left = [v for v in violations if found is None or v.gate == found]
        keywords = list(dict.fromkeys(v.keyword for v in left))
        word = _picked("filter", keywords, [v.keyword for v in left], wanted.filter)
    return [v for v in left if word is None or v.keyword == word]


def show_violations(chosen: Chosen, found: Sequence[Violation]) -> None:
    """Draw violations; a click opens the place, a click on a message shows it whole."""
    cell = clicked_cell(
        tables.violations(found, chosen.chain, timezone()),
        key="violations_table",
        alt="Violations",
        column_config={
            "index": st.column_config.NumberColumn("index", format="@%d", width="small"),
            "step": st.column_config.NumberColumn("step", width="small"),
            "pointer": st.column_config.TextColumn("pointer", width=220),
            "message": st.column_config.TextColumn("message", width=430),
            "time": st.column_config.TextColumn("time", width=330),
        },
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        count = f"{len(found):,} violation" + ("s" if len(found) != 1 else "")
        st.caption(
            f"{count}. Click a row to see the place in the state on the Timeline, "
            "a message to read it whole."
        )
        exports.download(
            chosen.ref.thread_id, "violations", lambda: exports.of_violations(found, chosen.chain)
        )
    if cell is None:
        return
    violation = found[cell[0]]
    if cell[1] == "message" or violation.index is None:
        where = f"@{violation.index} {violation.pointer}" if violation.index is not None else ""
        st.markdown(f"**{violation.gate}** {literal(violation.keyword)} {literal(where)}")
        st.text(visible("\n".join((violation.message, *violation.causes))))
        return
    selection.choose(
        checkpoint=f"@{violation.index}", base=None, at=violation.pointer, filter=None, view=None
    )
    st.switch_page(page_of("timeline"))


def _picked(key: str, names: Sequence[str], of: Sequence[str], wanted: str | None) -> str | None:
    """Draw one filter, set from the address; nothing where there is no choice."""
    if len(names) < 2:
        return None
    counts = Counter(of)
    widget = f"violations_{key}"
    st.session_state[widget] = wanted if wanted in names else None
    found: Any = st.pills(
        key.capitalize(),
        names,
        key=widget,
        label_visibility="collapsed",
        on_change=lambda: selection.choose(**{key: st.session_state[widget]}),
        format_func=lambda name: f"{visible(name)} {counts[name]:,}",
    )
    return None if found is None else str(found)
