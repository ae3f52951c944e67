"""What looks wrong in a chain, without configuration: one finding a kind, place and node.

Each finder names only what the stored rows bear out; a finder that cannot know says nothing.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from viewer.analysis.reducers import known_reducers
from viewer.analysis.replay import edges, turns
from viewer.analysis.suspicion_answers import answer_findings
from viewer.analysis.suspicion_branches import branch_findings
from viewer.analysis.suspicion_calls import call_findings
from viewer.analysis.suspicion_growth import growth_findings
from viewer.analysis.suspicion_joins import join_findings
from viewer.analysis.suspicion_lists import list_findings
from viewer.analysis.suspicion_loops import loop_findings
from viewer.analysis.suspicion_losses import loss_findings
from viewer.analysis.suspicion_messages import head_messages, message_findings
from viewer.analysis.suspicion_outputs import output_findings
from viewer.analysis.suspicion_questions import question_findings
from viewer.analysis.suspicion_secrets import secret_findings
from viewer.analysis.suspicion_updates import update_findings
from viewer.analysis.suspicion_values import value_findings
from viewer.analysis.suspicion_writes import write_findings
from viewer.chain import Chain
from viewer.model import Finding

MOST = 50
"""Most findings of one chain."""
_EVIDENCE = 6


def suspicions(chain: Chain) -> tuple[Finding, ...]:
    """Return what looks wrong in ``chain``, by the checkpoint that shows it first.

    What repeats is one finding with a count, its first and its last checkpoint.
    """
    steps = edges(chain)
    reducers = known_reducers(steps)
    turn = turns(chain)
    spoken = head_messages(chain)
    found = [
        *write_findings(chain, steps, reducers),
        *value_findings(chain, steps),
        *growth_findings(chain, steps, turn),
        *output_findings(chain, steps),
        *list_findings(chain, steps),
        *loss_findings(chain, steps),
        *update_findings(chain, steps),
        *loop_findings(chain, steps, turn),
        *branch_findings(chain),
        *answer_findings(chain),
        *question_findings(chain),
        *join_findings(chain),
        *call_findings(chain, spoken, steps),
        *message_findings(chain, spoken),
        *secret_findings(chain, steps),
    ]
    return tuple(sorted(grouped(found), key=lambda f: (f.index, f.keyword, f.channel)))[:MOST]


def grouped(findings: Iterable[Finding]) -> list[Finding]:
    """Return one finding for all of a keyword, channel and node, with their number."""
    groups: dict[Any, list[Finding]] = {}
    for finding in findings:
        key = (finding.namespace, finding.keyword, finding.channel, finding.node)
        groups.setdefault(key, []).append(finding)
    merged = []
    for group in groups.values():
        group.sort(key=lambda f: f.index)
        first, last = group[0], group[-1]
        if len({f.index for f in group}) == 1:
            merged.append(first)
            continue
        evidence = tuple(one for f in group for one in f.evidence)[:_EVIDENCE]
        merged.append(
            replace(
                first,
                evidence=evidence,
                count=len({f.index for f in group}),
                last_checkpoint_id=last.checkpoint_id,
                last_index=last.index,
            )
        )
    return merged
