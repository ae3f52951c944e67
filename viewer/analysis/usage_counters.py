"""Usage from counters that stand in the state itself, at the profile's pointers."""

from decimal import Decimal

from viewer.analysis.message_usage import count
from viewer.chain import Chain
from viewer.model import USAGE, Checkpoint, Number, Usage
from viewer.pointer import find
from viewer.profiles import UsageFields

Cost = tuple[Usage, tuple[str, ...]]
"""What a step cost, and the counters that went down at it."""


def counted(chain: Chain, rules: UsageFields) -> list[Cost] | None:
    """Return each checkpoint's cost by the counters of ``rules``, or None where none is recorded.

    A cumulative counter is compared with its last known value along the parents; at a root it
    starts from 0. Under a root whose own parent is missing the amount belongs to steps that the
    source does not show: it counts there, once, so that totals stay true.
    """
    known: list[dict[str, Number]] = []
    costs: list[Cost] = []
    recorded = False
    for checkpoint in chain.checkpoints:
        before = {} if checkpoint.parent is None else known[checkpoint.parent]
        now = _read(chain, checkpoint, rules)
        recorded = recorded or bool(now)
        known.append({**before, **now})
        costs.append(_difference(now, before) if rules.cumulative else (Usage(**now), ()))
    return costs if recorded else None


def _read(chain: Chain, checkpoint: Checkpoint, rules: UsageFields) -> dict[str, Number]:
    if not checkpoint.has_state:
        return {}
    state = chain.state(checkpoint.index)
    read = {name: count(find(state, where)) for name, where in rules.pointers.items()}
    return {name: number for name, number in read.items() if number is not None}


def _difference(now: dict[str, Number], before: dict[str, Number]) -> Cost:
    spent: dict[str, Number] = {}
    decreased = []
    for name, number in now.items():
        last = before.get(name)
        if number is None or last is None:
            spent[name] = number
        elif number < last:
            decreased.append(name)
        else:
            spent[name] = _minus(number, last)
    return Usage(**spent), tuple(decreased)


def _minus(number: int | float, last: int | float) -> Number:
    if type(number) is int and type(last) is int:
        return number - last
    return float(Decimal(str(number)) - Decimal(str(last)))


def summed(costs: tuple[Usage, ...]) -> Usage:
    """Return the sum field by field; a None never adds, and decimal fractions add exactly."""
    return Usage(**{name: _sum([getattr(cost, name) for cost in costs]) for name in USAGE})


def less(whole: Usage, part: Usage) -> Usage:
    """Return ``whole`` without ``part``, field by field; a None takes nothing away."""
    return Usage(**{name: _less(getattr(whole, name), getattr(part, name)) for name in USAGE})


def _less(whole: Number, part: Number) -> Number:
    return whole if whole is None or part is None else _minus(whole, part)


def _sum(numbers: list[Number]) -> Number:
    known = [n for n in numbers if n is not None]
    if not known:
        return None
    if all(type(n) is int for n in known):
        return sum(known)
    return float(sum((Decimal(str(n)) for n in known), Decimal()))
