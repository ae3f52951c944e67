from pathlib import Path
from typing import Any

import pytest

from viewer.errors import SourceError
from viewer.sources import open_source
from viewer.sources.about import About, read_about

ABOUT = {"format_version": 1, "title": "A run", "profile": "plain", "reader": "run-folder"}


def test_checkpoints_and_what_stands_beside_them(put: Any, opened: Any, tmp_path: Path) -> None:
    put("run/about.json", ABOUT)
    put("run/checkpoints/0002.json", {"checkpoint_id": "b", "state": {"n": 2}})
    put("run/checkpoints/0001.json", {"checkpoint_id": "a", "state": {"n": 1}})
    put("run/observations/a.json", ["shown"])
    put("run/memories/m-1.json", {"id": "mem:1/x", "text": "t"})
    put("run/memories/m-2.json", {"text": "no id"})
    put("run/tasks/t-1.json", [{"taskId": "task 1", "status": "a"}, {"taskId": "task 1"}])
    put("run/tasks/t-2.json", {"status": "b"})
    put("run/what_if/refund.json", {"outcome": "refund"})
    put("run/working.schema.json", {"type": "object"})
    put("run/versions.json", {"graph": "2"})
    source, chain = opened(tmp_path / "run")
    assert (source.reader.name, source.problems) == ("run-folder", ())
    assert [c.checkpoint_id for c in chain.checkpoints] == ["a", "b"]
    assert chain.thread_id == "run"
    beside = chain.sidecars
    assert beside.observations == {"a": ["shown"]}
    assert set(beside.memories or ()) == {"mem:1/x", "m-2"}
    assert {k: len(v) for k, v in beside.tasks.items()} == {"task 1": 2, "t-2": 1}
    assert beside.what_if == {"refund": {"outcome": "refund"}}
    assert (beside.working_schema, beside.versions) == ({"type": "object"}, {"graph": "2"})


@pytest.mark.parametrize(
    ("layout", "ids"),
    [
        pytest.param({"chain.jsonl": '{"n": 1}\n{"n": 2}\n'}, ["line:1", "line:2"], id="chain"),
        pytest.param({"chain.jsonl": '{"n": 1}\n'}, ["line:1"], id="chain of one line"),
        pytest.param({"1.json": {}, "2.json": {}}, ["1", "2"], id="root"),
        pytest.param(
            {"checkpoints/1.json": {}, "9.json": {}, "chain.jsonl": "{}\n{}\n"},
            ["1"],
            id="all three",
        ),
    ],
)
def test_checkpoints_stand_in_one_of_three_places(
    put: Any, opened: Any, tmp_path: Path, layout: dict[str, Any], ids: list[str]
) -> None:
    put("about.json", ABOUT)
    put("versions.json", {})
    put("working.schema.json", {})
    put("memories/m.json", {"id": "m"})
    for name, content in layout.items():
        put(name, content)
    source, chain = opened(tmp_path)
    assert source.reader.name == "run-folder"
    assert [c.checkpoint_id for c in chain.checkpoints] == ids
    unread = {Path(p.place).name for p in source.problems}
    assert unread == ({"chain.jsonl"} if len(layout) == 3 else set())


def test_a_sidecar_s_name_among_the_checkpoints_is_said(
    put: Any, opened: Any, tmp_path: Path
) -> None:
    put("checkpoints/1.json", {})
    put("checkpoints/about.json", ABOUT)
    source, chain = opened(tmp_path)
    assert len(chain.checkpoints) == 1
    assert [Path(p.place).name for p in source.problems] == ["about.json"]


def test_no_memories_folder_is_not_an_empty_one(put: Any, opened: Any, tmp_path: Path) -> None:
    put("about.json", ABOUT)
    put("checkpoints/1.json", {})
    assert opened(tmp_path)[1].sidecars.memories is None
    (tmp_path / "memories").mkdir()
    assert opened(tmp_path)[1].sidecars.memories == {}


@pytest.mark.parametrize(
    ("about", "place", "words"),
    [
        pytest.param('{"title": ', "about.json:1:", "cut off", id="torn"),
        pytest.param({"format_version": 2, "title": "t"}, "#/format_version", "1", id="version"),
        pytest.param({**ABOUT, "profile": "../secret"}, "#/profile", "match pattern", id="path"),
        pytest.param({**ABOUT, "profile": "nobody"}, "#/profile", "no profile 'nobody'", id="name"),
        pytest.param({**ABOUT, "colour": 1}, "#/colour", "Extra inputs", id="unknown field"),
    ],
)
def test_a_bad_about_is_a_problem_and_the_run_still_opens(
    put: Any, opened: Any, tmp_path: Path, about: Any, place: str, words: str
) -> None:
    put("about.json", about)
    put("checkpoints/1.json", {"n": 1})
    source, chain = opened(tmp_path)
    (problem,) = source.problems
    assert place in problem.place
    assert words in problem.reason
    assert (chain.state(0), chain.profile.name) == ({"n": 1}, "plain")


def test_a_profile_that_about_names_is_that_of_the_chain(
    put: Any, opened: Any, tmp_path: Path
) -> None:
    put("about.json", {**ABOUT, "profile": "agent-state"})
    put("checkpoints/1.json", {"n": 1})
    assert opened(tmp_path)[1].profile.name == "agent-state"


def test_bad_sidecars_are_problems_and_the_good_rest_is_there(
    put: Any, opened: Any, tmp_path: Path
) -> None:
    put("elsewhere/m.json", {"id": "m"})
    run = tmp_path / "run"
    put("run/checkpoints/1.json", {"n": 1})
    put("run/observations/a.json", {"shown": 1})
    put("run/observations/b.json", '{"shown": ')
    put("run/working.schema.json", [1])
    put("run/versions.json", '{"a": 1, "a": 2}')
    (run / "memories").symlink_to(tmp_path / "elsewhere")
    (run / "what_if").mkdir()
    (run / "what_if" / "x.json").symlink_to(tmp_path / "elsewhere" / "m.json")
    source, chain = opened(run)
    assert chain.sidecars.observations == {"a": {"shown": 1}}
    assert (chain.sidecars.memories, chain.sidecars.what_if) == ({}, {})
    assert (chain.sidecars.working_schema, chain.sidecars.versions) == (None, {"a": 2})
    places = [p.place.removeprefix(f"{run}/") for p in source.problems]
    assert places == [
        "observations/b.json:1:11",
        "memories",
        "what_if/x.json",
        "working.schema.json",
        "versions.json#/a",
    ]


def test_about_is_read_by_its_model(put: Any, tmp_path: Path) -> None:
    assert read_about(tmp_path) is None
    put("about.json", {**ABOUT, "expect": {"checkpoints": 3, "phase": "done"}})
    about = read_about(tmp_path)
    assert isinstance(about, About)
    assert (about.title, about.expect.checkpoints, about.expect.threads) == ("A run", 3, None)
    put("about.json", b'{"format_version": 1, "title": "\xeb"}')
    with pytest.raises(SourceError, match="not UTF-8") as caught:
        read_about(tmp_path)
    assert caught.value.place.endswith("about.json:1:33")


def test_a_link_to_another_chain_is_not_followed(put: Any, tmp_path: Path) -> None:
    other = put("other/chain.jsonl", '{"n": 1}\n{"n": 2}\n')
    put("run/about.json", ABOUT)
    (tmp_path / "run" / "chain.jsonl").symlink_to(other)
    (tmp_path / "run" / "checkpoints").symlink_to(tmp_path / "other")
    with pytest.raises(SourceError, match="no checkpoint beside it"):
        open_source(tmp_path / "run")
