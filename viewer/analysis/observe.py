"""What the model was shown of a checkpoint, and whether a change reached it.

An observation is recorded beside the run, computed by the profile's projection, or unknown. Only
a recorded one says what happened; a computed one says what would be shown.
"""

from dataclasses import dataclass
from typing import Any, Literal, get_args

from viewer.analysis.messages import message_list
from viewer.analysis.projection import Projector
from viewer.analysis.said import ModelCall, model_calls
from viewer.analysis.shown import is_part_of, occurs
from viewer.analysis.shown_calls import reached
from viewer.chain import Chain
from viewer.equality import same
from viewer.model import MISSING, Change
from viewer.pointer import Tokens, find

Verdict = Literal[
    "shown", "stale", "not shown", "leak", "would be shown", "would not be shown", "unknown"
]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What the model was shown of one checkpoint, in the step that came after it."""

    kind: Literal["recorded", "computed", "unknown"]
    value: Any
    """`MISSING` when unknown."""
    why: str
    """Where it comes from, or why nothing can be said."""
    index: int | None = None
    """Of the checkpoint observed."""
    calls: tuple[ModelCall, ...] | None = None
    """The recorded calls, where the value is made of such; each is one thing that was shown."""


def observe(chain: Chain, index: int) -> Observation:
    """Return the observation of the checkpoint at ``index``: recorded, else computed, else unknown.

    Raises:
        PointerError: a pattern of the profile's projection is malformed.
    """
    checkpoint = chain.checkpoints[index]
    recorded = chain.sidecars.observations
    name = checkpoint.checkpoint_id
    if name in recorded:
        if sum(1 for c in chain.checkpoints if c.checkpoint_id == name) > 1:
            why = f"an observation is recorded for {name}, but several checkpoints have that id"
            return Observation(kind="unknown", value=MISSING, why=why, index=index)
        calls = model_calls(recorded[name])
        why = f"recorded for {name}" + (f": {_told(calls)}" if calls else "")
        return Observation(kind="recorded", value=recorded[name], why=why, index=index, calls=calls)
    if not checkpoint.has_state:
        why = "no observation is recorded, and there is no readable state to compute one from"
        return Observation(kind="unknown", value=MISSING, why=why, index=index)
    projector = Projector(chain.profile)
    if not projector.exists:
        why = f"no observation is recorded, and profile {chain.profile.name} has no projection"
        return Observation(kind="unknown", value=MISSING, why=why, index=index)
    shown = projector.project(chain.state(index))
    return Observation(
        kind="computed",
        value={} if shown is MISSING else shown,
        why=f"computed by the projection of profile {chain.profile.name}; nothing is recorded",
        index=index,
    )


def _told(calls: tuple[ModelCall, ...]) -> str:
    count = "1 model call" if len(calls) == 1 else f"{len(calls)} model calls"
    nodes = ", ".join(dict.fromkeys(call.node for call in calls if call.node))
    failed = sum(call.failed for call in calls)
    return count + (f" by {nodes}" if nodes else "") + (f", {failed} failed" if failed else "")


def verdict(chain: Chain, change: Change, observation: Observation) -> Verdict:
    """Return whether ``change`` reached the model by ``observation``, that of its target.

    Of a recorded observation: ``shown`` (the target's value; for a removal, the value is gone),
    ``stale`` (the base's value), ``not shown`` though the projection means it to be, ``leak``
    (shown although the projection leaves it out), ``would not be shown`` (left out, and indeed not
    there). Of a computed one: ``would be shown`` or ``would not be shown``. Whatever cannot be
    told, as where a free text may say the same in other words, is ``unknown``. Where calls are
    recorded, a change of the message list is judged by what the messages say, whatever spelling
    each side has; elsewhere the texts of the call decide.

    Raises:
        PointerError: a pattern of the profile's projection is malformed.
    """
    if observation.kind == "unknown":
        return "unknown"
    projector = Projector(chain.profile)
    gone = change.op == "remove"
    at = change.old_path if gone else change.path
    value = change.old if gone else change.new
    meant = projector.part(at, value)
    if observation.kind == "computed":
        if meant is MISSING and projector.is_optional(at):
            return "unknown"
        return "would not be shown" if meant is MISSING else "would be shown"
    index = observation.index
    state = MISSING if index is None else chain.states[index]
    before = change.old if change.old is MISSING else projector.part(change.old_path, change.old)
    known = projector.exists and not projector.is_optional(at)
    seen = observation.value
    try:
        if observation.calls is not None:
            where, _ = message_list(state, chain.profile)
            found = reached(observation.calls, change, state, where)
            if found is not None:
                return found
            seen = [[list(call.entries), list(call.tools)] for call in observation.calls]
        projected = projector.project(state)
        judge = _Recorded(seen, state, projected, meant, known)
        return judge.removal(at, change.old) if gone else judge.arrival(at, change, before)
    except RecursionError:
        return "unknown"


@dataclass(frozen=True, slots=True)
class _Recorded:
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
            return "would not be shown" if self._placed and here is MISSING else "unknown"
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
        return "would not be shown" if self.hidden else if_meant
