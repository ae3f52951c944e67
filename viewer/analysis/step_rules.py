"""Rules that compare a state with the one it came from."""

from collections.abc import Iterator
from typing import Any

from viewer.analysis.lineage import Lineage, Unfit, integer_at, list_at, value_at
from viewer.analysis.schema_words import quoted
from viewer.equality import same
from viewer.model import NotRun, Violation
from viewer.pointer import find, join, split
from viewer.profiles.rule_sections import AppendOnly, Constant, Ephemeral, MaxSteps, StepMonotone

Found = Iterator[Violation | NotRun]


def step_monotone(lineage: Lineage, rule: StepMonotone) -> Found:
    """Find steps that go back."""
    for pair in lineage.pairs(rule.when):
        index, before, after = pair.index, pair.before, pair.after
        try:
            now = integer_at(after, rule.pointer)
            then = integer_at(before, rule.pointer, "its parent")
        except Unfit as why:
            yield lineage.not_run(rule, index, why)
            continue
        if now < then:
            message = f"step goes back from {quoted(then)} to {quoted(now)}"
            yield lineage.violation(rule, index, rule.pointer, message)


def max_steps(lineage: Lineage, rule: MaxSteps) -> Found:
    """Find steps beyond the bound that the state itself carries."""
    for index, state in lineage.states(rule.when):
        if find(state, rule.args.max) is None:
            continue
        try:
            now = integer_at(state, rule.pointer)
            most = integer_at(state, rule.args.max)
        except Unfit as why:
            yield lineage.not_run(rule, index, why)
            continue
        if now > most:
            message = f"step {quoted(now)} is more than {rule.args.max} allows ({quoted(most)})"
            yield lineage.violation(rule, index, rule.pointer, message)


def constant(lineage: Lineage, rule: Constant) -> Found:
    """Find values that must stay and did not."""
    for pair in lineage.pairs(rule.when):
        index, before, after = pair.index, pair.before, pair.after
        try:
            now = value_at(after, rule.pointer)
            then = value_at(before, rule.pointer, "its parent")
        except Unfit as why:
            yield lineage.not_run(rule, index, why)
            continue
        if not same(then, now):
            message = f"must stay {quoted(then)}, is {quoted(now)}"
            yield lineage.violation(rule, index, rule.pointer, message)


def append_only(lineage: Lineage, rule: AppendOnly) -> Found:
    """Find lists that lost, changed or reordered what they held already."""
    free = frozenset(split(key)[0] for key in rule.args.may_change)
    for pair in lineage.pairs(rule.when):
        index, before, after = pair.index, pair.before, pair.after
        if find(before, rule.pointer) is None and rule.when is not None:
            continue
        try:
            now = list_at(after, rule.pointer)
            then = list_at(before, rule.pointer, "its parent")
        except Unfit as why:
            yield lineage.not_run(rule, index, why)
            continue
        kept = min(len(now), len(then))
        at = next(
            (i for i in range(kept) if then[i] is not now[i] and not _kept(then[i], now[i], free)),
            None,
        )
        if at is not None:
            message = f"item {at} is not what it was: this list may only grow"
            yield lineage.violation(rule, index, rule.pointer + join((at,)), message)
        elif len(now) < len(then):
            message = f"shrinks from {len(then)} to {len(now)} items: this list may only grow"
            yield lineage.violation(rule, index, rule.pointer, message)


def ephemeral(lineage: Lineage, rule: Ephemeral) -> Found:
    """Find values of one step that stand unchanged in the next.

    Checkpoints of the same step number are not two steps, and no step runs before LangGraph stores
    new input or a copy. Where the source keeps who wrote what, a value that the step itself wrote
    again is a new one.
    """
    checkpoints = lineage.chain.checkpoints
    channel = split(rule.pointer)[:1]
    for pair in lineage.pairs(rule.when):
        then, now = find(pair.before, rule.pointer), find(pair.after, rule.pointer)
        if then is None or now is None or not same(then, now):
            continue
        own = checkpoints[pair.index]
        same_step = own.step is not None and own.step == checkpoints[pair.base].step
        if same_step or own.origin in ("input", "fork"):
            continue
        if any((write.channel,) == channel for write in checkpoints[pair.base].writes):
            continue
        message = f"{quoted(now)} is for one step only and is still there in the next"
        yield lineage.violation(rule, pair.index, rule.pointer, message)


def _kept(then: Any, now: Any, free: frozenset[str]) -> bool:
    if same(then, now):
        return True
    if not free or not isinstance(then, dict) or not isinstance(now, dict):
        return False
    return same(
        {k: v for k, v in then.items() if k not in free},
        {k: v for k, v in now.items() if k not in free},
    )
