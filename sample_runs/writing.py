"""The files of one run folder, as text: what every sample run has in common."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

READER = "run-folder"
"""The reader that opens these folders; also the ``source_kind`` that a decision is bound to."""

Files = dict[str, str]
"""Path inside the folder → its text."""


def pretty(value: Any) -> str:
    """Return ``value`` as JSON with two spaces and a newline at the end."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def line(value: Any) -> str:
    """Return ``value`` as one line of JSONL."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n"


def numbered(checkpoints: Sequence[Any]) -> Files:
    """Return one file a checkpoint: ``checkpoints/0001.json`` and on; text stays as it is."""
    return {
        f"checkpoints/{number:04}.json": c if isinstance(c, str) else pretty(c)
        for number, c in enumerate(checkpoints, 1)
    }


def wrapped(
    stem: str, states: Sequence[Mapping[str, Any]], saved: Sequence[tuple[str, str, str]]
) -> list[dict[str, Any]]:
    """Return each state in its wrapper; ``saved`` gives created_at, origin and node of each."""
    return [
        {
            "checkpoint_id": f"{stem}-{number}",
            "parent_id": f"{stem}-{number - 1}" if number else None,
            "step": state["step"],
            "created_at": created_at,
            "origin": origin,
            "node": node,
            "state": state,
        }
        for number, (state, (created_at, origin, node)) in enumerate(
            zip(states, saved, strict=True)
        )
    ]


def sidecars(folder: str, values: Mapping[str, Any]) -> Files:
    """Return one file a value: ``folder/<key>.json``; text stays as it is."""
    return {
        f"{folder}/{key}.json": v if isinstance(v, str) else pretty(v) for key, v in values.items()
    }


def about(
    title: str,
    origin: str,
    *,
    profile: str,
    constructed: Sequence[str],
    expect: Mapping[str, Any],
) -> Files:
    """Return ``about.json``; what ``expect`` leaves out is expected to be empty."""
    nothing: dict[str, Any] = {
        "violations": [],
        "problems": [],
        "usage": None,
        "waiting": [],
        "mentions": {},
    }
    value = {
        "format_version": 1,
        "title": title,
        "origin": origin,
        "constructed": list(constructed),
        "reader": READER,
        "profile": profile,
        "expect": {**nothing, **expect},
    }
    return {"about.json": pretty(value)}


def digest(thread_id: str, checkpoint_id: str, pointer: str, proposal: Any) -> str:
    """Return the digest that a decision on ``proposal`` carries (design §13).

    RFC 8785 of values whose keys are ASCII and whose numbers are small integers or plain decimals
    is what ``json`` writes with sorted keys, so nothing more is needed here.
    """
    bound = {
        "source_kind": READER,
        "thread_id": thread_id,
        "namespace": "",
        "checkpoint_id": checkpoint_id,
        "proposal_id": f"{checkpoint_id}#{pointer}",
        "proposal": proposal,
    }
    text = json.dumps(bound, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def decision(
    number: str,
    thread_id: str,
    checkpoint_id: str,
    pointer: str,
    proposal: Any,
    *,
    kind: str,
    by: str,
    reason: str,
    decided_at: str,
) -> dict[str, Any]:
    """Return a whole decision record; task-state stores it without its ``binding``."""
    return {
        "format_version": 1,
        "decision_id": number,
        "binding": {
            "source_kind": READER,
            "thread_id": thread_id,
            "namespace": "",
            "checkpoint_id": checkpoint_id,
            "proposal_id": f"{checkpoint_id}#{pointer}",
        },
        "digest": digest(thread_id, checkpoint_id, pointer, proposal),
        "kind": kind,
        "by": by,
        "by_verified": False,
        "reason": reason,
        "masked": [],
        "decided_at": decided_at,
    }
