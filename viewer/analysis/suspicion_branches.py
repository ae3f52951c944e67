"""Branches that went on from an older checkpoint and left the thread's newest state behind."""

from collections.abc import Iterator
from itertools import pairwise

from viewer.analysis.differences import alike
from viewer.analysis.tasks import internal
from viewer.chain import Chain
from viewer.model import Evidence, Finding


def branch_findings(chain: Chain) -> Iterator[Finding]:
    """Yield inputs and resumes that went on from an older checkpoint than the thread's newest.

    A resume or an input that names an old checkpoint may be meant so; the store does not tell, and
    what it leaves behind is gone either way. An edit (``update_state``) says itself that it is one:
    it counts where the run went on from it and a whole later input is left behind; within its own
    turn it does that turn again.
    """
    children: dict[int, list[int]] = {}
    for checkpoint in chain.checkpoints:
        if checkpoint.parent is not None:
            children.setdefault(checkpoint.parent, []).append(checkpoint.index)
    for parent, below in children.items():
        by_id = sorted(below, key=lambda i: chain.checkpoints[i].checkpoint_id)
        for older, index in pairwise(by_id):
            late = chain.checkpoints[index]
            again = _continued(chain, children, index)
            if not late.versions:  # only LangGraph says by its origin what a child is
                continue
            edited = late.origin == "update"
            if late.origin not in ("input", "loop") and not again:
                continue
            left = _newest_below(chain, children, older, late.checkpoint_id)
            gone = chain.checkpoints[left]
            base = chain.checkpoints[parent]
            lost = _changed(chain, parent, left)
            if not lost or (edited and not _holds_input(chain, left, parent)):
                continue
            what = "a new input" if late.origin == "input" else "a resume"
            what = "an edit of the state, and the run after it," if edited else what
            nodes = late.nodes
            if late.origin == "fork":
                nodes = tuple(n for i in again for n in chain.checkpoints[i].nodes)
            yield Finding(
                keyword="wrong_parent",
                message=f"{what} went on from step {base.step} (@{parent}) though the thread stood "
                f"at step {gone.step} (@{left}): what was written in between to "
                f"{', '.join(map(repr, lost[:4]))}{' …' if len(lost) > 4 else ''} is not in it"
                f"{', a whole later input included' if edited else ''}",
                namespace=chain.namespace,
                checkpoint_id=late.checkpoint_id,
                index=index,
                step=late.step,
                node=", ".join(dict.fromkeys(nodes or late.next)),
                channel=lost[0],
                pointer="",
                evidence=(
                    Evidence(
                        checkpoint_id=base.checkpoint_id,
                        index=parent,
                        pointer="",
                        note="the parent that was chosen",
                    ),
                    Evidence(
                        checkpoint_id=gone.checkpoint_id,
                        index=left,
                        pointer="",
                        note="the newest checkpoint at that time, left behind",
                    ),
                ),
            )


def _continued(chain: Chain, children: dict[int, list[int]], index: int) -> list[int]:
    """Return the steps that went on from the edit at ``index``, or from further edits after it."""
    waiting, found = list(children.get(index, [])), []
    while waiting:
        at = waiting.pop()
        if chain.checkpoints[at].origin in ("loop", "input"):
            found.append(at)
        else:
            waiting += children.get(at, [])
    return found


def _holds_input(chain: Chain, newest: int, base: int) -> bool:
    """Return whether an input came on the way from ``base`` to ``newest``."""
    at: int | None = newest
    while at is not None and at != base:
        if chain.checkpoints[at].origin == "input":
            return True
        at = chain.checkpoints[at].parent
    return False


def _newest_below(chain: Chain, children: dict[int, list[int]], at: int, before: str) -> int:
    newest, waiting = at, [at]
    while waiting:
        here = waiting.pop()
        own = chain.checkpoints[here].checkpoint_id
        if own >= before:
            continue
        if own > chain.checkpoints[newest].checkpoint_id:
            newest = here
        waiting += children.get(here, [])
    return newest


def _changed(chain: Chain, base: int, newest: int) -> list[str]:
    a, b = chain.states[base], chain.states[newest]
    if not isinstance(a, dict) or not isinstance(b, dict):
        return []
    return [k for k in b if not internal(k) and (k not in a or not alike(a[k], b[k]))]
