import pandas as pd
import pytest

from viewer import charts
from viewer.analysis.growth import FieldGrowth, Growth
from viewer.analysis.transitions import Edge

FRAME = pd.DataFrame(
    {"index": [0, 1, 2], "input_tokens": [5.0, None, 7.0], "state_bytes": [10, 20, 30]}
)


def test_a_missing_record_leaves_a_hole_and_not_a_zero() -> None:
    y = charts.usage(FRAME, "input_tokens", cumulative=False).data[0].y
    assert [None if v != v else v for v in y] == [5.0, None, 7.0]


def test_cumulative_adds_only_what_is_recorded() -> None:
    y = charts.usage(FRAME, "input_tokens", cumulative=True).data[0].y
    assert [None if v != v else v for v in y] == [5.0, None, 12.0]


def test_budget_is_a_line_at_its_value() -> None:
    figure = charts.usage(FRAME, "input_tokens", cumulative=True, budget=100)
    assert [shape.y0 for shape in figure.layout.shapes] == [100]


def edge(source: str | None, target: str, legal: bool, *taken: int) -> Edge:
    return Edge(source=source, target=target, legal=legal, taken=taken)


@pytest.mark.parametrize("dark", [True, False], ids=["dark", "light"])
def test_an_illegal_edge_is_told_apart_by_more_than_colour(dark: bool) -> None:
    dot = charts.machine([edge("a", "b", True, 1), edge("b", "a", False, 2, 3)], dark=dark)
    illegal = next(line for line in dot.splitlines() if line.startswith('"b" -> "a"'))
    assert "style=dashed" in illegal
    assert "2× illegal" in illegal
    legal = next(line for line in dot.splitlines() if line.startswith('"a" -> "b"'))
    assert "dashed" not in legal


def test_a_status_word_cannot_leave_its_quotes() -> None:
    dot = charts.machine([edge(None, 'x" [URL="javascript:alert(1)"] \\', True, 0)], dark=False)
    line = next(line for line in dot.splitlines() if "->" in line)
    assert '\\" [URL=\\"javascript:alert(1)\\"] \\\\"' in line


WHOLE = pd.DataFrame(
    {
        "index": [0, 1, 2, 3],
        "nodes": ["", "<b>plan</b>", "work", "plan"],
        "marks": ["", "fork", "", "retry, went down"],
        "created_at": pd.to_datetime(
            [
                "2026-01-01T00:00:00Z",
                "2026-01-01T00:00:01Z",
                "2026-01-01T00:00:02Z",
                "2026-01-01T03:00:02Z",
            ]
        ),
        "input_tokens": [0.0, 5.0, 7.0, None],
        "state_bytes": [1, 2, 3, 4],
    }
)


def drawn(**options: object) -> dict[str, object]:
    figure = charts.usage(WHOLE, "input_tokens", cumulative=False, **options)  # type: ignore[arg-type]
    return {"figure": figure, "names": [trace.name for trace in figure.data]}


def test_marks_and_missing_records_have_symbols_of_their_own() -> None:
    found = drawn()
    assert found["names"] == ["this run", "no record", "fork", "retry", "went down"]
    data = found["figure"].data  # type: ignore[attr-defined]
    assert len({trace.marker.symbol for trace in data[1:]}) == 4
    # 0 and no record look alike as bars: only the missing one is crossed out.
    assert list(data[1].x) == [3]


def test_every_point_knows_its_checkpoint_and_its_run() -> None:
    figure = charts.usage(WHOLE, "input_tokens", cumulative=False, beside=WHOLE.head(2))
    assert [list(p) for p in figure.data[0].customdata] == [[0, 0], [1, 0], [2, 0], [3, 0]]
    assert [list(p) for p in figure.data[1].customdata] == [[0, 1], [1, 1]]
    assert figure.data[0].marker.pattern.shape != figure.data[1].marker.pattern.shape
    assert figure.layout.clickmode is None
    assert figure.layout.dragmode is None


def test_markup_in_names_stays_text() -> None:
    figure = charts.usage(WHOLE, "input_tokens", cumulative=False, names=("<a href='x'>", ""))
    assert "<b>" not in figure.data[0].hovertext[1]
    assert figure.data[0].name.startswith("&lt;a")


def test_a_clock_shades_the_long_pause_and_two_runs_start_together() -> None:
    figure = drawn(clock=True)["figure"]
    (pause,) = figure.layout.annotations  # type: ignore[attr-defined]
    assert pause.text == "3 h nothing"
    both = charts.usage(WHOLE, "input_tokens", cumulative=True, clock=True, beside=WHOLE.tail(2))
    assert [next(iter(trace.x)) for trace in both.data[:2]] == [0.0, 0.0]


def test_growth_folds_small_fields_and_stacks_to_the_whole() -> None:
    names = [f"f{i}" for i in range(10)]
    fields = tuple(FieldGrowth(field=n, sizes=(i, 10 * i)) for i, n in enumerate(names))
    figure = charts.growth(Growth(indices=(0, 4), fields=fields), fields=4)
    assert [t.name for t in figure.data] == ["f9", "f8", "f7", "f6", "6 other fields", "all"]
    assert list(figure.data[-1].y) == [45, 450]
    assert len({t.fillpattern.shape for t in figure.data[:-1]}) == 5
    # No tick between two checkpoints, which would go by the number of one of them.
    assert figure.layout.xaxis.dtick == 1
    far = charts.growth(Growth(indices=(0, 400), fields=fields), fields=4)
    assert far.layout.xaxis.dtick is None


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.25, "0.2 s"), (90, "1.5 min"), (3600, "1 h"), (200_000, "2.3 d")]
)
def test_durations_are_told_in_their_largest_unit(seconds: float, text: str) -> None:
    assert charts.duration(seconds) == text
