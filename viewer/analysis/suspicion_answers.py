"""Answers to interrupts that went wrong: given twice, to nothing, or to another question."""

import re
from collections.abc import Iterator
from typing import Any

from viewer.analysis.answers import (
    RESUME,
    asked_before,
    asking_node,
    assent,
    null_answer,
    question_number,
)
from viewer.analysis.differences import alike
from viewer.analysis.sightings import brief
from viewer.chain import Chain
from viewer.model import Checkpoint, Evidence, Finding, Interrupt

_SUBJECT = re.compile(r"(?:^|_)(?:id|ref|number|sku|ticket|case|order|invoice)$|Id$")
"""Keys under which questions and answers name what they are about."""
_CHOICES = ("options", "choices", "allowed", "allowed_values", "allowed_decisions")


def answer_findings(chain: Chain) -> Iterator[Finding]:
    """Yield interrupts answered on two branches, and answers that fit no question."""
    loops: dict[int, list[Checkpoint]] = {}
    for child in chain.checkpoints:
        if child.parent is not None and child.origin == "loop":
            loops.setdefault(child.parent, []).append(child)
    for checkpoint in chain.checkpoints:
        below = loops.get(checkpoint.index, [])
        if checkpoint.interrupts and len(below) > 1:
            asked = checkpoint.interrupts[0]
            yield _finding(
                chain,
                below[-1],
                "answered_twice",
                asking_node(checkpoint, asked.task),
                f"the question of step {checkpoint.step} was answered {len(below)} times "
                f"({brief(asked.value)}): {len(below)} branches went on from it, and what followed "
                "each answer may have been done in each",
                tuple(_place(one, "went on from the question") for one in below),
            )
        null = null_answer(checkpoint)
        if null is None:
            continue
        if not checkpoint.interrupts:
            yield from _unasked(chain, checkpoint, below, null)
        for asked in checkpoint.interrupts:
            if not asked.open:
                yield from _unfit(chain, checkpoint, below, asked, null)


def _unasked(
    chain: Chain, checkpoint: Checkpoint, below: list[Checkpoint], answer: Any
) -> Iterator[Finding]:
    stored = (_place(checkpoint, "the answer is stored after it"),)
    if below:
        yield _finding(
            chain,
            checkpoint,
            "stale_answer",
            ", ".join(checkpoint.next),
            f"an answer ({brief(answer)}) was given at step {checkpoint.step}, where nothing had "
            "asked: a question asked later in that step takes it for its own",
            stored,
        )
    elif not checkpoint.next:
        yield _finding(
            chain,
            checkpoint,
            "answered_twice",
            ", ".join(checkpoint.nodes),
            f"an answer ({brief(answer)}) came at step {checkpoint.step}, when the run was done and"
            " nothing waited: it was sent once too often, and nothing took it",
            stored,
        )


def _unfit(
    chain: Chain, checkpoint: Checkpoint, below: list[Checkpoint], asked: Interrupt, answer: Any
) -> Iterator[Finding]:
    rows = [w.value for w in checkpoint.writes if w.channel == RESUME and w.task == asked.task]
    given = rows[-1] if rows and isinstance(rows[-1], list) else []
    number = question_number(chain, checkpoint, asked)
    stored = (_place(checkpoint, "question and answers are stored after it"),)
    at = below[0] if below else checkpoint
    node = asking_node(checkpoint, asked.task)
    if number and given and alike(given[-1], answer) and not assent(answer):
        yield _finding(
            chain,
            at,
            "stale_answer",
            node,
            f"the answer to an earlier question ({brief(answer)}) also answered the next one in step"
            f" {checkpoint.step} ({brief(asked.value)}): a resume without an answer delivers the"
            " last one again",
            stored,
        )
        return
    before = asked_before(chain, checkpoint)
    if before is not None and len(checkpoint.interrupts) == 1:
        earlier = before.interrupts[0].value
        told = isinstance(answer, str) and len(answer) > 2 and not assent(answer)
        if told and alike(null_answer(before), answer) and not alike(earlier, asked.value):
            yield _finding(
                chain,
                at,
                "stale_answer",
                node,
                f"{brief(answer)} answered the question of step {checkpoint.step} "
                f"({brief(asked.value)}) and, before it, that of step {before.step} "
                f"({brief(earlier)}): the second may have been meant for the first",
                (_place(before, "the first question"), *stored),
            )
            return
    other = _other_subject(asked.value, answer)
    if other and len(checkpoint.interrupts) == 1:
        yield _finding(
            chain,
            at,
            "stale_answer",
            node,
            f"the answer to the question of step {checkpoint.step} is about {other} "
            f"{brief(answer[other])}, the question about {brief(asked.value[other])}: it may have "
            "been meant for another",
            stored,
        )
    elif not given or len(given) == 1:
        yield from _unoffered(chain, checkpoint, below, asked, answer)


def _other_subject(question: Any, answer: Any) -> str:
    """Return the key by which both name what they are about, where they name different things."""
    if not isinstance(question, dict) or not isinstance(answer, dict):
        return ""
    for key, value in answer.items():
        asked = question.get(key)
        named = isinstance(value, str | int) and isinstance(asked, str | int)
        if named and _SUBJECT.search(key) and value != asked:
            return str(key)
    return ""


def _unoffered(
    chain: Chain, checkpoint: Checkpoint, below: list[Checkpoint], asked: Interrupt, answer: Any
) -> Iterator[Finding]:
    """Yield an answer that is none of those that the question itself offers."""
    offered = asked.value if isinstance(asked.value, dict) else {}
    choices = next((offered[k] for k in _CHOICES if isinstance(offered.get(k), list)), None)
    if not choices or not isinstance(answer, str) or len(checkpoint.interrupts) > 1:
        return
    if not all(isinstance(c, str) for c in choices):
        return
    if answer.strip().lower() in (c.strip().lower() for c in choices):
        return
    yield _finding(
        chain,
        below[0] if below else checkpoint,
        "stale_answer",
        asking_node(checkpoint, asked.task),
        f"{brief(answer)} answered the question of step {checkpoint.step}, which offers only "
        f"{brief(choices)}: it may have been meant for another",
        (_place(checkpoint, "question and answer are stored after it"),),
    )


def _place(checkpoint: Checkpoint, note: str) -> Evidence:
    return Evidence(
        checkpoint_id=checkpoint.checkpoint_id, index=checkpoint.index, pointer="", note=note
    )


def _finding(
    chain: Chain,
    at: Checkpoint,
    keyword: str,
    node: str,
    message: str,
    evidence: tuple[Evidence, ...],
) -> Finding:
    return Finding(
        keyword=keyword,
        message=message,
        namespace=chain.namespace,
        checkpoint_id=at.checkpoint_id,
        index=at.index,
        step=at.step,
        node=node,
        channel=RESUME,
        evidence=evidence,
    )
