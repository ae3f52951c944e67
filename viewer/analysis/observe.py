"""What the model was shown of a checkpoint, and whether a change reached it.

An observation is recorded beside the run, computed by the profile's projection, or unknown. Only
a recorded one says what happened; a computed one says what would be shown.
"""

from dataclasses import dataclass
from typing import Any, Literal

from viewer.analysis.messages import message_list
from viewer.analysis.projection import Projector
from viewer.analysis.said import ModelCall, model_calls, plain_call
from viewer.analysis.shown_calls import reached, twins
from viewer.analysis.shown_places import VERDICTS as VERDICTS
from viewer.analysis.shown_places import Recorded, Verdict
from viewer.chain import Chain
from viewer.model import MISSING, Change


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What the model was shown of one checkpoint, in the step that came after it."""

    kind: Literal["recorded", "computed", "unknown"]
    value: Any
    """`MISSING` when unknown."""
    why: str
    """Where it comes from, or why nothing can be said; of a computed one at a resting head also that
    no model call came after it."""
    index: int | None = None
    """Of the checkpoint observed."""
    calls: tuple[ModelCall, ...] | None = None
    """The recorded calls, where the value is made of such; each is one thing that was shown."""
    read: Any = MISSING
    """What of a recorded value a model reads: a call's messages and tools, not its place and time."""


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
        return _recorded(chain, index, name)
    if not checkpoint.has_state:
        why = "no observation is recorded, and there is no readable state to compute one from"
        return Observation(kind="unknown", value=MISSING, why=why, index=index)
    projector = Projector(chain.profile)
    if not projector.exists:
        why = f"no observation is recorded, and profile {chain.profile.name} has no projection"
        return Observation(kind="unknown", value=MISSING, why=why, index=index)
    shown = projector.project(chain.state(index))
    if shown is MISSING and projector.optional:
        why = (
            f"no observation is recorded, and nothing stands in the state of which profile"
            f" {chain.profile.name} knows that a model is shown it"
        )
        return Observation(kind="unknown", value=MISSING, why=why, index=index)
    return Observation(
        kind="computed",
        value={} if shown is MISSING else shown,
        why=f"{_ahead(chain, index)}computed by the projection of profile {chain.profile.name};"
        " nothing is recorded",
        index=index,
    )


def _ahead(chain: Chain, index: int) -> str:
    """Return, of a head where the run rests, that no model has been shown its state."""
    here = chain.checkpoints[index]
    if here.phase in ("running", "unknown") or any(c.parent == index for c in chain.checkpoints):
        return ""
    # What a task did before it stopped, or has saved without a checkpoint, may hold a call.
    worked = here.errors or any(t.finished or t.writes or t.interrupts for t in here.tasks)
    how = "is known" if worked else "came"
    return f"no model call {how} after this checkpoint: this is what one would be shown; "


def _recorded(chain: Chain, index: int, name: str) -> Observation:
    value, state = chain.sidecars.observations[name], chain.states[index]
    calls, read, why = model_calls(value), value, f"recorded for {name}"
    if calls is not None:
        read, why = [[*c.entries, *c.tools] for c in calls], f"{why}: {_told(calls)}"
    elif (one := plain_call(value, message_list(state, chain.profile)[1])) is not None:
        calls = (one,)
    return Observation(kind="recorded", value=value, why=why, index=index, calls=calls, read=read)


def _told(calls: tuple[ModelCall, ...]) -> str:
    count = "1 model call" if len(calls) == 1 else f"{len(calls)} model calls"
    nodes = ", ".join(dict.fromkeys(call.node for call in calls if call.node))
    failed = sum(call.failed for call in calls)
    return count + (f" by {nodes}" if nodes else "") + (f", {failed} failed" if failed else "")


def verdict(chain: Chain, change: Change, observation: Observation) -> Verdict:
    """Return whether ``change`` reached the model by ``observation``, that of its target.

    Of a recorded observation: ``shown`` (the target's value; for a removal, the value is gone),
    ``stale`` (the base's value), ``not shown`` though the projection means it to be, ``leak``
    (shown although the projection leaves it out), ``left out`` (by the projection, and indeed not
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
    try:
        if observation.calls is not None:
            where, _ = message_list(state, chain.profile)
            found = reached(observation.calls, change, state, where)
            if found is not None:
                return found
        projected = projector.project(state)
        judge = Recorded(observation.read, state, projected, meant, known)
        return judge.removal(at, change.old) if gone else judge.arrival(at, change, before)
    except RecursionError:
        return "unknown"


def shown_instead(chain: Chain, change: Change, observation: Observation) -> Any:
    """Return what a model was shown in the place of a changed message, as it was recorded.

    `MISSING` where no call is recorded, the change concerns no message, or no call had a message of
    its id or of its words. Of several calls the first one that had it tells.
    """
    if observation.calls is None or observation.index is None or change.op == "remove":
        return MISSING
    state = chain.states[observation.index]
    where, _ = message_list(state, chain.profile)
    return twins(observation.calls, change, state, where)
