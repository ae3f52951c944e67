"""The menu that writes the state of the target checkpoint into a file."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from viewer.jsontext import dumps
from viewer.redact import redacted
from viewer.reports import as_json, state_markdown, tables_csv
from viewer.ui.chosen import Chosen
from viewer.ui.say import file_name

Form = tuple[str, str, str, Callable[[], str]]
"""Label, ending of the file's name, its media type, and what writes it."""


def offer_state(chosen: Chosen) -> None:
    """Draw the menu; a file is made when its button is pressed."""
    with st.popover("Export", icon=":material/download:"):
        draw_forms(chosen, state_forms(chosen, mask_secrets()))


def mask_secrets() -> bool:
    """Draw the choice whether secrets leave the machine, and return it."""
    return st.checkbox(
        "Mask secrets",
        value=True,
        key="export_masked",
        help="Passwords, keys and tokens, by the name of their field and by their shape. A patch "
        "with masks leads to a state with masks.",
    )


def state_forms(chosen: Chosen, masked: bool) -> list[Form]:
    """Return the forms of the target's state."""
    write = partial(_state, chosen, masked)
    row = as_json.named(chosen.chain, chosen.target)
    return [
        (
            "State as JSON",
            "-state.json",
            "application/json",
            lambda: dumps(write(), indent=2) + "\n",
        ),
        (
            "State as Markdown",
            "-state.md",
            "text/markdown",
            lambda: state_markdown.text(row, write()),
        ),
        ("State as CSV", "-state.csv", "text/csv", lambda: tables_csv.state_csv(write())),
    ]


def draw_forms(chosen: Chosen, forms: list[Form]) -> None:
    """Draw a button a form; the files are called after thread and checkpoint."""
    name = f"{chosen.ref.thread_id[:60]}-{chosen.target}"
    with st.container(gap="xxsmall"):
        for label, ending, mime, write in forms:
            st.download_button(
                label,
                partial(_encoded, write),
                file_name(name, ending),
                mime,
                key=f"export{ending}",
                on_click="ignore",
                type="tertiary",
            )


def _encoded(write: Callable[[], str]) -> bytes:
    return write().encode()


def _state(chosen: Chosen, masked: bool) -> Any:
    state = chosen.chain.state(chosen.target)
    return redacted(state) if masked else state
