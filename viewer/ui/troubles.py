"""Errors and problems, shown as literal text."""

from collections.abc import Sequence
from typing import NoReturn

import streamlit as st

from viewer.model import Problem
from viewer.ui.say import literal, visible

_MOST = 200


def stop(title: str, reason: str) -> NoReturn:
    """Show an error as literal text and end the script."""
    st.error(literal(reason), title=title)
    st.stop()


def show_unopened(problems: Sequence[Problem]) -> None:
    """Name each place given at start that did not open."""
    for problem in problems:
        st.error(f"{literal(problem.place)}: {literal(problem.reason)}", title="Not opened")


def tell_problems(problems: Sequence[Problem], *, opened: bool = False) -> None:
    """List what could not be read, folded unless ``opened``; nothing where all was."""
    if not problems:
        return
    word = "problem" if len(problems) == 1 else "problems"
    with st.expander(f"{len(problems)} {word} while reading; the rest is shown", opened, icon="⚠️"):
        for problem in problems[:_MOST]:
            st.text(visible(f"{problem.place}\n    {problem.reason}"))
        if len(problems) > _MOST:
            st.text(f"… and {len(problems) - _MOST} more; `runs --json` lists all")
