"""The strip: every checkpoint of a chain, its phase, lane and marks, and where the reader stands.

The strip owns the position. It steps in the browser at once, writes the position into the URL with
``history.replaceState`` and tells Python the last position it reached. Its legend filters: what
does not match is dimmed, and the keys pass over it. Cells stand by step or by time, with idle time
folded; subgraph chains unfold beneath the cell that ran them. The keys are listed in
``strip_help.js``.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, TypeVar

from viewer.chain import Chain
from viewer.model import PHASES, Checkpoint
from viewer.panels.wire import revision, text_of

T = TypeVar("T")
MARKS = ("violation", "interrupt", "error", "decision", "fork", "gap", "no state", "finding")
"""Bit of each mark, lowest first."""
_COLUMNS = (
    *("phase", "status", "node", "lane", "back", "mark", "step", "time", "size"),
    *("nests", "changed"),
)
CHANGED_CHARACTERS = 40_000
"""Most characters of changed fields' names and of the sets of them; above, a set names fewer."""
_NAME = 60
"""Characters of a field's name that the tip shows."""
ID_CHARACTERS = 6_000
"""Checkpoint ids are sent, and named in the URL, while they are no longer than this together."""


def strip_payload(
    chain: Chain,
    violations: Mapping[int, int] | None = None,
    selected: int = 0,
    base: int | None = None,
    *,
    changed: Mapping[int, Sequence[str]] | None = None,
    nests: Mapping[int, int] | None = None,
    way: Sequence[tuple[str, str, int | None]] = (),
    called: str | None = None,
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
        nests: Index → how many subgraph chains ran after that checkpoint.
        way: Namespace, name and index of each chain that ran this one, the root first; the index
            is that of the checkpoint after which it ran, None where the source does not tell.
        called: Name of this chain behind them; its namespace where it has none.
        findings: Indices of the checkpoints where something looks wrong.
        parameters: URL parameters to keep up to date: ``{"checkpoint": name, "base": name}``.
    """
    points = chain.checkpoints
    broken = violations or {}
    forks = frozenset(chain.forks)
    statuses = _words(c.status or "" for c in points)
    nodes = _words(map(_made_by, points))
    payload: dict[str, Any] = {
        "title": f"{chain.thread_id} {chain.namespace}".strip(),
        "namespace": chain.namespace,
        "way": [list(step) for step in way],
        "called": called or chain.namespace or "root",
        "count": len(points),
        "phases": list(PHASES),
        "marks": list(MARKS),
        "statuses": list(statuses),
        "nodes": list(nodes),
        # Where several nodes made a checkpoint together, each of them: the legend filters by one.
        "members": {str(nodes[_made_by(c)]): list(c.nodes) for c in points if _together(c)},
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
        "nests": [(nests or {}).get(c.index, 0) for c in points],
        **_changed(changed or {}, len(points)),
        "ids": _ids(points),
        "head": chain.head,
        "parameters": dict(parameters or {}),
    }
    # Runs of equal numbers are most of a long chain: see `runs`.
    for column in _COLUMNS:
        payload[column] = runs(payload[column])
    rev = revision(text_of(payload))
    return {"rev": rev, **payload, "selected": selected, "base": base}


def _words(words: Iterable[T]) -> dict[T, int]:
    found: dict[T, int] = {}
    for word in words:
        found.setdefault(word, len(found))
    return found


def _changed(changed: Mapping[int, Sequence[str]], count: int) -> dict[str, Any]:
    """Return the changed fields as few sets of names: most steps change what others change too.

    A set is written as ``"0 4 +3"``: fields 0 and 4 and three more that are not named.
    """
    sets = _words(tuple(names) for names in changed.values())
    tried = (_sets_named(sets, most) for most in (16, 8, 4, 2, 1))
    small = (t for t in tried if sum(len(text) for part in t for text in part) < CHANGED_CHARACTERS)
    fields, texts = next(small, None) or _sets_named(sets, 0)
    return {
        "fields": list(fields),
        "changes": texts,
        "changed": [sets[tuple(changed[i])] if i in changed else None for i in range(count)],
    }


def _sets_named(
    sets: Iterable[tuple[str, ...]], most: int
) -> tuple[Mapping[str, int], Sequence[str]]:
    """Return the names that occur with their numbers, and each set with ``most`` names at most."""
    fields = _words(name[:_NAME] for names in sets for name in names[:most])
    texts = []
    for names in sets:
        named = [str(fields[name[:_NAME]]) for name in names[:most]]
        more = len(names) - len(named)
        texts.append(" ".join((*named, *([f"+{more}"] if more else ()))))
    return fields, texts


def _together(checkpoint: Checkpoint) -> bool:
    return len(checkpoint.nodes) > 1 and _made_by(checkpoint) == ", ".join(checkpoint.nodes)


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
