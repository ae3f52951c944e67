import pandas as pd
import pytest

from viewer import charts
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
