"""Which gates ran, and the filter by gate that the address carries."""

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from viewer.analysis.check import CheckResult
from viewer.model import GATES, Violation
from viewer.ui import selection

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


def gate_filter(violations: Sequence[Violation]) -> list[Violation]:
    """Draw the filter by gate, kept in the address, and return the violations that pass it."""
    gates = [gate for gate in GATES if any(v.gate == gate for v in violations)]
    if len(gates) < 2:
        return list(violations)
    wanted = selection.current().gate
    st.session_state["gate"] = wanted if wanted in gates else None
    chosen = st.segmented_control(
        "Gate",
        gates,
        key="gate",
        label_visibility="collapsed",
        on_change=_picked,
        format_func=lambda gate: f"{gate} {sum(v.gate == gate for v in violations)}",
    )
    return [v for v in violations if chosen is None or v.gate == chosen]


def _picked() -> None:
    selection.choose(gate=st.session_state["gate"])
