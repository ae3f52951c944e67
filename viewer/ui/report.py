"""The button that writes the chosen thread into one HTML file."""

from datetime import UTC, datetime

import streamlit as st

from viewer.ui.chosen import Chosen
from viewer.ui.say import file_name


def offer_report(chosen: Chosen) -> None:
    """Draw the button in the sidebar; the file is made when it is pressed."""
    st.sidebar.download_button(
        "Report as one HTML file",
        lambda: _made(chosen),
        file_name(chosen.ref.thread_id, "-report.html"),
        "text/html",
        on_click="ignore",
        help="Strip, changes in three columns, violations and usage; secrets masked; opens from "
        "disk without any server.",
        icon=":material/download:",
    )


def _made(chosen: Chosen) -> str:
    # Imported when it is asked for: few visits end in a report, and every start would wait for it.
    from viewer.reports.html_report import html_report

    return html_report(chosen.chain, chosen.answer, chosen.result, made_at=datetime.now(UTC))
