"""Steps with more tasks than any graph has."""

import json
import sqlite3
import time
from pathlib import Path

import ormsgpack
import pytest
from langgraph.checkpoint.sqlite import SqliteSaver

from viewer.sources import open_source

TASKS = 2_000
ID = "1ef4f797-0000-6001-8000-000000000000"


@pytest.mark.parametrize(
    ("channel", "value"),
    [
        pytest.param("__interrupt__", [{"value": "?", "id": "0" * 32}], id="questions"),
        pytest.param("__error__", "ValueError()", id="errors"),
        pytest.param("x", 1, id="writes"),
    ],
)
def test_thousands_of_tasks_that_no_plan_explains_are_read_soon(
    tmp_path: Path, channel: str, value: object
) -> None:
    path = tmp_path / "s.sqlite"
    with SqliteSaver.from_conn_string(str(path)) as saver:
        saver.setup()
    nodes = {f"branch:to:n{number}": None for number in range(TASKS)}
    body = {"v": 4, "id": ID, "channel_values": nodes, "channel_versions": dict.fromkeys(nodes, 1)}
    packed = ormsgpack.packb({**body, "ts": "2026-01-01T00:00:00+00:00", "versions_seen": {}})
    told = json.dumps({"source": "loop", "step": 0})
    with sqlite3.connect(path) as connection:
        connection.execute(
            "INSERT INTO checkpoints (thread_id, checkpoint_id, type, checkpoint, metadata)"
            " VALUES ('t', ?, 'msgpack', ?, ?)",
            (ID, packed, told),
        )
        connection.executemany(
            "INSERT INTO writes (thread_id, checkpoint_id, task_id, idx, channel, type, value)"
            " VALUES ('t', ?, ?, 0, ?, 'msgpack', ?)",
            [(ID, f"task{n}", channel, ormsgpack.packb(value)) for n in range(TASKS)],
        )
    connection.close()
    source = open_source(path)
    started = time.process_time()
    (checkpoint,) = source.chain(source.threads[0]).checkpoints
    assert time.process_time() - started < 6
    assert len(checkpoint.tasks) == 2 * TASKS
