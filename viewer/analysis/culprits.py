"""Which node changed a value in place: the one that made the checkpoint, or the one that ran next.

A store that is written at once shows the change in the checkpoint that the node made; one written
in the background often in the checkpoint before, as the node already runs while that is stored.
The store does not say which it was; several changes together often do.
"""

from collections.abc import Sequence

from viewer.analysis.replay import Edge

_START = "__start__"


def culprits(steps: Sequence[Edge], *, background: bool) -> list[str]:
    """Return for each step who changed a value in it; both nodes in words where it may be either.

    Args:
        steps: the steps in whose checkpoint a value stands that nobody wrote.
        background: it is known that checkpoints were stored in the background.
    """
    made = [tuple(n for n in edge.child.nodes if n != _START) for edge in steps]
    following = [edge.child.next for edge in steps]
    if not background:
        # Where nothing ran before, the next node did it: the store was written in the background.
        background = any(b and not a for a, b in zip(made, following, strict=True))
    if background:
        return [", ".join(b or a) for a, b in zip(made, following, strict=True)]
    if any(a and not b for a, b in zip(made, following, strict=True)):
        return [", ".join(a) for a in made]
    ran, next_ = {n for a in made for n in a}, {n for b in following for n in b}
    if len(steps) > 1 and len(ran) != len(next_):
        chosen = made if len(ran) < len(next_) else following
        return [", ".join(nodes) for nodes in chosen]
    return [_either(a, b) for a, b in zip(made, following, strict=True)]


def _either(made: tuple[str, ...], following: tuple[str, ...]) -> str:
    return " or ".join(dict.fromkeys((*made, *following)))
