"""Changes arranged by the place in the base that each of them names."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from viewer.model import Change
from viewer.pointer import Token, Tokens


class Node:
    """What happens at one place of the base, and where that place is in the target."""

    __slots__ = ("added", "children", "moved", "removed", "replaced", "target")

    def __init__(self) -> None:
        self.children: dict[Token, Node] = {}
        self.added: list[Change] = []
        self.removed: list[Change] = []
        self.moved: list[Change] = []
        self.replaced: Change | None = None
        self.target: Tokens = ()
        """Right after `locate`."""


def tree(changes: Sequence[Change]) -> Node:
    """Return the tree of ``changes``; its root is the document."""
    root = Node()
    for change in changes:
        if change.op == "replace":
            reach(root, change.old_path).replaced = change
        elif change.op == "add":
            reach(root, change.old_path).added.append(change)
        elif change.op == "remove":
            reach(root, change.old_path[:-1]).removed.append(change)
        else:
            reach(root, change.old_path[:-1]).moved.append(change)
    return root


def reach(node: Node, tokens: Tokens) -> Node:
    """Return the node at ``tokens`` below ``node``; what is missing on the way is made."""
    for token in tokens:
        below = node.children.get(token)
        if below is None:
            below = node.children[token] = Node()
        node = below
    return node


def locate(root: Node) -> None:
    """Set every node's ``target``: list items shift by what comes and goes before them."""
    stack = [root]
    while stack:
        node = stack.pop()
        moved = {change.old_path[-1]: change.path[-1] for change in node.moved}
        gone = indices([change.old_path[-1] for change in (*node.removed, *node.moved)])
        put = indices([change.path[-1] for change in (*node.added, *node.moved)])
        free = [index - rank for rank, index in enumerate(put)]
        for token, child in node.children.items():
            landing = moved.get(token, token)
            if isinstance(token, int) and token not in moved:
                rank = token - bisect_left(gone, token)
                landing = rank + bisect_right(free, rank)
            child.target = (*node.target, landing)
            stack.append(child)


def indices(tokens: list[Token]) -> list[int]:
    """Return the array indices among ``tokens``, ascending."""
    return sorted(token for token in tokens if isinstance(token, int))
