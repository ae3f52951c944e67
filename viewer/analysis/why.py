"""Why a thread stands where it stands: one sentence, where it stopped, what a resume would do."""

from collections.abc import Mapping, Sequence
from typing import Any

from viewer.analysis.answers import null_answer
from viewer.analysis.innermost import innermost
from viewer.analysis.sightings import brief
from viewer.analysis.stops import Standing, standing
from viewer.analysis.suspicions import suspicions
from viewer.analysis.tasks import internal
from viewer.analysis.why_sentence import sentence
from viewer.chain import Chain
from viewer.jsontext import dumps
from viewer.model import Checkpoint, Finding, LastWrite, Stop, Violation, Why

_NOTES = 20
"""Notes kept; the rest are counted."""


def why(
    chain: Chain, nested: Mapping[str, Chain] | None = None, *, violations: Sequence[Violation] = ()
) -> Why:
    """Return why ``chain`` stands where it stands; no profile is needed.

    Args:
        chain: a thread's root chain, or that of a namespace that no other holds.
        nested: the chains of the thread's other namespaces, by namespace.
        violations: what the gates say of the chain, where they ran; the sentence names them.
    """
    inside = nested or {}
    head = None if chain.head is None else chain.checkpoints[chain.head]
    found = standing(chain, inside)
    stops = tuple(sorted(found.stops, key=lambda stop: _rank(stop, head)))
    found = Standing(stops=stops, reruns=found.reruns, kept=found.kept, path=found.path)
    return Why(
        thread_id=chain.thread_id,
        namespace=chain.namespace,
        phase=head.phase if head else "unknown",
        status=head.status if head else None,
        sentence=sentence(chain, head, found, violations),
        head=head.checkpoint_id if head else None,
        since=stops[0].since if stops else head.created_at if head else None,
        stops=stops,
        last_write=_last_write(found.path),
        reruns=found.reruns,
        kept=found.kept,
        findings=_findings(chain, inside),
        notes=_notes(chain, inside),
    )


def _last_write(path: Sequence[Chain]) -> LastWrite | None:
    """Return what the newest task along ``path`` wrote to an app's channels, innermost chain first.

    Rows after the live head are newer than those that led to it. Within one step the store keeps
    no time: the task of the last row counts. Its rows were saved at once, so the value shown is
    the one that says most.
    """
    for chain in reversed(path):
        at: int | None = chain.head
        for _ in range(2):
            if at is None:
                break
            checkpoint = chain.checkpoints[at]
            writes = [write for write in checkpoint.writes if not internal(write.channel)]
            if writes:
                task = writes[-1].node, writes[-1].task
                own = [write for write in writes if (write.node, write.task) == task]
                most = max(reversed(own), key=lambda write: _size(write.value))
                return LastWrite(
                    namespace=chain.namespace,
                    checkpoint_id=checkpoint.checkpoint_id,
                    index=at,
                    node=most.node,
                    task=most.task,
                    channel=most.channel,
                    value=most.value,
                    channels=tuple(dict.fromkeys(write.channel for write in own)),
                )
            at = checkpoint.parent
    return None


def _size(value: Any) -> float:
    """Return how long a value is as JSON; one that nests too deep to be written is the longest."""
    if value in (None, "", [], {}):
        return 0
    try:
        return len(dumps(value))
    except RecursionError:
        return float("inf")


def _findings(chain: Chain, nested: Mapping[str, Chain]) -> tuple[Finding, ...]:
    chains = {chain.namespace: chain, **nested}
    return innermost({space: suspicions(one) for space, one in chains.items()}, chains)


def _rank(stop: Stop, head: Checkpoint | None) -> int:
    """Return 0 for a stop that explains the head's status, more for those beside it."""
    failed = head is not None and head.phase == "failed"
    if stop.error is not None and not stop.interrupts:
        return 0 if failed else 1
    if stop.interrupts:
        return 1 if failed else 0
    return 2


def _notes(chain: Chain, nested: Mapping[str, Chain]) -> tuple[str, ...]:
    notes = list(chain.profile.file.notes)
    for space, other in nested.items():
        if other.nesting is not None and other.nesting.standing == "detached":
            notes.append(f"namespace {space} belongs to no task: {other.nesting.reason}")
    notes += [note for note in map(_left_answer, (chain, *nested.values())) if note]
    lost = [p for c in (chain, *nested.values()) for p in c.problems if p.no_state]
    notes += [f"{problem.place}: {problem.reason}" for problem in lost]
    if len(notes) > _NOTES:
        return (*notes[:_NOTES], f"and {len(notes) - _NOTES} more")
    return tuple(notes)


def _left_answer(chain: Chain) -> str:
    """Return what to know of an answer that still lies where another question waits."""
    head = None if chain.head is None else chain.checkpoints[chain.head]
    if head is None or not any(asked.open for asked in head.interrupts):
        return ""
    answer = null_answer(head)
    if answer is None:
        return ""
    return (
        f"the answer {brief(answer)} to an earlier question still lies at step {head.step}: a resume"
        " without an answer of its own gives it to the question that waits now"
    )
