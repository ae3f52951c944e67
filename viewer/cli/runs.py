"""``runs``: every thread of the sources with its status, head and what waits."""

import argparse
from typing import Any

from viewer.chain import Chain
from viewer.cli.output import show
from viewer.cli.selection import Selected
from viewer.limits import Limits
from viewer.reports import as_json, as_text
from viewer.writeback.proposal import waiting


def run(chosen: argparse.Namespace) -> int:
    """Print the threads and return 0.

    Raises:
        ViewerError: no source can be opened, or the thread asked for is in none.
    """
    selected = Selected(chosen)
    copies = chosen.namespace is not None  # who asked is in the list otherwise
    threads = [_thread(chain, chosen.check, selected.limits, copies) for chain in selected.chains()]
    found = as_json.document("runs", threads=threads, problems=selected.problems)
    return show(found, chosen.json, as_text.runs)


def _thread(chain: Chain, checked: bool, limits: Limits, copies: bool) -> dict[str, Any]:
    head = None if chain.head is None else chain.checkpoints[chain.head]
    times = [c.created_at for c in chain.checkpoints if c.created_at is not None]
    return {
        **as_json.owner(chain),
        "reader": chain.reader,
        "profile": chain.profile.name,
        "checkpoints": len(chain.checkpoints),
        "status": head.status if head else None,
        "phase": head.phase if head else "unknown",
        "head": head.checkpoint_id if head else None,
        "waiting": len(waiting(chain, copies=copies)),
        "violations": _violations(chain, limits) if checked else None,
        "updated_at": as_json.time(max(times, default=None)),
    }


def _violations(chain: Chain, limits: Limits) -> int:
    from viewer.analysis.check import check

    result = check(chain, limits=limits)
    return len(result.violations) + result.dropped
