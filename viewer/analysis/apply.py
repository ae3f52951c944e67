"""Changes put to use: applied to their base, or turned round.

Nothing is mutated: containers on the way to a change are copied, the rest is shared. No recursion,
whatever the depth.
"""

from collections.abc import Sequence
from typing import Any

from viewer.analysis.change_tree import Node, locate, reach, tree
from viewer.errors import PatchError
from viewer.model import MISSING, Change
from viewer.pointer import Token, Tokens, join


def apply(base: Any, changes: Sequence[Change]) -> Any:
    """Return the target: ``base`` with ``changes`` applied; untouched parts are shared with it.

    Raises:
        PatchError: a change names a place that ``base`` does not have.
    """
    if not changes:
        return base
    root = Node()
    root.children[0] = tree(changes)
    holder = [base]
    stack: list[tuple[Any, Node, Tokens]] = [(holder, root, ())]
    while stack:
        here, node, at = stack.pop()
        place = at
        try:
            # A child is copied into its base place, then moves along with it.
            for token, child in node.children.items():
                place = (*at, token)
                below = here[token]
                if child.replaced is not None:
                    here[token] = child.replaced.new
                    continue
                fresh = here[token] = below.copy()
                stack.append((fresh, child, place))
            _rearrange(here, node)
        except (KeyError, IndexError, TypeError, AttributeError):
            raise PatchError(f"the changes do not fit the base at {join(place[1:])!r}") from None
    return holder[0]


def _rearrange(here: Any, node: Node) -> None:
    if type(here) is dict:
        for change in node.removed:
            del here[change.old_path[-1]]
        for change in node.added:
            here[change.path[-1]] = change.new
        return
    put: dict[Token, Any] = {change.path[-1]: change.new for change in node.added}
    gone = {change.old_path[-1] for change in node.removed}
    for change in node.moved:
        gone.add(change.old_path[-1])
        put[change.path[-1]] = here[change.old_path[-1]]
    if not put and not gone:
        return
    kept = [x for i, x in enumerate(here) if i not in gone]
    if len(kept) != len(here) - len(gone):
        raise IndexError
    size = len(kept) + len(put)
    if not all(j < size for j in put):  # type: ignore[operator]  # a list's tokens are integers
        raise IndexError
    rest = iter(kept)
    here[:] = [put[j] if j in put else next(rest) for j in range(size)]


def invert(changes: Sequence[Change]) -> list[Change]:
    """Return the changes that lead from the target back to the base, in the same order."""
    root = tree(changes)
    locate(root)
    back = []
    for op, path, old_path, old, new in changes:
        if op == "add":
            back.append(Change("remove", path, path, new, MISSING))
        elif op == "remove":
            container = reach(root, path[:-1]).target
            back.append(Change("add", path, container, MISSING, old))
        else:
            back.append(Change(op, old_path, path, new, old))
    return back
