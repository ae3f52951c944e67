"""The chain itself: what leads to what, and how a checkpoint is named."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from viewer.errors import SelectionError
from viewer.model import MISSING, Checkpoint, Nesting, Problem, Sidecars
from viewer.profiles import Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Checkpoints oldest first; `state` gives the state of each."""

    source: str
    reader: str
    thread_id: str
    namespace: str
    profile: Profile
    checkpoints: tuple[Checkpoint, ...]
    states: tuple[Any, ...]
    """One a checkpoint, `MISSING` where it has none; read them with `state`."""
    problems: tuple[Problem, ...]
    sidecars: Sidecars
    live: Literal["id", "last"]
    nesting: Nesting | None = None
    """Which task of which chain this one belongs to; None for a root."""

    def state(self, index: int) -> Any:
        """Return the state of the checkpoint at ``index``; never mutate it.

        Raises:
            SelectionError: that checkpoint has no readable state.
        """
        found = self.states[index]
        if found is MISSING:
            raise SelectionError(
                f"checkpoint {self.checkpoints[index].checkpoint_id} has no readable state"
            )
        return found

    def children(self, index: int) -> tuple[int, ...]:
        """Return the indices of the checkpoints whose parent is ``index``, oldest first."""
        return tuple(c.index for c in self.checkpoints if c.parent == index)

    @property
    def heads(self) -> tuple[int, ...]:
        """Indices of the leaves, the live head last."""
        parents = {c.parent for c in self.checkpoints}
        leaves = [c.index for c in self.checkpoints if c.index not in parents]
        live = self._live(leaves)
        return (*(i for i in leaves if i != live), live) if live is not None else ()

    @property
    def head(self) -> int | None:
        """Index of the live head: highest checkpoint_id, or newest and then last in the source."""
        heads = self.heads
        return heads[-1] if heads else None

    @property
    def forks(self) -> tuple[int, ...]:
        """Indices of the checkpoints with more than one child."""
        count: dict[int, int] = {}
        for checkpoint in self.checkpoints:
            if checkpoint.parent is not None:
                count[checkpoint.parent] = count.get(checkpoint.parent, 0) + 1
        return tuple(sorted(i for i, n in count.items() if n > 1))

    def lanes(self) -> tuple[int, ...]:
        """Return a lane for each checkpoint: 0 for the live head's lineage, one more a branch."""
        lane: list[int | None] = [None] * len(self.checkpoints)
        for number, head in enumerate(reversed(self.heads)):
            at: int | None = head
            while at is not None and lane[at] is None:
                lane[at] = number
                at = self.checkpoints[at].parent
        return tuple(0 if n is None else n for n in lane)

    def resolve(self, name: str) -> int:
        """Return the index that ``name`` means: an exact id, ``@INDEX`` or ``head``.

        Raises:
            SelectionError: nothing has that name, or several checkpoints have.
        """
        same = [c.index for c in self.checkpoints if c.checkpoint_id == name]
        if len(same) == 1:
            return same[0]
        if same:
            places = ", ".join(f"@{i}" for i in same)
            raise SelectionError(f"checkpoint id {name!r} stands {len(same)} times: name {places}")
        if name == "head" and self.head is not None:
            return self.head
        if name[:1] == "@" and name[1:].isascii() and name[1:].isdigit() and len(name) < 12:
            index = int(name[1:])
            if index < len(self.checkpoints):
                return index
        raise SelectionError(
            f"no checkpoint {name!r} in thread {self.thread_id!r}: give an id, 'head' or @0 to "
            f"@{len(self.checkpoints) - 1}"
        )

    def pair(self, base: str | None = None, target: str | None = None) -> tuple[int | None, int]:
        """Return the indices to compare: the target (the live head by default) and its base.

        The base defaults to the target's parent, and is None where the target is a root.

        Raises:
            SelectionError: the chain is empty or a name means nothing.
        """
        if not self.checkpoints:
            raise SelectionError(f"thread {self.thread_id!r} holds no checkpoint")
        to = self.resolve(target or "head")
        return (self.checkpoints[to].parent if base is None else self.resolve(base)), to

    def _live(self, leaves: list[int]) -> int | None:
        if not leaves:
            return None
        if self.live == "id":
            return max(leaves, key=lambda i: (self.checkpoints[i].checkpoint_id, i))
        oldest = datetime.min.replace(tzinfo=UTC)
        return max(leaves, key=lambda i: (self.checkpoints[i].created_at or oldest, i))
