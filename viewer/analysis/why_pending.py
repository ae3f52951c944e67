"""What is known of a run that neither waits nor failed nor is done."""

from viewer.analysis.stops import Standing
from viewer.analysis.why_words import moment, names, numbered, place
from viewer.chain import Chain
from viewer.model import Checkpoint

_DEFAULT_LIMITS = (25, 10_007)
"""Steps after which LangGraph ends a run unless its caller sets ``recursion_limit``: the first
releases' default, and that of 1.2."""
_ENTRY = "__start__"


def pending(chain: Chain, head: Checkpoint, found: Standing) -> str:
    """Return the sentence of a thread whose next tasks have left nothing, or all of it."""
    last = f"last checkpoint {moment(head.created_at)}" if head.created_at else "no time is stored"
    if not found.stops:
        done = names(kept.node for kept in found.kept)
        return (
            f"Stopped after {done} had saved all of the step after {numbered(head)}: killed or still"
            f" running – the store cannot tell; a resume reruns none of them; {last}."
        )
    nodes = names(
        place(stop.at.namespace, "its first node" if stop.at.node == _ENTRY else stop.at.node)
        for stop in found.stops
    )
    if head.origin in ("update", "fork") and not found.kept:
        what = "edited by hand" if head.origin == "update" else "copied from an older checkpoint"
        return f"State {what} ({numbered(head)}) and not continued: {nodes} would run next; {last}."
    kept = names((kept.node for kept in found.kept if kept.channels), quoted=False)
    beside = f" ({kept} saved {'its' if len(found.kept) == 1 else 'their'} writes)" if kept else ""
    have = "has" if len(found.stops) == 1 else "have"
    steps = _steps(chain, head)
    limit = (
        f"; it made {steps} steps since its input, which is a default limit of LangGraph"
        if steps in _DEFAULT_LIMITS
        else ""
    )
    return (
        f"Not finished: {nodes} {have} saved nothing{beside}: running, killed, out of steps, or a"
        f" breakpoint – the store cannot tell{limit}; {last}."
    )


def _steps(chain: Chain, head: Checkpoint) -> int | None:
    """Return how many steps nodes made between ``head`` and the input before it on its lineage."""
    at: int | None = head.index
    while at is not None:
        checkpoint = chain.checkpoints[at]
        if checkpoint.origin == "input":
            if head.step is None or checkpoint.step is None:
                return None
            # The step after the input only spreads it over the channels.
            return head.step - checkpoint.step - 1
        at = checkpoint.parent
    return None
