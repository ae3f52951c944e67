"""What is new in what a model was shown, since the model call before.

The call before is looked for along the parent links: the nearest earlier checkpoint whose
observation is known and after which a model was called. Where calls are recorded only those count;
a computed observation counts where the state says that a model answered it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from viewer.analysis.diff import diff
from viewer.analysis.messages import Message, message_list, read_message
from viewer.analysis.observe import Observation, observe
from viewer.analysis.observed_calls import call_pairs, shown_calls_of
from viewer.analysis.observed_messages import MessageChange, compare_messages
from viewer.analysis.said import Said, said
from viewer.analysis.summary import summary
from viewer.analysis.summary_words import counted
from viewer.chain import Chain
from viewer.model import MISSING
from viewer.pointer import find
from viewer.profiles import Profile

_FARTHEST = 10_000
"""Most steps back that the call before is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationChange:
    """What a model was shown, against what was shown at the call before."""

    index: int
    """Of the checkpoint whose observation is the earlier one."""
    title: str
    """``since @2``, and how both are known where they are known differently."""
    summary: str
    messages: tuple[MessageChange, ...]
    system: tuple[str | None, str | None] | None
    """The system prompt before and now, None for none; None as a whole where it stayed."""
    kept: int
    """How many messages stayed as and where they were, those of an unchanged system prompt too."""
    prompt: str
    """What is said of a system prompt that is not among the changes: ``system prompt unchanged``,
    or that it is not known of the call before; empty where none was shown."""


def observation_change(
    chain: Chain, index: int, observation: Observation
) -> tuple[ObservationChange | None, str]:
    """Return what is new in ``observation``, that of the checkpoint at ``index``; else the reason.

    Of several calls at a checkpoint each is compared with the last one before it, by the same node
    where that made one.

    Raises:
        PointerError: a pattern of the profile's projection is malformed.
    """
    now = shown_calls_of(observation, chain.profile)
    if not now:
        return None, "what the model was shown is not known"
    found = _before(chain, index, observation)
    if found is None:
        return None, "no earlier model call of this line is known"
    at, earlier = found
    before = shown_calls_of(earlier, chain.profile)
    pairs = list(call_pairs(before, now))
    compared = [compare_messages(a.messages, b.messages, b.places) for a, b in pairs]
    systems = [(a.system, b.system) for a, b in pairs]
    # Computed from a state, a prompt that stands in none is not known to be missing.
    alike = earlier.kind == observation.kind
    known = [pair for pair in systems if alike or None not in pair]
    system = next((pair for pair in known if pair[0] != pair[1]), None)
    stayed = sum(b.prompts for a, b in pairs if a.system == b.system)
    kept = sum(one.kept for one in compared) + stayed
    prompt = "system prompt unchanged" if stayed and system is None else ""
    if any(pair not in known and pair[1] is not None for pair in systems):
        prompt = "system prompt not known of the call before"
    messages = tuple(change for one in compared for change in one.changes)
    words = _message_words(messages, kept)
    if system is not None:
        words.append(f"system prompt {_changed(system)}")
    elif prompt:
        words.append(prompt)
    words += dict.fromkeys(_rest(a.rest, b.rest, chain.profile) for a, b in pairs)
    how = "" if alike else f" ({earlier.kind} there, {observation.kind} here)"
    many = f", {counted(len(now), 'call')}" if len(now) > 1 else ""
    return (
        ObservationChange(
            index=at,
            title=f"since @{at}{many}{how}",
            summary=", ".join(word for word in words if word) or "nothing else was shown",
            messages=messages,
            system=system,
            kept=kept,
            prompt=prompt,
        ),
        "",
    )


def _before(chain: Chain, index: int, observation: Observation) -> tuple[int, Observation] | None:
    """Return the nearest earlier checkpoint of the line with a known model call, and what it was."""
    recorded = chain.sidecars.observations
    line = list(_ancestors(chain, index))
    if observation.kind == "recorded":
        # Where calls are recorded, a step without a record made none.
        for at in line:
            if chain.checkpoints[at].checkpoint_id in recorded:
                found = observe(chain, at)
                if shown_calls_of(found, chain.profile):
                    return at, found
    child = index
    for at in line:
        if answered(chain, at, child):
            found = observe(chain, at)
            if found.kind != "unknown" and shown_calls_of(found, chain.profile):
                return at, found
        child = at
    return None


def _ancestors(chain: Chain, index: int) -> Iterator[int]:
    at = chain.checkpoints[index].parent
    for _ in range(_FARTHEST):
        if at is None:
            return
        yield at
        at = chain.checkpoints[at].parent


def answered(chain: Chain, index: int, child: int) -> bool:
    """Return whether a model was called between a checkpoint and its child, as their states tell.

    A recorded observation tells, the profile's counter of calls, else a new message of the model;
    where the state has none of these nothing speaks against it.
    """
    before, after = chain.states[index], chain.states[child]
    if chain.checkpoints[index].checkpoint_id in chain.sidecars.observations:
        return True
    if before is MISSING or after is MISSING:
        return False
    rules = chain.profile.file.usage
    counter = rules.pointers.get("model_calls") if rules else None
    if rules and counter:
        now, then = find(after, counter), find(before, counter)
        if isinstance(now, int | float):
            base = then if isinstance(then, int | float) and rules.cumulative else 0
            return now > base
    where, listed = message_list(after, chain.profile)
    if not where:
        return True
    same = message_list(before, chain.profile)[1]
    shared = {id(entry) for entry in same}
    fresh = [read_message(i, e, (*where, i)) for i, e in enumerate(listed) if id(e) not in shared]
    known = {_own(read_message(i, entry, (i,))) for i, entry in enumerate(same)} if fresh else set()
    return any(m.role == "assistant" and _own(m) not in known for m in fresh)


def _own(message: Message) -> Said:
    """Return what tells a message from others: its id, else what it says."""
    return said(message) if message.id is None else (message.id,)


def _message_words(messages: Sequence[MessageChange], kept: int) -> list[str]:
    times = Counter(change.op for change in messages)
    if not messages:
        return [f"the same {counted(kept, 'message')}"] if kept else []
    words: list[str] = []
    for op in ("added", "dropped", "edited", "moved"):
        if number := times[op]:
            words.append(f"{number:,} {op}" if words else f"{counted(number, 'message')} {op}")
    return words


def _changed(system: tuple[str | None, str | None]) -> str:
    old, new = system
    return "added" if old is None else "dropped" if new is None else "changed"


def _rest(base: Any, target: Any, profile: Profile) -> str:
    """Return what changed beside the messages, as a sentence; empty where nothing did."""
    changes = diff(base, target, profile.lists)
    return summary(changes, base, target, profile) if changes else ""
