"""Usage over checkpoints or over time, for one run or two."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from viewer.charts.palette import INK, literal, readable_axes, step_line

_UNITS = {
    "model_calls": "calls",
    "cost_usd": "US$",
    "model_seconds": "seconds",
    "state_bytes": "bytes",
}
_SYMBOLS = {"fork": "diamond", "retry": "triangle-up", "went down": "triangle-down"}
_NO_RECORD = "no record"
_GAPS = 3
_GAP_SECONDS = 60
_TIMES_USUAL = 20
"""A pause is marked where it is this much longer than the usual one, and over a minute."""
_DENSE = 2000


def usage(
    frame: Any,
    field: str,
    *,
    cumulative: bool,
    budget: float | None = None,
    clock: bool = False,
    beside: Any = None,
    names: tuple[str, str] = ("this run", "the other run"),
    here: int | None = None,
    dark: bool = False,
) -> go.Figure:
    """Return ``field`` of a usage frame over checkpoints or over time.

    Per step it is drawn as bars, cumulative as a line; steps without a record leave a hole, marked
    "no record". Forks, retries and counters that went down have symbols. A point's ``customdata``
    is its checkpoint's index, and 0 for this run or 1 for the other.

    Args:
        frame: of `viewer.tables.usage`.
        field: a column of it.
        cumulative: add up.
        budget: height of a dashed line, in the field's own unit.
        clock: over the time of the checkpoints; two runs start together then.
        beside: frame of a second run.
        names: of both runs.
        here: index of the checkpoint to mark.
        dark: whether the page is.
    """
    ink = INK[dark]
    figure = go.Figure()
    for number, one in enumerate([frame] if beside is None else [frame, beside]):
        x = _axis(one, clock=clock, together=beside is not None)
        series = one[field].cumsum() if cumulative else one[field]
        y = series.to_numpy(dtype="float64", na_value=float("nan"))
        common = {
            "x": x,
            "y": y,
            "name": literal(names[number]),
            "hovertext": _hover(one, y, field),
            "hovertemplate": "%{hovertext}<extra></extra>",
            "customdata": [[int(i), number] for i in one["index"]],
        }
        figure.add_trace(_series(common, number, cumulative=cumulative, clock=clock, ink=ink))
    _add_marks(figure, frame, field, ink[2])
    unit = _UNITS.get(field, "tokens")
    figure.update_layout(
        height=280,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        xaxis={"title": _axis_title(clock, beside is not None)},
        yaxis={"title": f"{field.replace('_', ' ')} ({unit})", "rangemode": "tozero"},
        yaxis_tickformat="~s" if field == "state_bytes" else None,
        showlegend=len(figure.data) > 1,
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        bargap=0.3,
    )
    if not clock:
        figure.update_xaxes(
            tickformat="d", rangemode="tozero", dtick=1 if len(frame) <= 20 else None
        )
    elif beside is None:
        _add_gaps(figure, frame, ink[2])
    if budget is not None:
        figure.add_hline(y=budget, line_dash="dash", annotation_text=f"budget {budget:,}")
    readable_axes(figure, dark=dark)
    if here is not None and here < len(frame):
        step_line(figure, _plain(figure.data[0].x[here]), dark=dark)
    return figure


def _series(
    common: dict[str, Any], number: int, *, cumulative: bool, clock: bool, ink: Sequence[str]
) -> Any:
    colour = ink[number]
    symbol = ("circle", "diamond-open")[number]
    if cumulative and len(common["x"]) > _DENSE:
        return go.Scattergl(**common, mode="lines+markers", line_color=colour)
    if cumulative:
        line = {"color": colour, "shape": "hv", "dash": ("solid", "dash")[number]}
        return go.Scatter(**common, mode="lines+markers", line=line, marker={"symbol": symbol})
    if clock:
        stems = {"type": "data", "array": [0] * len(common["y"]), "arrayminus": common["y"]}
        bars = {**stems, "symmetric": False, "color": colour, "thickness": 1.5, "width": 0}
        marker = {"color": colour, "symbol": symbol, "size": 8}
        return go.Scatter(**common, mode="markers", marker=marker, error_y=bars)
    return go.Bar(**common, marker={"color": colour, "pattern_shape": ("", "/")[number]})


def _add_marks(figure: go.Figure, frame: Any, field: str, colour: str) -> None:
    """Add one trace a kind of mark, on the values of the first trace."""
    first = figure.data[0]
    missing = frame[field].isna()
    rows = (
        {kind: frame["marks"].str.contains(kind) for kind in _SYMBOLS} if "marks" in frame else {}
    )
    for kind, chosen in ((_NO_RECORD, missing), *rows.items()):
        at = [i for i, yes in enumerate(chosen) if yes]
        # Where nothing is recorded at all the page says so; a cross at every step says no more.
        if not at or (kind == _NO_RECORD and bool(missing.all())):
            continue
        figure.add_trace(
            go.Scatter(
                x=[first.x[i] for i in at],
                y=[0 if missing.iloc[i] else first.y[i] for i in at],
                name=kind,
                mode="markers",
                marker={
                    "symbol": _SYMBOLS.get(kind, "x-thin-open"),
                    "size": 10 if kind != _NO_RECORD else 7,
                    "color": colour,
                    "line": {"width": 1.5, "color": colour},
                },
                hovertext=[f"{kind}<br>{first.hovertext[i]}" for i in at],
                hovertemplate="%{hovertext}<extra></extra>",
                customdata=[first.customdata[i] for i in at],
            )
        )


def _add_gaps(figure: go.Figure, frame: Any, colour: str) -> None:
    """Shade the longest pauses between checkpoints that follow each other in time."""
    times = frame["created_at"].dropna().sort_values()
    pauses = times.diff().dt.total_seconds().iloc[1:]
    if pauses.empty:
        return
    least = max(_GAP_SECONDS, _TIMES_USUAL * float(pauses.median()))
    for place in pauses[pauses > least].nlargest(_GAPS).index:
        end = times.loc[place]
        start = times.iloc[times.index.get_loc(place) - 1]
        text = f"{duration(float(pauses.loc[place]))} nothing"
        middle = start + (end - start) / 2
        figure.add_vrect(
            x0=_plain(start), x1=_plain(end), fillcolor=colour, opacity=0.08, line_width=0
        )
        figure.add_annotation(x=_plain(middle), y=1, yref="paper", text=text, showarrow=False)


def duration(seconds: float) -> str:
    """Return a span of time as people say it, in its largest unit: ``3.5 h``."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.1f}".rstrip("0").rstrip(".") + f" {unit}"
    return f"{seconds:.1f}".rstrip("0").rstrip(".") + " s"


def _axis(frame: Any, *, clock: bool, together: bool) -> Any:
    if not clock:
        return frame["index"].to_numpy()
    times = frame["created_at"]
    if together:
        return (times - times.min()).dt.total_seconds().to_numpy()
    return [_plain(value) for value in times]


def _axis_title(clock: bool, together: bool) -> str:
    if not clock:
        return "checkpoint index"
    return "seconds since the first checkpoint of each run" if together else "time (UTC)"


def _hover(frame: Any, y: Any, field: str) -> list[str]:
    unit = _UNITS.get(field, "tokens")
    found = []
    for row, value in zip(frame.to_dict("records"), y, strict=True):
        lines = [f"@{row['index']}" + (f" · {row['nodes']}" if row.get("nodes") else "")]
        lines.append(
            _NO_RECORD
            if value != value
            else f"{value:,.6g} {unit}"
            if value < 1
            else f"{value:,.0f} {unit}"
        )
        time = row.get("created_at")
        if time is not None and time == time:
            lines.append(f"{time:%Y-%m-%d %H:%M:%S} UTC")
        if row.get("marks"):
            lines.append(str(row["marks"]))
        found.append("<br>".join(literal(line) for line in lines))
    return found


def _plain(value: Any) -> Any:
    """Return a time as Plotly's front end reads it; a number as it is."""
    if hasattr(value, "isoformat"):
        return None if value != value else value.isoformat()
    return value
