"""What a reader must say of a thread besides its records."""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping

from viewer.limits import Limits
from viewer.model import Problem
from viewer.sources.langgraph.deltas import Rebuilt, unstored
from viewer.sources.langgraph.stored import KNOWN_FORMATS, Stored


def delta_problems(chain: Iterable[Stored], deltas: Rebuilt, place: str) -> list[Problem]:
    """Return a note for each channel with values that are not the store's own."""
    counts: Counter[tuple[str, bool]] = Counter(
        (channel, deltas[channel].get(one.checkpoint_id) is not None)
        for one in chain
        for channel in unstored(one, deltas)
    )
    return [
        Problem(
            place=place,
            reason=f"channel {channel} is not stored in {count} checkpoints: "
            + ("its value is rebuilt from the writes" if known else "its value is unknown there"),
            keyword="rebuilt" if known else "not_rebuilt",
        )
        for (channel, known), count in sorted(counts.items())
    ]


def chain_problems(chain: Iterable[Stored], where: str) -> list[Problem]:
    """Return a note for each unreadable metadata and each unknown checkpoint format."""
    found = []
    strange: dict[int | None, int] = {}
    for one in chain:
        if one.metadata_fault is not None:
            found.append(
                Problem(
                    place=f"{where}/{one.checkpoint_id}].metadata",
                    reason=one.metadata_fault,
                    keyword="metadata",
                    checkpoint_id=one.checkpoint_id,
                )
            )
        if one.fault is None and one.v not in KNOWN_FORMATS:
            strange[one.v] = strange.get(one.v, 0) + 1
    for v, count in strange.items():
        reason = (
            f"checkpoint format v={v} is unknown ({count} checkpoints): values are shown,"
            " what runs next and the status are not told"
        )
        found.append(Problem(place=f"{where}]", reason=reason, keyword="format"))
    return found


def unattributed(counts: Mapping[str, int], ids: Iterable[str], where: str) -> list[Problem]:
    """Return a note for each checkpoint of ``ids`` with tasks that were too many to be named."""
    return [
        Problem(
            place=f"{where}/{own}]",
            reason=f"{counts[own]} tasks keep their rows but name no node: too many of them, and of"
            " those that were to run, to be compared",
            keyword="unattributed",
            checkpoint_id=own,
        )
        for own in ids
        if own in counts
    ]


def bounded(problems: list[Problem], limits: Limits, place: str) -> tuple[Problem, ...]:
    """Return as many problems as the limit allows; the rest are counted."""
    more = len(problems) - limits.problems
    if more <= 0:
        return tuple(problems)
    reason = f"{more} more problems are not listed (limit {limits.problems})"
    return (*problems[: limits.problems], Problem(place=place, reason=reason, keyword="limit"))


def damage(place: str, error: sqlite3.Error, *, checkpoint: bool) -> Problem:
    """Return the problem of rows on a damaged page; that of a checkpoint leaves no state."""
    if isinstance(error, sqlite3.DataError):
        reason = f"larger than a value may be ({error}; limit: file_bytes)"
        return Problem(place=place, reason=reason, keyword="limit", no_state=checkpoint)
    reason = f"damaged or incomplete database: {error}"
    return Problem(place=place, reason=reason, no_state=checkpoint)
