"""What each step of a chain cost, and the whole chain.

Rules (design: "Usage and mentions"). A step with no model call is 0. A call without a record, a
checkpoint without a state and a chain with no record anywhere are None, and None never adds. A
call counts once, however many checkpoints repeat its message; totals are over every call of the
chain, those on abandoned branches too, because they were paid for.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from viewer.analysis.usage_counters import counted, less, summed
from viewer.analysis.usage_messages import ModelCall, from_messages
from viewer.chain import Chain
from viewer.model import USAGE, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageStep:
    """What the step that made one checkpoint cost."""

    index: int
    checkpoint_id: str
    usage: Usage
    total_computed: bool
    """``total_tokens`` is not recorded: it is input plus output."""
    cumulative: Usage
    """From the root to this checkpoint along its lineage."""
    decreased: tuple[str, ...] = ()
    """Cumulative counters that went down here: what the step cost is unknown, and so is None."""
    calls: tuple[ModelCall, ...] = ()
    """Of the messages that count here; empty where counters in the state tell the usage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageReport:
    """Usage by step, oldest first, and of all steps together."""

    steps: tuple[UsageStep, ...]
    totals: Usage
    budget: Mapping[str, float]
    """Usage field → the most that a run may use, as the profile says."""
    recorded: bool
    """Some record exists; without one every number is None."""
    total_computed: bool
    """At least one step's ``total_tokens`` is computed."""
    answers: Mapping[str, Usage]
    """Id of a model's message → its part of the totals; empty where counters tell the usage."""


def usage(chain: Chain) -> UsageReport:
    """Return the usage of ``chain``: from the profile's counters, else from its messages.

    Raises nothing: an amount that cannot be one (negative, NaN, a text) is no record.
    """
    rules = chain.profile.file.usage
    found = counted(chain, rules) if rules is not None and rules.pointers else None
    answers: Mapping[str, Usage] = {}
    calls: list[tuple[ModelCall, ...]] = [()] * len(chain.checkpoints)
    if found is None:
        found, answers, calls = from_messages(chain)
    steps: list[UsageStep] = []
    for checkpoint, (cost, decreased), made in zip(chain.checkpoints, found, calls, strict=True):
        filled = _with_total(cost)
        before = None if checkpoint.parent is None else steps[checkpoint.parent].cumulative
        steps.append(
            UsageStep(
                index=checkpoint.index,
                checkpoint_id=checkpoint.checkpoint_id,
                usage=filled,
                total_computed=filled.total_tokens is not None and cost.total_tokens is None,
                cumulative=filled if before is None else summed((before, filled)),
                decreased=decreased,
                calls=tuple(replace(c, usage=_with_total(c.usage)) for c in made),
            )
        )
    return UsageReport(
        steps=tuple(steps),
        totals=summed(tuple(step.usage for step in steps)),
        budget=dict(rules.budget.items()) if rules is not None else {},
        recorded=any(getattr(cost, name) is not None for cost, _ in found for name in USAGE),
        total_computed=any(step.total_computed for step in steps),
        answers={name: _with_total(cost) for name, cost in answers.items()},
    )


def summed_once(reports: Iterable[UsageReport]) -> Usage:
    """Return what the chains of one thread cost together.

    A subgraph's answer that its parent took over stands in both of their chains and counts once.
    """
    known: set[str] = set()
    totals = Usage()
    for report in reports:
        again = summed(tuple(cost for name, cost in report.answers.items() if name in known))
        known |= report.answers.keys()
        totals = summed((totals, less(report.totals, again)))
    return totals


def _with_total(cost: Usage) -> Usage:
    if cost.total_tokens is not None or cost.input_tokens is None or cost.output_tokens is None:
        return cost
    named = {name: getattr(cost, name) for name in USAGE}
    return Usage(**{**named, "total_tokens": cost.input_tokens + cost.output_tokens})
