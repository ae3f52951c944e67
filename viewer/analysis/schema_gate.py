"""The schema gate over a chain: its states, the run's own ``working`` and the files beside it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from viewer.analysis.nesting import Nesting
from viewer.analysis.schema import Fault, StateSchema, compile_schema
from viewer.chain import Chain
from viewer.errors import SchemaFileError, ViewerError
from viewer.model import MISSING, NotRun, Violation
from viewer.pointer import find, split

WORKING = "working.schema.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Schemas:
    """The schemas that a chain is held against, ready for use."""

    states: tuple[StateSchema, ...]
    working: StateSchema | None
    working_fault: str | None
    """Why the run's own schema of ``working`` cannot be used."""
    memory: StateSchema | None
    task: StateSchema | None

    @property
    def declared(self) -> bool:
        """Whether there is anything to judge by."""
        return bool(self.states or self.working or self.working_fault)


def schemas(chain: Chain, given: Mapping[str, Any] | None) -> Schemas:
    """Return the profile's schemas and ``given``, which adds to them.

    Raises:
        SchemaFileError: one of them is invalid. The run's own schema only becomes a fault.
    """
    profile = chain.profile
    own = _own(profile.state_schema)
    states = () if own is None else (own,)
    working, fault = _working(chain)
    return Schemas(
        states=states if given is None else (*states, compile_schema(given)),
        working=working,
        working_fault=fault,
        memory=_own(profile.memory_schema),
        task=_own(profile.task_schema),
    )


def _own(schema: Mapping[str, Any] | None) -> StateSchema | None:
    """Return a profile's schema ready for use: the same one for every chain."""
    return None if schema is None else _compiled(json.dumps(schema))


@lru_cache(maxsize=32)
def _compiled(text: str) -> StateSchema:
    return compile_schema(json.loads(text))


def _working(chain: Chain) -> tuple[StateSchema | None, str | None]:
    own = chain.sidecars.working_schema
    if own is None or chain.profile.file.schema_.working is None:
        return None, None
    try:
        return compile_schema(own), None
    except SchemaFileError as error:
        return None, str(error)


def judge(chain: Chain, by: Schemas) -> Iterator[Violation | NotRun]:
    """Yield every fault of every state, memory and task, and what could not be judged.

    A fault beside the chain has neither checkpoint nor index: its message begins with the file,
    and its pointer leads into it.
    """
    if by.working_fault is not None:
        yield _not_run(chain, None, WORKING, by.working_fault)
    nesting = Nesting()
    for checkpoint in chain.checkpoints:
        if checkpoint.has_state:
            yield from _state(chain, by, checkpoint.index, nesting)
    if by.memory is not None:
        for name, memory in (chain.sidecars.memories or {}).items():
            yield from _beside(by.memory, memory, f"memories/{name}")
    if by.task is not None:
        for name, versions in chain.sidecars.tasks.items():
            for number, version in enumerate(versions):
                place = f"tasks/{name}" + (f", version {number}" if len(versions) > 1 else "")
                yield from _beside(by.task, version, place)


def _state(chain: Chain, by: Schemas, index: int, nesting: Nesting) -> Iterator[Violation | NotRun]:
    """Yield each fault of one state once, though several schemas find it."""
    state, checkpoint_id = chain.states[index], chain.checkpoints[index].checkpoint_id
    seen: set[tuple[str, str]] = set()
    try:
        for fault in _faults(chain, by, state, nesting):
            key = (fault.pointer, fault.keyword)
            if key not in seen:
                seen.add(key)
                yield _violation(fault, checkpoint_id, index)
    except ViewerError as error:
        yield _not_run(chain, index, "schema", str(error))


def _faults(chain: Chain, by: Schemas, state: Any, nesting: Nesting) -> Iterator[Fault]:
    for schema in by.states:
        yield from schema.faults(state, nesting)
    where = chain.profile.file.schema_.working
    if by.working is not None and where is not None:
        part = find(state, where, MISSING)
        if part is not MISSING:
            at = split(where)
            for fault in by.working.faults(part, nesting):
                yield fault._replace(tokens=(*at, *fault.tokens))


def _beside(schema: StateSchema, value: Any, place: str) -> Iterator[Violation | NotRun]:
    try:
        for fault in schema.faults(value):
            yield _violation(fault._replace(message=f"{place}: {fault.message}"), None, None)
    except ViewerError as error:
        reason = f"{place}: {error}"
        yield NotRun(gate="schema", rule=place, checkpoint_id=None, index=None, reason=reason)


def _violation(fault: Fault, checkpoint_id: str | None, index: int | None) -> Violation:
    return Violation(
        gate="schema",
        keyword=fault.keyword,
        pointer=fault.pointer,
        message=fault.message,
        checkpoint_id=checkpoint_id,
        index=index,
        causes=fault.causes,
    )


def _not_run(chain: Chain, index: int | None, rule: str, reason: str) -> NotRun:
    own = None if index is None else chain.checkpoints[index].checkpoint_id
    return NotRun(gate="schema", rule=rule, checkpoint_id=own, index=index, reason=reason)
