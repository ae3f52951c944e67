"""Each seeded fault is really in its store, and not in the correct run, read by LangGraph itself.

These tests are of the seeds; what the program makes of the stores is tested elsewhere.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.sqlite import SqliteSaver

from tests.seeded.catalogue import APPS, RUNS, SEEDS, Seed, make, named, seed_of
from tests.seeded.grade import graded
from tests.seeded.make import main

NONE = "00000000-0000-0000-0000-000000000000"
"""Task id of what came with the call, not from a node."""


class Run:
    """The checkpoints of one store, oldest first, as SqliteSaver.list returns them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        connection = sqlite3.connect(path, check_same_thread=False)
        found = list(SqliteSaver(connection).list(None))
        connection.close()
        self.all = sorted(found, key=lambda one: one.config["configurable"]["checkpoint_id"])

    def chain(self, namespace: str = "", thread: str = "*") -> list[CheckpointTuple]:
        return [
            one
            for one in self.all
            if fnmatchcase(one.config["configurable"]["thread_id"], thread)
            and one.config["configurable"]["checkpoint_ns"].count("|") == namespace.count("|")
            and fnmatchcase(one.config["configurable"]["checkpoint_ns"], namespace)
        ]

    def at(self, seed: Seed) -> CheckpointTuple:
        return self.chain(seed.namespace, seed.thread)[seed.index]

    def before(self, seed: Seed) -> CheckpointTuple:
        return self.parent(self.at(seed))

    def parent(self, child: CheckpointTuple) -> CheckpointTuple:
        wanted = child.parent_config["configurable"]["checkpoint_id"]
        return next(
            one for one in self.all if one.config["configurable"]["checkpoint_id"] == wanted
        )

    def rows(self, one: CheckpointTuple, *columns: str) -> list[Any]:
        """The stored rows of what ran after a checkpoint."""
        where = one.config["configurable"]
        connection = sqlite3.connect(self.path)
        found = connection.execute(
            f"SELECT {', '.join(columns)} FROM writes WHERE thread_id = ? AND checkpoint_ns = ?"
            " AND checkpoint_id = ? ORDER BY task_path, idx",
            (where["thread_id"], where["checkpoint_ns"], where["checkpoint_id"]),
        ).fetchall()
        connection.close()
        return found

    def ran(self, one: CheckpointTuple) -> set[str]:
        """The nodes that left a row after a checkpoint."""
        paths = [path for (path,) in self.rows(one, "task_path")]
        nodes = {path.removeprefix("~__pregel_pull, ") for path in paths if "pull" in path}
        sends = one.checkpoint["channel_values"].get("__pregel_tasks", [])
        return nodes | {send.node for send in sends}


Runs = dict[tuple[str, str | None], Run]
Read = Callable[[str], tuple[Seed, Run, Run]]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """All forty stores, made once."""
    folder = tmp_path_factory.mktemp("seeded")
    made = {}
    for app, bug in RUNS:
        path = folder / f"{app}-{bug or 'good'}.sqlite"
        make(app, bug, path)
        made[app, bug] = Run(path)
    return made


@pytest.fixture
def read(runs: Runs) -> Read:
    """Return by the fault's name its entry, the faulty run and the correct one."""

    def find(name: str) -> tuple[Seed, Run, Run]:
        seed = next(seed for seed in SEEDS if seed.bug == name)
        return seed, runs[seed.app, seed.bug], runs[seed.app, None]

    return find


def values(one: CheckpointTuple) -> dict[str, Any]:
    return one.checkpoint["channel_values"]


def written(one: CheckpointTuple, channel: str) -> list[Any]:
    """What the tasks after a checkpoint wrote to a channel."""
    return [value for _, name, value in one.pending_writes if name == channel]


def texts(one: CheckpointTuple) -> list[str]:
    return [message.content for message in values(one)["messages"]]


def open_calls(one: CheckpointTuple) -> set[str]:
    """The tool calls that no tool message answers."""
    messages = values(one)["messages"]
    asked = {call["id"] for message in messages for call in getattr(message, "tool_calls", [])}
    return asked - {getattr(message, "tool_call_id", None) for message in messages}


def heads(run: Run, namespace: str = "", thread: str = "*") -> list[CheckpointTuple]:
    """The checkpoints without a child."""
    chain = run.chain(namespace, thread)
    parents = {
        (one.parent_config or {"configurable": {"checkpoint_id": None}})["configurable"][
            "checkpoint_id"
        ]
        for one in chain
    }
    return [one for one in chain if one.config["configurable"]["checkpoint_id"] not in parents]


def due(one: CheckpointTuple) -> set[str]:
    """The nodes that a checkpoint's edges and joins point at."""
    edges = [name for name in values(one) if name.startswith(("branch:", "join:"))]
    return {name.rsplit(":", 1)[-1] for name in edges}


# The set as a whole


def test_there_are_thirty_faults_in_ten_apps():
    assert len(SEEDS) == len({seed.bug for seed in SEEDS}) == 30
    assert Counter(seed.app for seed in SEEDS) == dict.fromkeys(APPS, 3)
    assert len(RUNS) == 40


@pytest.mark.parametrize(
    ("app", "bug"), [pytest.param(*run, id=f"{run[0]}-{run[1]}") for run in RUNS]
)
def test_a_store_is_small_and_stands_alone(runs: Runs, app: str, bug: str | None):
    run = runs[app, bug]
    assert run.path.stat().st_size < 200_000
    assert 5 <= len(run.all) <= 40
    assert not list(run.path.parent.glob(f"{run.path.name}-*"))
    assert not bug or bug.encode() not in run.path.read_bytes()


@pytest.mark.parametrize("seed", [pytest.param(seed, id=seed.bug) for seed in SEEDS])
def test_the_catalogue_names_a_place_that_the_store_has(runs: Runs, seed: Seed):
    run = runs[seed.app, seed.bug]
    here = run.at(seed)
    assert here.metadata["step"] == seed.step
    ran = {
        node
        for one in run.chain(seed.namespace, seed.thread)
        if one.metadata["step"] + 1 in (seed.step, seed.step + 1, *seed.steps)
        for node in run.ran(one)
    }
    assert seed.node in ran | due(here)


@pytest.mark.parametrize("app", APPS)
def test_a_correct_run_ends_without_error_or_question(runs: Runs, app: str):
    run = runs[app, None]
    for one in run.all:
        assert "__error__" not in {name for _, name, _ in one.pending_writes}
    for head in heads(run):
        assert not [name for name in values(head) if name.startswith("branch:to:")]
        assert not values(head).get("__pregel_tasks")


@pytest.mark.parametrize("app", APPS)
def test_two_runs_of_one_app_hold_the_same_states(runs: Runs, app: str, tmp_path: Path):
    make(app, None, tmp_path / "again.sqlite")
    first, second = runs[app, None], Run(tmp_path / "again.sqlite")
    assert [one.metadata["step"] for one in first.all] == [
        one.metadata["step"] for one in second.all
    ]
    assert [values(one) for one in first.all] == [values(one) for one in second.all]


# The thirty


def test_a_tool_call_stays_without_a_result(read: Read):
    seed, bad, good = read("unanswered_call")
    assert open_calls(bad.at(seed)) == open_calls(bad.chain()[-1]) == {"call-7"}
    assert not open_calls(good.at(seed))


def test_a_jump_stays_and_a_refund_never_runs(read: Read):
    seed, bad, good = read("jump_left")
    assert values(bad.at(seed))["jump_to"] == values(bad.chain()[-1])["jump_to"] == "end"
    assert "jump_to" not in values(good.at(seed))
    refunds = [[line["sku"] for line in values(run.chain()[-1])["refunds"]] for run in (bad, good)]
    assert refunds == [["KET-17", "TOA-03"], ["KET-17", "TOA-03", "MUG-08"]]


def test_a_tool_result_names_another_call(read: Read):
    seed, bad, good = read("cached_result")
    assert values(bad.at(seed))["messages"][-1].tool_call_id == "call-1"
    assert values(good.at(seed))["messages"][-1].tool_call_id == "call-4"
    assert open_calls(bad.chain()[-1]) == {"call-4"}


def test_a_question_is_sent_to_nobody(read: Read):
    seed, bad, good = read("dropped_question")
    for run, sent in ((bad, 4), (good, 5)):
        assert len(values(run.at(seed))["questions"]) == 5
        assert len(values(run.at(seed))["__pregel_tasks"]) == sent
        assert len(values(run.chain()[-1])["findings"]) == sent


def test_findings_are_appended_a_second_time(read: Read):
    seed, bad, good = read("review_repeats")
    found = Counter(one["question"] for one in values(bad.at(seed))["findings"])
    assert set(found.values()) == {2}
    assert len(values(bad.before(seed))["findings"]) == len(values(good.at(seed))["findings"]) == 5


def test_the_report_is_written_before_the_papers_are_read(read: Read):
    seed, bad, good = read("early_report")
    assert bad.ran(bad.before(seed)) == {"write", "read_papers"}
    assert "report" not in values(good.at(seed))
    assert values(bad.chain()[-1])["sources_cited"] == 3
    assert values(good.chain()[-1])["sources_cited"] == 5


def test_an_account_ticket_goes_to_the_general_desk(read: Read):
    seed, bad, good = read("misspelt_route")
    assert values(bad.at(seed))["category"] == values(good.at(seed))["category"] == "account"
    assert bad.ran(bad.at(seed)) == {"general"}
    assert good.ran(good.at(seed)) == {"account"}


def test_an_exceptions_text_becomes_a_reply(read: Read):
    seed, bad, good = read("error_as_reply")
    assert values(bad.at(seed))["reply"] == "Error: KeyError('e42')"
    assert values(good.at(seed))["reply"].startswith("Open the rear cover")
    assert not [name for one in bad.all for _, name, _ in one.pending_writes if name == "__error__"]


def test_a_total_is_joined_as_text(read: Read):
    seed, bad, good = read("joined_credit")
    assert values(bad.before(seed))["credit_cents"] == 250
    assert values(bad.at(seed))["credit_cents"] == "2501500"
    assert values(good.at(seed))["credit_cents"] == 1750


def test_one_answer_answers_two_questions(read: Read):
    seed, bad, good = read("answer_reused")
    assert values(bad.at(seed))["account_answer"] == values(bad.at(seed))["amount_answer"]
    assert values(good.at(seed))["account_answer"] == "account DE-7731"
    (payment,) = values(bad.chain(thread=seed.thread)[-1])["payments"]
    assert payment["to"] == "approve 1250.00"


def test_a_question_is_answered_on_two_branches(read: Read):
    seed, bad, good = read("answered_twice")
    waiting = bad.before(seed).config
    branches = [one for one in bad.chain() if one.parent_config == waiting]
    assert [values(one)["account_answer"] for one in branches] == ["account DE-7731", "reject"]
    assert [len(values(head)["payments"]) for head in heads(bad, thread=seed.thread)] == [1, 1]
    assert len(heads(good, thread=seed.thread)) == 1


def test_a_node_asks_again_after_four_answers(read: Read):
    seed, bad, good = read("asks_again")
    head = bad.chain(thread=seed.thread)[-1]
    assert head == bad.at(seed)
    given = [
        value for task, name, value in head.pending_writes if name == "__resume__" and task != NONE
    ]
    assert given == [["approve 1250.00"] * 4]
    ((asked,),) = written(head, "__interrupt__")
    assert asked.value == {"question": "Pay 1250.00 EUR to Nordlicht Druck?"}
    assert "amount_answer" not in values(head)
    assert "amount_answer" in values(good.chain(thread=seed.thread)[-1])


def test_a_join_waits_for_a_node_that_never_runs(read: Read):
    seed, bad, good = read("join_waits")
    head = bad.chain()[-1]
    assert head == bad.at(seed)
    assert values(head)[seed.channel] == {"firmographics", "apply_credit"}
    assert "score" not in values(head)
    assert values(good.chain()[-1])["score"] == 76


def test_a_nested_object_changes_without_a_write(read: Read):
    seed, bad, good = read("registry_in_place")
    assert values(bad.before(seed))["company"]["registry"] == {"status": "?"}
    assert values(bad.at(seed))["company"]["registry"]["status"] == "active"
    assert not written(bad.before(seed), "company")
    assert len(written(good.before(seed), "company")) == 1


def test_a_parallel_branch_takes_an_update_back(read: Read):
    seed, bad, good = read("profile_overwritten")
    assert values(bad.before(seed))["profile"]["employees"] == 184
    assert "employees" not in values(bad.at(seed))["profile"]
    assert {"employees", "rating"} <= set(values(good.at(seed))["profile"])


def test_the_teams_text_never_reaches_the_article(read: Read):
    seed, bad, good = read("draft_stays_inside")
    assert "nectar" in values(bad.chain("team:*")[-1])["final_draft"]
    assert values(bad.at(seed))["draft"] == values(bad.chain()[-1])["published"] == ""
    assert "nectar" in values(good.at(seed))["draft"]


def test_a_list_becomes_an_object_two_levels_down(read: Read):
    seed, bad, good = read("remarks_become_object")
    assert values(bad.before(seed))["remarks"] == []
    assert isinstance(values(bad.at(seed))["remarks"], dict)
    assert isinstance(values(good.at(seed))["remarks"], list)


def test_a_node_fails_two_levels_down(read: Read):
    seed, bad, _ = read("proof_divides")
    assert bad.ran(bad.at(seed)) == {"measure"}
    assert written(bad.at(seed), "__error__") == ["ZeroDivisionError('division by zero')"]
    assert bad.at(seed) == bad.chain(seed.namespace)[-1]
    assert written(bad.chain()[-1], "__error__") == ["ZeroDivisionError('division by zero')"]


def test_a_list_grows_without_a_write(read: Read):
    seed, bad, good = read("sheet_in_place")
    assert [values(run.at(seed))["score_sheet"] for run in (bad, good)] == [
        [{"round": 1, "to": [1, 0], "points": 10}]
    ] * 2
    assert not [one for one in bad.chain()[1:] if written(one, "score_sheet")]
    assert [one for one in good.chain()[1:] if written(one, "score_sheet")]


def test_a_player_faces_the_same_wall_until_the_limit(read: Read):
    seed, bad, good = read("same_wall")
    chain = bad.chain()
    assert chain[-1].metadata["step"] == 24
    for one, later in pairwise(chain[seed.index - 2 :: 2]):
        assert values(one) == values(later)
        assert bad.ran(one) == {"player"} or later == chain[-1]
    states = [repr(values(one)) for one in good.chain()]
    assert len(states) == len(set(states))


def test_a_round_steps_over_its_end(read: Read):
    seed, bad, good = read("round_missed")
    assert values(bad.before(seed))["round"] < values(bad.at(seed))["last_round"]
    assert values(bad.at(seed))["round"] == 7
    head = bad.chain()[-1]
    assert head.metadata["step"] == 24
    assert "branch:to:player" in values(head)
    assert not bad.ran(head)
    assert values(good.chain()[-1])["round"] == values(good.chain()[-1])["last_round"]


def test_a_retry_posts_the_invoice_twice(read: Read):
    seed, bad, good = read("posted_twice")
    assert [line["number"] for line in values(bad.at(seed))["postings"]] == ["N-4471"] * 2
    assert [line["number"] for line in values(good.at(seed))["postings"]] == ["N-4471"]


def test_a_killed_run_leaves_its_next_node_without_a_row(read: Read):
    seed, bad, good = read("killed_posting")
    head = bad.chain()[-1]
    assert head == bad.at(seed)
    assert "branch:to:post" in values(head)
    assert not bad.ran(head)
    assert values(head)["postings"] == []
    assert good.ran(good.at(seed)) == {"post"}


def test_a_password_is_kept_in_the_state(read: Read):
    seed, bad, good = read("password_kept")
    assert values(bad.at(seed))["archive"]["password"]
    assert set(values(good.at(seed))["archive"]) == {"host", "folder"}


def test_a_summary_removes_the_newest_messages(read: Read):
    seed, bad, good = read("removes_newest")
    gone = set(texts(bad.before(seed))) - set(texts(bad.at(seed)))
    assert gone == set(texts(bad.before(seed))[-4:])
    assert texts(good.at(seed)) == texts(good.before(seed))[-4:]
    assert values(bad.at(seed))["summary"].startswith(texts(bad.at(seed))[0])


def test_an_answer_takes_the_place_of_an_older_one(read: Read):
    seed, bad, good = read("reply_replaces")
    before, after = (texts(one) for one in (bad.before(seed), bad.at(seed)))
    assert len(before) == len(after)
    assert before[1].startswith("Twice a week")
    assert after[1].startswith("Climbing beans")
    assert len(texts(good.at(seed))) == len(texts(good.before(seed))) + 1


def test_passages_only_ever_grow(read: Read):
    seed, bad, good = read("passages_pile_up")
    counts = [len(values(one).get("passages", [])) for one in bad.chain()]
    assert counts == sorted(counts)
    assert counts[seed.index - 1 : seed.index + 1] == [2, 4]
    assert counts[-1] == 14
    assert len(values(good.chain()[-1])["passages"]) == 2


def test_a_change_on_an_old_checkpoint_loses_the_way_back(read: Read):
    seed, bad, good = read("old_parent")
    assert bad.at(seed).metadata["source"] == good.at(seed).metadata["source"] == "update"
    assert len(values(bad.chain()[seed.index - 1])["legs"]) == 3
    assert len(values(bad.at(seed))["legs"]) == 2
    assert good.before(seed) == good.chain()[seed.index - 1]
    assert bad.before(seed) != bad.chain()[seed.index - 1]
    assert len(values(good.chain()[-1])["legs"]) == 3


def test_a_checkpoint_holds_what_only_the_next_node_wrote(read: Read):
    seed, bad, good = read("ahead_of_time")
    (letters,) = written(bad.at(seed), "letters")
    assert bad.ran(bad.at(seed)) == {"confirm"}
    assert (
        values(bad.at(seed))["letters"] == letters == values(bad.chain()[seed.index + 1])["letters"]
    )
    assert values(good.at(seed))["letters"] == values(bad.before(seed))["letters"] == []


def test_new_flights_replace_the_old(read: Read):
    seed, bad, good = read("legs_replaced")
    assert [len(values(run.before(seed))["legs"]) for run in (bad, good)] == [2, 2]
    assert [len(values(run.at(seed))["legs"]) for run in (bad, good)] == [1, 3]
    assert values(bad.chain()[-1])["total"] < values(good.chain()[-1])["total"] == Decimal("967.50")


# The blind examination


def test_the_blind_folder_tells_nothing_and_no_ten_hold_an_app_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(
        "tests.seeded.make.make", lambda app, bug, path: path.write_text(f"{app}{bug}")
    )
    out, key = tmp_path / "out", tmp_path / "kept" / "key.json"
    assert main([str(out), "--blind", "--key", str(key), "--shuffle", "7"]) == 0
    names = [f"run-{number:02}.sqlite" for number in range(1, 41)]
    assert sorted(path.name for path in out.iterdir()) == names
    answers = json.loads(key.read_text())
    assert Counter((one["app"], one["bug"]) for one in answers.values()) == Counter(RUNS)
    for first in range(0, 40, 10):
        assert {answers[name]["app"] for name in names[first : first + 10]} == set(APPS)
    assert "40 stores" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["out", "--blind"], id="blind without a key"),
        pytest.param(["out", "--key", "key.json"], id="key without blind"),
        pytest.param(["out", "--blind", "--key", "out/key.json"], id="key beside the stores"),
        pytest.param(["out", "--only", "shop/none"], id="no such fault"),
    ],
)
def test_the_command_refuses_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert not list(tmp_path.iterdir())


def test_an_answer_counts_when_step_node_and_field_are_named():
    seed = seed_of("enrichment", "registry_in_place")
    assert all(named(seed, step=4, node="merge", field="/company/registry/status").values())
    assert named(seed, step=2, node="score", field="sources") == {
        "step": False,
        "node": False,
        "field": False,
    }


def test_grading_counts_faults_misses_and_false_alarms():
    key = {
        "a": {"app": "shop", "bug": None},
        "b": {"app": "chat", "bug": "removes_newest"},
        "c": {"app": "game", "bug": "sheet_in_place"},
        "d": {"app": "game", "bug": None},
    }
    answers = {
        "a": {"fault": True, "step": 1, "node": "tools", "field": "messages"},
        "b": {"fault": True, "step": 15, "node": "summarise", "field": "messages[3].content"},
        "c": {"fault": True, "step": 4, "node": "player", "field": "score_sheet"},
    }
    lines, found, alarms = graded(key, answers)
    assert (found, alarms) == (1, 1)
    assert [line.split(": ")[1] for line in lines] == [
        "FALSE ALARM",
        "named",
        "WRONG node",
        "rightly clean",
    ]
