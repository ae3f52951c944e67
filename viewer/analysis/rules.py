"""The rule gate: a table from a rule's name, as profiles write it, to the function that judges."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from viewer.analysis import identity_rules, status_rules, step_rules
from viewer.analysis.lineage import Lineage
from viewer.chain import Chain
from viewer.model import NotRun, Violation

RuleFunction = Callable[[Lineage, Any], Iterator[Violation | NotRun]]

RULES: Mapping[str, RuleFunction] = {
    "step_monotone": step_rules.step_monotone,
    "max_steps": step_rules.max_steps,
    "constant": step_rules.constant,
    "append_only": step_rules.append_only,
    "ephemeral": step_rules.ephemeral,
    "unique_checkpoint_ids": identity_rules.unique_checkpoint_ids,
    "parent_exists": identity_rules.parent_exists,
    "idempotency_stable": identity_rules.idempotency_stable,
    "memory_ref_exists": identity_rules.memory_ref_exists,
    "object_while": status_rules.object_while,
    "status_from_state": status_rules.status_from_state,
    "grounded_identifier": status_rules.grounded_identifier,
}


def judge(chain: Chain) -> Iterator[Violation | NotRun]:
    """Yield every violation of the profile's rules, and each that could not judge a checkpoint.

    A rule compares a state with its nearest readable ancestor along the parent links.
    """
    lineage = Lineage(chain)
    for rule in chain.profile.file.rules:
        yield from RULES[rule.name](lineage, rule)
