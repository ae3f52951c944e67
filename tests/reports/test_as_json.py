from datetime import UTC, datetime

import pytest

from viewer.model import MISSING, Change
from viewer.reports.as_json import change_rows, delta, time


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        pytest.param(1, 3, 2, id="integers"),
        pytest.param(0.1, 0.4, 0.3, id="as decimals say it"),
        pytest.param(1, 1.5, 0.5, id="mixed"),
        pytest.param(10**40, 10**40 - 1, -1, id="exact beyond the floats"),
        pytest.param(0.0, float("inf"), None, id="infinite"),
        pytest.param(10**5000, 0.5, None, id="too long to convert"),
        pytest.param(10**5000, 1, None, id="too long to write"),
        pytest.param(-1e308, 1e308, None, id="past the floats"),
    ],
)
def test_a_difference_is_written_only_where_it_can_be(old, new, found):
    assert delta(old, new) == found


@pytest.mark.parametrize(
    ("change", "keys"),
    [
        pytest.param(Change("add", ("a",), (), MISSING, None), {"new"}, id="add null"),
        pytest.param(Change("remove", ("a",), ("a",), None, MISSING), {"old"}, id="remove null"),
        pytest.param(Change("move", (1,), (0,), 5, 5), {"old", "new", "old_path"}, id="move"),
        pytest.param(
            Change("replace", (1, "x"), (0, "x"), "a", "b"),
            {"old", "new", "old_path"},
            id="an edit inside a moved item",
        ),
        pytest.param(Change("replace", ("x",), ("x",), "a", "b"), {"old", "new"}, id="replace"),
    ],
)
def test_a_row_has_what_its_change_has(change, keys):
    (row,) = change_rows([change], {"source": "s"}, set())
    assert row.keys() == {"source", "op", "path"} | keys


def test_folded_changes_are_marked_and_kept():
    changes = [Change("replace", (key,), (key,), "a", "b") for key in ("x", "y")]
    rows = change_rows(changes, {}, {1})
    assert [row.get("noise") for row in rows] == [None, True]


def test_times_are_utc_with_z():
    assert time(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)) == "2026-01-02T03:04:05Z"
    assert time(None) is None
