"""What the viewer is measured against: plain Streamlit pages that do one thing.

``/?show=bare`` draws a line; ``/?show=empty`` a fragment that draws a number; ``/?show=json`` a
state with ``st.json(expanded=1)`` and a button to the next one; ``/?show=table`` the changed rows
as an ``st.html`` table. The files come in ``BENCH_STATE`` and ``BENCH_ROWS``.
"""

import html
import json
import os
from pathlib import Path
from typing import Any

import streamlit as st  # noqa: TID251 - a page of its own, not the viewer's


@st.cache_resource
def two(name: str) -> tuple[dict[str, Any], ...]:
    """Return the states of a file that holds two checkpoints."""
    lines = Path(os.environ[name]).read_text("utf-8").splitlines()
    return tuple(json.loads(line)["state"] for line in lines)


@st.fragment
def counter() -> None:
    """Draw a number that a button raises."""
    if st.button("next"):
        st.session_state["at"] = st.session_state.get("at", 0) + 1
    st.text(f"at {st.session_state.get('at', 0)}")


show = st.query_params.get("show", "bare")
if show == "bare":
    st.text("at 0")
elif show == "empty":
    counter()
elif show == "json":
    if st.button("next"):
        st.session_state["at"] = 1 - st.session_state.get("at", 0)
    st.json(two("BENCH_STATE")[st.session_state.get("at", 0)], expanded=1)
else:
    old, new = (state["rows"] for state in two("BENCH_ROWS"))
    cells = (
        f"<tr><td>/rows/{html.escape(name)}</td><td>{html.escape(value)}</td>"
        f"<td>{html.escape(new[name])}</td></tr>"
        for name, value in old.items()
    )
    st.html(f"<table>{''.join(cells)}</table>")
