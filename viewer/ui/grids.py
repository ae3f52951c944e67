"""Tables whose rows can be clicked."""

from typing import Any

import streamlit as st

_ROWS = 18
_PIXELS = 640


def height(rows: int) -> Any:
    """Return the height of a table: all of a short one, a scrolling window of a long one."""
    return "content" if rows <= _ROWS else _PIXELS


def clicked_row(frame: Any, *, key: str, alt: str, **options: Any) -> int | None:
    """Draw ``frame`` and return the position of the row that was just clicked, once.

    Streamlit keeps a selection: without the "once", coming Back to the table would follow the
    same link again.
    """
    event = st.dataframe(
        frame,
        key=key,
        alt=alt,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-cell",
        height=height(len(frame)),
        placeholder="–",
        **options,
    )
    cells = event.selection.cells
    seen = f"{key}:followed"
    if not cells:
        st.session_state.pop(seen, None)
        return None
    if st.session_state.get(seen) == cells[0]:
        return None
    st.session_state[seen] = cells[0]
    row = cells[0][0]
    return row if row < len(frame) else None
