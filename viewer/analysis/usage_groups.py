"""Usage by node and by model, and which steps stand out: forks, retries, counters that went down."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from viewer.analysis.usage import UsageReport, UsageStep
from viewer.analysis.usage_counters import summed
from viewer.chain import Chain
from viewer.model import Usage

Mark = Literal["fork", "retry", "went down"]
MARKS: tuple[Mark, ...] = ("fork", "retry", "went down")


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageGroup:
    """What all steps of one node, or all calls of one model, cost together."""

    name: str | None
    """None where the source does not say."""
    steps: int
    """Checkpoints that the group has a part in."""
    usage: Usage


def by_node(chain: Chain, report: UsageReport) -> tuple[UsageGroup, ...]:
    """Return usage by the nodes that wrote the checkpoints, the dearest first.

    Nodes that ran in one step share one row (``a + b``): what each of them cost is not recorded.
    """
    return _grouped(
        (" + ".join(chain.checkpoints[step.index].nodes) or None, step.index, step.usage)
        for step in report.steps
    )


def by_model(report: UsageReport) -> tuple[UsageGroup, ...]:
    """Return usage by the model that each message names, the dearest first.

    Counters in the state name no model: then everything stands in one group without a name.
    """
    named = any(step.calls for step in report.steps)
    return _grouped(
        row for step in report.steps for row in (_calls(step) if named else _counters(step))
    )


def marks(chain: Chain, report: UsageReport) -> dict[int, tuple[Mark, ...]]:
    """Return what is special about steps, by index.

    A fork is a checkpoint with more than one child; a retry follows a checkpoint after which a
    task had failed, so that work was paid twice; a counter that went down tells no cost.
    """
    forks = set(chain.forks)
    failed = {c.index for c in chain.checkpoints if c.errors}
    found: dict[int, tuple[Mark, ...]] = {}
    for step in report.steps:
        holds = (
            step.index in forks,
            chain.checkpoints[step.index].parent in failed,
            bool(step.decreased),
        )
        special = tuple(mark for mark, yes in zip(MARKS, holds, strict=True) if yes)
        if special:
            found[step.index] = special
    return found


def context_tokens(step: UsageStep) -> int | float | None:
    """Return the input tokens of a step's largest call; with counters, of its average call.

    None where no call or no record tells.
    """
    calls = [c.usage.input_tokens for c in step.calls if c.usage.input_tokens is not None]
    if step.calls:
        return max(calls, default=None)
    many, tokens = step.usage.model_calls, step.usage.input_tokens
    return None if not many or tokens is None else tokens if many == 1 else tokens / many


def _calls(step: UsageStep) -> list[tuple[str | None, int, Usage]]:
    return [(call.model, step.index, call.usage) for call in step.calls]


def _counters(step: UsageStep) -> list[tuple[str | None, int, Usage]]:
    return [(None, step.index, step.usage)]


def _grouped(rows: Iterable[tuple[str | None, int, Usage]]) -> tuple[UsageGroup, ...]:
    parts: dict[str | None, list[Usage]] = {}
    steps: dict[str | None, set[int]] = {}
    for name, index, cost in rows:
        parts.setdefault(name, []).append(cost)
        steps.setdefault(name, set()).add(index)
    found = [
        UsageGroup(name=name, steps=len(steps[name]), usage=summed(tuple(costs)))
        for name, costs in parts.items()
    ]
    return tuple(sorted(found, key=lambda g: -(g.usage.total_tokens or g.usage.model_calls or 0)))
