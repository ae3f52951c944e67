"""Stores made by the real library: what we derive from rows is what the library says itself."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from viewer.chain import Chain
from viewer.sources import open_source


def chains(path: Any) -> dict[str, Chain]:
    source = open_source(path)
    assert source.reader.name == "langgraph-sqlite"
    assert source.problems == ()
    return {ref.namespace: source.chain(ref) for ref in source.threads}


@pytest.mark.parametrize("erased", [False, True], ids=["task paths", "no task paths"])
def test_what_the_rows_say_is_what_the_library_says(
    make: Any, agree: Any, scenario: str, erased: bool
) -> None:
    if erased and scenario == "functional":
        pytest.skip("without task paths nothing in such a store names a workflow that never ended")
    made = make(scenario)
    if erased:
        erase_task_paths(made.path)
    for namespace, chain in chains(made.path).items():
        assert chain.problems == ()
        agree(made, namespace, chain)


def erase_task_paths(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("UPDATE writes SET task_path = ''")
    connection.commit()
    connection.close()


def test_the_answered_question_stays_and_is_closed(make: Any) -> None:
    chain = chains(make("answered").path)[""]
    asked = [(c.index, i) for c in chain.checkpoints for i in c.interrupts]
    assert [(index, i.value, i.open) for index, i in asked] == [(2, {"ask": "approve"}, False)]
    head = chain.checkpoints[chain.head]
    assert (head.status, head.phase, head.next) == ("done", "done", ())
    assert [c.phase for c in chain.checkpoints[:-1]] == ["running"] * (len(chain.checkpoints) - 1)


def test_a_fork_asks_anew_on_a_lane_of_its_own(make: Any) -> None:
    chain = chains(make("forked").path)[""]
    (fork,) = chain.forks
    assert [chain.checkpoints[i].origin for i in chain.children(fork)] == ["loop", "update"]
    head = chain.checkpoints[chain.head]
    assert (head.origin, head.status, head.phase) == ("update", "interrupted", "waiting")
    assert [i.open for i in head.interrupts] == [True]
    assert len(chain.heads) == 2
    assert chain.state(chain.head)["n"] == 2


def test_a_failure_names_node_and_error_and_survives_a_retry(make: Any) -> None:
    head = (broken := chains(make("crashed").path)[""]).checkpoints[-1]
    assert (head.status, head.phase, head.index) == ("error", "failed", broken.head)
    assert [(e.node, e.message) for e in head.errors] == [("bad", "ValueError('gateway said 503')")]
    assert "bad" in head.next_live
    assert "fine" in head.next
    fixed = chains(make("recovered").path)[""]
    assert fixed.checkpoints[fixed.head].status == "done"
    failed = next(c for c in fixed.checkpoints if c.errors)
    assert (failed.status, failed.phase, failed.next_live) == ("pending", "running", ())


def test_writers_of_a_step_are_named_sends_too(make: Any) -> None:
    chain = chains(make("fanned_on").path)[""]
    assert [c.nodes for c in chain.checkpoints] == [
        (),
        ("__start__",),
        ("plan",),
        ("work",),
        ("reduce",),
    ]


def test_pending_writes_carry_node_and_value(make: Any) -> None:
    chain = chains(make("half_answered").path)[""]
    head = chain.checkpoints[chain.head]
    wrote = [(w.node, w.channel, w.value) for w in head.writes if w.channel == "log"]
    assert sorted(wrote) == [("auto", "log", ["auto"]), ("left", "log", ["left=L"])]
    assert ("left", "__resume__") in {(w.node, w.channel) for w in head.writes}
    assert head.next_live == ("right",)


def test_a_subgraph_s_question_stands_in_its_own_namespace_under_one_id(make: Any) -> None:
    found = chains(make("nested").path)
    assert len(found) == 3
    heads = [chain.checkpoints[chain.head] for chain in found.values()]
    assert [h.status for h in heads] == ["interrupted"] * 3
    assert len({i.id for h in heads for i in h.interrupts}) == 1
    assert [len(h.interrupts) for h in heads] == [1, 1, 1]


def test_a_breakpoint_is_pending_and_of_unknown_phase(make: Any) -> None:
    chain = chains(make("paused").path)[""]
    head = chain.checkpoints[chain.head]
    assert (head.status, head.phase, head.next_live) == ("pending", "unknown", ("approve",))


def test_listing_counts_and_dates_threads_without_loading_them(make: Any) -> None:
    made = make("nested")
    source = open_source(made.path)
    for ref in source.threads:
        chain = source.chain(ref)
        assert ref.checkpoints == len(chain.checkpoints)
        assert ref.updated_at == chain.checkpoints[chain.head].created_at
    assert [ref.namespace.count("|") for ref in source.threads] == [0, 0, 1]
    assert source.threads[0].namespace == ""


def test_rows_that_run_ahead_of_their_checkpoint_are_told_not_lost(make: Any) -> None:
    made = make("answered")
    connection = sqlite3.connect(made.path)
    row = "('t','','1f000000-0000-6000-8000-000000000000','k','',0,'n','msgpack',x'01')"
    other = row.replace("'t'", "'u'")
    connection.execute(f"INSERT INTO writes VALUES {row}, {other}")
    connection.commit()
    connection.close()
    source = open_source(made.path)
    (problem,) = source.problems
    assert problem.keyword == "stray_writes"
    assert problem.place == f"{made.path}!writes[u/]"
    chain = source.chain(source.threads[0])
    (own,) = chain.problems
    assert (own.keyword, own.place) == ("stray_writes", f"{made.path}!writes[t/]")
    assert own.reason.startswith("1 write rows")
    assert chain.checkpoints[chain.head].status == "done"
