from typing import Any

import pytest

from viewer.chain import Chain, assemble
from viewer.errors import SelectionError
from viewer.model import MISSING, Record, Thread, ThreadRef
from viewer.profiles import Profile, ProfileFile

PLAIN = Profile(
    file=ProfileFile(name="plain", title="Plain", version="1"),
    state_schema=None,
    memory_schema=None,
    task_schema=None,
    lists=(),
    noise=(),
    owners=(),
    planes=(),
    legal={},
)


def record(name: str, parent: Any = MISSING, **more: Any) -> Record:
    fields = {"place": name, "made_id": name, "checkpoint_id": name, "state": {}, **more}
    return Record(parent_id=parent, **fields)


def chain(*records: Record, live: Any = "last") -> Chain:
    thread = Thread(ref=ThreadRef(thread_id="t"), records=records, live_head=live)
    return assemble("s", "r", thread, PLAIN)


def ids(found: Chain) -> list[str]:
    return [c.checkpoint_id for c in found.checkpoints]


def test_without_links_the_parent_is_the_previous_readable_checkpoint() -> None:
    found = chain(record("a"), record("b"), record("c"))
    assert [c.parent for c in found.checkpoints] == [None, 0, 1]
    assert [c.parent_id for c in found.checkpoints] == [None, "a", "b"]


def test_order_is_by_lineage_then_source() -> None:
    found = chain(record("c", "b"), record("a", None), record("b", "a"), record("x", "a"))
    assert ids(found) == ["a", "b", "c", "x"]
    assert found.forks == (0,)
    assert found.lanes() == (0, 1, 1, 0)


def test_live_head_is_the_highest_id_or_the_last() -> None:
    records = (record("a", None), record("z", "a"), record("b", "a"))
    assert ids(chain(*records))[chain(*records).head or 0] == "b"
    by_id = chain(*records, live="id")
    assert by_id.checkpoints[by_id.heads[-1]].checkpoint_id == "z"


def test_missing_parent_is_a_problem_and_no_root() -> None:
    found = chain(record("b", "gone"))
    assert found.checkpoints[0].parent_id == "gone"
    assert found.checkpoints[0].parent is None
    assert [p.keyword for p in found.problems] == ["missing_parent"]


def test_cycle_is_cut_and_every_record_stays() -> None:
    found = chain(record("a", "b"), record("b", "a"), record("c", "c"))
    assert sorted(ids(found)) == ["a", "b", "c"]


def test_lost_record_is_named_and_leaves_a_gap() -> None:
    lost = Record(place="f:2", made_id="line:2", fault="bad line", listed=False)
    found = chain(record("a"), lost, record("c", step=3))
    assert [(p.keyword, p.place) for p in found.problems] == [("unreadable", "f:2"), ("gap", "c")]
    assert "1 record is missing before step 3" in found.problems[1].reason
    assert found.checkpoints[1].gap == 1
    assert found.problems[0].index == 0


def test_listed_record_without_state_keeps_its_place() -> None:
    broken = record("b", state=MISSING, fault="patch failed", trusted=False)
    found = chain(record("a"), broken, record("c"))
    assert [c.has_state for c in found.checkpoints] == [True, False, True]
    with pytest.raises(SelectionError):
        found.state(1)


def test_resolve_takes_id_index_and_head() -> None:
    found = chain(record("a"), record("@0"), record("b"))
    assert found.resolve("@0") == 1
    assert found.resolve("@2") == 2
    assert found.resolve("head") == 2
    for bad in ("@3", "nope", "@-1", "@x"):
        with pytest.raises(SelectionError):
            found.resolve(bad)


def test_doubled_id_is_refused_with_its_indices() -> None:
    found = chain(record("a"), record("a", "a"))
    with pytest.raises(SelectionError, match="@0, @1"):
        found.resolve("a")


def test_pair_defaults_to_head_and_its_parent() -> None:
    found = chain(record("a"), record("b"))
    assert found.pair() == (0, 1)
    assert found.pair(target="@0") == (None, 0)
