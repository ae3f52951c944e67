"""``[[rules]]`` of a profile: each rule that the third gate knows, with the arguments it takes.

What a rule means in code stands in ``viewer/analysis/rules.py`` under the same name.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from viewer.errors import PointerError
from viewer.pointer import pattern, split


def _pointer(text: str) -> str:
    try:
        split(text)
    except PointerError as error:
        raise ValueError(str(error)) from error
    return text


def _pattern(text: str) -> str:
    try:
        pattern(text)
    except PointerError as error:
        raise ValueError(str(error)) from error
    return text


def _one_token(text: str) -> str:
    if len(split(_pointer(text))) != 1:
        raise ValueError(f"must name one key of an item, as /key: {text!r}")
    return text


PointerText = Annotated[str, AfterValidator(_pointer)]
"""A JSON Pointer (RFC 6901)."""
PatternText = Annotated[str, AfterValidator(_pattern)]
"""A JSON Pointer with ``*`` for one token and ``**`` for any tail; ``~2`` is a literal star."""
KeyPointer = Annotated[str, AfterValidator(_one_token)]
"""A JSON Pointer of one token."""


class Section(BaseModel):
    """A table of ``profile.toml``: unknown keys are errors, values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class When(Section):
    """A rule holds only for states where ``pointer`` exists (or not), or equals a value."""

    pointer: PointerText
    equals: Any = None
    exists: bool | None = None

    @model_validator(mode="after")
    def _one_condition(self) -> Self:
        if ("equals" in self.model_fields_set) == ("exists" in self.model_fields_set):
            raise ValueError("give either equals or exists")
        return self

    @property
    def asks_existence(self) -> bool:
        """Whether the condition is ``exists``."""
        return "exists" in self.model_fields_set


class _Rule(Section):
    when: When | None = None


class NoArgs(Section):
    """The rule takes no arguments."""


class StepMonotone(_Rule):
    """The number at ``pointer`` never falls from parent to child."""

    name: Literal["step_monotone"]
    pointer: PointerText
    args: NoArgs = NoArgs()


class MaxStepsArgs(Section):
    """Where the bound stands."""

    max: PointerText


class MaxSteps(_Rule):
    """The number at ``pointer`` never exceeds the one at ``max``; no ``max``, no bound."""

    name: Literal["max_steps"]
    pointer: PointerText
    args: MaxStepsArgs


class Constant(_Rule):
    """The value at ``pointer`` is the same in parent and child."""

    name: Literal["constant"]
    pointer: PointerText
    args: NoArgs = NoArgs()


class UniqueCheckpointIds(_Rule):
    """No two checkpoints of a chain have the same id."""

    name: Literal["unique_checkpoint_ids"]
    args: NoArgs = NoArgs()


class ParentExists(_Rule):
    """Every parent that a checkpoint names is in the chain."""

    name: Literal["parent_exists"]
    args: NoArgs = NoArgs()


class IdempotencyArgs(Section):
    """Where, in each object that the pattern names, its identity and its key stand."""

    id: PointerText
    key: PointerText
    tasks: bool = False
    """Judge the task envelopes beside the chain too, and compare references with them."""


class IdempotencyStable(_Rule):
    """An idempotency key, once given to an id, never changes along a lineage."""

    name: Literal["idempotency_stable"]
    pointer: PatternText
    args: IdempotencyArgs


class MemoryRefExists(_Rule):
    """Every id in the list at ``pointer`` is a memory, when memories are at hand."""

    name: Literal["memory_ref_exists"]
    pointer: PointerText
    args: NoArgs = NoArgs()


class AppendOnlyArgs(Section):
    """What may change in an item that stands already."""

    may_change: tuple[KeyPointer, ...] = ()


class AppendOnly(_Rule):
    """The list at ``pointer`` only grows: the child's begins with the parent's items."""

    name: Literal["append_only"]
    pointer: PointerText
    args: AppendOnlyArgs = AppendOnlyArgs()


class Ephemeral(_Rule):
    """A value at ``pointer`` (null is none) does not survive into the next step."""

    name: Literal["ephemeral"]
    pointer: PointerText
    args: NoArgs = NoArgs()


class ObjectWhileArgs(Section):
    """The statuses in which the object must stand."""

    status: tuple[str, ...] = Field(min_length=1)


class ObjectWhile(_Rule):
    """An object stands at ``pointer`` exactly in some statuses, else nothing or null."""

    name: Literal["object_while"]
    pointer: PointerText
    args: ObjectWhileArgs


class StatusFromStateArgs(Section):
    """Which status follows from which proposal."""

    leaves: str
    """Only a checkpoint whose parent has this status, and which has not, is judged."""
    proposal: PointerText
    actions: PointerText
    outcome: PointerText
    without: str
    """Status where there is no proposal."""
    with_actions: str
    by_outcome: Mapping[str, str] = {}
    otherwise: str


class StatusFromState(_Rule):
    """The status at ``pointer`` follows from the proposal when the run leaves a status."""

    name: Literal["status_from_state"]
    pointer: PointerText
    args: StatusFromStateArgs


class GroundedIdentifier(_Rule):
    """An action of the proposal at ``pointer`` names only identifiers that a tool returned.

    Uses ``[approval]``, ``[grounding]`` and ``fields.evidence``.
    """

    name: Literal["grounded_identifier"]
    pointer: PointerText
    args: NoArgs = NoArgs()


Rule = Annotated[
    StepMonotone
    | MaxSteps
    | Constant
    | UniqueCheckpointIds
    | ParentExists
    | IdempotencyStable
    | MemoryRefExists
    | AppendOnly
    | Ephemeral
    | ObjectWhile
    | StatusFromState
    | GroundedIdentifier,
    Field(discriminator="name"),
]
