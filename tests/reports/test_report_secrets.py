"""A canary in every kind of place of a store and its recording: none is in the report."""

import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import ormsgpack
from langgraph.checkpoint.sqlite import SqliteSaver

from viewer.analysis.check import check
from viewer.analysis.why import why
from viewer.reports.html_report import html_report
from viewer.sources import open_source

IDS = [f"1ef4f797-0000-6{number:03d}-8000-000000000000" for number in range(3)]


class Canaries:
    """Makes secrets, and remembers in which place each was put."""

    def __init__(self) -> None:
        self.places: dict[str, str] = {}

    def __call__(self, place: str) -> str:
        secret = f"sk-proj-Canary{len(self.places):03d}aB3dE6gH9jK2mN5pQ8sT1vW4yZ7"
        self.places[secret] = place
        return secret


def store(path: Path, put: Canaries) -> None:
    thread, channel = f"t {put('thread id')}", f"ch_{put('channel')}"
    with SqliteSaver.from_conn_string(str(path)) as saver:
        saver.setup()
    connection = sqlite3.connect(path)
    for number, checkpoint_id in enumerate(IDS):
        spent = {"input_tokens": 3, "output_tokens": 1, "total_tokens": 4}
        answer = {
            "type": "ai",
            "content": put("message"),
            "tool_calls": [{"name": put("tool"), "args": {"q": put("argument")}, "id": "c"}],
            "usage_metadata": spent,
            "response_metadata": {"model_name": put("model")},
        }
        body = {
            "v": 4,
            "ts": "2026-01-01T00:00:00+00:00",
            "id": checkpoint_id,
            "channel_values": {channel: [put("value")] * number, "messages": [answer]},
            "channel_versions": {channel: str(number)},
            "versions_seen": {f"n_{put('node')}": {channel: str(number)}},
        }
        told = {"source": "loop", "step": number, "parents": {}, "more": put("metadata")}
        connection.execute(
            "INSERT INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id,"
            " parent_checkpoint_id, type, checkpoint, metadata) VALUES (?, '', ?, ?, ?, ?, ?)",
            (
                *(thread, checkpoint_id, IDS[number - 1] if number else None),
                *("msgpack", ormsgpack.packb(body), json.dumps(told)),
            ),
        )
    rows: list[tuple[str, str, int, str, Any]] = [
        (IDS[2], "a", -3, "__interrupt__", [{"value": put("interrupt"), "id": put("its id")}]),
        (IDS[2], "b", -1, "__error__", f"RuntimeError('{put('error')}')"),
        (IDS[1], "c", 0, channel, put("write")),
        (IDS[0], "c", 0, channel, put("write")),
        (IDS[2], f"d{put('task')}", 0, f"branch:to:x_{put('branch')}", put("write")),
    ]
    connection.executemany(
        "INSERT INTO writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel,"
        " type, value) VALUES (?, '', ?, ?, ?, ?, 'msgpack', ?)",
        [(thread, *row[:4], ormsgpack.packb(row[4])) for row in rows],
    )
    connection.commit()
    connection.close()
    call = {
        "format": "checkpoint-viewer.recording",
        "format_version": 1,
        **{"kind": "call", "call_id": put("call id"), "thread_id": thread, "path": "a:b"},
        **{"checkpoint_id": IDS[2], "messages": [{"type": "human", "content": put("observed")}]},
        **{"node": put("recorded node"), "model": {"name": put("recorded model")}},
        "tools": [{"name": put("recorded tool"), "description": put("its words")}],
    }
    path.with_name("observations.jsonl").write_text(json.dumps(call) + "\n")


def test_no_canary_is_in_the_report(tmp_path: Path) -> None:
    put = Canaries()
    store(tmp_path / "store.sqlite", put)
    source = open_source(tmp_path / "store.sqlite")
    chain = source.chain(source.threads[0])
    assert len(chain.checkpoints) == len(IDS)
    told = html_report(chain, why(chain), check(chain), made_at=datetime(2026, 1, 1, tzinfo=UTC))
    assert "[masked " in told
    assert [place for secret, place in put.places.items() if secret in told] == []
