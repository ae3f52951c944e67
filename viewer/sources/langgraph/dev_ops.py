"""What `langgraph dev` itself says of its threads and runs, in ``.langgraph_ops.pckl``.

The checkpoints cannot tell a run that goes on from one that was killed; the server's own word can.
Source: ``langgraph_runtime_inmem/database.py`` (Thread, Run). Inputs and configurations of runs
are left where they are.
"""

from collections.abc import Mapping
from typing import Any

from viewer.errors import ParseFault
from viewer.limits import Limits
from viewer.sources.langgraph.dev_store import DevFile, word
from viewer.sources.langgraph.inert import Entries, tagged_nodes

OPS = "langgraph_ops"
"""The key under which it stands in the metadata of a thread's newest checkpoint."""
_THREAD = ("status", "error", "metadata", "created_at", "updated_at", "state_updated_at")
_RUN = ("status", "created_at", "updated_at")
_TIME = "datetime.datetime"


def dev_ops(file: DevFile, limits: Limits) -> dict[str, dict[str, Any]]:
    """Return thread id → what the server says of it, with its ``runs``, oldest first."""
    told: dict[str, dict[str, Any]] = {}
    for row in _rows(file, "threads"):
        thread = word(row.get("thread_id"))
        if thread is not None:
            told[thread] = _fields(row, _THREAD, file, limits)
    for row in _rows(file, "runs"):
        thread, run = word(row.get("thread_id")), word(row.get("run_id"))
        if thread in told:
            own = {"run_id": run, **_fields(row, _RUN, file, limits)}
            told[thread].setdefault("runs", []).append(own)
    return told


def _rows(file: DevFile, name: str) -> list[Mapping[str, Any]]:
    """Return the rows of one of the server's lists, each as its text keys and their nodes."""
    lists = _named(file.node)
    rows = lists.get(name)
    return [_named(row) for row in rows] if isinstance(rows, list) else []


def _named(node: Any) -> dict[str, Any]:
    pairs = node.pairs if isinstance(node, Entries) else []
    return {key: value for key, value in pairs if isinstance(key, str)}


def _fields(
    row: Mapping[str, Any], names: tuple[str, ...], file: DevFile, limits: Limits
) -> dict[str, Any]:
    found = {}
    for name in names:
        if row.get(name) is None:
            continue
        try:
            value = tagged_nodes(row[name], depth=limits.depth, size=file.size)
        except ParseFault:
            continue
        is_time = isinstance(value, dict) and value.get("$type") == _TIME
        found[name] = value.get("value", value) if is_time else value
    return found
