"""What the nearest peers were measured on: one LangGraph store made by the real library.

Tasks that are reordered, taken back from done, led by a new one and removed; one word of a text of
500 characters; a number. Each step must be told as what a person did, and no more than that.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph

from viewer.analysis.diff import diff
from viewer.analysis.text import word_segments
from viewer.cli import run
from viewer.panels.diff3 import diff_payload
from viewer.pointer import get, split
from viewer.sources import open_source

NOTE = ("The customer asks for money back and the order is late by two days. " * 8)[:500]
EDITED = NOTE.replace("late", "early", 1)
SECRET = "sk-" + "proj-Abcd1234Efgh5678" * 2


class State(TypedDict, total=False):
    tasks: list[dict[str, str]]
    note: str
    budget: int
    api: str


def task(name: str, status: str) -> dict[str, str]:
    return {"id": name, "title": f"Do {name}", "status": status}


FIRST = [task("t1", "done"), task("t2", "doing"), task("t3", "pending"), task("t4", "pending")]
DONE = [FIRST[2], FIRST[0], task("t2", "done"), FIRST[3]]
BACK = [task("t3", "pending"), task("t1", "pending"), *DONE[2:]]
STEPS: dict[str, State] = {
    "work": {"tasks": DONE, "note": EDITED, "budget": 300},
    "reopen": {"tasks": BACK},
    "urgent": {"tasks": [task("t0", "pending"), *BACK]},
    "drop": {"tasks": [task("t0", "pending"), BACK[0], *BACK[2:]]},
    "look": {},
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    graph = StateGraph(State)
    for before, (name, update) in zip((START, *STEPS), STEPS.items(), strict=False):
        graph.add_node(name, lambda _, update=update: update)
        graph.add_edge(before, name)
    graph.add_edge("look", END)
    path = tmp_path_factory.mktemp("peers") / "checkpoints.sqlite"
    with SqliteSaver.from_conn_string(str(path)) as saver:
        given: State = {"tasks": FIRST, "note": NOTE, "budget": 500, "api": SECRET}
        graph.compile(checkpointer=saver).invoke(given, {"configurable": {"thread_id": "peers"}})
    return path


@pytest.fixture
def told(store: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> Callable[..., str]:
    """Return a function that runs ``diff`` up to the step of a node and returns what it prints."""

    def call(node: str, *flags: str) -> str:
        at = 2 + list(STEPS).index(node)
        run(["diff", str(store), "--target", f"@{at}", *flags])
        return capsysbinary.readouterr().out.decode()

    return call


def rows(told: Callable[..., str], node: str) -> list[dict[str, Any]]:
    """Return the changes but for LangGraph's own channels, which the profile folds."""
    found: list[dict[str, Any]] = json.loads(told(node, "--json"))["changes"]
    assert all(row["path"].startswith("/branch:") for row in found if row.get("noise"))
    return [row for row in found if not row.get("noise")]


def test_a_step_is_one_move_one_status_one_word_and_one_difference(
    told: Callable[..., str],
) -> None:
    changes = {(row["op"], row["path"]): row for row in rows(told, "work")}
    assert set(changes) == {
        ("move", "/tasks/0"),
        ("replace", "/tasks/2/status"),
        ("replace", "/note"),
        ("replace", "/budget"),
    }
    assert changes["move", "/tasks/0"]["old_path"] == "/tasks/2"
    # What the caller gave is the old side of the first change.
    status = changes["replace", "/tasks/2/status"]
    assert (status["old_path"], status["old"], status["new"]) == (
        "/tasks/1/status",
        "doing",
        "done",
    )
    budget = changes["replace", "/budget"]
    assert (budget["old"], budget["new"], budget["delta"]) == (500, 300, -200)
    note = changes["replace", "/note"]
    marked = [s for s in word_segments(note["old"], note["new"]) if s.kind != "same"]
    assert marked == [("old", "late"), ("new", "early")]


def test_the_sentence_and_the_lines_are_read_without_scrolling(told: Callable[..., str]) -> None:
    lines = told("work").splitlines()
    assert lines[1] == "1 edited in /tasks (reordered), note edited, budget 500 → 300; 2 as noise"
    old, new = lines[lines.index("~ /note") + 1 :][:2]
    assert "is late by two days" in old
    assert "is early by two days" in new
    assert max(map(len, lines[1:])) < 200
    assert any(line.startswith("~ /budget") and "(-200)" in line for line in lines)


@pytest.mark.parametrize(
    ("node", "changes"),
    [
        ("reopen", [("replace", "/tasks/1/status", "done", "pending")]),
        ("urgent", [("add", "/tasks/0", None, task("t0", "pending"))]),
        # What was removed is told with the value that it had.
        ("drop", [("remove", "/tasks/2", task("t1", "pending"), None)]),
        ("look", []),
    ],
)
def test_one_deed_is_one_change(told: Callable[..., str], node: str, changes: list[Any]) -> None:
    found = rows(told, node)
    assert [(r["op"], r["path"], r.get("old"), r.get("new")) for r in found] == changes
    if not changes:
        assert "only noise: 1 change" in told(node)


def test_the_page_is_sent_the_same_and_every_step_has_its_own_state(store: Path) -> None:
    source = open_source(store)
    chain = source.chain(source.threads[0])
    assert [len(chain.state(i).get("tasks", ())) for i in range(1, 7)] == [4, 4, 4, 5, 4, 4]
    base, target = chain.state(1), chain.state(2)
    changes = diff(base, target, chain.profile.lists)
    payload = diff_payload(
        changes, base_title="@1", target_title="@2", target=target, profile=chain.profile
    )
    sent = {row["path"]: row for row in payload["rows"] if not row.get("noise")}
    assert len(sent) == 4
    assert (sent["/budget"]["delta"], sent["/budget"]["share"]) == ("-200", "-40 %")
    for row in sent.values():
        assert json.loads(row["new"]) == get(target, split(row["path"]))


def test_a_key_is_in_no_file_that_is_sent_on(told: Callable[..., str], store: Path) -> None:
    to = store.parent / "report.html"
    assert run(["report", str(store), "--to", str(to)]) == 0
    assert "peers" in to.read_text("utf-8")
    first = ("--base", "@0")
    for text in (
        to.read_text("utf-8"),
        told("work", "--markdown", *first),
        told("work", "--csv", *first),
    ):
        assert "note" in text
        assert SECRET not in text
        assert SECRET[-12:] not in text


def test_what_a_model_was_shown_is_there_after_a_restart_and_no_record_is_said(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    run_folder = tmp_path / "run"
    for name in ("checkpoints", "observations"):
        (run_folder / name).mkdir(parents=True)
    (run_folder / "about.json").write_text('{"format_version": 1}')
    for n in range(3):
        wrapper = {"checkpoint_id": f"c{n}", "state": {"goal": f"goal {n}", "n": n}}
        (run_folder / "checkpoints" / f"{n + 1:04}.json").write_text(json.dumps(wrapper))
    (run_folder / "observations" / "c1.json").write_text('{"goal": "goal 0"}')
    # Nothing is kept but the files: each call reads them as a new process would.
    told = []
    for at in (1, 2):
        run(["diff", str(run_folder), "--target", f"@{at}", "--markdown"])
        told.append(capsysbinary.readouterr().out.decode())
    recorded, absent = told
    assert "stale" in recorded
    assert "no observation is recorded" in absent
    assert "stale" not in absent
