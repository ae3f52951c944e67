"""The handed case 47: a namespace that an earlier attempt left counts as no question."""

import json
from pathlib import Path
from typing import Any

import pytest

from viewer.cli import run
from viewer.sources import open_source
from viewer.ui import overview

STORE = Path(__file__).parent / "47-lg-orphan-subgraph-namespace" / "checkpoints.sqlite"


def runs(capsysbinary: Any, *more: str) -> Any:
    assert run(["runs", str(STORE), "--json", *more]) == 0
    return json.loads(capsysbinary.readouterr().out)


def test_47_one_question_waits_and_the_left_namespace_is_named(capsysbinary: Any) -> None:
    found = runs(capsysbinary)
    assert [row["phase"] for row in found["threads"]] == ["waiting", "stopped", "waiting"]
    assert [row["waiting"] for row in found["threads"]] == [0, 0, 1]
    (problem,) = found["problems"]
    assert "detached namespace" in problem["reason"]


def test_47_who_looks_at_the_root_alone_sees_what_it_waits_for(capsysbinary: Any) -> None:
    (row,) = runs(capsysbinary, "--namespace", "")["threads"]
    assert row["waiting"] == 1


@pytest.mark.filterwarnings("ignore")
def test_47_the_list_of_approvals_has_the_question_once() -> None:
    source = open_source(STORE)
    (found,) = overview.proposals([source])
    assert found.ref.namespace == found.proposal.namespace == source.threads[-1].namespace
    assert [row["waiting"] for row in overview.rows([source])] == [0, 0, 1]
