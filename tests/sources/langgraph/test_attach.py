"""Rows that no plan explains, in a step of more tasks than are compared."""

import json
import sqlite3
from pathlib import Path

import ormsgpack
import pytest
from langgraph.checkpoint.sqlite import SqliteSaver

from viewer.sources import open_source
from viewer.sources.langgraph import attach

ID = "1ef4f797-0000-6001-8000-000000000000"
TASKS = 3


@pytest.mark.parametrize(
    ("most", "told"),
    [
        pytest.param(TASKS * TASKS - 1, [("unattributed", ID)], id="too many"),
        pytest.param(TASKS * TASKS, [], id="as many as are compared"),
    ],
)
def test_tasks_too_many_to_be_named_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, told: list[tuple[str, str]]
) -> None:
    monkeypatch.setattr(attach, "_MOST_PAIRS", most)
    path = tmp_path / "s.sqlite"
    with SqliteSaver.from_conn_string(str(path)) as saver:
        saver.setup()
    nodes = {f"branch:to:n{number}": None for number in range(TASKS)}
    body = {"v": 4, "id": ID, "channel_values": nodes, "channel_versions": dict.fromkeys(nodes, 1)}
    packed = ormsgpack.packb({**body, "ts": "2026-01-01T00:00:00+00:00", "versions_seen": {}})
    arrived = ormsgpack.packb("nobody")
    connection = sqlite3.connect(path)
    connection.execute(
        "INSERT INTO checkpoints (thread_id, checkpoint_id, type, checkpoint, metadata)"
        " VALUES ('t', ?, 'msgpack', ?, ?)",
        (ID, packed, json.dumps({"source": "loop", "step": 0})),
    )
    connection.executemany(
        "INSERT INTO writes (thread_id, checkpoint_id, task_id, idx, channel, type, value)"
        " VALUES ('t', ?, ?, 0, 'join:a+b:c', 'msgpack', ?)",
        [(ID, f"task{number}", arrived) for number in range(TASKS)],
    )
    connection.commit()
    connection.close()
    source = open_source(path)
    chain = source.chain(source.threads[0])
    assert [(p.keyword, p.checkpoint_id) for p in chain.problems] == told
    assert all(p.reason.startswith(f"{TASKS} tasks") for p in chain.problems)
