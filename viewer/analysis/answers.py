"""Questions and answers as LangGraph's rows keep them."""

from typing import Any

from xxhash import xxh3_128_hexdigest

from viewer.analysis.replay import NULL_TASK
from viewer.chain import Chain
from viewer.model import Checkpoint, Interrupt

RESUME = "__resume__"
_QUESTIONS = 20
"""Most questions of one task that are told apart."""
_WORDS = ("yes", "no", "y", "n", "ok", "approve", "approved", "reject", "rejected", "accept")


def null_answer(checkpoint: Checkpoint) -> Any:
    """Return the answer that a caller's ``Command`` left at a checkpoint; None where none did."""
    rows = (w.value for w in checkpoint.writes if w.channel == RESUME and w.task == NULL_TASK)
    return next(rows, None)


def asked_before(chain: Chain, checkpoint: Checkpoint) -> Checkpoint | None:
    """Return the nearest ancestor in the same turn that asked one question."""
    at = checkpoint
    while at.parent is not None and at.origin == "loop":
        at = chain.checkpoints[at.parent]
        if at.interrupts:
            return at if len(at.interrupts) == 1 else None
    return None


def question_number(chain: Chain, checkpoint: Checkpoint, asked: Interrupt) -> int | None:
    """Return how many questions the task had asked before this one; None where its id is silent.

    LangGraph hashes the id of a task's later questions from its namespace and their number.
    """
    own = f"{asking_node(checkpoint, asked.task)}:{asked.task}"
    space = f"{chain.namespace}|{own}" if chain.namespace else own
    for number in range(_QUESTIONS):
        text = f"{space}|{number}" if number else space
        if xxh3_128_hexdigest(text.encode("utf-8", "surrogateescape")) == asked.id:
            return number
    return None


def asking_node(checkpoint: Checkpoint, task: str) -> str:
    """Return the node of the task that asked."""
    for own in checkpoint.tasks:
        if own.id == task:
            return own.node
    named = [w.node for w in checkpoint.writes if w.task == task and w.node]
    return named[0] if named else ", ".join(checkpoint.next)


def assent(answer: Any) -> bool:
    """Return whether a person may well give this answer to several questions in a row."""
    return (
        answer is None
        or isinstance(answer, bool)
        or (isinstance(answer, str) and answer.strip().lower() in _WORDS)
    )
