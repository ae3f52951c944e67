"""The handed cases on LangGraph and SQLite files, and the stores of public repositories."""

import json
from pathlib import Path
from typing import Any

import pytest

from viewer.chain import Chain
from viewer.sources import identify, open_source, open_sources

SHARED = Path(__file__).parents[3] / ".." / "shared"
CASES, REAL = SHARED / "cases", SHARED / "real"
needs_cases = pytest.mark.skipif(not CASES.is_dir(), reason="../shared/cases is absent")
needs_real = pytest.mark.skipif(not REAL.is_dir(), reason="../shared/real is absent")
PUBLIC = sorted(
    str(p.relative_to(REAL))
    for p in (REAL / "langgraph").rglob("*")
    if p.suffix in (".db", ".sqlite")
)


def case(number: int) -> tuple[Path, Any]:
    (folder,) = CASES.glob(f"{number}-*")
    return folder, json.loads((folder / "case.json").read_text("utf-8"))["expect"]


def chains(path: Path) -> dict[str, Chain]:
    source = open_source(path)
    return {ref.namespace: source.chain(ref) for ref in source.threads}


@needs_cases
@pytest.mark.parametrize("number", [41, 42, 44])
def test_the_head_of_a_case_is_as_stated(number: int) -> None:
    folder, expect = case(number)
    chain = chains(folder / "checkpoints.sqlite")[""]
    want, head = expect["head"], chain.checkpoints[chain.head or 0]
    assert head.checkpoint_id == want["checkpoint_id"]
    assert head.parent_id == want["parent"]
    assert (list(head.next), head.origin, head.step) == (want["next"], want["source"], want["step"])
    state = chain.state(head.index)
    assert {k: v for k, v in state.items() if not k.startswith("branch:")} == want["values"]
    asked = [i for task in want["tasks"] for i in task["interrupts"]]
    assert [{"id": i.id, "value": i.value} for i in head.interrupts if i.open] == asked
    pending = sum(i.open for c in chain.checkpoints for i in c.interrupts)
    assert pending == expect.get("pending_interrupts", 0)
    if "fork_points" in expect:
        forks = [chain.checkpoints[i].checkpoint_id for i in chain.forks]
        assert forks == expect["fork_points"]
        assert len(chain.heads) == expect["leaves"]
    phase = {"waiting for a human": "waiting", "finished": "done"}
    assert head.phase == phase.get(expect.get("status", "finished"))


@needs_cases
def test_a_subgraph_is_a_chain_of_its_own() -> None:
    folder, expect = case(46)
    found = chains(folder / "checkpoints.sqlite")
    assert {ns: len(chain.checkpoints) for ns, chain in found.items()} == expect["namespaces"]
    root, child = found[""], found[expect["child_ns"]]
    assert list(root.checkpoints[root.head or 0].next) == expect["root_next"]
    assert list(child.checkpoints[child.head or 0].next) == expect["child_next"]
    questions = {i.id: i.value for c in found.values() for p in c.checkpoints for i in p.interrupts}
    assert list(questions.values()) == expect["pending_interrupts"]


@needs_cases
def test_lineage_not_ids_gives_the_order() -> None:
    folder, expect = case(49)
    chain = chains(folder / "checkpoints.sqlite")[""]
    assert [c.checkpoint_id for c in chain.checkpoints] == expect["chain"]
    assert chain.checkpoints[chain.head or 0].checkpoint_id == expect["head"]


@needs_cases
def test_deltas_are_replayed_along_each_branch_alone() -> None:
    folder, expect = case(51)
    chain = chains(folder / "checkpoints.sqlite")[""]
    old, new = (chain.state(head)["events"] for head in chain.heads)
    assert (old, new) == (expect["old_branch_leaf_events"], expect["new_branch_leaf_events"])


@needs_cases
def test_classes_that_are_not_here_are_shown_by_name_with_their_values() -> None:
    folder, _ = case(52)
    chain = chains(folder / "checkpoints.sqlite")[""]
    state = chain.state(chain.head or 0)
    assert state["art"]["$type"] == "__main__.Artifact"
    assert state["art"]["value"]["name"] == "sales"
    assert state["art"]["value"]["phase"] == {
        "$type": "__main__.Phase",
        "$ctor": "ctor1",
        "value": "query_ready",
    }
    assert state["keys"] == {"$type": "map", "items": [[1, "one"], [2, "two"]]}
    assert state["price"]["value"] == "10.10"
    assert state["pair"] == ["l", 1]
    assert None not in state.values()


@needs_cases
def test_application_tables_are_not_mistaken_for_a_store() -> None:
    folder, expect = case(54)
    source = open_source(folder / "checkpoints.sqlite")
    assert source.reader.name == "langgraph-sqlite"
    assert [ref.thread_id for ref in source.threads] == expect["threads"]
    assert source.threads[0].checkpoints == expect["checkpoints"]


@needs_cases
def test_the_schema_before_namespaces_is_a_chain_by_its_parents() -> None:
    folder, expect = case(56)
    assert expect["either"][0] == "three checkpoints of t1 in order n=0,1,2, chained by parent_ts"
    source = open_source(folder / "checkpoints.sqlite")
    (ref,) = source.threads
    chain = source.chain(ref)
    assert (ref.thread_id, chain.problems) == ("t1", ())
    assert [chain.state(c.index) for c in chain.checkpoints] == [{"n": n} for n in range(3)]
    assert [c.parent for c in chain.checkpoints] == [None, 0, 1]
    assert [c.step for c in chain.checkpoints] == [0, 1, 2]


@needs_cases
def test_a_set_s_order_is_no_change() -> None:
    folder, _ = case(57)
    chain = chains(folder / "checkpoints.sqlite")[""]
    first, second, third = (chain.state(i)["seen"]["value"] for i in range(3))
    assert first == second
    assert [member for member in third if member not in second] == ["d"]


@needs_cases
@pytest.mark.parametrize(
    ("number", "name", "words"),
    [
        (71, "alone.sqlite", "alone.sqlite-wal"),
        (72, "checkpoints.db-wal", "write-ahead log"),
        (76, "checkpoints.db", "its tables are checkpoint, migrations, user"),
        (77, "cut.sqlite", "damaged or incomplete"),
        (77, "noise.sqlite", "damaged or incomplete"),
        (77, "text.sqlite", "damaged or incomplete"),
    ],
)
def test_what_cannot_be_read_is_named(number: int, name: str, words: str) -> None:
    folder, _ = case(number)
    verdicts = {reader.name: verdict for reader, verdict in identify(folder / name)}
    assert not verdicts["langgraph-sqlite"].claims
    assert words in verdicts["langgraph-sqlite"].why
    good = CASES / "41-lg-pending-interrupt" / "checkpoints.sqlite"
    sources, problems = open_sources((folder / name, good))
    assert [s.location for s in sources] == [good]
    (problem,) = problems
    assert name in problem.place
    assert words in problem.reason


@needs_cases
@pytest.mark.parametrize("name", ["full.sqlite", "clean-wal-mode.sqlite"])
def test_rows_in_a_wal_are_read_and_the_wal_stays(name: str) -> None:
    folder, _ = case(71)
    before = {p.name: p.read_bytes() for p in folder.iterdir() if not p.name.endswith("-shm")}
    found = chains(folder / name)
    assert [len(c.checkpoints) for c in found.values()] == [3]
    after = {p.name: p.read_bytes() for p in folder.iterdir() if not p.name.endswith("-shm")}
    assert after == before


@needs_real
@pytest.mark.parametrize("name", PUBLIC)
def test_every_checkpoint_of_a_public_store_has_a_state_and_a_status(name: str) -> None:
    source = open_source(REAL / name)
    assert source.reader.name == "langgraph-sqlite"
    assert source.problems == ()
    assert source.threads
    for ref in source.threads:
        chain = source.chain(ref)
        assert len(chain.checkpoints) == ref.checkpoints
        assert all(c.has_state and c.status for c in chain.checkpoints)
        assert chain.problems == ()


@needs_real
def test_a_public_folder_with_a_wal_alone_is_told_what_is_missing() -> None:
    (folder,) = (REAL / "langgraph-wal-only").iterdir()
    sources, (problem,) = open_sources((folder,))
    assert sources == ()
    assert "checkpoints.db is needed beside it" in problem.reason
