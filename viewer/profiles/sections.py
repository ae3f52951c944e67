"""``profile.toml`` as written: one pydantic model a section."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from viewer.errors import ProfileError
from viewer.model import Phase, UsageName
from viewer.profiles.identifiers import compiled
from viewer.profiles.rule_sections import (
    ObjectWhile,
    PatternText,
    PointerText,
    Rule,
    Section,
    StatusFromState,
)


def _expression(text: str) -> str:
    try:
        compiled(text)
    except ProfileError as error:
        raise ValueError(str(error)) from error
    return text


Plane = Literal[
    "canonical artifact",
    "execution",
    "conversation",
    "derived context",
    "external environment",
    "control/provenance",
]
FileName = Annotated[str, Field(pattern=r"^[^/\\]+$")]


class Match(Section):
    """When a profile claims a state: every ``all`` pointer exists and no ``none`` pointer does."""

    all: tuple[PointerText, ...] = ()
    none: tuple[PointerText, ...] = ()


class Fields(Section):
    """Pointers of what the chain needs; a wrapper's own field wins over them."""

    status: PointerText | None = None
    step: PointerText | None = None
    max_steps: PointerText | None = None
    node: PointerText | None = None
    checkpoint_id: PointerText | None = None
    parent_id: PointerText | None = None
    thread_id: PointerText | None = None
    run_id: PointerText | None = None
    created_at: PointerText | None = None
    goal: PointerText | None = None
    stop_reason: PointerText | None = None
    messages: PointerText | None = None
    evidence: PointerText | None = None
    proposal: PointerText | None = None
    plan: PointerText | None = None
    memory_refs: PointerText | None = None
    pending_tool: PointerText | None = None
    """The call whose answer the run waits for: an object with ``name`` and ``callId``."""


class Transition(Section):
    """Legal edges out of one status; ``self`` edges are legal unless the status is terminal."""

    from_: str = Field(alias="from")
    to: tuple[str, ...]
    note: Mapping[str, str] = {}
    """Per target: what the edge means ("approved")."""


class Status(Section):
    """The status machine."""

    values: tuple[str, ...] = ()
    start: tuple[str, ...] = ()
    terminal: tuple[str, ...] = ()
    phases: Mapping[str, Phase] = {}
    passed: Phase | None = None
    """Phase of a checkpoint that has children, where its word says only how a leaf stands."""
    transition: tuple[Transition, ...] = ()

    @model_validator(mode="after")
    def _words_are_values(self) -> Self:
        edges = [word for edge in self.transition for word in (edge.from_, *edge.to, *edge.note)]
        for word in (*self.start, *self.terminal, *self.phases, *edges):
            if word not in self.values:
                raise ValueError(f"{word!r} is not in status.values")
        for edge in self.transition:
            if edge.from_ in self.terminal:
                raise ValueError(f"terminal status {edge.from_!r} cannot be left")
        return self


class Schema(Section):
    """Files beside ``profile.toml``."""

    state: FileName | None = None
    working: PointerText | None = None
    """Place in the state that the run's own ``working.schema.json`` closes."""
    memory: FileName | None = None
    task: FileName | None = None


class Projection(Section):
    """The part of a state that the model is shown."""

    include: tuple[PatternText, ...] = ()
    exclude: tuple[PatternText, ...] = ()
    optional: tuple[PatternText, ...] = ()
    """Places that an app may show in its own way (in a system prompt) or not: neither meant to be
    shown nor a leak; ``include`` and ``exclude`` win."""


class UsageFields(Section):
    """Where usage stands: pointers by usage field, or in each message."""

    pointers: Mapping[UsageName, PointerText] = {}
    cumulative: bool = True
    messages: PointerText | None = None
    """Pointer of a message list whose items carry ``usage_metadata`` or the like."""
    budget: Mapping[UsageName, float] = {}
    """Usage field → the most that a run may use."""


class Approval(Section):
    """What waits for a person."""

    proposal: PointerText | None = None
    actions: PointerText | None = None
    """Pointer of the action list, relative to the proposal."""
    tool: PointerText = "/tool"
    args: PointerText | None = None
    """Pointer of an action's arguments; absent means that they stand beside the tool's name."""
    allowed: tuple[str, ...] = ()


class Grounding(Section):
    """Which identifiers matter and who may prove them."""

    identifiers: tuple[Annotated[str, AfterValidator(_expression)], ...] = ()
    """Regular expressions of the safe subset: see `viewer.profiles.identifiers`."""
    evidence_ids: PatternText | None = None
    """Pattern, relative to an evidence row, of the identifiers that the tool returned."""
    evidence_ok: PointerText = "/ok"
    action_id: PointerText | None = None
    """Pointer, relative to an action, of the identifier that it acts on."""
    seen: str | None = None
    """What the set of proven identifiers is called (``seen_orders``)."""


class ProfileFile(Section):
    """``profile.toml`` as written."""

    name: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    title: str
    version: str
    notes: tuple[str, ...] = ()
    """What a person should know of every chain of this family: what it cannot say."""
    match: Match = Match()
    fields: Fields = Fields()
    status: Status = Status()
    schema_: Schema = Field(default=Schema(), alias="schema")
    lists: Mapping[PatternText, str] = {}
    """Pattern of a list → key that identifies its items."""
    noise: tuple[PatternText, ...] = ()
    """Patterns that the diff folds: they change at every step and mean nothing to a reader."""
    rules: tuple[Rule, ...] = ()
    projection: Projection | None = None
    usage: UsageFields | None = None
    owners: Mapping[PatternText, str] = {}
    """Pattern → who may write there; the first pattern that covers a place counts."""
    planes: Mapping[PatternText, Plane] = {}
    """Pattern → plane of state; the first pattern that covers a place counts."""
    approval: Approval | None = None
    grounding: Grounding | None = None

    @model_validator(mode="after")
    def _rules_name_statuses(self) -> Self:
        for rule in self.rules:
            for word in _status_words(rule):
                if word not in self.status.values:
                    raise ValueError(f"rule {rule.name} names {word!r}, which is no status value")
        return self


def _status_words(rule: Rule) -> tuple[str, ...]:
    if isinstance(rule, ObjectWhile):
        return rule.args.status
    if isinstance(rule, StatusFromState):
        args = rule.args
        return (
            args.leaves,
            args.without,
            args.with_actions,
            args.otherwise,
            *args.by_outcome.values(),
        )
    return ()


def profile_json_schema() -> dict[str, Any]:
    """Return the JSON Schema (Draft 2020-12) of ``profile.toml``; published under schemas/."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **ProfileFile.model_json_schema(by_alias=True),
        "title": "profile.toml: what the fields of one family of states mean",
    }
