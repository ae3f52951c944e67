"""What one message says that its model call cost, in any of the spellings found in the wild."""

import math
from collections.abc import Mapping
from typing import Any

from viewer.model import Number, Usage

_LARGEST = 2**63

SPELLINGS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "input_tokens": (("input_tokens",), ("prompt_tokens",), ("inputTokens",)),
    "output_tokens": (("output_tokens",), ("completion_tokens",), ("outputTokens",)),
    "total_tokens": (("total_tokens",), ("totalTokens",)),
    "cache_read_tokens": (
        ("input_token_details", "cache_read"),
        ("cache_read_input_tokens",),
        ("prompt_tokens_details", "cached_tokens"),
        ("input_tokens_details", "cached_tokens"),
        ("cache_read_tokens",),
    ),
    "cache_write_tokens": (
        ("input_token_details", "cache_creation"),
        ("cache_creation_input_tokens",),
        ("cache_write_tokens",),
    ),
    "reasoning_tokens": (
        ("output_token_details", "reasoning"),
        ("completion_tokens_details", "reasoning_tokens"),
        ("output_tokens_details", "reasoning_tokens"),
        ("reasoning_tokens",),
    ),
    "cost_usd": (("cost_usd",),),
    "model_seconds": (("model_seconds",),),
}
"""Usage field → where LangChain, OpenAI (chat, Responses), Anthropic and Bedrock write it."""

PLACES = (
    ("usage_metadata",),
    ("response_metadata", "token_usage"),
    ("response_metadata", "usage"),
    ("usage",),
)


MODELS = (
    ("response_metadata", "model_name"),
    ("response_metadata", "model"),
    ("response_metadata", "model_id"),
    ("model_name",),
    ("model",),
)
"""Where LangChain, OpenAI, Anthropic and pydantic-ai name the model that answered."""


def message_model(body: Mapping[str, Any]) -> str | None:
    """Return the name of the model that wrote a message, or None where its fields name none."""
    named = (_at(body, way) for way in MODELS)
    return next((name for name in named if isinstance(name, str) and name), None)


def message_usage(body: Mapping[str, Any]) -> Usage | None:
    """Return the usage recorded in a message's fields, or None where there is no record.

    The first place that holds a count is taken, so a record written twice counts once.
    """
    for place in PLACES:
        found = usage_record(_at(body, place))
        if found is not None:
            return found
    return None


def usage_record(record: Any) -> Usage | None:
    """Return the counts of one usage object as the usage of one call; None where it has none."""
    if not isinstance(record, Mapping):
        return None
    counts = {
        name: next((n for way in ways if (n := count(_at(record, way))) is not None), None)
        for name, ways in SPELLINGS.items()
    }
    if all(number is None for number in counts.values()):
        return None
    return Usage(model_calls=1, **counts)


def count(value: Any) -> Number:
    """Return ``value`` where it can be an amount: a finite number from 0 up; else None."""
    if type(value) not in (int, float) or not 0 <= value < _LARGEST:
        return None
    return value if type(value) is int or math.isfinite(value) else None


def _at(value: Any, way: tuple[str, ...]) -> Any:
    for key in way:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value
