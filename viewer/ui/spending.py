"""What the Usage page shows in each of its tabs: charts whose points open a step, and tables."""

from functools import partial
from typing import Any

import streamlit as st

from viewer import charts, tables
from viewer.analysis.usage import UsageReport
from viewer.analysis.usage_groups import by_model, by_node, marks
from viewer.model import USAGE, Number
from viewer.ui import cached_usage, exports, selection
from viewer.ui.amounts import CONTEXT, SIZE, Shown, amount, word
from viewer.ui.beside import Beside, pick_beside
from viewer.ui.chosen import Chosen
from viewer.ui.grids import clicked_row, height
from viewer.ui.overview import timezone


def show_steps(chosen: Chosen, report: UsageReport, shown: Shown, row: Any) -> None:
    """Draw one amount over checkpoints or time, a second run over it if asked, and the table.

    Args:
        chosen: the run.
        report: its usage.
        shown: what a person chose to see.
        row: where the choice of a second run is drawn.
    """
    special = marks(chosen.chain, report)
    frame = tables.usage(report, chosen.chain, special)
    with row:
        other = pick_beside(chosen)
    beside = None if other is None else _frame_of(other)
    figure = charts.usage(
        frame,
        shown.field,
        cumulative=shown.cumulative,
        budget=shown.budget,
        clock=shown.clock,
        beside=beside,
        names=(chosen.ref.thread_id, "" if other is None else other.name),
        here=chosen.target,
        dark=_dark(),
    )
    over = "time" if shown.clock else "checkpoints"
    alt = f"{word(shown.field)} over {over}; the table below has every number"
    _follow_click(figure, "usage_chart", alt)
    st.caption(" ".join(_notes(report, shown, special)))
    if other is not None and beside is not None:
        _compare(report, cached_usage.spent(other.source, other.ref), chosen, other)
    _table(chosen, report, frame)


def show_fields(chosen: Chosen) -> None:
    """Draw the size of each top-level field over the lineage of the live head."""
    found = cached_usage.sizes(chosen.source, chosen.ref)
    if not found.fields:
        st.info(
            "No checkpoint on the live lineage has a readable state.", title="Nothing to measure"
        )
        return
    here = chosen.target if chosen.target in found.indices else None
    _follow_click(
        charts.growth(found, here=here, dark=_dark()),
        "growth_chart",
        "Size of each top-level field over checkpoints; the table below has the numbers",
    )
    left = len(chosen.chain.checkpoints) - len(found.indices)
    st.caption(
        "Bytes of compact JSON along the lineage of the live head."
        + (f" {left} checkpoints on other branches are left out." if left else "")
        + " Click a point of the upper line to stand at that checkpoint."
    )
    st.header("Grows most")
    number = st.column_config.NumberColumn
    st.dataframe(
        tables.growth(found),
        hide_index=True,
        key="growth_table",
        alt="Fields by how much they grew",
        height=height(len(found.fields)),
        column_config={
            "grew": number("grew", format="bytes", help="Last minus first"),
            **{name: number(name, format="bytes") for name in ("first", "last", "most")},
            "steps_grown": number("steps that grew it", format="localized"),
            "sizes": st.column_config.AreaChartColumn("over the steps", y_min=0),
        },
    )
    exports.download(chosen.ref.thread_id, "fields", lambda: exports.of_growth(found))


def show_groups(chosen: Chosen, report: UsageReport) -> None:
    """Draw usage by node and by model."""
    if not report.recorded:
        return
    for what, found in (("node", by_node(chosen.chain, report)), ("model", by_model(report))):
        st.header(f"By {what}")
        frame = tables.groups(found, what)
        config: dict[str, Any] = {n: _column(n) for n in USAGE if n in frame}
        config["steps"] = st.column_config.NumberColumn("steps", format="localized")
        if "total_tokens" in frame and (most := float(frame["total_tokens"].max())) > 0:
            config["total_tokens"] = st.column_config.ProgressColumn(
                "total tokens", format="localized", min_value=0, max_value=most, color="auto"
            )
        st.dataframe(
            frame,
            hide_index=True,
            key=f"{what}_table",
            alt=f"Usage by {what}",
            column_config=config,
            placeholder="no record",
        )
        rows = partial(exports.of_groups, found, what)
        exports.download(chosen.ref.thread_id, f"by-{what}", rows)
    st.caption(
        "“not recorded”: the source names no node, or the messages no model. Nodes that ran in one "
        "step share a row."
    )


def _table(chosen: Chosen, report: UsageReport, frame: Any) -> None:
    shown = frame.dropna(axis="columns", how="all")
    zone = timezone()
    if "created_at" in shown:
        times = [tables.told_time(c.created_at, zone) for c in chosen.chain.checkpoints]
        shown = shown.drop(columns="created_at").assign(time=times)
    shown = shown[[name for name in shown if not (shown[name] == "").all()]]
    clicked = clicked_row(
        shown,
        key="usage_table",
        alt="Usage of every checkpoint",
        column_config={
            **{name: _column(name) for name in (*USAGE, SIZE, CONTEXT)},
            "index": st.column_config.NumberColumn("index", format="@%d", width="small"),
            "time": st.column_config.TextColumn("time", width=330),
        },
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption("A dash is no record, which is not 0. Click a row to stand at that checkpoint.")
        exports.download(
            chosen.ref.thread_id, "usage", lambda: exports.of_usage(report, chosen.chain)
        )
    if clicked is not None:
        _stand_at(int(shown["index"].iloc[clicked]))


def _column(name: str) -> Any:
    if name == SIZE:
        return st.column_config.NumberColumn("state size", format="bytes")
    if name == "cost_usd":
        return st.column_config.NumberColumn("cost (US$)", format="$%.4f")
    return st.column_config.NumberColumn(word(name), format="localized")


def _follow_click(figure: Any, key: str, alt: str) -> None:
    """Draw a chart and stand at the checkpoint whose point was just clicked, once."""
    event: Any = st.plotly_chart(
        figure, key=key, alt=alt, on_select="rerun", selection_mode="points"
    )
    points = [point["customdata"] for point in event.selection.points if point.get("customdata")]
    index = next((int(where[0]) for where in points if int(where[1]) == 0), None)
    seen = f"{key}:followed"
    if index is None:
        st.session_state.pop(seen, None)
    elif st.session_state.get(seen) != index:
        st.session_state[seen] = index
        _stand_at(index)


def _stand_at(index: int) -> None:
    selection.choose(checkpoint=f"@{index}", base=None)
    st.rerun()


def _notes(report: UsageReport, shown: Shown, special: dict[int, Any]) -> list[str]:
    notes = ["Click a point to stand at that checkpoint."]
    if shown.field == CONTEXT:
        notes.append("Context size: input tokens of the step's largest call.")
    if any(step.total_computed for step in report.steps):
        notes.append("total_tokens is computed (input + output): the source does not record it.")
    if any("went down" in kinds for kinds in special.values()):
        notes.append("Where a cumulative counter went down, what the step cost is unknown.")
    if any("retry" in kinds for kinds in special.values()):
        notes.append("A retry follows a checkpoint after which a task had failed.")
    return notes


def _compare(report: UsageReport, beside: UsageReport, chosen: Chosen, other: Beside) -> None:
    """Set the totals of two runs side by side."""
    rows = []
    for name in USAGE:
        one, two = getattr(report.totals, name), getattr(beside.totals, name)
        if one is not None or two is not None:
            rows.append([word(name), amount(name, one), amount(name, two), _delta(one, two)])
    columns = ("amount", chosen.ref.thread_id, other.name, "difference")
    st.dataframe(tables.texts(columns, rows), hide_index=True, key="beside_table", alt="Totals")


def _delta(one: Number, two: Number) -> str:
    if one is None or two is None:
        return "–"
    change = f"{two - one:+,.6g}" if isinstance(two - one, float) else f"{two - one:+,}"
    return change if not one else f"{change} ({(two - one) / one:+.0%})"


def _frame_of(other: Beside) -> Any:
    report = cached_usage.spent(other.source, other.ref)
    return tables.usage(report, other.chain, marks(other.chain, report))


def _dark() -> bool:
    return bool(st.context.theme.type == "dark")
