"""Sizes of fields: by the bytes that JSON itself writes, along one lineage, cheap where shared."""

import json
from typing import Any

import pytest

from viewer.analysis.growth import growth
from viewer.chain import Chain, assemble
from viewer.model import MISSING, Record, Thread, ThreadRef
from viewer.profiles import PLAIN, load_profile


def chain(*states: Any, parents: dict[int, int] | None = None) -> Chain:
    parents = parents or {}
    records = tuple(
        Record(
            place=f"x:{i}",
            made_id=f"c{i}",
            checkpoint_id=f"c{i}",
            parent_id=f"c{parents.get(i, i - 1)}" if i else None,
            state=state,
        )
        for i, state in enumerate(states)
    )
    thread = Thread(ref=ThreadRef(thread_id="t"), records=records)
    return assemble("x", "jsonl", thread, load_profile(PLAIN))


def written(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


@pytest.mark.parametrize(
    "value",
    [
        *("text", 'quotes " and \\ and \n', "é漢🙂", "", 0, -1.5, 10**40, True, None, [], {}),
        *([1], [[], {}], {"a": {"b": [1, "x", None]}, "ü": "\t"}, [{"k": [i]} for i in range(9)]),
    ],
    ids=repr,
)
def test_size_is_what_json_writes(value: Any) -> None:
    (field,) = growth(chain({"f": value})).fields
    assert field.sizes == (written(value),)


def test_the_field_that_grew_most_comes_first() -> None:
    found = growth(chain({"a": "x" * 50, "b": []}, {"a": "x" * 50, "b": [1, 2]}, {"b": [1, 2, 3]}))
    assert [f.field for f in found.fields] == ["b", "a"]
    b, a = found.fields
    assert (b.sizes, b.grew, b.steps_grown, b.most) == ((2, 5, 7), 5, 2, 7)
    # A field that is gone has no bytes; that is not the same as a state that cannot be read.
    assert (a.sizes, a.grew) == ((52, 52, 0), -52)


def test_a_step_that_adds_nothing_grows_nothing_and_of_equals_the_largest_comes_first() -> None:
    found = growth(chain({"n": 1, "l": [1], "t": ""}, {"n": 2, "l": [2], "t": "x"}))
    assert [(f.field, f.grew, f.steps_grown) for f in found.fields] == [
        ("t", 1, 1), ("l", 0, 0), ("n", 0, 0)
    ]  # fmt: skip


def test_only_the_lineage_of_the_head_counts() -> None:
    found = growth(chain({"n": 1}, {"n": 11}, {"n": 111}, parents={2: 0}))
    assert found.indices == (0, 2)
    assert found.fields[0].sizes == (1, 3)
    assert growth(chain({"n": 1}, {"n": 11}, {"n": 111}, parents={2: 0}), 1).indices == (0, 1)


def test_a_state_that_is_no_object_is_one_field_without_a_name() -> None:
    (field,) = growth(chain([1, 2], [1, 2, 3])).fields
    assert (field.field, field.sizes) == (None, (5, 7))


def test_a_checkpoint_without_a_state_has_no_size() -> None:
    held = chain({"n": 1}, MISSING, {"n": 22})
    assert growth(held).fields[0].sizes == (1, None, 2)


def test_shared_subtrees_are_measured_once() -> None:
    class Counted(list[Any]):
        walks = 0

        def __iter__(self) -> Any:
            Counted.walks += 1
            return super().__iter__()

    big = Counted([{"n": i} for i in range(50)])
    found = growth(chain(*({"big": big, "n": n} for n in range(20))))
    assert Counted.walks == 1
    assert set(found.fields[-1].sizes + found.fields[0].sizes) >= {written(list(big))}
