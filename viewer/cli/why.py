"""``why``: where each thread stopped, what a resume would do, and what looks wrong."""

import argparse
from collections.abc import Mapping
from datetime import UTC, datetime

from viewer.analysis.check import check
from viewer.analysis.roots import roots
from viewer.analysis.why import why
from viewer.chain import Chain
from viewer.cli.output import show
from viewer.cli.selection import Selected
from viewer.reports import as_json, why_text
from viewer.reports.why_json import why_row


def run(chosen: argparse.Namespace) -> int:
    """Print one answer a thread and return 0.

    Raises:
        ViewerError: no source can be opened, or the thread or namespace asked for is in none.
    """
    selected = Selected(chosen)
    threads = []
    for chains in selected.threads():
        for root in _roots(chains, chosen.namespace):
            nested = {name: chain for name, chain in chains.items() if chain is not root}
            violations = check(root, limits=selected.limits).violations
            threads.append(why_row(root, why(root, nested, violations=violations)))
    found = as_json.document("why", threads=threads, problems=selected.problems)
    return show(found, chosen.json, lambda document: why_text.why(document, now()))


def now() -> datetime:
    """Return the present time: ages are told from it in text, and nowhere else."""
    return datetime.now(UTC)


def _roots(chains: Mapping[str, Chain], namespace: str | None) -> list[Chain]:
    """Return the chains to answer for: the namespace asked for, else those below no other."""
    if namespace is None:
        return roots(chains)
    return [chains[namespace]] if namespace in chains else []
