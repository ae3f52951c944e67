"""The size of each field of a state over a lineage, stacked."""

from collections.abc import Sequence

import plotly.graph_objects as go

from viewer.analysis.growth import Growth
from viewer.charts.palette import AREAS, INK, PATTERNS, literal, readable_axes, step_line

_FEW = 20
"""Checkpoints up to which each has its tick."""


def growth(
    found: Growth, *, fields: int = 7, here: int | None = None, dark: bool = False
) -> go.Figure:
    """Return the size of each top-level field over a lineage, stacked: the largest first.

    Fields beyond ``fields`` are one area. Areas differ in pattern, not in colour alone. A point's
    ``customdata`` is its checkpoint's index and 0.
    """
    ranked = sorted(found.fields, key=lambda one: -one.most)
    areas = [
        ("(the whole state)" if f.field is None else f.field, f.sizes) for f in ranked[:fields]
    ]
    rest = [one.sizes for one in ranked[fields:]]
    if rest:
        areas.append(
            (f"{len(rest)} other fields", tuple(_sum(row) for row in zip(*rest, strict=True)))
        )
    figure = go.Figure()
    x = list(found.indices)
    for number, (name, sizes) in enumerate(areas):
        colour = AREAS[dark][number % len(AREAS[dark])]
        shown = literal(name if len(name) <= 40 else name[:39] + "…")
        figure.add_trace(
            go.Scatter(
                x=x,
                y=sizes,
                name=shown,
                mode="lines",
                stackgroup="size",
                line={"color": colour, "width": 1},
                fillpattern={"shape": PATTERNS[number % len(PATTERNS)], "size": 6},
                hovertemplate=f"{shown}: %{{y:,}} bytes<extra></extra>",
            )
        )
    totals = [_sum(row) for row in zip(*(sizes for _, sizes in areas), strict=True)]
    figure.add_trace(
        go.Scatter(
            x=x,
            y=totals,
            name="all",
            mode="lines+markers",
            marker={"size": 6 if len(x) <= 400 else 3, "color": INK[dark][2]},
            line={"color": INK[dark][2], "width": 1},
            customdata=[[i, 0] for i in x],
            hovertemplate="@%{x}: %{y:,} bytes in all<extra></extra>",
        )
    )
    figure.update_layout(
        height=320,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        hovermode="x unified",
        xaxis={"title": "checkpoint index", "tickformat": "d", "dtick": _every(x)},
        yaxis={"title": "bytes of compact JSON", "rangemode": "tozero", "tickformat": "~s"},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
    )
    readable_axes(figure, dark=dark)
    if here is not None:
        step_line(figure, here, dark=dark)
    return figure


def _sum(sizes: Sequence[int | None]) -> int | None:
    known = [size for size in sizes if size is not None]
    return sum(known) if known else None


def _every(x: Sequence[int]) -> int | None:
    """Return 1 where Plotly would tick between two checkpoints, which have one and the same name."""
    return 1 if not x or max(x) - min(x) <= _FEW else None
