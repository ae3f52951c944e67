"""Long texts that pile up turn by turn are found; journals and short runs are none."""

from typing import Any

import pytest

from viewer.analysis.suspicions import suspicions
from viewer.model import Write

LONG = "Plants take up water through fine roots. " * 8


@pytest.fixture
def told(make_chain: Any) -> Any:
    """Returns the findings of a run of turns in each of which ``fetch`` adds entries to a list."""

    def run(batches: list[list[Any]], start: Any = (), rest: str = "") -> Any:
        lists = [list(start)]
        for batch in batches:
            lists += [lists[-1], [*lists[-1], *batch]]
        rows: list[tuple[Write, ...]] = [()]
        for batch in batches:
            rows += [(Write(task="t", node="fetch", channel="passages", value=batch),), ()]
        count = len(lists)
        chain = make_chain(
            *({"passages": one, "rest": rest} for one in lists),
            profile="langgraph",
            step=tuple(range(count)),
            origin=("loop", *("input", "loop") * len(batches)),
            nodes=((), *((), ("fetch",)) * len(batches)),
            versions=tuple({"passages": i, "rest": 1} for i in range(count)),
            writes=tuple(rows),
        )
        return [(f.keyword, f.step, f.node, f.channel) for f in suspicions(chain)]

    return run


def turns(number: int, size: int = 2, text: str = LONG) -> Any:
    return [[f"{turn}.{i} {text}" for i in range(size)] for turn in range(number)]


def test_long_texts_that_pile_up_are_found_from_the_second_turn_on(told):
    assert told(turns(6)) == [("growth", 4, "fetch", "passages")]


@pytest.mark.parametrize(
    ("batches", "more"),
    [
        pytest.param(turns(4), {}, id="few turns"),
        pytest.param(turns(6, text="watered"), {}, id="a journal of short lines"),
        pytest.param(turns(6, size=1), {}, id="one a turn"),
        pytest.param([*turns(5), ["a", "b", "c"]], {}, id="as many as there were"),
        pytest.param(turns(6), {"rest": LONG * 20}, id="not most of the state"),
        pytest.param(
            [[{"role": "user", "content": LONG}, {"role": "assistant", "content": LONG}]] * 6,
            {},
            id="messages",
        ),
    ],
)
def test_lists_that_grow_by_design_are_none(told, batches, more):
    assert [keyword for keyword, *_ in told(batches, **more) if keyword == "growth"] == []
