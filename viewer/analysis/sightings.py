"""What stands at a place, in the few words of a piece of evidence."""

from typing import Any

from viewer.jsontext import dumps
from viewer.model import MISSING, Checkpoint, Evidence
from viewer.pointer import Tokens, find, join

_BRIEF = 80


def seen(checkpoint: Checkpoint, state: Any, at: Tokens) -> Evidence:
    """Return what stands at ``at`` in the state of ``checkpoint``."""
    value = find(state, at, MISSING)
    return Evidence(
        checkpoint_id=checkpoint.checkpoint_id,
        index=checkpoint.index,
        pointer=join(at),
        note="nothing" if value is MISSING else brief(value),
    )


def brief(value: Any) -> str:
    """Return a value as JSON on one line of a few words."""
    text = dumps(value)
    return text if len(text) <= _BRIEF else f"{text[: _BRIEF - 1]}…"
