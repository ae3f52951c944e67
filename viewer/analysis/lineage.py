"""A chain as rules see it: each state beside the nearest readable one it came from."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from viewer.chain import Chain
from viewer.equality import same
from viewer.jsontext import type_name
from viewer.model import MISSING, NotRun, Violation
from viewer.pointer import exists, find
from viewer.profiles import Rule, When


@dataclass(frozen=True, slots=True)
class Pair:
    """A state and the one it came from."""

    index: int
    base: int
    """Index of the nearest ancestor that has a state."""
    before: Any
    after: Any


class Unfit(Exception):
    """Why a rule cannot judge a state; never leaves the rules."""


class Lineage:
    """The states of a chain along its parent links; a state that is lost is stepped over."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.base: list[int | None] = []
        """Per checkpoint: its nearest ancestor that has a state."""
        for checkpoint in chain.checkpoints:
            parent = checkpoint.parent
            if parent is not None and not chain.checkpoints[parent].has_state:
                parent = self.base[parent]
            self.base.append(parent)

    def states(self, when: When | None) -> Iterator[tuple[int, Any]]:
        """Yield index and state of each checkpoint for which ``when`` holds."""
        for checkpoint in self.chain.checkpoints:
            if checkpoint.has_state:
                state = self.chain.states[checkpoint.index]
                if _holds(when, state):
                    yield checkpoint.index, state

    def pairs(self, when: When | None) -> Iterator[Pair]:
        """Yield each state with its base; ``when`` must hold for one of the two."""
        for checkpoint in self.chain.checkpoints:
            base = self.base[checkpoint.index]
            if base is None or not checkpoint.has_state:
                continue
            states = self.chain.states
            pair = Pair(checkpoint.index, base, states[base], states[checkpoint.index])
            if _holds(when, pair.after) or _holds(when, pair.before):
                yield pair

    def violation(self, rule: Rule, index: int | None, pointer: str, message: str) -> Violation:
        """Return a violation of ``rule``; index None means a file beside the chain."""
        return Violation(
            gate="rule",
            keyword=rule.name,
            pointer=pointer,
            message=message,
            checkpoint_id=None if index is None else self.chain.checkpoints[index].checkpoint_id,
            index=index,
        )

    def not_run(self, rule: Rule, index: int | None, reason: object) -> NotRun:
        """Return that ``rule`` cannot judge a checkpoint, or with index None the whole chain."""
        return NotRun(
            gate="rule",
            rule=rule.name,
            checkpoint_id=None if index is None else self.chain.checkpoints[index].checkpoint_id,
            index=index,
            reason=str(reason),
        )


def integer_at(state: Any, pointer: str, whose: str = "it") -> int:
    """Return the integer at ``pointer`` (2.0 is one, as in JSON Schema).

    Raises:
        Unfit: there is none.
    """
    found = find(state, pointer, MISSING)
    if type(found) is int:
        return found
    if type(found) is float and found.is_integer():
        return int(found)
    raise Unfit(_absent(found, pointer, whose, "an integer"))


def list_at(state: Any, pointer: str, whose: str = "it") -> list[Any]:
    """Return the list at ``pointer``.

    Raises:
        Unfit: there is none.
    """
    found = find(state, pointer, MISSING)
    if isinstance(found, list):
        return found
    raise Unfit(_absent(found, pointer, whose, "a list"))


def value_at(state: Any, pointer: str, whose: str = "it") -> Any:
    """Return whatever stands at ``pointer``.

    Raises:
        Unfit: nothing does.
    """
    found = find(state, pointer, MISSING)
    if found is MISSING:
        raise Unfit(_absent(found, pointer, whose, "a value"))
    return found


def _absent(found: Any, pointer: str, whose: str, wanted: str) -> str:
    if found is MISSING:
        return f"{whose} has no {pointer}"
    return f"{pointer} of {whose} is {type_name(found)}, not {wanted}".replace(" of it", "")


def _holds(when: When | None, state: Any) -> bool:
    if when is None:
        return True
    if when.asks_existence:
        return exists(state, when.pointer) == when.exists
    found = find(state, when.pointer, MISSING)
    return found is not MISSING and same(found, when.equals)
