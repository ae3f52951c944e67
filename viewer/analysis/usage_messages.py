"""Usage from the messages of a chain, each counted where it first stands."""

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Any

from viewer.analysis.message_usage import message_model
from viewer.analysis.messages import Message, fields, message_list, read_message
from viewer.analysis.usage_counters import Cost, summed
from viewer.chain import Chain
from viewer.model import USAGE, Usage
from viewer.profiles import Profile

NOTHING = Usage()
CALL = Usage(model_calls=1)
"""A call that left no record of what it cost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One call of a model, at the checkpoint where it counts."""

    model: str | None
    """None where the message does not name it."""
    usage: Usage


@dataclass(frozen=True, slots=True)
class _Call:
    id: str | None
    said: str
    """What an answer without an id is known by."""
    cost: Usage
    recorded: bool
    model: str | None


def from_messages(
    chain: Chain,
) -> tuple[list[Cost], dict[str, Usage], list[tuple[ModelCall, ...]]]:
    """Return each checkpoint's cost, that of each answer with an id, and each checkpoint's calls.

    A checkpoint costs what the model's messages cost which are new at it.

    A message of the model is one call. One with an id counts once in the whole chain. One without
    is known by what it says, and is new where it stands more often than in any checkpoint of its
    lineage before: a list cut at its front repeats nothing, two equal answers are two calls.

    Every field is None where the chain holds no record at all, and so is, at every step, a field
    that no message records.
    """
    calls = _Calls(chain.profile)
    lineage = _Lineage(chain)
    paid: dict[str, Usage] = {}
    steps: list[list[ModelCall] | None] = []
    recorded = False
    for checkpoint in chain.checkpoints:
        said = lineage.enter(checkpoint.parent)
        if not checkpoint.has_state:
            steps.append(None)
            continue
        made = calls.of(chain.state(checkpoint.index))
        recorded = recorded or any(call.recorded for call in made)
        steps.append([*_by_id(made, paid), *_by_words(made, said)])
    return (
        [(cost, ()) for cost in _costs(steps, recorded)],
        paid if recorded else {},
        [tuple(made or ()) for made in steps],
    )


class _Lineage:
    """How often each answer without an id has stood at most, on the way to a checkpoint."""

    def __init__(self, chain: Chain) -> None:
        self.most: list[dict[str, int]] = []
        self.children = [0] * len(chain.checkpoints)
        for checkpoint in chain.checkpoints:
            if checkpoint.parent is not None:
                self.children[checkpoint.parent] += 1

    def enter(self, parent: int | None) -> dict[str, int]:
        """Return the counts that the next checkpoint starts from; the caller adds its own."""
        most: dict[str, int] = {}
        if parent is not None:
            most = self.most[parent]
            self.children[parent] -= 1
            if self.children[parent]:
                # Another branch starts here later; only the last one may take the counts over.
                most = dict(most)
        self.most.append(most)
        return most


class _Calls:
    """The model's messages of a state; an entry that stood in an earlier state is read once."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.known: dict[int, tuple[Any, _Call | None]] = {}
        self.last: list[tuple[Any, _Call | None]] = []

    def of(self, state: Any) -> list[_Call]:
        """Return the calls of ``state`` in the order of its messages."""
        where, entries = message_list(state, self.profile)
        read = []
        for position, entry in enumerate(entries):
            known = self.known.get(id(entry)) or self._equal(position, entry)
            if known is None:
                # The entry is kept beside what it says, so that its id() stays its own.
                known = entry, _call(read_message(position, entry, (*where, position)), entry)
                self.known[id(entry)] = known
            read.append(known)
        self.last = read
        return [call for _, call in read if call is not None]

    def _equal(self, position: int, entry: Any) -> tuple[Any, _Call | None] | None:
        """Return what an equal entry said at this place of the state before, if one stands there.

        Readers share equal parts of states; where one does not, this spares reading them again.
        """
        if position >= len(self.last):
            return None
        try:
            return self.last[position] if self.last[position][0] == entry else None
        except RecursionError:
            return None


def _call(message: Message, entry: Any) -> _Call | None:
    if message.role != "assistant":
        return None
    said = "" if message.id is not None else _digest(entry)
    model = message_model(fields(entry)[0])
    return _Call(message.id, said, message.usage or CALL, message.usage is not None, model)


def _digest(entry: Any) -> str:
    try:
        text = json.dumps(entry, sort_keys=True)
    except (ValueError, TypeError, RecursionError):
        # Too deep or too large to write down: known by its place in memory alone.
        return f"@{id(entry)}"
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _by_id(calls: list[_Call], paid: dict[str, Usage]) -> list[ModelCall]:
    """Return the costs of calls with an id that is new; ``paid`` holds what each has cost."""
    found = []
    for call in calls:
        before = None if call.id is None else paid.get(call.id)
        if call.id is None or (before is not None and (before != CALL or not call.recorded)):
            continue
        # An answer may stand without its record first; the call itself has counted then.
        cost = call.cost if before is None else replace(call.cost, model_calls=0)
        found.append(ModelCall(model=call.model, usage=cost))
        paid[call.id] = call.cost
    return found


def _by_words(calls: list[_Call], most: dict[str, int]) -> list[ModelCall]:
    here: dict[str, int] = {}
    found = []
    for call in calls:
        if call.id is None:
            here[call.said] = here.get(call.said, 0) + 1
            if here[call.said] > most.get(call.said, 0):
                most[call.said] = here[call.said]
                found.append(ModelCall(model=call.model, usage=call.cost))
    return found


def _costs(steps: list[list[ModelCall] | None], recorded: bool) -> list[Usage]:
    known = {
        name
        for calls in steps
        for call in calls or ()
        for name in USAGE
        if getattr(call.usage, name) is not None
    }
    if not recorded:
        return [NOTHING for _ in steps]
    zero = Usage(**dict.fromkeys(known, 0))
    return [
        NOTHING if made is None else summed(tuple(c.usage for c in made)) if made else zero
        for made in steps
    ]
