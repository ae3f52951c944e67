"""A write that takes back what another node had just written is found; a clean-up is none."""

from typing import Any

import pytest

from viewer.analysis.suspicions import suspicions
from viewer.model import Task, Write

BASE = {"name": "Holz Brunner", "country": "AT"}
FIRM = {**BASE, "employees": 184}


@pytest.fixture
def told(make_chain: Any) -> Any:
    """Returns the findings of two nodes that wrote ``profile`` one after the other."""

    def run(first: Any, second: Any, *, carried: Any = None, given: Any = None) -> Any:
        profile, start = (
            (Write(task=n, node=n, channel="profile", value=v) for n, v in (first, second)),
            BASE,
        )
        rows = tuple(profile)
        send = Task(
            id="s", node=second[0], kind="push", finished=True, input=given, writes=rows[1:]
        )
        chain = make_chain(
            {"profile": start, "other": carried},
            {"profile": first[1], "other": carried},
            {"profile": second[1], "other": carried},
            profile="langgraph",
            step=(0, 1, 2),
            origin=("loop",) * 3,
            nodes=((), (first[0],), (second[0],)),
            versions=tuple({"profile": i, "other": 1} for i in range(3)),
            writes=(rows[:1], rows[1:], ()),
            tasks=((), (send,) if given else (), ()),
        )
        return [(f.keyword, f.step, f.node, f.channel) for f in suspicions(chain)]

    return run


LOST = [("lost_update", 2, "credit", "profile")]


@pytest.mark.parametrize(
    ("first", "second", "more", "expected"),
    [
        pytest.param(
            FIRM,
            {**BASE, "rating": "B"},
            {"carried": {**BASE, "rating": "B"}},
            LOST,
            id="a copy kept in another field",
        ),
        pytest.param(
            FIRM, {**BASE, "rating": "B"}, {"given": {"profile": BASE}}, LOST, id="a copy in a Send"
        ),
        pytest.param(
            {**FIRM, "country": "DE"}, {**BASE, "rating": "B"}, {}, LOST, id="old value and no key"
        ),
        pytest.param(FIRM, {**FIRM, "rating": "B"}, {"carried": BASE}, [], id="nothing is lost"),
        pytest.param(FIRM, {**BASE, "rating": "B"}, {}, [], id="a key cleaned up"),
        pytest.param(FIRM, BASE, {"carried": BASE}, [], id="undone, nothing of its own"),
        pytest.param(
            {**BASE, "country": "DE"}, {**BASE, "rating": "B"}, {}, [], id="a value that goes back"
        ),
    ],
)
def test_an_older_form_written_back_is_found(told, first, second, more, expected):
    assert told(("firm", first), ("credit", second), **more) == expected


def test_a_node_that_takes_back_its_own_is_none(told):
    second = {**BASE, "rating": "B"}
    assert told(("firm", FIRM), ("firm", second), carried=second) == []
