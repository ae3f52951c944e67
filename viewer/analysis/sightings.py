"""What stands at a place, in the few words of a piece of evidence."""

from typing import Any

from viewer.analysis.messages import is_message, read_message
from viewer.jsontext import dumps
from viewer.model import MISSING, Checkpoint, Evidence
from viewer.pointer import Tokens, find, join

_BRIEF = 80
_WIDE, _DEEP = 8, 4
"""Entries and levels of which a few words can tell."""


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
    """Return a value as JSON on one line of a few words.

    Of a stored message object its role and text are told, not the names of its class.
    """
    text = dumps(_pruned(value, _DEEP))
    return text if len(text) <= _BRIEF else f"{text[: _BRIEF - 1]}…"


def _pruned(value: Any, levels: int) -> Any:
    """Return the part of ``value`` that fits into a few words; the rest is left out."""
    if isinstance(value, str):
        return value[: 2 * _BRIEF]
    if not isinstance(value, dict | list) or not value:
        return value
    if isinstance(value, dict) and ("$type" in value or "lc" in value) and is_message(value):
        return _said(value)
    if not levels:
        return "…"
    if isinstance(value, list):
        return [_pruned(entry, levels - 1) for entry in value[:_WIDE]]
    return {key: _pruned(value[key], levels - 1) for key in list(value)[:_WIDE]}


def _said(entry: Any) -> str:
    """Return role and text of a message, or what it calls where it says nothing."""
    message = read_message(0, entry, ())
    calls = ", ".join(call.name or "?" for call in message.tool_calls)
    said = message.text or (f"calls {calls}" if calls else "")
    return f"{message.role}: {said}"[: 2 * _BRIEF]
