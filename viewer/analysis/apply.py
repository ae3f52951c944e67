"""Changes put to use: apply them, turn them round, write them as JSON Patch (RFC 6902).

Every change names its place in the base, so all three arrange the changes by base place in one
tree and walk that without recursion. Nothing is mutated: containers on the way are copied, the
rest is shared.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any

from viewer.errors import PatchError
from viewer.model import MISSING, Change
from viewer.pointer import Token, Tokens, escape, join


class _Node:
    """What happens at one place of the base, and where that place is in the target."""

    __slots__ = ("added", "children", "moved", "removed", "replaced", "target")

    def __init__(self) -> None:
        self.children: dict[Token, _Node] = {}
        self.added: list[Change] = []
        self.removed: list[Change] = []
        self.moved: list[Change] = []
        self.replaced: Change | None = None
        self.target: Tokens = ()


def _tree(changes: Sequence[Change]) -> _Node:
    root = _Node()
    for change in changes:
        if change.op == "replace":
            _reach(root, change.old_path).replaced = change
        elif change.op == "add":
            _reach(root, change.old_path).added.append(change)
        elif change.op == "remove":
            _reach(root, change.old_path[:-1]).removed.append(change)
        else:
            _reach(root, change.old_path[:-1]).moved.append(change)
    return root


def _reach(node: _Node, tokens: Tokens) -> _Node:
    for token in tokens:
        below = node.children.get(token)
        if below is None:
            below = node.children[token] = _Node()
        node = below
    return node


def apply(base: Any, changes: Sequence[Change]) -> Any:
    """Return the target: ``base`` with ``changes`` applied; untouched parts are shared with it.

    Raises:
        PatchError: a change names a place that ``base`` does not have.
    """
    if not changes:
        return base
    root = _Node()
    root.children[0] = _tree(changes)
    holder = [base]
    stack: list[tuple[Any, _Node, Tokens]] = [(holder, root, ())]
    while stack:
        here, node, at = stack.pop()
        try:
            # A child is copied into its base place, then moves along with it.
            for token, child in node.children.items():
                if child.replaced is not None:
                    here[token] = child.replaced.new
                    continue
                fresh = here[token] = here[token].copy()
                stack.append((fresh, child, (*at, token)))
            _rearrange(here, node)
        except (KeyError, IndexError, TypeError, AttributeError):
            raise PatchError(f"the changes do not fit the base at {join(at[1:])!r}") from None
    return holder[0]


def _rearrange(here: Any, node: _Node) -> None:
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
    root = _tree(changes)
    _locate(root)
    back = []
    for op, path, old_path, old, new in changes:
        if op == "add":
            back.append(Change("remove", path, path, new, MISSING))
        elif op == "remove":
            container = _reach(root, path[:-1]).target
            back.append(Change("add", path, container, MISSING, old))
        else:
            back.append(Change(op, old_path, path, new, old))
    return back


def _locate(root: _Node) -> None:
    """Set every node's ``target``: list items shift by what comes and goes before them."""
    stack = [root]
    while stack:
        node = stack.pop()
        moved = {change.old_path[-1]: change.path[-1] for change in node.moved}
        gone = _indices([change.old_path[-1] for change in (*node.removed, *node.moved)])
        put = _indices([change.path[-1] for change in (*node.added, *node.moved)])
        free = [index - rank for rank, index in enumerate(put)]
        for token, child in node.children.items():
            landing = moved.get(token, token)
            if isinstance(token, int) and token not in moved:
                rank = token - bisect_left(gone, token)
                landing = rank + bisect_right(free, rank)
            child.target = (*node.target, landing)
            stack.append(child)


def _indices(tokens: list[Token]) -> list[int]:
    return sorted(token for token in tokens if isinstance(token, int))


def to_patch(base: Any, changes: Sequence[Change]) -> list[dict[str, Any]]:
    """Return ``changes`` as JSON Patch operations that apply to ``base`` one after the other.

    One operation a change: containers before what is in them; in a list first removals from the
    back, then insertions and moves from the front.
    """
    root = _tree(changes)
    _locate(root)
    patch: list[dict[str, Any]] = []
    stack: list[tuple[Any, _Node]] = [(base, root)]
    while stack:
        here, node = stack.pop()
        if node.replaced is not None:
            new = node.replaced.new
            patch.append({"op": "replace", "path": join(node.target), "value": new})
            continue
        _structure(here, node, join(node.target), patch)
        stack.extend((here[token], child) for token, child in reversed(node.children.items()))
    return patch


def _structure(here: Any, node: _Node, at: str, patch: list[dict[str, Any]]) -> None:
    if isinstance(here, dict):
        removed = [change.old_path[-1] for change in node.removed]
        added = node.added
    else:
        removed = list(reversed(_indices([change.old_path[-1] for change in node.removed])))
        added = [] if node.moved else sorted(node.added, key=lambda change: change.path)
    patch.extend({"op": "remove", "path": f"{at}/{escape(token)}"} for token in removed)
    for change in added:
        path = f"{at}/{escape(change.path[-1])}"
        patch.append({"op": "add", "path": path, "value": change.new})
    if node.moved:
        _moves(len(here), node, at, patch)


def _moves(size: int, node: _Node, at: str, patch: list[dict[str, Any]]) -> None:
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
    for j, change in sorted(arrivals.items()):
        if change.op == "add":
            path = f"{at}/{taken.before(new_spot[j])}"
            patch.append({"op": "add", "path": path, "value": change.new})
        else:
            spot = old_spot[change.old_path[-1]]
            origin = f"{at}/{taken.before(spot)}"
            taken.add(spot, -1)
            path = f"{at}/{taken.before(new_spot[j])}"
            patch.append({"op": "move", "from": origin, "path": path})
        taken.add(new_spot[j], 1)


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
