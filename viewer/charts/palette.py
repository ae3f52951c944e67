"""Colours that stand out 3:1 against the page, light and dark, with patterns that tell them apart."""

from html import escape
from typing import Any

import plotly.graph_objects as go

from viewer.jsontext import visible

INK = {False: ("#1d4ed8", "#b45309", "#374151"), True: ("#60a5fa", "#fbbf24", "#d7dde5")}
"""First run, second run, everything else; by whether the page is dark."""
AREAS = {
    False: ("#1d4ed8", "#b45309", "#047857", "#7c3aed", "#be185d", "#0e7490", "#4d7c0f", "#6b7280"),
    True: ("#60a5fa", "#fbbf24", "#34d399", "#a78bfa", "#f472b6", "#22d3ee", "#a3e635", "#9ca3af"),
}
PATTERNS = ("", "/", "\\", "x", "-", "|", "+", ".")


def step_line(figure: go.Figure, x: Any, *, dark: bool) -> None:
    """Mark the checkpoint that is selected, at ``x``, with a dotted line."""
    line = {"color": INK[dark][2], "width": 1, "dash": "dot"}
    figure.add_shape(type="line", x0=x, x1=x, y0=0, y1=1, yref="paper", line=line)


def readable_axes(figure: go.Figure, *, dark: bool) -> None:
    """Write axes and legend in full ink: Streamlit's own grey is too faint to read small text."""
    colour = INK[dark][2]
    figure.update_xaxes(tickfont_color=colour, title_font_color=colour)
    figure.update_yaxes(tickfont_color=colour, title_font_color=colour)
    figure.update_layout(legend_font_color=colour)


def literal(text: str) -> str:
    """Return ``text`` for Plotly, which reads HTML and cannot carry half a surrogate pair."""
    return escape(visible(text))
