"""Questions asked again although they had been answered: the node did not take the answer."""

from collections.abc import Iterator
from typing import Any

from viewer.analysis.answers import RESUME, asking_node, assent, null_answer
from viewer.analysis.differences import alike
from viewer.analysis.replay import NULL_TASK
from viewer.analysis.sightings import brief
from viewer.analysis.tasks import internal
from viewer.chain import Chain
from viewer.model import Checkpoint, Evidence, Finding, Interrupt

_TIMES = 3
"""Times in a row that nobody gives the same few words to different questions of one task."""
_INTERRUPT = "__interrupt__"


def question_findings(chain: Chain) -> Iterator[Finding]:
    """Yield questions that were asked again after an answer.

    Within one task the store keeps only its newest question, but all answers: the same telling
    answer given several times in a row is told. Between steps both questions are stored: the same
    question counts where its answer was the same too, or where the app's state did not change.
    """
    for checkpoint in chain.checkpoints:
        for asked in checkpoint.interrupts:
            if asked.owner is None:
                yield from _within(chain, checkpoint, asked)
                yield from _between(chain, checkpoint, asked)


def _within(chain: Chain, checkpoint: Checkpoint, asked: Interrupt) -> Iterator[Finding]:
    """Yield a task that was given the same answer several times and asks once more."""
    given = _answers(checkpoint, asked.task)
    if not asked.open or len(given) < 2 or not _telling(given[-1]):
        return
    same = 1
    while same < len(given) and alike(given[-1 - same], given[-1]):
        same += 1
    if same >= (2 if any(map(str.isdigit, given[-1])) else _TIMES):
        node = asking_node(checkpoint, asked.task)
        yield _finding(
            chain,
            checkpoint,
            node,
            f"{node or 'a task'} was answered {brief(given[-1])} {same} times in one task after step"
            f" {checkpoint.step} and asks again ({brief(asked.value)}): it does not take the answer",
            (_place(checkpoint, f"{len(given)} answers are stored after it"),),
        )


def _between(chain: Chain, checkpoint: Checkpoint, asked: Interrupt) -> Iterator[Finding]:
    """Yield a question that the same node had asked, in the same turn, where nothing came of it."""
    node = asking_node(checkpoint, asked.task)
    at, turned = checkpoint, []
    while at.parent is not None and at.origin == "loop":
        at = chain.checkpoints[at.parent]
        twin = _twin(at, node, asked)
        if twin is None:
            if at.interrupts:
                break
            continue
        if not _swallowed(chain, at, twin, checkpoint, asked):
            break
        turned.append(at)
    if turned:
        first = turned[-1]
        yield _finding(
            chain,
            checkpoint,
            node,
            f"{node or 'a task'} asked the same in step {first.step} ({brief(asked.value)}), was "
            f"answered, and asks again after step {checkpoint.step}, {len(turned) + 1} times in all:"
            " it does not take the answer",
            tuple(_place(one, "the question and its answer are stored after it") for one in turned),
        )


def _twin(at: Checkpoint, node: str, asked: Interrupt) -> Interrupt | None:
    """Return the question of ``node`` after ``at`` that is the same as ``asked``."""
    for other in at.interrupts:
        answered = other.owner is None and not other.open
        if answered and alike(other.value, asked.value) and asking_node(at, other.task) == node:
            return other
    return None


def _swallowed(
    chain: Chain, earlier: Checkpoint, before: Interrupt, later: Checkpoint, after: Interrupt
) -> bool:
    """Return whether the earlier answer had no effect, or the same one was given again."""
    first, second = _answers(earlier, before.task), _answers(later, after.task)
    if not first:
        return False
    if second and alike(first[-1], second[-1]) and _telling(first[-1]):
        return True
    return alike(_own(chain, earlier), _own(chain, later))


def _answers(checkpoint: Checkpoint, task: str) -> list[Any]:
    """Return the answers stored for a task, or the caller's own where it has none."""
    rows = [w.value for w in checkpoint.writes if w.channel == RESUME and w.task == task]
    if rows and task != NULL_TASK:
        return rows[-1] if isinstance(rows[-1], list) else [rows[-1]]
    null = null_answer(checkpoint)
    return [] if null is None else [null]


def _telling(answer: Any) -> bool:
    """Return whether nobody gives this answer to several different questions in a row.

    One word (``skip``, ``next``) or a decision on a call may well answer many.
    """
    if not isinstance(answer, str) or assent(answer):
        return False
    return len(answer.split()) > 1 or any(map(str.isdigit, answer.strip()[1:]))


def _own(chain: Chain, checkpoint: Checkpoint) -> Any:
    state = chain.states[checkpoint.index]
    if not isinstance(state, dict):
        return state
    return {name: value for name, value in state.items() if not internal(name)}


def _place(checkpoint: Checkpoint, note: str) -> Evidence:
    return Evidence(
        checkpoint_id=checkpoint.checkpoint_id, index=checkpoint.index, pointer="", note=note
    )


def _finding(
    chain: Chain, at: Checkpoint, node: str, message: str, evidence: tuple[Evidence, ...]
) -> Finding:
    return Finding(
        keyword="asked_again",
        message=message,
        namespace=chain.namespace,
        checkpoint_id=at.checkpoint_id,
        index=at.index,
        step=at.step,
        node=node,
        channel=_INTERRUPT,
        evidence=evidence,
    )
