"""The strip: every checkpoint of a chain, its phase, lane and marks, and where the reader stands.

The strip owns the position. It steps in the browser at once, writes the position into the URL with
``history.replaceState`` and tells Python the last position it reached. Keys: ``←/→`` or ``j/k``
(``shift`` ten), ``Home/End``, ``v/V`` next and previous violation, ``f/F`` finding, ``b`` set
the base, ``d`` ask for the diff, ``/`` search, ``?`` help.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from viewer.chain import Chain
from viewer.model import PHASES, Checkpoint
from viewer.panels.wire import revision, text_of

MARKS = ("violation", "interrupt", "error", "decision", "fork", "gap", "no state", "finding")
"""Bit of each mark, lowest first."""
ID_CHARACTERS = 6_000
"""Checkpoint ids are sent, and named in the URL, while they are no longer than this together."""


def strip_payload(
    chain: Chain,
    violations: Mapping[int, int] | None = None,
    selected: int = 0,
    base: int | None = None,
    *,
    changed: Mapping[int, Sequence[str]] | None = None,
    findings: frozenset[int] = frozenset(),
    parameters: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return what the strip draws: one column a fact, small numbers, differences where they help.

    Args:
        chain: The chain; at least one checkpoint.
        violations: Index → how many violations that checkpoint has.
        selected: Index where the strip stands when it is drawn first.
        base: Index of the base set by hand, or None for the parent.
        changed: Index → names of the top-level fields that changed there, for the tip.
        findings: Indices of the checkpoints where something looks wrong.
        parameters: URL parameters to keep up to date: ``{"checkpoint": name, "base": name}``.
    """
    points = chain.checkpoints
    broken = violations or {}
    forks = frozenset(chain.forks)
    statuses = _words(c.status or "" for c in points)
    nodes = _words(map(_made_by, points))
    fields = _words(name for names in (changed or {}).values() for name in names)
    payload: dict[str, Any] = {
        "title": f"{chain.thread_id} {chain.namespace}".strip(),
        "count": len(points),
        "phases": list(PHASES),
        "marks": list(MARKS),
        "statuses": list(statuses),
        "nodes": list(nodes),
        "phase": [PHASES.index(c.phase) for c in points],
        "status": [statuses[c.status or ""] for c in points],
        "node": [nodes[_made_by(c)] for c in points],
        "lane": list(chain.lanes()),
        # How far back the parent is; 0 for a root.
        "back": [0 if c.parent is None else c.index - c.parent for c in points],
        "mark": [
            _mark(c, broken.get(c.index, 0), c.index in forks, c.index in findings) for c in points
        ],
        "broken": {str(i): n for i, n in sorted(broken.items()) if n > 1},
        "step": _differences([c.step for c in points]),
        "time": _differences([_milliseconds(c) for c in points]),
        "size": _differences([c.size_bytes for c in points]),
        "fields": list(fields),
        "changed": {
            str(i): [fields[name] for name in names] for i, names in (changed or {}).items()
        },
        "ids": _ids(points),
        "head": chain.head,
        "parameters": dict(parameters or {}),
    }
    # Runs of equal numbers are most of a long chain: see `runs`.
    for column in ("phase", "status", "node", "lane", "back", "mark", "step", "time", "size"):
        payload[column] = runs(payload[column])
    rev = revision(text_of(payload))
    return {"rev": rev, **payload, "selected": selected, "base": base}


def _words(words: Any) -> dict[str, int]:
    found: dict[str, int] = {}
    for word in words:
        found.setdefault(word, len(found))
    return found


def _made_by(checkpoint: Checkpoint) -> str:
    """Return the nodes that made a checkpoint; where none did, why it was saved (input, fork …).

    Where the run stands still, the nodes it stands at are what a person looks for.
    """
    if checkpoint.phase in ("failed", "waiting") and checkpoint.next_live:
        return f"→ {', '.join(checkpoint.next_live)}"
    return ", ".join(checkpoint.nodes) or checkpoint.origin or ""


def _mark(checkpoint: Checkpoint, violations: int, fork: bool, finding: bool) -> int:
    present = (
        violations > 0,
        checkpoint.phase == "waiting" or bool(checkpoint.interrupts),
        bool(checkpoint.errors),
        checkpoint.decision is not None,
        fork,
        checkpoint.gap > 0,
        not checkpoint.has_state,
        finding,
    )
    return sum(1 << bit for bit, on in enumerate(present) if on)


def _milliseconds(checkpoint: Checkpoint) -> int | None:
    created = checkpoint.created_at
    return None if created is None else round(created.timestamp() * 1000)


def _differences(values: list[int | None]) -> list[int | None]:
    """Return each value less the last known one before it; None stays None."""
    found: list[int | None] = []
    last = 0
    for value in values:
        found.append(None if value is None else value - last)
        last = last if value is None else value
    return found


def runs(values: Sequence[int | None]) -> str:
    """Return ``values`` as text, a run of equal ones as ``value*length``: ``0*12 3 ~ 1``.

    ``~`` is None. Most columns of a long chain are few long runs.
    """
    found: list[str] = []
    for value, equal in groupby(values):
        word = "~" if value is None else str(value)
        length = sum(1 for _ in equal)
        found += [f"{word}*{length}"] if length > 2 else [word] * length
    return " ".join(found)


def _ids(points: Sequence[Checkpoint]) -> list[str]:
    """Return the ids when they are short enough and each stands once, else nothing."""
    ids = [c.checkpoint_id for c in points]
    short = sum(map(len, ids)) <= ID_CHARACTERS and len(set(ids)) == len(ids)
    return ids if short else []
