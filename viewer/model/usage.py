"""What model calls cost."""

from dataclasses import dataclass
from typing import Literal, get_args

Number = int | float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What model calls cost; None means that no record says, which is not 0."""

    model_calls: Number = None
    input_tokens: Number = None
    output_tokens: Number = None
    total_tokens: Number = None
    cache_read_tokens: Number = None
    cache_write_tokens: Number = None
    reasoning_tokens: Number = None
    cost_usd: Number = None
    model_seconds: Number = None

    def __add__(self, other: "Usage") -> "Usage":
        """Return the sum field by field; a None never adds."""
        return Usage(**{name: _plus(getattr(self, name), getattr(other, name)) for name in USAGE})


UsageName = Literal[
    "model_calls",
    "input_tokens",
    "output_tokens",
    "total_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    "cost_usd",
    "model_seconds",
]
USAGE: tuple[UsageName, ...] = get_args(UsageName)


def _plus(a: Number, b: Number) -> Number:
    if a is None or b is None:
        return b if a is None else a
    return a + b
