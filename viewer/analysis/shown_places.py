"""What a recorded observation says of a change, by its place and by its words."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

from viewer.analysis.shown import is_part_of, occurs
from viewer.equality import same
from viewer.model import MISSING, Change
from viewer.pointer import Tokens, find

Verdict = Literal[
    "shown",
    "stale",
    "not shown",
    "leak",
    "left out",
    "would be shown",
    "would not be shown",
    "unknown",
]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded observation beside the state it was made of."""

    seen: Any
    state: Any
    projected: Any
    meant: Any
    """What of the change the projection shows; `MISSING` for nothing."""
    known: bool
    """There is a projection; without one ``meant`` is everything and says nothing."""

    @property
    def hidden(self) -> bool:
        """The projection leaves the change out."""
        return self.known and self.meant is MISSING

    @property
    def _placed(self) -> bool:
        """The observation has the state's shape: what is not at its place was not shown there."""
        return is_part_of(self.seen, self.state)

    def removal(self, at: Tokens, old: Any) -> Verdict:
        """Judge a value that the target no longer has."""
        here = find(self.seen, at, MISSING)
        if here is not MISSING and same(here, old):
            # In a list the next item may have moved up, and may be equal.
            moved_up = same(find(self.state, at, MISSING), old)
            return "unknown" if moved_up else self._judged("stale")
        if occurs(self.seen, old):
            if not occurs(self.state, old):
                return self._judged("stale")
            if not self._placed:
                return "unknown"
        return self._absent("shown")

    def arrival(self, at: Tokens, change: Change, before: Any) -> Verdict:
        """Judge a value that is new in the target; ``before`` is what the base would have shown."""
        new, old = change.new, change.old
        here = find(self.seen, at, MISSING)
        if here is not MISSING:
            if same(here, new):
                whole = not self.known or (not self.hidden and same(self.meant, new))
                return "shown" if whole else "leak"
            if not self.hidden and same(here, self.meant):
                return "shown"
            if old is not MISSING and (same(here, old) or same(here, before)):
                return self._judged("stale")
        if occurs(self.seen, new):
            if not (self.hidden and occurs(self.projected, new)):
                return self._judged("shown")
            # The same text is shown openly from another place of the state.
            return "left out" if self._placed and here is MISSING else "unknown"
        if here is not MISSING:
            return self._unlike(at, new)
        if old is not MISSING and occurs(self.seen, old):
            return "unknown" if occurs(self.state, old) else self._judged("stale")
        return self._absent("not shown")

    def _unlike(self, at: Tokens, new: Any) -> Verdict:
        """Judge a place that holds neither value: an item of a list may stand further on."""
        holder = find(self.seen, at[:-1])
        if not isinstance(holder, list):
            return "unknown"
        if any(same(entry, new) for entry in holder):
            return self._judged("shown")
        return self._absent("not shown")

    def _judged(self, otherwise: Verdict) -> Verdict:
        return "leak" if self.hidden else otherwise

    def _absent(self, if_meant: Verdict) -> Verdict:
        if not self.known or not self._placed:
            return "unknown"
        return "left out" if self.hidden else if_meant
