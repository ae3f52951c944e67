"""What nodes leave when something went wrong quietly: error texts as values, and only nulls."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from viewer.analysis.differences import alike
from viewer.analysis.replay import Edge
from viewer.analysis.sightings import brief
from viewer.analysis.tasks import internal
from viewer.chain import Chain
from viewer.model import MISSING, Evidence, Finding, Task, Write
from viewer.pointer import Tokens, join

_ERROR = re.compile(
    r"\s*(?:[\w .:-]{0,40}?\b[A-Z]\w*(?:Error|Exception)\b\s*[:(]|Traceback \(most recent call last\))"
)
"""The beginning of an exception as Python writes it, perhaps behind a few words."""
_AT_ONCE = 3
"""Fewest tasks of one node side by side of which one may stand out."""
_MOST = 200
"""New entries of one list looked at."""


def output_findings(chain: Chain, steps: Sequence[Edge]) -> Iterator[Finding]:
    """Yield error texts in ordinary fields, and nodes that wrote null alone."""
    yield from _errors(chain, steps)
    yield from _nulls(chain, steps)
    yield from _silent(chain)


def _errors(chain: Chain, steps: Sequence[Edge]) -> Iterator[Finding]:
    """Yield error texts that a task wrote into an ordinary field and that still stand at a head.

    A text may have been carried on into another field: who wrote it first is told.
    """
    first: dict[str, tuple[str, str]] = {}
    for edge in steps:
        for channel, writes in edge.writes.items():
            for write in writes:
                for at, text in _texts(write.value, edge.before.get(channel)):
                    own = (write.node, channel)
                    if not _ERROR.match(text) or first.get(text, own) != own:
                        continue
                    if not _stays(chain, text):
                        continue
                    first[text] = own
                    yield Finding(
                        keyword="error_in_state",
                        message=f"{write.node or 'a task'} wrote an error's text to {channel!r} in "
                        f"step {edge.child.step} and the run went on: {brief(text)}",
                        namespace=chain.namespace,
                        checkpoint_id=edge.child.checkpoint_id,
                        index=edge.child.index,
                        step=edge.child.step,
                        node=write.node,
                        channel=channel,
                        pointer=join((channel,)),
                        evidence=(
                            Evidence(
                                checkpoint_id=edge.parent.checkpoint_id,
                                index=edge.parent.index,
                                pointer="",
                                note=f"written after it at {join((channel, *at))}",
                            ),
                        ),
                    )


def _texts(value: Any, old: Any = None) -> Iterator[tuple[Tokens, str]]:
    """Yield the texts of a written value: itself, a list's new entries, an object's fields."""
    if isinstance(value, str):
        yield (), value
    elif isinstance(value, list):
        known = len(old) if isinstance(old, list) and alike(value[: len(old)], old) else 0
        for i, entry in enumerate(value[known : known + _MOST], known):
            if isinstance(entry, str):
                yield (i,), entry
            elif isinstance(entry, dict) and "$type" not in entry:
                yield from (((i, k), v) for k, v in entry.items() if isinstance(v, str))
    elif isinstance(value, dict) and "$type" not in value:
        yield from (((k,), v) for k, v in value.items() if isinstance(v, str))


def _stays(chain: Chain, text: str) -> bool:
    """Return whether the live head holds ``text`` in one of the app's fields."""
    state = None if chain.head is None else chain.states[chain.head]
    held = state.items() if isinstance(state, dict) else ()
    return any(
        found == text
        for channel, value in held
        if not internal(channel)
        for _, found in _texts(value)
    )


def _nulls(chain: Chain, steps: Sequence[Edge]) -> Iterator[Finding]:
    """Yield nodes whose task wrote null and nothing else, over nothing, and nobody filled it later.

    A null over a value clears it; a null over nothing is what code leaves that had no answer.
    """
    for edge in steps:
        if not edge.exact:
            continue
        own: dict[str, list[Write]] = {}
        for writes in edge.writes.values():
            for write in writes:
                own.setdefault(write.task, []).append(write)
        for task in own.values():
            node, channels = task[0].node, [write.channel for write in task]
            empty = all(
                w.value is None
                and edge.before.get(w.channel) is None
                and w.channel not in ("jump_to",)
                for w in task
            )
            if not node or node == "__start__" or not empty or _filled(chain, channels):
                continue
            yield Finding(
                keyword="wrote_only_null",
                message=f"{node} ran in step {edge.child.step} and wrote nothing but null to "
                f"{', '.join(map(repr, channels))}, which held none before: it may have failed quietly",
                namespace=chain.namespace,
                checkpoint_id=edge.child.checkpoint_id,
                index=edge.child.index,
                step=edge.child.step,
                node=node,
                channel=channels[0],
                pointer=join((channels[0],)),
            )


def _filled(chain: Chain, channels: list[str]) -> bool:
    """Return whether the live head has a value in one of ``channels``."""
    state = MISSING if chain.head is None else chain.states[chain.head]
    return isinstance(state, dict) and any(state.get(c) is not None for c in channels)


def _silent(chain: Chain) -> Iterator[Finding]:
    """Yield a node of which several ran at once and a few, unlike the others, left nothing."""
    for checkpoint in chain.checkpoints:
        groups: dict[str, list[Task]] = {}
        for task in checkpoint.tasks:
            if task.finished and task.node and task.kind == "push":
                groups.setdefault(task.node, []).append(task)
        for node, tasks in groups.items():
            quiet = [t for t in tasks if all(internal(w.channel) for w in t.writes)]
            if len(tasks) < _AT_ONCE or not 0 < 2 * len(quiet) < len(tasks):
                continue
            yield Finding(
                keyword="wrote_nothing",
                message=f"{len(quiet)} of {len(tasks)} tasks of {node} after step {checkpoint.step} "
                "finished and wrote nothing, the others did: what they were to do may be missing "
                f"({brief(None if quiet[0].input is MISSING else quiet[0].input)})",
                namespace=chain.namespace,
                checkpoint_id=checkpoint.checkpoint_id,
                index=checkpoint.index,
                step=checkpoint.step,
                node=node,
            )
