"""From messages to the records of a chain: one step for each run of messages by one side."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from viewer.model import MISSING, Record

SIDES: Mapping[str, str] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "model",
    "ai": "model",
    "model": "model",
    "tool": "tools",
    "function": "tools",
}
"""Role → who made a step of it; the node of the step."""


STEPS = 2_000
"""Most steps of one conversation; a longer one puts neighbouring runs of messages together."""
HELD = 10_000_000
"""Messages that the states of one conversation may list together, each being the list so far."""


def steps_for(messages: int) -> int:
    """Return how many steps a conversation of so many messages may have, evenly spaced."""
    return max(1, min(STEPS, 2 * HELD // max(1, messages)))


class Said(NamedTuple):
    """One message, and where it stands in its file."""

    message: Mapping[str, Any]
    side: str
    place: str
    made_id: str
    size: int
    at: datetime | None = None
    doubled: tuple[str, ...] = ()
    """Pointers in `message` of keys that stand twice in one object."""


def grown(said: Sequence[Said], most: int) -> tuple[Record, ...]:
    """Return one record for each run of messages by one side; its state is the list so far.

    Where that makes more than ``most`` records, neighbouring runs are put together evenly, so that
    the last record still holds every message.
    """
    ends = [
        n for n in range(1, len(said) + 1) if n == len(said) or said[n].side != said[n - 1].side
    ]
    if len(ends) > most:
        ends = [ends[(len(ends) * (n + 1)) // most - 1] for n in range(most)]
    records, start, size = [], 0, 0
    for step, end in enumerate(ends):
        own = said[start:end]
        size += sum(one.size for one in own)
        records.append(
            Record(
                place=own[0].place,
                made_id=own[0].made_id,
                state={"messages": [one.message for one in said[:end]]},
                step=step,
                created_at=next((one.at for one in reversed(own) if one.at), None),
                nodes=tuple(dict.fromkeys(one.side for one in own)),
                parent_id=MISSING,
                size_bytes=size,
                duplicate_keys=tuple(
                    f"/messages/{n}{at}" for n, one in enumerate(own, start) for at in one.doubled
                ),
            )
        )
        start = end
    return tuple(records)
