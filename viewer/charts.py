"""Data frames as Plotly figures, and the status machine as a Graphviz drawing."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from viewer.analysis.transitions import Edge

_UNITS = {
    "model_calls": "calls",
    "cost_usd": "US$",
    "model_seconds": "seconds",
    "state_bytes": "bytes",
}


def usage(frame: Any, field: str, *, cumulative: bool, budget: float | None = None) -> go.Figure:
    """Return ``field`` of a usage frame over the checkpoints' indices.

    Per step it is drawn as bars, cumulative as a line; steps without a record leave a hole. The
    budget is a dashed line, in the field's own unit.
    """
    x = frame["index"].to_numpy()
    series = frame[field].cumsum() if cumulative else frame[field]
    y = series.to_numpy(dtype="float64", na_value=float("nan"))
    hover = f"@%{{x}}<br>%{{y:,}} {_UNITS.get(field, 'tokens')}<extra></extra>"
    trace = (
        go.Scattergl(x=x, y=y, mode="lines+markers", hovertemplate=hover)
        if cumulative and len(x) > 2000
        else go.Scatter(x=x, y=y, mode="lines+markers", line_shape="hv", hovertemplate=hover)
        if cumulative
        else go.Bar(x=x, y=y, hovertemplate=hover)
    )
    figure = go.Figure(trace)
    figure.update_layout(
        height=260,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        xaxis={"title": "checkpoint index", "tickformat": "d", "rangemode": "tozero"},
        yaxis={"title": f"{field} ({_UNITS.get(field, 'tokens')})", "rangemode": "tozero"},
        showlegend=False,
        bargap=0.3,
    )
    if len(x) <= 20:
        figure.update_xaxes(dtick=1)
    if budget is not None:
        figure.add_hline(y=budget, line_dash="dash", annotation_text=f"budget {budget:,}")
    return figure


def machine(edges: Sequence[Edge], *, dark: bool) -> str:
    """Return the status machine as DOT: legal edges grey, taken ones bold, illegal ones red.

    Taken edges carry how often; illegal ones are dashed and marked with a cross besides, since
    colour alone says nothing to some.
    """
    ink, faint, bad = (
        ("#d7dde5", "#6b7684", "#ff7b72") if dark else ("#1f2933", "#9aa5b1", "#c62828")
    )
    lines = [
        "digraph status {",
        'graph [bgcolor="transparent", rankdir=LR, nodesep=0.35, ranksep=0.55]',
        f'node [shape=box, style=rounded, fontname="sans-serif", fontsize=12, color="{faint}", fontcolor="{ink}"]',
        f'edge [fontname="sans-serif", fontsize=11, color="{faint}", fontcolor="{ink}"]',
    ]
    on_path = {e.target for e in edges if e.taken} | {e.source for e in edges if e.taken}
    lines += [
        f'{_quoted(name)} [penwidth=2, color="{ink}"]'
        for name in sorted(n for n in on_path if n is not None)
    ]
    if any(e.source is None for e in edges):
        lines.append(
            f'"start " [shape=circle, label="", width=0.16, style=filled, fillcolor="{ink}"]'
        )
    for edge in edges:
        source = '"start "' if edge.source is None else _quoted(edge.source)
        style = [f'color="{ink}", penwidth=2, label="{len(edge.taken)}×"'] if edge.taken else []
        if not edge.legal:
            style = [
                f'color="{bad}", fontcolor="{bad}", style=dashed, penwidth=2.5, '
                f'label="✕ {len(edge.taken)}× illegal"'
            ]
        lines.append(f"{source} -> {_quoted(edge.target)} [{', '.join(style)}]")
    return "\n".join([*lines, "}"])


def _quoted(name: str) -> str:
    safe = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{safe}"'
