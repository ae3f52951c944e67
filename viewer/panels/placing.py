"""Where in the target a place of the base went, read from the changes between them.

The tree shows the target; a removed value is put beside the siblings that it had, whose list
positions may have shifted.
"""

from bisect import bisect_left, insort
from collections.abc import Sequence

from viewer.model import Change
from viewer.pointer import Tokens


class Placing:
    """Maps places of a base state to places of the target state that ``changes`` lead to."""

    def __init__(self, changes: Sequence[Change]) -> None:
        self._gone: dict[Tokens, list[int]] = {}
        self._taken: dict[Tokens, list[int]] = {}
        self._moved: dict[Tokens, Tokens] = {}
        for change in changes:
            if change.op in ("remove", "move"):
                source = change.old_path if change.op == "move" else change.path
                _note(self._gone, source)
            if change.op in ("add", "move"):
                _note(self._taken, change.path)
            if change.op == "move":
                self._moved[change.old_path] = change.path

    def target(self, base: Tokens) -> Tokens:
        """Return where the container at ``base`` stands in the target."""
        at: Tokens = ()
        for depth, token in enumerate(base):
            here = base[: depth + 1]
            if here in self._moved:
                at = self._moved[here]
            elif isinstance(token, int):
                at = (*at, self.slot(base[:depth], at, token))
            else:
                at = (*at, token)
        return at

    def slot(self, base_list: Tokens, target_list: Tokens, index: int) -> int:
        """Return the target index that base item ``index`` has, or would stand before."""
        rank = index - bisect_left(self._gone.get(base_list, []), index)
        for taken in self._taken.get(target_list, []):
            if taken > rank:
                break
            rank += 1
        return rank


def _note(places: dict[Tokens, list[int]], tokens: Tokens) -> None:
    if tokens and isinstance(tokens[-1], int):
        insort(places.setdefault(tokens[:-1], []), tokens[-1])
