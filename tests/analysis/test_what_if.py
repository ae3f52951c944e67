"""What if a tool had returned it: both checks run again, and nothing stored is touched."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from viewer.analysis.what_if import editable, judge, returned, with_edits
from viewer.chain import Chain
from viewer.errors import PatchError
from viewer.sources import open_source

SAMPLES = Path(__file__).parents[2] / "sample_runs"


def chain_of(name: str) -> Chain:
    source = open_source(SAMPLES / name)
    return source.chain(source.threads[0])


@pytest.fixture(scope="module")
def shed() -> Chain:
    return chain_of("T-80001")


@pytest.fixture(scope="module")
def refund(shed: Chain) -> Any:
    return shed.sidecars.what_if["refund-899"]


def test_the_transcript_believes_what_the_state_refuses(shed: Chain, refund: Any) -> None:
    found = judge(shed, 3, refund)
    assert (found.believed, found.proved) == (True, False)


def test_had_the_tool_returned_it_the_state_would_agree(shed: Chain, refund: Any) -> None:
    before = copy.deepcopy(shed.state(3))
    edits = returned(shed, 3, refund)
    # The evidence and the message are one answer: both change, and neither keeps the refusal.
    assert list(edits) == ["/evidence/0", "/messages/3"]
    assert (edits["/evidence/0"]["code"], edits["/evidence/0"]["data"]) == ("ok", {})
    assert edits["/evidence/0"]["args"] == {"order_id": "LK-615204"}
    assert json.loads(edits["/messages/3"]["content"]) == {
        "tool": "get_order",
        "ok": True,
        "code": "ok",
        "order_ids": ["LK-615204"],
    }
    assert edits["/evidence/0"]["ok"] is True
    assert edits["/evidence/0"]["order_ids"] == ["LK-615204"]
    edited = with_edits(shed, 3, edits)
    found = judge(edited, 3, refund)
    assert (found.believed, found.proved) == (True, True)
    assert shed.state(3) == before
    assert judge(shed, 3, refund).proved is False


def test_an_edit_shares_what_it_does_not_touch(shed: Chain, refund: Any) -> None:
    edited = with_edits(shed, 3, returned(shed, 3, refund))
    old, new = shed.state(3), edited.state(3)
    assert new is not old
    assert new["messages"][2] is old["messages"][2]
    assert new["evidence"][1] is old["evidence"][1]
    assert all(edited.states[i] is shed.states[i] for i in range(3))


def test_messages_that_do_not_name_it_make_the_transcript_refuse(shed: Chain, refund: Any) -> None:
    silent = {
        f"/messages/{i}": {"role": m["role"], "content": "…"}
        for i, m in enumerate(shed.state(3)["messages"])
    }
    found = judge(with_edits(shed, 3, silent), 3, refund)
    assert (found.believed, found.proved) == (False, False)


def test_another_proposal_is_judged_on_its_own_identifier(shed: Chain, refund: Any) -> None:
    other = {**refund, "actions": [{**refund["actions"][0], "order_id": "LK-000001"}]}
    found = judge(shed, 3, other)
    assert (found.believed, found.proved) == (False, False)
    assert returned(shed, 3, other) == {}
    nothing = judge(shed, 3, {"outcome": "reply_only", "actions": []})
    assert (nothing.believed, nothing.proved, nothing.findings) == (None, None, ())


def test_what_is_proven_needs_no_edit() -> None:
    planter = chain_of("T-90103")
    at = planter.head
    assert at is not None
    proposal = planter.state(at)["proposal"]
    assert judge(planter, at, proposal).proved is True
    assert returned(planter, at, proposal) == {}


def test_only_tools_results_can_be_edited(shed: Chain) -> None:
    found = [(e.pointer, e.title) for e in editable(shed, 3)]
    assert found[0] == ("/evidence/0", "evidence 0: get_order, refused")
    assert [at for at, _ in found] == [
        *(f"/evidence/{i}" for i in range(3)),
        *(f"/messages/{i}" for i in (3, 5, 7)),
    ]


def test_what_a_row_returned_before_stays_and_one_proven_action_proves_no_other(
    shed: Chain, refund: Any
) -> None:
    (action,) = refund["actions"]
    both = {**refund, "actions": [action, {**action, "order_id": "LK-000001"}]}
    # Its first row of evidence names both orders and has returned a third.
    row = shed.state(3)["evidence"][0]
    named = {**row, "args": {"orders": [action["order_id"], "LK-000001"]}, "order_ids": ["LK-3"]}
    chain = with_edits(shed, 3, {"/evidence/0": named})
    edits = returned(chain, 3, both)
    assert edits["/evidence/0"]["order_ids"] == ["LK-3", action["order_id"], "LK-000001"]
    assert judge(with_edits(chain, 3, edits), 3, both).proved is True
    half = with_edits(chain, 3, returned(chain, 3, refund))
    assert judge(half, 3, refund).proved is True
    assert judge(half, 3, both).proved is False


def test_a_place_that_is_not_there_is_named(shed: Chain) -> None:
    with pytest.raises(PatchError, match="/evidence/9"):
        with_edits(shed, 3, {"/evidence/9": {}})


def test_a_profile_without_evidence_has_no_such_edit() -> None:
    invoice = chain_of("thr_invoice_42")
    assert returned(invoice, 0, {"tool": "x", "order_id": "LK-615204"}) == {}
