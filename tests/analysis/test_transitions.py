from typing import Any

import pytest

from viewer.analysis.transitions import edges, transitions
from viewer.chain import Chain, assemble
from viewer.model import MISSING, Record, Thread, ThreadRef
from viewer.profiles import load_profile


def run(*statuses: Any, parents: Any = None, profile: str = "agent-state") -> Chain:
    """A chain of statuses: ``...`` is a record without a state, None a state without a status."""
    records = tuple(
        Record(
            place=f"p{i}",
            made_id=f"c{i}",
            state=MISSING if status is ... else {} if status is None else {"status": status},
            fault="lost" if status is ... else None,
            parent_id=MISSING if parents is None else parents[i],
        )
        for i, status in enumerate(statuses)
    )
    thread = Thread(ref=ThreadRef(thread_id="t"), records=records)
    return assemble("s", "r", thread, load_profile(profile))


def illegal(chain: Chain) -> list[tuple[int | None, str]]:
    return [(v.index, v.keyword) for v in transitions(chain)[0]]


LEGAL = {
    "agent-state": {
        "running": "awaiting_tool awaiting_human succeeded failed cancelled",
        "awaiting_tool": "running awaiting_human failed cancelled",
        "awaiting_human": "running failed cancelled",
        "succeeded": "",
        "failed": "",
        "cancelled": "",
    },
    "task-state": {
        "running": "stopped done handed_to_person waiting_approval",
        "waiting_approval": "executing handed_to_person",
        "executing": "done handed_to_person",
        "stopped": "",
        "done": "",
        "handed_to_person": "",
    },
}
PAIRS = [
    pytest.param(name, a, b, id=f"{name}: {a} to {b}")
    for name, table in LEGAL.items()
    for a in table
    for b in table
]


@pytest.mark.parametrize(("name", "a", "b"), PAIRS)
def test_every_pair_of_statuses_is_judged_as_the_documents_say(name: str, a: str, b: str) -> None:
    legal = b in LEGAL[name][a].split() or (a == b and bool(LEGAL[name][a]))
    found = [one for one in illegal(run(a, b, profile=name)) if one[0] == 1]
    assert found == ([] if legal else [(1, "transition")])


def test_a_chain_starts_with_running() -> None:
    assert illegal(run("running")) == []
    chain = run("awaiting_tool", "running")
    (violation,) = transitions(chain)[0]
    assert (violation.index, violation.keyword, violation.pointer) == (0, "start", "/status")
    assert violation.message == "a run starts with running, not with awaiting_tool"


def test_a_root_whose_parent_is_missing_has_no_start() -> None:
    assert illegal(run("awaiting_tool", parents=["gone"])) == []
    assert illegal(run("thinking", "awaiting_tool", parents=["gone", "c0"])) == []
    assert illegal(run("awaiting_tool", parents=[None])) == [(0, "start")]


def test_a_status_outside_the_enum_is_skipped_and_the_last_legal_one_counts() -> None:
    chain = run("running", "thinking", "awaiting_tool", "succeeded")
    assert illegal(chain) == [(3, "transition")]
    assert [(n.index, n.reason) for n in transitions(chain)[1]] == [
        (1, "'thinking' is no known status")
    ]
    assert illegal(run("succeeded", "thinking", "running"))[1:] == [(2, "transition")]


def test_both_children_of_a_fork_are_judged_from_their_parent() -> None:
    chain = run(
        "running", "awaiting_human", "failed", "succeeded", parents=[None, "c0", "c1", "c1"]
    )
    assert illegal(chain) == [(3, "transition")]


def test_a_lost_checkpoint_excuses_only_what_it_can_explain() -> None:
    over = run("running", "awaiting_tool", ..., "succeeded")
    assert illegal(over) == []
    assert transitions(over)[1][-1].reason == (
        "awaiting_tool → succeeded is legal only over one lost checkpoint"
    )
    assert illegal(run("running", "succeeded", ..., "running")) == [(3, "transition")]
    assert illegal(run("running", ..., "running")) == []


def test_a_record_lost_between_is_a_gap_that_excuses_too() -> None:
    records = (
        Record(place="a", made_id="a", state={"status": "running"}),
        Record(place="b", made_id="b", state={"status": "awaiting_tool"}),
        Record(place="c", made_id="c", listed=False, fault="torn"),
        Record(place="d", made_id="d", state={"status": "succeeded"}),
    )
    thread = Thread(ref=ThreadRef(thread_id="t"), records=records)
    assert illegal(assemble("s", "r", thread, load_profile("agent-state"))) == []
    first_lost = Thread(ref=ThreadRef(thread_id="t"), records=(records[2], records[1]))
    assert illegal(assemble("s", "r", first_lost, load_profile("agent-state"))) == []
    too_far = Record(place="b", made_id="b", state={"status": "executing"})
    far = Thread(ref=ThreadRef(thread_id="t"), records=(records[2], too_far))
    assert illegal(assemble("s", "r", far, load_profile("task-state"))) == [(0, "start")]


def test_a_missing_status_is_not_judged_and_excuses_one_step() -> None:
    chain = run("running", "awaiting_tool", None, "succeeded")
    assert illegal(chain) == []
    assert [n.index for n in transitions(chain)[1]] == [2, 3]


def test_the_message_names_what_may_follow() -> None:
    message = transitions(run("running", "awaiting_human", "succeeded"))[0][0].message
    assert message == (
        "awaiting_human → succeeded is illegal: after awaiting_human comes only awaiting_human, "
        "running, failed or cancelled"
    )
    message = transitions(run("running", "succeeded", "succeeded"))[0][0].message
    assert message.endswith("after succeeded comes nothing: it is terminal")


def test_edges_are_all_legal_ones_and_those_taken() -> None:
    found = {(e.source, e.target): e for e in edges(run("running", "running", "awaiting_human",
                                                        "succeeded", "running"))}  # fmt: skip
    assert found[None, "running"].taken == (0,)
    assert found["running", "running"].taken == (1,)
    assert found["running", "running"].legal
    assert found["running", "awaiting_human"].taken == (2,)
    assert found["running", "failed"].taken == ()
    assert not found["awaiting_human", "succeeded"].legal
    assert not found["succeeded", "running"].legal
    assert found["succeeded", "running"].taken == (4,)
    assert sum(e.legal for e in found.values()) == 13 + 1
    assert ("awaiting_tool", "awaiting_tool") not in found


def test_a_profile_without_a_machine_has_no_edges_and_no_illegal_step() -> None:
    chain = run("anything", "else", profile="plain")
    assert edges(chain) == ()
    assert transitions(chain) == ([], [])
