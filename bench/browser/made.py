"""What the browser bench opens: chains and states, seeded, written into one temporary folder."""

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import workloads


def _last(size: int) -> dict[str, Any]:
    """Return one task state of about ``size`` bytes."""
    *_, last = workloads.states(workloads.Spec("task", 3, size))
    # Under a name of its own: no profile judges these states, which were made for the diff.
    return {"goal_of_run" if name == "goal" else name: value for name, value in last.items()}


def chain(file: Path, size: int, count: int) -> Path:
    """Write ``count`` checkpoints of a state of ``size`` bytes: each edits, appends and removes.

    The first stands whole, the others as RFC 6902 patches; `marker` tells
    which it is.
    """
    first = {"marker": "at 0", **_last(size), "step": 0}
    texts = [n for n, row in enumerate(first["messages"]) if isinstance(row.get("content"), str)]
    lines: list[Any] = [{"checkpoint_id": "c0", "state": first}]
    event = first["events"][-1]
    for step in range(1, count):
        place = texts[step * 7 % len(texts)]
        lines.append(
            {
                "checkpoint_id": f"c{step}",
                "patch": [
                    {"op": "replace", "path": "/marker", "value": f"at {step}"},
                    {"op": "replace", "path": "/step", "value": step},
                    {
                        "op": "replace",
                        "path": f"/messages/{place}/content",
                        "value": f"turn {step}",
                    },
                    {"op": "remove", "path": "/events/0"},
                    {"op": "add", "path": "/events/-", "value": {**event, "step": step}},
                ],
            }
        )
    return _lines(file, lines)


def pair(file: Path, size: int) -> Path:
    """Write two whole checkpoints of ``size`` bytes that differ in a few values."""
    first = {"marker": "at 0", **_last(size), "step": 0}
    messages = [*first["messages"][:-1], {**first["messages"][-1], "content": "edited"}]
    second = {**first, "marker": "at 1", "step": 1, "messages": messages}
    lines = [{"checkpoint_id": f"c{n}", "state": v} for n, v in enumerate((first, second))]
    return _lines(file, lines)


def added(file: Path, size: int) -> Path:
    """Write two checkpoints; the second gains a value of ``size`` bytes whole."""
    value = _last(size)
    return _lines(
        file,
        [
            {"checkpoint_id": "c0", "state": {"step": 0}},
            {"checkpoint_id": "c1", "state": {"step": 1, "added": value}},
        ],
    )


def rows(file: Path, count: int) -> Path:
    """Write two checkpoints between which ``count`` leaves change; each is one row of a diff."""
    old = {f"field {n:05}": f"value {n} before" for n in range(count)}
    new = {f"field {n:05}": f"value {n} after" for n in range(count)}
    return _lines(
        file,
        [{"checkpoint_id": f"c{n}", "state": {"rows": v}} for n, v in enumerate((old, new))],
    )


def _lines(file: Path, lines: list[Any]) -> Path:
    with file.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    return file
