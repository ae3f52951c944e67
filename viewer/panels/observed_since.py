"""What the diff draws of a change in what the model was shown."""

from typing import Any

from viewer.analysis.observation_change import ObservationChange
from viewer.jsontext import dumps

_CHARACTERS = 100_000
"""Most characters of one message that are sent; the whole stands in the observation."""


def since_payload(found: ObservationChange) -> dict[str, Any]:
    """Return ``found`` as `viewer.panels.diff3.diff_payload` takes it: each text as JSON text."""
    return {
        "title": found.title,
        "summary": found.summary,
        "messages": [
            {
                "op": change.op,
                "role": change.role,
                "text": _text(change.text),
                "old": None if change.old is None else _text(change.old),
                "at": change.at,
            }
            for change in found.messages
        ],
        "system": None
        if found.system is None
        else {
            "old": None if found.system[0] is None else _text(found.system[0]),
            "new": None if found.system[1] is None else _text(found.system[1]),
        },
        "kept": found.kept,
        "prompt": found.prompt,
    }


def _text(text: str) -> str:
    cut = text[:_CHARACTERS]
    return dumps(cut if len(cut) == len(text) else f"{cut}… ({len(text):,} characters)")
