"""The transition gate: is each step of the status legal, from parent to child?"""

from dataclasses import dataclass

from viewer.chain import Chain
from viewer.model import Gate, NotRun, Violation
from viewer.profiles import Profile

GATE: Gate = "transition"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """One way from a status to another."""

    source: str | None
    """None stands for the start."""
    target: str
    legal: bool
    taken: tuple[int, ...]
    """Indices of the checkpoints whose parent was in ``source``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """How one checkpoint came to its status."""

    index: int
    source: str | None
    target: str
    lost: int
    """Checkpoints without a known status between the two."""
    ancestor: int | None


def applies(profile: Profile) -> bool:
    """Return whether ``profile`` declares a status machine."""
    return bool(profile.file.status.transition or profile.file.status.start)


def edges(chain: Chain) -> tuple[Edge, ...]:
    """Return all legal edges of the profile, in its order, then every other edge taken.

    A self edge is listed only where it was taken.
    """
    status = chain.profile.file.status
    taken: dict[tuple[str | None, str], list[int]] = {}
    for step in _steps(chain)[0]:
        if not step.lost:
            taken.setdefault((step.source, step.target), []).append(step.index)
    known: list[tuple[str | None, str]] = [(None, word) for word in status.start]
    known += [(edge.from_, word) for edge in status.transition for word in edge.to]
    ways = dict.fromkeys([*known, *taken]) if applies(chain.profile) else {}
    return tuple(
        Edge(
            source=source,
            target=target,
            legal=_legal(chain.profile, source, target),
            taken=tuple(taken.get((source, target), ())),
        )
        for source, target in ways
    )


def transitions(chain: Chain) -> tuple[list[Violation], list[NotRun]]:
    """Return every illegal step of the status, and every checkpoint that cannot be judged.

    A status that is none of the profile's words is the schema gate's; the next checkpoint is
    judged from the last legal one. Where checkpoints are lost in between, a step is illegal only
    if no legal way of that length leads over them.
    """
    if not applies(chain.profile):
        return [], []
    steps, unknown = _steps(chain)
    violations = []
    for step in steps:
        if _legal(chain.profile, step.source, step.target):
            continue
        if step.lost and _reachable(chain.profile, step):
            unknown.append(_lost(chain, step))
        else:
            violations.append(_violation(chain, step))
    return violations, sorted(unknown, key=lambda n: n.index or 0)


def _steps(chain: Chain) -> tuple[list[_Step], list[NotRun]]:
    known, problems = chain.profile.legal, chain.problems
    steps: list[_Step] = []
    unknown: list[NotRun] = []
    for checkpoint in chain.checkpoints:
        status = checkpoint.status
        if status is None or status not in known:
            word = "it has no status" if status is None else f"{status!r} is no known status"
            unknown.append(_not_run(chain, checkpoint.index, word))
            continue
        lost, at = checkpoint.gap, checkpoint.parent
        while at is not None and chain.checkpoints[at].status not in known:
            own = chain.checkpoints[at]
            lost += own.gap + (own.status is None)
            at = own.parent
        if at is None and _start_unknown(chain, checkpoint.index):
            continue
        if at is None and checkpoint.index == 0:
            lost += sum(
                p.no_state and p.checkpoint_id is None and p.index is None for p in problems
            )
        source = None if at is None else chain.checkpoints[at].status
        steps.append(
            _Step(index=checkpoint.index, source=source, target=status, lost=lost, ancestor=at)
        )
    return steps, unknown


def _start_unknown(chain: Chain, index: int) -> bool:
    """Return whether the way from ``index`` to its root ends at a parent that is missing."""
    at: int | None = index
    while at is not None:
        own = chain.checkpoints[at]
        if own.parent is None and own.parent_id is not None:
            return True
        at = own.parent
    return False


def _legal(profile: Profile, source: str | None, target: str) -> bool:
    if source is None:
        start = profile.file.status.start
        return not start or target in start
    return target in profile.legal.get(source, ())


def _reachable(profile: Profile, step: _Step) -> bool:
    """Return whether ``lost`` unknown checkpoints can make the way legal."""
    start = profile.file.status.start or tuple(profile.legal)
    at = set(start) if step.source is None else set(profile.legal[step.source])
    for _ in range(step.lost):
        if step.target in at:
            return True
        at |= {word for source in at for word in profile.legal[source]}
    return step.target in at


def _violation(chain: Chain, step: _Step) -> Violation:
    own = chain.checkpoints[step.index]
    status = chain.profile.file.status
    if step.source is None:
        keyword = "start"
        message = f"a run starts with {_words(status.start)}, not with {step.target}"
    else:
        keyword = "transition"
        legal = chain.profile.legal[step.source]
        after = "nothing" if not legal else f"only {_words(legal)}"
        if step.source in status.terminal:
            after = "nothing: it is terminal"
        message = f"{step.source} → {step.target} is illegal: after {step.source} comes {after}"
    return Violation(
        gate=GATE,
        keyword=keyword,
        pointer=status_pointer(chain.profile),
        message=message,
        checkpoint_id=own.checkpoint_id,
        index=own.index,
    )


def status_pointer(profile: Profile) -> str:
    """Return where the status stands in the state; the whole state where it does not."""
    return profile.file.fields.status or ""


def _words(words: tuple[str, ...]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _lost(chain: Chain, step: _Step) -> NotRun:
    source = step.source or "the start"
    lost = "one lost checkpoint" if step.lost == 1 else f"{step.lost} lost checkpoints"
    return _not_run(chain, step.index, f"{source} → {step.target} is legal only over {lost}")


def _not_run(chain: Chain, index: int, reason: str) -> NotRun:
    own = chain.checkpoints[index]
    return NotRun(
        gate=GATE, rule="transition", checkpoint_id=own.checkpoint_id, index=index, reason=reason
    )
