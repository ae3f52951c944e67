"""Ids of tasks in the first format, against ids that those releases gave."""

import pytest

from viewer.sources.langgraph.first_ids import WAYS, Way, first_ids, way_of
from viewer.sources.langgraph.naming import TaskPlace

CRASHED = TaskPlace("1f1ece09-f853-6f3b-8000-d73e615c7900", "", 0, 1)
NESTED = TaskPlace("1f1ece0a-eb84-6c46-8000-448d74bff7df", "", 0, 1)
FAN = TaskPlace("1f1ece09-f7e4-6cbd-8001-b414e03b92b6", "", 1, 1)


@pytest.mark.parametrize(
    ("at", "node", "kind", "parts", "number", "way", "told"),
    [
        pytest.param(
            *(CRASHED, "fine", "pull", ["start:fine"], 0, "json of 0.2.14"),
            "711e1463-1585-5ceb-8f8e-b70b3d9e45e9",
            id="0.2.14, first task",
        ),
        pytest.param(
            *(CRASHED, "r", "pull", ["start:r"], 1, "json of 0.2.14"),
            "e335f939-7745-5604-b4e7-995b8223f9ac",
            id="0.2.14, second task",
        ),
        pytest.param(
            *(FAN, "work", "push", ["1"], 1, "json of 0.2.14"),
            "a5a19477-b119-5452-86e4-91f2ad0e9cdf",
            id="0.2.14, second Send",
        ),
        pytest.param(
            *(NESTED, "child", "pull", ["start:child"], 0, "words of 0.2.19"),
            "06f26cd9-26f5-423d-0011-e339263d3497",
            id="0.2.19",
        ),
    ],
)
def test_an_id_is_the_one_that_the_release_gave(
    at: TaskPlace, node: str, kind: str, parts: list[str], number: int, way: Way, told: str
) -> None:
    ids = first_ids(at, node, kind, parts, range(number, number + 1))  # type: ignore[arg-type]
    assert ids[way] == (told,)
    assert tuple(ids) == WAYS
    assert way_of([({"other"}, [ids]), ({told}, [ids])]) == way


def test_without_rows_the_ids_are_those_of_the_latest_way() -> None:
    assert way_of([]) == "words of today"
    assert first_ids(TaskPlace("no id", "", 0, 1), "n", "pull", [], [0]) == {}
