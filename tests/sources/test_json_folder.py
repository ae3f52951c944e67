import os
from pathlib import Path
from typing import Any

import pytest

from viewer.errors import SourceError
from viewer.limits import Limits
from viewer.sources import files, open_source, open_sources


def test_files_are_checkpoints_in_natural_order(put: Any, opened: Any, tmp_path: Path) -> None:
    for n in (10, 2, 1, 9):
        put(f"run/step{n}.json", {"n": n})
    put("run/.hidden", "passed over")
    source, chain = opened(tmp_path / "run")
    assert (source.reader.name, chain.thread_id) == ("json-folder", "run")
    assert [c.checkpoint_id for c in chain.checkpoints] == ["step1", "step2", "step9", "step10"]
    assert [chain.state(i)["n"] for i in range(4)] == [1, 2, 9, 10]
    assert chain.checkpoints[0].place == str(tmp_path / "run" / "step1.json")
    assert not source.problems
    assert not chain.problems


def test_links_in_the_wrappers_decide_the_order(put: Any, opened: Any, tmp_path: Path) -> None:
    put("a.json", {"checkpoint_id": "a", "parent_id": "b", "state": {}})
    put("b.json", {"checkpoint_id": "b", "parent_id": None, "state": {}})
    put("c.json", {"checkpoint_id": "c", "parent_id": "gone", "state": {}})
    _, chain = opened(tmp_path)
    assert [c.checkpoint_id for c in chain.checkpoints] == ["b", "a", "c"]
    assert [p.keyword for p in chain.problems] == ["missing_parent"]


def test_a_patch_chain_of_files(put: Any, opened: Any, tmp_path: Path) -> None:
    put("0.json", {"n": 0, "deep": {}})
    put("1.json", [{"op": "replace", "path": "/n", "value": 1}])
    put("2.json", {"checkpoint_id": "two", "patch": [{"op": "remove", "path": "/x"}]})
    put("3.json", [{"op": "replace", "path": "/n", "value": 1}])
    _, chain = opened(tmp_path)
    assert [c.trusted for c in chain.checkpoints] == [True, True, False, False]
    assert chain.state(1)["deep"] is chain.state(0)["deep"]
    assert chain.problems[1].reason == "state unknown: the patch of two fails"


def test_what_is_no_checkpoint_is_a_problem_with_its_place(
    put: Any, opened: Any, tmp_path: Path
) -> None:
    put("out/secret.json", {"secret": 1})
    put("run/1.json", {"n": 1})
    put("run/2.json", '{"n": ')
    put("run/3.json", "")
    put("run/4.json", "5")
    put("run/5.json", {"n": 5})
    put("run/6.json.tmp", {"n": 6})
    put("run/7", {"n": 7})
    put("run/README.md", "# notes")
    put("run/inner/8.json", {"n": 8})
    run = tmp_path / "run"
    (run / "9.json").symlink_to(tmp_path / "out" / "secret.json")
    (run / "broken.json").symlink_to(run / "nowhere")
    (run / "inside.json").symlink_to(run / "1.json")
    os.mkfifo(run / "pipe.json")
    source, chain = opened(run)
    assert [c.checkpoint_id for c in chain.checkpoints] == ["1", "5", "7", "inside"]
    assert {Path(p.place).name: p.reason for p in source.problems} == {
        "6.json.tmp": "named like a temporary file; not read",
        "9.json": "a link that leads out of the folder; not followed",
        "broken.json": "no such file or folder",
        "inner": "a subfolder is no part of the chain; open it on its own",
        "pipe.json": "a named pipe, not a regular file",
        "README.md": "not JSON; not read",
    }
    lost = [(Path(p.place).name, p.reason[:12]) for p in chain.problems if p.keyword != "gap"]
    assert lost == [
        ("2.json:1:7", "cut off: exp"),
        ("3.json:1:1", "empty: no JS"),
        ("4.json", "a checkpoint"),
    ]
    assert [c.gap for c in chain.checkpoints] == [0, 3, 0, 0]


def test_a_file_that_may_not_be_read_is_a_lost_record(
    put: Any, opened: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("1.json", {"n": 1})
    closed = put("2.json", {"n": 2})
    real = os.open

    def refuse(path: Any, *rest: Any) -> int:
        if Path(path) == closed:
            raise PermissionError(13, "Permission denied")
        return real(path, *rest)

    monkeypatch.setattr(files.os, "open", refuse)
    _, chain = opened(tmp_path)
    assert len(chain.checkpoints) == 1
    assert [(p.place, p.reason) for p in chain.problems] == [(str(closed), "Permission denied")]


def test_a_folder_with_too_many_entries_is_cut_and_said(put: Any, tmp_path: Path) -> None:
    for n in range(9):
        put(f"{n}.json", {"n": n})
    source = open_source(tmp_path, limits=Limits(folder_files=4))
    assert source.threads[0].checkpoints == 4
    assert [p.keyword for p in source.problems] == ["limit"]


def test_too_many_problems_are_counted(put: Any, tmp_path: Path) -> None:
    put("0.json", {})
    for n in range(9):
        put(f"{n}.txt", "no")
    source = open_source(tmp_path, limits=Limits(problems=3))
    assert len(source.problems) == 4
    assert source.problems[-1].reason == "6 more problems are not listed (limit: problems)"


def test_a_folder_of_runs_opens_one_source_per_child(put: Any, tmp_path: Path) -> None:
    put("a/1.json", {"n": 1})
    put("b/about.json", {"format_version": 1, "title": "b"})
    put("b/checkpoints/1.json", {"n": 1})
    put("c.jsonl", '{"n": 1}\n{"n": 2}\n')
    put("store/about.json", {"format_version": 1, "title": "s", "reader": "jsonl"})
    put("store/chain10.jsonl", '{"n": 1}\n{"n": 2}\n')
    put("make.py", "print()")
    sources, problems = open_sources((tmp_path,))
    assert not problems
    assert [(s.location.name, s.reader.name) for s in sources] == [
        ("a", "json-folder"),
        ("b", "run-folder"),
        ("c.jsonl", "jsonl"),
        ("chain10.jsonl", "jsonl"),
    ]


def test_a_folder_that_vanished_is_a_source_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such file or folder"):
        open_source(tmp_path / "gone")
    with pytest.raises(SourceError):
        open_source(tmp_path / "gone", reader="json-folder")


@pytest.mark.parametrize("reader", ["json-file", "jsonl"])
def test_a_folder_named_as_a_file_is_refused(tmp_path: Path, reader: str) -> None:
    with pytest.raises(SourceError, match="a folder, not a regular file"):
        open_source(tmp_path, reader=reader)


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SourceError, match="a named pipe, not a regular file"):
        open_source(tmp_path / "pipe")
