"""How sources are called, and what an address means by such a name."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from viewer.ui import pickers


def sources(*places: str) -> list[Any]:
    return [SimpleNamespace(location=Path(place), name=place) for place in places]


def test_a_source_is_called_by_its_path_below_what_all_share() -> None:
    named = pickers.labels(sources("/a/b/runs/one", "/a/b/runs/two/checkpoints.sqlite"))
    assert list(named) == ["one", "two/checkpoints.sqlite"]


def test_a_deep_path_is_cut_to_the_end_that_no_other_shares() -> None:
    named = pickers.labels(
        sources("/data/here/runs/T-1", "/data/here/runs/T-2", "/x/y/z/runs/T-2", "/x/c.jsonl")
    )
    assert list(named) == ["runs/T-1", "here/runs/T-2", "z/runs/T-2", "x/c.jsonl"]


@pytest.mark.parametrize(
    ("wanted", "meant"),
    [
        (None, None),
        ("runs/T-1", "runs/T-1"),
        ("T-1", "runs/T-1"),
        ("-1", "-1"),
        ("c.db", "c.db"),
    ],
)
def test_an_address_from_before_more_was_opened_still_holds(
    wanted: str | None, meant: str | None
) -> None:
    one, two, three = sources("/r/runs/T-1", "/r/a/c.db", "/r/b/c.db")
    named = {"runs/T-1": one, "a/c.db": two, "b/c.db": three}
    assert pickers.label_meant(named, wanted) == meant


def test_a_long_name_loses_its_middle_and_stays_apart_from_others() -> None:
    long = [
        "same__owner-repo/aaaa_1111/checkpoints.db",
        "same__owner-repo/bbbb_2222/checkpoints.db",
    ]
    found = pickers.shortened(["short", *long], 24)
    assert found["short"] == "short"
    assert len(set(found.values())) == 3
    assert pickers.shortened(long[:1], 24) == {long[0]: "same_…111/checkpoints.db"}
