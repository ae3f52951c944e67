"""Tables whose rows can be clicked."""

from typing import Any

import streamlit as st

_ROWS = 18
_LINE = 35
_PIXELS = 640


def height(rows: int, row_height: int | None = None) -> Any:
    """Return the height of a table: all of a short one, a scrolling window of a long one.

    Args:
        rows: how many.
        row_height: pixels of each, where that is not Streamlit's own.
    """
    return "content" if rows * (row_height or _LINE) <= _ROWS * _LINE else _PIXELS


def clicked_row(frame: Any, *, key: str, alt: str, **options: Any) -> int | None:
    """Draw ``frame`` and return the position of the row that was just clicked, once."""
    cell = clicked_cell(frame, key=key, alt=alt, **options)
    return None if cell is None else cell[0]


def clicked_cell(frame: Any, *, key: str, alt: str, **options: Any) -> tuple[int, str] | None:
    """Draw ``frame`` and return row position and column of the cell that was just clicked, once.

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
        height=height(len(frame), options.get("row_height")),
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
    row, column = cells[0]
    return (row, str(column)) if row < len(frame) else None
