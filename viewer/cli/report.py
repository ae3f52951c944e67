"""``report``: one HTML file about one thread, to send or to keep with an incident."""

import argparse
from datetime import UTC, datetime
from pathlib import Path

from viewer.analysis.check import check
from viewer.analysis.roots import roots
from viewer.analysis.why import why
from viewer.cli.output import show
from viewer.cli.selection import Selected
from viewer.errors import SourceError
from viewer.reports import as_json
from viewer.reports.html_report import GENERATOR, html_report


def run(chosen: argparse.Namespace) -> int:
    """Write the file and return 0.

    Raises:
        ViewerError: the thread cannot be read, or the file exists or cannot be written.
    """
    selected = Selected(chosen)
    chain = selected.chain()
    chains = next(c for c in selected.threads() if chain.namespace in c)
    root = next((c for c in roots(chains) if chain.namespace.startswith(c.namespace)), chain)
    result = check(chain, limits=selected.limits)
    nested = {name: one for name, one in chains.items() if one is not root}
    answer = why(root, nested, violations=result.violations if root is chain else ())
    indices = [chain.resolve(name) for name in chosen.checkpoint]
    text = html_report(
        chain,
        answer,
        result,
        made_at=datetime.now(UTC),
        chosen=indices or None,
    )
    _write(chosen.to, text)
    found = as_json.document(
        "report", path=str(chosen.to), bytes=len(text.encode()), problems=selected.problems
    )
    return show(found, chosen.json, lambda document: f"wrote {document['path']}")


def _write(path: Path, text: str) -> None:
    """Write the file at once or not at all; only a report is written over."""
    if path.exists():
        with path.open("rb") as held:
            if GENERATOR.encode() not in held.read(1_000):
                raise SourceError(str(path), "exists and is no report; name another file")
    beside = path.with_name(f".{path.name}.part")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
