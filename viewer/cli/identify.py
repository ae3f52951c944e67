"""``identify``: which reader claims a place, why, and what the others miss there."""

import argparse
from pathlib import Path
from typing import Any

from viewer.cli.output import show
from viewer.errors import SourceError
from viewer.limits import Limits
from viewer.model import Problem
from viewer.reports import as_json, as_text
from viewer.settings import settings
from viewer.sources import identify, open_sources
from viewer.sources.dsn import Dsn, Location, locate


def run(chosen: argparse.Namespace) -> int:
    """Print one row a place, or one a child that a reader knows; return 0.

    Raises:
        SourceError: no place can be looked at.
    """
    limits = settings().limits
    rows: list[dict[str, Any]] = []
    problems: list[dict[str, Any]] = []
    first: SourceError | None = None
    for location in dict.fromkeys(chosen.sources):
        try:
            places, unread = _places(location, limits)
            rows += places
            problems += unread
        except SourceError as error:
            first = first or error
            problem = Problem(place=error.place, reason=error.reason)
            problems.append(as_json.problem_row(problem, str(location)))
    if not rows and first is not None:
        raise first
    found = as_json.document("identify", sources=rows, problems=problems)
    return show(found, chosen.json, as_text.identify)


def _places(
    location: str | Dsn, limits: Limits
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the row of ``location``, or a row for each place that it opens as, and problems.

    A folder that no reader claims opens as those of its children that one does claim.
    """
    own = _row(location, limits)
    if isinstance(location, Dsn) or own["claimed_by"] or not Path(location).is_dir():
        return [own], []
    opened, lost = open_sources((location,), limits=limits)
    if not opened:
        return [own], []
    rows = [_row(source.name, limits) for source in opened]
    return rows, [as_json.problem_row(problem, location) for problem in lost]


def _row(location: str | Location, limits: Limits) -> dict[str, Any]:
    verdicts = identify(locate(location), limits)
    claims = [reader.name for reader, verdict in verdicts if verdict.claims]
    return {
        "source": str(location),
        "thread_id": None,
        "namespace": None,
        "reader": claims[0] if len(claims) == 1 else None,
        "claimed_by": claims,
        "readers": [
            {
                "reader": reader.name,
                "title": reader.title,
                "claims": verdict.claims,
                "why": verdict.why,
            }
            for reader, verdict in verdicts
        ],
    }
