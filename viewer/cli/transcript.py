"""``transcript``: identifiers by who wrote them, the evidence, and what each would make believe."""

import argparse
from collections.abc import Iterable
from typing import Any

from viewer.analysis.grounding import GroundingFinding, transcript, try_proposal
from viewer.chain import Chain
from viewer.cli.output import show
from viewer.cli.selection import Selected, live_head
from viewer.reports import as_json, chain_text
from viewer.reports.conversation import mention_rows, proof_rows


def run(chosen: argparse.Namespace) -> int:
    """Print mentions, evidence and findings at the live head; return 0.

    Each proposal in the run's ``what_if/`` is tried against transcript and state.

    Raises:
        ViewerError: there is no one thread, or it has no readable state.
    """
    selected = Selected(chosen)
    chain = selected.chain()
    head = live_head(chain)
    found = transcript(chain)
    rules = chain.profile.file.grounding
    of = as_json.owner(chain)
    return show(
        as_json.document(
            "transcript",
            checkpoint=as_json.named(chain, head),
            messages=len(found.messages),
            identifiers_declared=bool(rules is not None and rules.identifiers),
            mentions=mention_rows(found, of),
            evidence=proof_rows(found, of),
            why=found.why,
            findings=_rows(found.findings, of),
            what_if=_what_if(chain, of),
            problems=selected.problems,
        ),
        chosen.json,
        chain_text.transcript,
    )


def _what_if(chain: Chain, of: dict[str, Any]) -> list[dict[str, Any]]:
    """Return one row a proposal tried, with a finding for each action in it."""
    return [
        {**of, "name": name, "findings": _rows(try_proposal(chain, proposal), of)}
        for name, proposal in sorted(chain.sidecars.what_if.items())
    ]


def _rows(findings: Iterable[GroundingFinding], of: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            **of,
            "keyword": finding.keyword,
            "identifier": finding.identifier,
            "pointer": finding.pointer,
            "believed_by_transcript": finding.believed_by_transcript,
            "proved_by_state": finding.proved_by_state,
            "message": finding.message,
        }
        for finding in findings
    ]
