"""Where a run stands: its position, the next action, and the last checkpoint that is good."""

from dataclasses import dataclass

from viewer.analysis.check import CheckResult
from viewer.analysis.next_action import next_action
from viewer.chain import Chain
from viewer.model import Checkpoint, Phase, Violation


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Where the live head stands."""

    checkpoint_id: str | None
    """None where the chain holds no checkpoint."""
    index: int | None
    step: int | None
    node: str | None
    status: str | None
    phase: Phase
    next_action: str
    """What comes next, in words; begins with ``unknown`` where the source does not say."""
    waits_for: str | None
    last_good: int | None
    """Last checkpoint on the live head's lineage with a trusted state and no violation."""
    reasons: tuple[str, ...]
    """Why the last good checkpoint is not the head, and what could not be judged."""


def position(chain: Chain, result: CheckResult) -> Position:
    """Return the position of ``chain``'s live head; ``result`` is its check."""
    if chain.head is None:
        return Position(
            checkpoint_id=None,
            index=None,
            step=None,
            node=None,
            status=None,
            phase="unknown",
            next_action="unknown: the chain holds no checkpoint",
            waits_for=None,
            last_good=None,
            reasons=tuple(f"{p.place}: {p.reason}" for p in chain.problems),
        )
    head = chain.checkpoints[chain.head]
    action, waits_for = next_action(chain, head)
    good, reasons = _last_good(chain, result)
    return Position(
        checkpoint_id=head.checkpoint_id,
        index=head.index,
        step=head.step,
        node=", ".join(head.nodes) or None,
        status=head.status,
        phase=head.phase,
        next_action=action,
        waits_for=waits_for,
        last_good=good,
        reasons=reasons,
    )


def _last_good(chain: Chain, result: CheckResult) -> tuple[int | None, tuple[str, ...]]:
    """Return the last good checkpoint and, newest first, why no newer one is; then the doubts."""
    faults = _faults(result)
    reasons: list[str] = []
    older = 0
    good: int | None = None
    at = chain.head
    while at is not None:
        checkpoint = chain.checkpoints[at]
        fault = _unreadable(checkpoint) or faults.get(at)
        if good is not None:
            older += fault is not None
        elif fault is None:
            good = at
        else:
            reasons.append(f"{checkpoint.checkpoint_id} (@{at}) is not good: {fault}")
        at = checkpoint.parent
    if older:
        count = "1 checkpoint" if older == 1 else f"{older} checkpoints"
        reasons.append(f"{count} before it on its lineage cannot be read or break a rule")
    return good, (*reasons, *_doubts(chain, result, good))


def _unreadable(checkpoint: Checkpoint) -> str | None:
    if not checkpoint.has_state:
        return "its state cannot be read"
    return None if checkpoint.trusted else "its state follows a patch that failed"


def _faults(result: CheckResult) -> dict[int, str]:
    """Return, by checkpoint, its first violation and how many more there are.

    A violation of gate ``parse`` stands at the last readable checkpoint before the lost one, which
    it says nothing against.
    """
    found: dict[int, list[Violation]] = {}
    for violation in result.violations:
        if violation.index is not None and violation.gate != "parse":
            found.setdefault(violation.index, []).append(violation)
    told = {}
    for index, (first, *more) in found.items():
        rest = f", and {len(more)} more" if more else ""
        place = f" at {first.pointer}" if first.pointer else ""
        told[index] = f"{first.gate} {first.keyword}{place}: {first.message}{rest}"
    if result.dropped:
        lost = f"{result.dropped} more violations were only counted, some may be its own"
        told |= {i: lost for i in range(result.checkpoints) if i not in told}
    return told


def _doubts(chain: Chain, result: CheckResult, good: int | None) -> tuple[str, ...]:
    """Return what could not be judged: gates that did not run, rules on the good checkpoint."""
    found = []
    if all(state == "not applicable" for gate, state in result.gates.items() if gate != "parse"):
        found.append(f"profile {chain.profile.name} declares no gate: good means readable")
    for gate, ran in result.gates.items():
        if ran == "not run":
            why = next(
                (n.reason for n in result.not_run if n.gate == gate), "nothing could be judged"
            )
            found.append(f"gate {gate} did not run: {why}")
    held = [n for n in result.not_run if n.index is not None and n.index == good]
    found += [f"{n.gate} {n.rule} could not judge @{n.index}: {n.reason}" for n in held]
    root = _root(chain)
    if root is not None and root.parent_id is not None:
        found.append(f"the lineage begins at @{root.index}: its parent is not in the source")
    return tuple(found)


def _root(chain: Chain) -> Checkpoint | None:
    at, root = chain.head, None
    while at is not None:
        root = chain.checkpoints[at]
        at = root.parent
    return root
