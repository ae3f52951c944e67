import json
from pathlib import Path
from typing import Any

import pytest

from viewer.errors import LimitExceeded, SourceError
from viewer.limits import Limits
from viewer.sources import open_source

WRAPPED = [{"step": n, "state": {"n": n}} for n in range(3)]


def test_one_object_is_one_checkpoint_named_by_the_stem(put: Any, opened: Any) -> None:
    source, chain = opened(put("state.json", '{"messages": [], "n": 1}'))
    assert source.reader.name == "json-file"
    (checkpoint,) = chain.checkpoints
    assert (checkpoint.checkpoint_id, checkpoint.id_made, checkpoint.size_bytes) == (
        "state",
        True,
        24,
    )
    assert (chain.thread_id, chain.state(0)) == ("state", {"messages": [], "n": 1})


@pytest.mark.parametrize(
    ("document", "pointer"),
    [
        pytest.param(WRAPPED, "", id="array"),
        pytest.param({"checkpoints": WRAPPED}, "/checkpoints", id="object with a list"),
        pytest.param({"format_version": 1, "checkpoints": WRAPPED}, "/checkpoints", id="versioned"),
    ],
)
def test_a_list_is_a_chain(put: Any, opened: Any, document: Any, pointer: str) -> None:
    path = put("run.json", json.dumps(document, indent=2))
    _, chain = opened(path)
    assert [c.checkpoint_id for c in chain.checkpoints] == ["item:0", "item:1", "item:2"]
    assert [c.place for c in chain.checkpoints] == [f"{path}#{pointer}/{i}" for i in range(3)]
    assert [chain.state(i) for i in range(3)] == [{"n": 0}, {"n": 1}, {"n": 2}]
    assert [c.parent for c in chain.checkpoints] == [None, 0, 1]


def test_size_is_that_of_the_record_s_own_text(put: Any, opened: Any) -> None:
    _, chain = opened(put("run.json", '[\n  {"n": 1},\n  {"n": 10}\n]'))
    assert [c.size_bytes for c in chain.checkpoints] == [8, 9]


def test_the_document_may_name_its_thread(put: Any, opened: Any) -> None:
    _, chain = opened(put("run.json", {"thread_id": "t-1", "checkpoints": WRAPPED}))
    assert chain.thread_id == "t-1"


@pytest.mark.parametrize(
    "state",
    [
        pytest.param({"checkpoints": WRAPPED, "other": 1}, id="a key more"),
        pytest.param({"checkpoints": {"a": 1}}, id="no list"),
    ],
)
def test_a_state_may_hold_a_field_called_checkpoints(put: Any, opened: Any, state: Any) -> None:
    _, chain = opened(put("state.json", state))
    assert chain.state(0) == state


def test_a_patch_chain_in_an_array_shares_structure(put: Any, opened: Any) -> None:
    _, chain = opened(
        put("run.json", [{"a": [1], "n": 0}, [{"op": "replace", "path": "/n", "value": 1}]])
    )
    assert chain.state(1) == {"a": [1], "n": 1}
    assert chain.state(1)["a"] is chain.state(0)["a"]


@pytest.mark.parametrize("before", ["", "\n", ' {"checkpoints": '])
@pytest.mark.parametrize(
    ("elements", "good", "place", "words"),
    [
        pytest.param('[{"n": 1}, {"n": 2}, {"n": ', 2, ":1:", "cut off", id="torn"),
        pytest.param('[{"n": 1}, {"n": 2}', 2, ":1:", "cut off", id="no end"),
        pytest.param('[{"n": 1}, {"n": 2},]', 2, ":1:", "expecting value", id="trailing comma"),
        pytest.param(
            '[{"n": 1},\n {"n": 2}\n {"n": 3}]', 2, ":3:2", "',' delimiter", id="no comma"
        ),
        pytest.param('[{"n": 1}, {"n": nan}]', 1, ":1:", "'nan' is no JSON value", id="bad value"),
    ],
)
def test_the_elements_before_a_fault_are_read(
    put: Any, opened: Any, before: str, elements: str, good: int, place: str, words: str
) -> None:
    path = put("run.json", before + elements)
    place = place.replace(":1:", f":{1 + before.count(chr(10))}:")
    place = place.replace(":3:2", f":{3 + before.count(chr(10))}:2")
    _, chain = opened(path)
    assert [chain.state(i)["n"] for i in range(good)] == [1, 2][:good]
    assert len(chain.checkpoints) == good
    (problem,) = chain.problems
    assert problem.place.startswith(f"{path}{place}")
    assert words in problem.reason


def test_irregular_elements_are_all_read(put: Any, opened: Any) -> None:
    text = b'[{"n": NaN}, {"n": "\xeb"}, {"n": 1, "n": 2}, 7, {"n": "\\ud83d"}]'
    path = put("run.json", text)
    _, chain = opened(path)
    assert [c.checkpoint_id for c in chain.checkpoints] == ["item:0", "item:2", "item:4"]
    assert chain.state(2) == {"n": "\ud83d"}
    kinds = [(p.place.removeprefix(str(path)), p.keyword) for p in chain.problems]
    assert kinds == [
        ("#/1", "unreadable"),
        ("#/2", "gap"),
        ("#/2/n", "duplicate_key"),
        ("#/3", "unreadable"),
        ("#/4", "gap"),
    ]
    assert "not UTF-8: byte 0xeb" in chain.problems[0].reason


def test_a_list_that_stands_twice_is_said(put: Any) -> None:
    path = put("run.json", '{"checkpoints": [{"a": 1}], "checkpoints": [{"a": 2}]}')
    source = open_source(path)
    (problem,) = source.problems
    assert (problem.place, problem.keyword) == (f"{path}#/checkpoints", "duplicate_key")
    assert source.chain(source.threads[0]).state(0) == {"a": 2}


def test_a_broken_object_is_a_problem_with_its_place(put: Any, opened: Any) -> None:
    path = put("state.json", '{\n "id": "t1",\n "history": [1, 2,],\n}')
    _, chain = opened(path)
    assert not chain.checkpoints
    (problem,) = chain.problems
    assert problem.place.startswith(f"{path}:3:")


def test_too_large_a_file_is_refused_by_name(put: Any) -> None:
    path = put("state.json", {"a": "x" * 100})
    with pytest.raises(LimitExceeded, match=r"files up to 50 are read \(limit: file_bytes\)"):
        open_source(path, limits=Limits(file_bytes=50))


def test_too_many_checkpoints_are_cut_and_said(put: Any) -> None:
    source = open_source(put("run.json", WRAPPED), limits=Limits(checkpoints=2))
    assert len(source.chain(source.threads[0]).checkpoints) == 2
    assert source.problems[0].keyword == "limit"
    assert "more than 2 checkpoints" in source.problems[0].reason


def test_an_unknown_thread_is_a_source_error(put: Any) -> None:
    source = open_source(put("run.json", WRAPPED))
    ref = source.threads[0].__class__(thread_id="other")
    with pytest.raises(SourceError, match="no thread 'other'"):
        source.chain(ref)


def test_nothing_is_written_beside_the_file(put: Any, tmp_path: Path) -> None:
    open_source(put("run.json", WRAPPED))
    assert [p.name for p in tmp_path.iterdir()] == ["run.json"]
