"""Changes as JSON Patch (RFC 6902), applicable in sequence."""

from collections.abc import Sequence
from typing import Any

from viewer.analysis.change_tree import Node, indices, locate, tree
from viewer.model import Change
from viewer.pointer import Token, escape, join


def to_patch(base: Any, changes: Sequence[Change]) -> list[dict[str, Any]]:
    """Return ``changes`` as JSON Patch operations that apply to ``base`` one after the other.

    One operation a change: containers before what is in them; in a list first removals from the
    back, then insertions and moves from the front.
    """
    root = tree(changes)
    locate(root)
    patch: list[dict[str, Any]] = []
    stack: list[tuple[Any, Node]] = [(base, root)]
    while stack:
        here, node = stack.pop()
        if node.replaced is not None:
            new = node.replaced.new
            patch.append({"op": "replace", "path": join(node.target), "value": new})
            continue
        _structure(here, node, join(node.target), patch)
        stack.extend((here[token], child) for token, child in reversed(node.children.items()))
    return patch


def _structure(here: Any, node: Node, at: str, patch: list[dict[str, Any]]) -> None:
    if isinstance(here, dict):
        removed = [change.old_path[-1] for change in node.removed]
        added = node.added
    else:
        removed = list(reversed(indices([change.old_path[-1] for change in node.removed])))
        added = [] if node.moved else sorted(node.added, key=lambda change: change.path)
    patch.extend({"op": "remove", "path": f"{at}/{escape(token)}"} for token in removed)
    for change in added:
        path = f"{at}/{escape(change.path[-1])}"
        patch.append({"op": "add", "path": path, "value": change.new})
    if node.moved:
        _moves(len(here), node, at, patch)


def _moves(size: int, node: Node, at: str, patch: list[dict[str, Any]]) -> None:
    """Write insertions and moves of one list, each item right behind its final predecessor.

    One row of spots holds every item's old place and every new place in their common order; an
    item's index at any time is the number of taken spots before its own.
    """
    removed = {change.old_path[-1] for change in node.removed}
    movers = {change.old_path[-1] for change in node.moved}
    arrivals = {change.path[-1]: change for change in (*node.added, *node.moved)}
    survivors = iter([i for i in range(size) if i not in removed])
    spots: list[bool] = []
    old_spot: dict[Token, int] = {}
    new_spot: dict[Token, int] = {}
    for j in range(size - len(removed) - len(movers) + len(arrivals)):
        if j in arrivals:
            new_spot[j] = len(spots)
            spots.append(False)
            continue
        for i in survivors:
            old_spot[i] = len(spots)
            spots.append(True)
            if i not in movers:
                break
    for i in survivors:
        old_spot[i] = len(spots)
        spots.append(True)
    taken = _Taken(spots)
    for landing, change in sorted(arrivals.items()):
        if change.op == "add":
            path = f"{at}/{taken.before(new_spot[landing])}"
            patch.append({"op": "add", "path": path, "value": change.new})
        else:
            spot = old_spot[change.old_path[-1]]
            origin = f"{at}/{taken.before(spot)}"
            taken.add(spot, -1)
            path = f"{at}/{taken.before(new_spot[landing])}"
            patch.append({"op": "move", "from": origin, "path": path})
        taken.add(new_spot[landing], 1)


class _Taken:
    """Counts taken spots before a spot in logarithmic time (a Fenwick tree)."""

    def __init__(self, spots: list[bool]) -> None:
        self._sums = [0, *map(int, spots)]
        for i in range(1, len(self._sums)):
            above = i + (i & -i)
            if above < len(self._sums):
                self._sums[above] += self._sums[i]

    def add(self, spot: int, amount: int) -> None:
        spot += 1
        while spot < len(self._sums):
            self._sums[spot] += amount
            spot += spot & -spot

    def before(self, spot: int) -> int:
        total = 0
        while spot:
            total += self._sums[spot]
            spot -= spot & -spot
        return total
