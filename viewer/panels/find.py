"""The search over all steps, and a field over all steps, as panels are told of them.

Keys of the search line: ``g`` goes to it; inside, ``↓/↑`` choose a hit, ``Enter`` goes to its first
checkpoint, ``shift Enter`` to its last, ``Esc`` closes the list and then clears the line.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from viewer.analysis.biography import Biography, Run
from viewer.analysis.search import Hit, Search
from viewer.analysis.search_query import Matcher
from viewer.jsontext import escape_surrogates, source_text
from viewer.model import MISSING

EARLY = 100
"""Hits sent while a search goes on; the rest follow at its end."""
MOST = 1_000
"""Hits sent of a whole search."""
RUNS = 500
"""Runs of a biography sent, half from its beginning and half from its end."""
_FAR = 36
"""Characters before a match above which a row begins near the match."""
_BEFORE = 24
_LENGTH = 200
_VALUE = 400


def line_payload(thread: str, namespace: str, *, count: int, spaces: int, page: str) -> Any:
    """Return what the search line is told of the page it stands on.

    Args:
        thread: what tells this thread from every other one.
        namespace: of the chain shown.
        count: how many checkpoints the chain has.
        spaces: how many chains the thread has.
        page: the page's stem.
    """
    return {
        "rev": f"{thread} {namespace} {count} {page}",
        "thread": thread,
        "namespace": namespace,
        "count": count,
        "spaces": spaces,
        "page": page,
    }


def hits_payload(
    searches: Sequence[tuple[str, Search]], *, total: int, unread: int = 0
) -> dict[str, Any]:
    """Return how far a search is and what it found.

    A row is ``[kind, [before, match, after], short value of a key | null, namespace, pointer in
    the first checkpoint, pointer in the last | null where it is the same, first, last, how many,
    of how many, at the live head]``.

    Args:
        searches: namespace and search of each chain begun, in order.
        total: checkpoints of all chains, also of those not begun.
        unread: chains that could not be read.
    """
    searched = sum(run.searched for _, run in searches)
    full = any(run.full for _, run in searches)
    done = full or (searched == total and all(run.done for _, run in searches))
    most = MOST if done else EARLY
    rows: list[Any] = []
    for namespace, run in searches:
        if len(rows) < most:
            hits = run.hits(most - len(rows))
            rows += [_row(hit, run.matcher, namespace, run.total) for hit in hits]
    return {
        "done": done,
        "full": full,
        "searched": searched,
        "total": total,
        "unread": unread,
        "cut": sum(run.matcher.cut for _, run in searches),
        "found": sum(run.found for _, run in searches),
        "rows": rows,
    }


def _row(hit: Hit, matcher: Matcher, namespace: str, of: int) -> list[Any]:
    is_key = hit.kind == "key"
    return [
        hit.kind,
        marked(hit.text if is_key else source_text(hit.value), matcher),
        short_json(hit.value, 80) if is_key else None,
        namespace,
        hit.pointer,
        None if hit.last_pointer == hit.pointer else hit.last_pointer,
        hit.first,
        hit.last,
        hit.count,
        of,
        hit.at_head,
    ]


def marked(text: str, matcher: Matcher) -> list[str]:
    """Return ``text`` as before, match and after, cut to a line around the match."""
    start, end = matcher.span(text) or (0, 0)
    begin = start - _BEFORE if start > _FAR else 0
    end = min(end, begin + _LENGTH)
    before = ("…" if begin else "") + text[begin:start]
    stop = begin + _LENGTH
    after = text[end:stop] + ("…" if stop < len(text) else "")
    return [escape_surrogates(part) for part in (before, text[start:end], after)]


def short_json(value: Any, most: int = _VALUE) -> str:
    """Return the beginning of the JSON text of ``value``, written only as far as it is shown."""
    if isinstance(value, str):
        value = value[: most + 1]
    text = ""
    for part in _pieces(value):
        text += part[: most + 1]
        if len(text) > most:
            return escape_surrogates(text[:most]) + "…"
    return escape_surrogates(text)


def _pieces(value: Any) -> Iterator[str]:
    try:
        yield from json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).iterencode(value)
    except (ValueError, RecursionError):
        yield "…"


def biography_payload(found: Biography) -> dict[str, Any]:
    """Return a field over all steps: its runs, of which a long middle is left out and counted.

    ``value`` is short JSON text, null where the field is absent; numbers are texts, for exactness.
    """
    runs = found.runs
    left_out = max(0, len(runs) - RUNS)
    half = RUNS // 2
    kept = (*runs[:half], *runs[-half:]) if left_out else runs
    numbers = found.numbers
    present = found.present
    return {
        "runs": [_run(run) for run in kept],
        "left_out": left_out,
        "left_out_after": half if left_out else None,
        "first": present[0].first,
        "last": present[-1].last,
        "changes": found.changes,
        "followed_by": list(found.followed_by),
        "numbers": numbers
        and {
            "least": source_text(numbers.least),
            "most": source_text(numbers.most),
            "growth": source_text(numbers.growth),
        },
    }


def _run(run: Run) -> dict[str, Any]:
    return {
        "from": run.first,
        "to": run.last,
        "kind": run.kind,
        "value": None if run.value is MISSING else short_json(run.value),
        "pointer": run.pointer,
        "nodes": list(run.nodes),
        "time": None if run.time is None else run.time.isoformat(),
    }
