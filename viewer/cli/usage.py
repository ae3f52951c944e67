"""``usage``: tokens, cost and seconds per step and in total."""

import argparse

from viewer.analysis.usage import UsageReport, summed_once, usage
from viewer.analysis.usage_counters import summed
from viewer.cli.output import show
from viewer.cli.selection import Selected
from viewer.reports import as_json, as_text


def run(chosen: argparse.Namespace) -> int:
    """Print usage per step, per thread and in total; return 0.

    Raises:
        ViewerError: no source can be opened, or the thread asked for is in none.
    """
    selected = Selected(chosen)
    steps, threads = [], []
    reports: dict[tuple[str, str], list[UsageReport]] = {}
    for chain in selected.chains():
        report = usage(chain)
        reports.setdefault((chain.source, chain.thread_id), []).append(report)
        threads.append(
            {
                **as_json.owner(chain),
                "recorded": report.recorded,
                "budget": dict(report.budget),
                **as_json.usage_fields(report.totals),
            }
        )
        steps += [
            {
                **as_json.owner(chain),
                "checkpoint_id": step.checkpoint_id,
                "index": step.index,
                **as_json.usage_fields(step.usage),
                "total_computed": step.total_computed,
                "cumulative": as_json.usage_fields(step.cumulative),
                "decreased": list(step.decreased),
            }
            for step in report.steps
        ]
    found = as_json.document(
        "usage",
        steps=steps,
        threads=threads,
        totals=as_json.usage_fields(summed(tuple(map(summed_once, reports.values())))),
        problems=selected.problems,
    )
    return show(found, chosen.json, as_text.usage)
