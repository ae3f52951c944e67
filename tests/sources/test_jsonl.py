from pathlib import Path
from typing import Any

import pytest

from viewer.errors import SourceError
from viewer.limits import DEFAULT_LIMITS, Limits
from viewer.model import MISSING
from viewer.sources import open_source
from viewer.sources.files import lines

GOOD = '{"step": 0, "state": {"n": 0}}\n'


def test_each_line_is_a_checkpoint(put: Any, opened: Any) -> None:
    path = put("run.jsonl", '{"n": 0}\n\n  \r\n{"n": 1}\r\n{"n": 10}')
    source, chain = opened(path)
    assert (source.reader.name, chain.thread_id) == ("jsonl", "run")
    assert [c.checkpoint_id for c in chain.checkpoints] == ["line:1", "line:4", "line:5"]
    assert [c.place for c in chain.checkpoints] == [f"{path}:{n}" for n in (1, 4, 5)]
    assert [c.size_bytes for c in chain.checkpoints] == [8, 8, 9]
    assert not chain.problems


@pytest.mark.parametrize(
    ("bad", "column", "words"),
    [
        pytest.param(b'{"step": 1, "state": {"n": 1', ":29", "cut off", id="torn"),
        pytest.param(b'{"step": 1,, "state": {}}', ":12", "not JSON", id="two commas"),
        pytest.param(b'{"n": "Zo\xeb"}', ":10", "byte 0xeb at offset 9", id="latin-1"),
        pytest.param(b"\0" * 300, "", "300 zero bytes", id="zero bytes"),
        pytest.param(b"# a comment", ":1", "expecting value", id="comment"),
        pytest.param(b"17", "", "a checkpoint is a JSON object, this is a integer", id="scalar"),
        pytest.param(b'{"a": ' + b"1" * 5000 + b"}", ":7", "integer of 5000 digits", id="digits"),
        pytest.param(b'{"a": ' + b"[" * 900 + b"]" * 900 + b"}", "", "deep", id="depth"),
    ],
)
@pytest.mark.parametrize("at", [0, 1, 2], ids=["first", "middle", "last"])
def test_a_bad_line_is_one_lost_record(
    put: Any, opened: Any, bad: bytes, column: str, words: str, at: int
) -> None:
    good = [b'{"step": %d, "state": {"n": 0}}' % n for n in range(3)]
    text = b"\n".join([*good[:at], bad, *good[at:]])
    path = put("run.jsonl", text)
    _, chain = opened(path)
    assert [c.step for c in chain.checkpoints] == [0, 1, 2]
    lost = chain.problems[0]
    assert lost.place == f"{path}:{at + 1}{column}"
    assert words in lost.reason
    assert lost.index == (at - 1 if at else None)
    gaps = [p for p in chain.problems if p.keyword == "gap"]
    assert [c.gap for c in chain.checkpoints] == [0, int(at == 1), int(at == 2)]
    assert len(gaps) == int(at > 0)


def test_a_record_behind_zero_bytes_in_the_same_line_is_kept(put: Any, opened: Any) -> None:
    path = put("run.jsonl", GOOD.encode() * 2 + b"\0\0\0" + GOOD.encode())
    _, chain = opened(path)
    assert len(chain.checkpoints) == 3
    assert [p.keyword for p in chain.problems] == ["unreadable", "gap"]
    assert chain.problems[0].place == f"{path}:3"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32-be"])
def test_other_encodings_of_the_whole_file(put: Any, opened: Any, encoding: str) -> None:
    text = '{"n": "Zoë"}\n{"n": 1}\n'
    _, chain = opened(put("run.jsonl", text.encode(encoding)))
    assert [chain.state(i) for i in range(2)] == [{"n": "Zoë"}, {"n": 1}]


def test_broken_utf_16_is_one_named_error(put: Any) -> None:
    path = put("run.jsonl", '{"n": 1}\n{"n": 2}\n'.encode("utf-16")[:-1])
    with pytest.raises(SourceError, match="UTF-16-LE") as caught:
        open_source(path, reader="jsonl")
    assert caught.value.place == str(path)


def test_a_patch_chain_keeps_what_comes_before_a_failing_patch(put: Any, opened: Any) -> None:
    path = put(
        "run.jsonl",
        '{"checkpoint_id": "a", "state": {"n": 0, "deep": [1]}}\n'
        '[{"op": "replace", "path": "/n", "value": 1}]\n'
        '{"checkpoint_id": "c", "patch": [{"op": "remove", "path": "/gone"}]}\n'
        '[{"op": "replace", "path": "/n", "value": 3}]\n'
        '{"checkpoint_id": "e", "state": {"n": 4}}\n',
    )
    _, chain = opened(path)
    assert [c.checkpoint_id for c in chain.checkpoints] == ["a", "line:2", "c", "line:4", "e"]
    assert [c.trusted for c in chain.checkpoints] == [True, True, False, False, True]
    assert [c.has_state for c in chain.checkpoints] == [True, True, False, False, True]
    assert chain.states[2:4] == (MISSING, MISSING)
    assert chain.state(1)["deep"] is chain.state(0)["deep"]
    assert [(p.place, p.keyword) for p in chain.problems] == [
        (f"{path}:3", "patch"),
        (f"{path}:4", "patch"),
    ]
    assert "no key 'gone'" in chain.problems[0].reason
    assert chain.problems[1].reason == "state unknown: the patch of c fails"


def test_patches_behind_a_lost_line_have_no_base(put: Any, opened: Any) -> None:
    _, chain = opened(
        put("run.jsonl", '{"n": 0}\n[{"op": "add",\n[{"op": "remove", "path": "/n"}]\n')
    )
    assert [c.trusted for c in chain.checkpoints] == [True, False]
    assert chain.problems[-1].reason == "state unknown: the record line:2 could not be read"


def test_wrappers_split_a_file_into_threads_and_namespaces(put: Any) -> None:
    path = put(
        "run.jsonl",
        '{"thread_id": "a", "checkpoint_id": "1", "created_at": "2026-01-01T00:00:00Z", "state": {}}\n'
        '{"thread_id": "b", "checkpoint_id": "1", "state": {}}\n'
        '{"thread_id": "a", "namespace": "sub", "checkpoint_id": "1", "state": {}}\n'
        "{torn\n"
        '{"checkpoint_id": "2", "state": {}}\n'
        '{"thread_id": "a", "checkpoint_id": "2", "state": {}}\n',
    )
    source = open_source(path)
    assert [(t.thread_id, t.namespace, t.checkpoints) for t in source.threads] == [
        ("a", "", 2),
        ("b", "", 1),
        ("a", "sub", 2),
    ]
    assert str(source.threads[0].updated_at) == "2026-01-01 00:00:00+00:00"
    sub = source.chain(source.threads[2])
    assert [c.checkpoint_id for c in sub.checkpoints] == ["1", "2"]
    assert sub.problems[0].place == f"{path}:4:2"


AGENT = '{"runId": "r", "threadId": "%s", "goal": "g", "step": %d}\n'


def test_a_thread_is_called_what_all_its_states_say(put: Any, opened: Any) -> None:
    text = AGENT % ("thr_1", 0) + AGENT % ("thr_1", 1)
    assert opened(put("run.jsonl", text))[1].thread_id == "thr_1"
    # Two names in one chain are for the gates to judge; the chain stays whole.
    _, chain = opened(put("mixed.jsonl", text + AGENT % ("thr_2", 2)))
    assert (chain.thread_id, len(chain.checkpoints)) == ("mixed", 3)


def test_what_is_appended_while_a_file_is_read_is_left_out(put: Any) -> None:
    path = put("run.jsonl", GOOD * 2)
    reading = lines(path, DEFAULT_LIMITS)
    first = next(reading)
    with path.open("a") as file:
        file.write(GOOD * 500)
    assert [first, *reading] == [GOOD.encode()] * 2


def test_too_large_a_file_is_refused_by_name(put: Any) -> None:
    with pytest.raises(SourceError, match="limit: file_bytes"):
        open_source(put("run.jsonl", GOOD * 9), limits=Limits(file_bytes=100))


def test_lines_share_what_they_have_in_common(put: Any, opened: Any) -> None:
    big = "x" * 3000
    text = "".join(f'{{"step":{n},"state":{{"f":{{"t":"{big}"}},"n":{n}}}}}\n' for n in range(3))
    _, chain = opened(put("run.jsonl", text))
    assert chain.state(0)["f"] is chain.state(1)["f"] is chain.state(2)["f"]


def test_the_source_file_is_closed(put: Any, tmp_path: Path) -> None:
    source = open_source(put("run.jsonl", GOOD * 5), limits=Limits(checkpoints=2))
    assert source.threads[0].checkpoints == 2
