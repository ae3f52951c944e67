"""What a person chose, opened."""

from dataclasses import dataclass

from viewer.analysis.check import CheckResult
from viewer.analysis.resume import Position, position
from viewer.chain import Chain
from viewer.model import ThreadRef, Why
from viewer.sources import Source
from viewer.ui import cache


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What the person chose, opened: one thread of one source and a pair of its checkpoints."""

    source: Source
    ref: ThreadRef
    chain: Chain
    result: CheckResult
    target: int
    base: int | None

    @property
    def answer(self) -> Why:
        """Why the thread stands where it stands."""
        return cache.answer(self.source, self.ref)

    @property
    def position(self) -> Position:
        """Where the run stands and what comes next."""
        return position(self.chain, self.result)
