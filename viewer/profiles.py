"""Profiles: what the fields of one family of states mean, as data.

A profile is a folder with ``profile.toml``; ours are under ``schemas/``, a user brings another by
path. Nothing in a profile is code: a rule is a name with arguments, a place is a JSON Pointer.
"""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from viewer.errors import PointerError, ProfileError
from viewer.model import Phase
from viewer.pointer import Pattern, exists, find, pattern, split
from viewer.settings import bundle

PLAIN = "plain"
FILE = "profile.toml"
_BYTES = 1024 * 1024


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Match(_Section):
    """When a profile claims a state: every ``all`` pointer exists and no ``none`` pointer does."""

    all: tuple[str, ...] = ()
    none: tuple[str, ...] = ()


class Fields(_Section):
    """Pointers of what the chain needs; a wrapper's own field wins over them."""

    status: str | None = None
    step: str | None = None
    max_steps: str | None = None
    node: str | None = None
    checkpoint_id: str | None = None
    parent_id: str | None = None
    thread_id: str | None = None
    run_id: str | None = None
    created_at: str | None = None
    goal: str | None = None
    stop_reason: str | None = None
    messages: str | None = None
    evidence: str | None = None
    proposal: str | None = None
    plan: str | None = None
    memory_refs: str | None = None


class Transition(_Section):
    """Legal edges out of one status; ``self`` edges are legal unless the status is terminal."""

    from_: str = Field(alias="from")
    to: tuple[str, ...]
    note: Mapping[str, str] = {}
    """Per target: what the edge means ("approved")."""


class Status(_Section):
    """The status machine."""

    values: tuple[str, ...] = ()
    start: tuple[str, ...] = ()
    terminal: tuple[str, ...] = ()
    phases: Mapping[str, Phase] = {}
    transition: tuple[Transition, ...] = ()


class Schema(_Section):
    """Files beside ``profile.toml``."""

    state: str | None = None
    working: str | None = None
    """Pointer that the run's own ``working.schema.json`` closes."""
    memory: str | None = None
    task: str | None = None


class When(_Section):
    """A rule holds only where ``pointer`` exists (or not) or equals a value."""

    pointer: str
    equals: Any = None
    exists: bool | None = None


class Rule(_Section):
    """One named rule of the third gate with its arguments; names are in ``analysis/rules.py``."""

    name: str
    pointer: str = ""
    args: Mapping[str, Any] = {}
    when: When | None = None


class Projection(_Section):
    """The part of a state that the model is shown."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


class UsageFields(_Section):
    """Where usage stands: pointers by usage field, or in each message."""

    pointers: Mapping[str, str] = {}
    cumulative: bool = True
    messages: str | None = None
    """Pointer of a message list whose items carry ``usage_metadata`` or the like."""
    budget: Mapping[str, float] = {}
    """Usage field → the most that a run may use."""


class Approval(_Section):
    """What waits for a person."""

    proposal: str | None = None
    actions: str | None = None
    """Pointer of the action list, relative to the proposal."""
    tool: str = "/tool"
    args: str | None = None
    """Pointer of an action's arguments; None means that they stand beside the tool's name."""
    allowed: tuple[str, ...] = ()


class Grounding(_Section):
    """Which identifiers matter and who may prove them."""

    identifiers: tuple[str, ...] = ()
    """Regular expressions (RE2-safe subset: no backreference, no lookaround)."""
    evidence_ids: str | None = None
    """Pattern, relative to an evidence row, of the identifiers that the tool returned."""
    evidence_ok: str = "/ok"
    action_id: str | None = None
    """Pointer, relative to an action, of the identifier that it acts on."""
    seen: str | None = None
    """What the set of proven identifiers is called (``seen_orders``)."""


class ProfileFile(_Section):
    """``profile.toml`` as written."""

    name: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    title: str
    version: str
    match: Match = Match()
    fields: Fields = Fields()
    status: Status = Status()
    schema_: Schema = Field(default=Schema(), alias="schema")
    lists: Mapping[str, str] = {}
    """Pattern of a list → key that identifies its items."""
    noise: tuple[str, ...] = ()
    """Patterns that the diff folds: they change at every step and mean nothing to a reader."""
    rules: tuple[Rule, ...] = ()
    projection: Projection | None = None
    usage: UsageFields | None = None
    owners: Mapping[str, str] = {}
    """Pattern → who may write there."""
    planes: Mapping[
        str,
        Literal[
            "canonical artifact",
            "execution",
            "conversation",
            "derived context",
            "external environment",
            "control/provenance",
        ],
    ] = {}
    approval: Approval | None = None
    grounding: Grounding | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A profile ready for use: files read, pointers and patterns compiled."""

    file: ProfileFile
    state_schema: Mapping[str, Any] | None
    memory_schema: Mapping[str, Any] | None
    task_schema: Mapping[str, Any] | None
    lists: tuple[tuple[Pattern, str], ...]
    noise: tuple[Pattern, ...]
    owners: tuple[tuple[Pattern, str], ...]
    planes: tuple[tuple[Pattern, str], ...]
    legal: Mapping[str, tuple[str, ...]]
    """Status → statuses it may turn into, itself included unless it is terminal."""

    @property
    def name(self) -> str:
        """The profile's name (``agent-state``)."""
        return self.file.name

    def field(self, name: str, state: Any) -> Any:
        """Return the value of the field ``name`` of `Fields` in ``state``; None where it is not."""
        where = getattr(self.file.fields, name)
        return None if where is None else find(state, where)

    def phase(self, status: str | None, *, leaf: bool = True) -> Phase:
        """Return the phase of a status word; langgraph's words mean "running" off the leaf."""
        if status is None:
            return "unknown"
        if self.name == "langgraph" and not leaf:
            return "running"
        return self.file.status.phases.get(status, "unknown")

    def owner(self, tokens: tuple[str | int, ...]) -> str | None:
        """Return who may write at ``tokens``: the first pattern that covers it, or None."""
        return next((who for where, who in self.owners if where.matches(tokens)), None)

    def plane(self, tokens: tuple[str | int, ...]) -> str | None:
        """Return the plane of ``tokens``: the first pattern that covers it, or None."""
        return next((plane for where, plane in self.planes if where.matches(tokens)), None)


def load_profile(name: str | Path) -> Profile:
    """Return the profile called ``name``, or the one in the folder that ``name`` is.

    Raises:
        ProfileError: there is none, or its files are not what they must be.
    """
    text = str(name)
    if text in builtin_names():
        return _load(bundle() / "schemas" / text)
    folder = Path(name)
    if folder.is_dir():
        return _load(folder)
    names = ", ".join(builtin_names())
    raise ProfileError(f"no profile {text!r}: neither one of {names} nor a folder with {FILE}")


@cache
def builtin_names() -> tuple[str, ...]:
    """Return the names of the profiles that come with the viewer, sorted."""
    return tuple(sorted(p.parent.name for p in (bundle() / "schemas").glob(f"*/{FILE}")))


@cache
def builtin_profiles() -> tuple[Profile, ...]:
    """Return the profiles that come with the viewer, by name."""
    return tuple(_load(bundle() / "schemas" / name) for name in builtin_names())


def choose(state: Any, candidates: tuple[Profile, ...] | None = None) -> Profile:
    """Return the profile whose ``[match]`` claims ``state``: most pointers win, else plain.

    Raises:
        ProfileError: two profiles claim it with equally many pointers.
    """
    best: list[Profile] = []
    most = 0
    for profile in builtin_profiles() if candidates is None else candidates:
        match = profile.file.match
        if not match.all or any(exists(state, p) for p in match.none):
            continue
        if all(exists(state, p) for p in match.all) and len(match.all) >= most:
            best = [*best, profile] if len(match.all) == most else [profile]
            most = len(match.all)
    if len(best) > 1:
        names = " and ".join(p.name for p in best)
        raise ProfileError(f"profiles {names} both claim this state; name one with --profile")
    return best[0] if best else load_profile(PLAIN)


@cache
def _load(folder: Path) -> Profile:
    path = folder / FILE
    try:
        raw = tomllib.loads(_text(path))
        file = ProfileFile.model_validate(raw)
    except tomllib.TOMLDecodeError as error:
        raise ProfileError(f"{path}: not TOML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = "/" + "/".join(map(str, first["loc"]))
        raise ProfileError(f"{path}#{where}: {first['msg']}") from error
    try:
        for where in _pointers(file):
            split(where)
        return Profile(
            file=file,
            state_schema=_schema(folder, file.schema_.state),
            memory_schema=_schema(folder, file.schema_.memory),
            task_schema=_schema(folder, file.schema_.task),
            lists=tuple((pattern(p), key) for p, key in file.lists.items()),
            noise=tuple(pattern(p) for p in file.noise),
            owners=tuple((pattern(p), who) for p, who in file.owners.items()),
            planes=tuple((pattern(p), plane) for p, plane in file.planes.items()),
            legal=_legal(file.status, path),
        )
    except PointerError as error:
        raise ProfileError(f"{path}: {error}") from error


def _pointers(file: ProfileFile) -> list[str]:
    fields = file.fields.model_dump(exclude_none=True)
    return [*fields.values(), *file.match.all, *file.match.none]


def _legal(status: Status, path: Path) -> dict[str, tuple[str, ...]]:
    known = set(status.values)
    legal: dict[str, tuple[str, ...]] = {
        word: () if word in status.terminal else (word,) for word in status.values
    }
    for edge in status.transition:
        for word in (edge.from_, *edge.to):
            if word not in known:
                raise ProfileError(f"{path}: transition names {word!r}, which is no status value")
        legal[edge.from_] += tuple(to for to in edge.to if to not in legal[edge.from_])
    return legal


def _schema(folder: Path, name: str | None) -> dict[str, Any] | None:
    if name is None:
        return None
    path = folder / name
    if path.parent.resolve() != folder.resolve():
        raise ProfileError(f"{folder / FILE}: schema {name!r} must stand beside the profile")
    try:
        found = json.loads(_text(path))
    except json.JSONDecodeError as error:
        raise ProfileError(f"{path}:{error.lineno}:{error.colno}: {error.msg}") from error
    if not isinstance(found, dict):
        raise ProfileError(f"{path}: a schema must be an object")
    return found


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _BYTES:
            raise ProfileError(f"{path}: larger than {_BYTES} bytes")
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ProfileError(f"{path}: {error}") from error
