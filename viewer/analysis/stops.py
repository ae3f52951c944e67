"""Where a thread stopped: its unfinished tasks, followed into the subgraphs that they ran."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from viewer.analysis.tasks import internal, tasks_of
from viewer.chain import Chain
from viewer.model import (
    MISSING,
    Checkpoint,
    Kept,
    NodeInput,
    Rerun,
    Stop,
    StoppedAt,
    Task,
)

_DEEP = 64
"""Levels of subgraphs followed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The unfinished and the finished tasks of a thread's live heads, all levels."""

    stops: tuple[Stop, ...]
    reruns: tuple[Rerun, ...]
    kept: tuple[Kept, ...]
    path: tuple[Chain, ...]
    """The chains followed, outermost first."""


def standing(chain: Chain, nested: Mapping[str, Chain]) -> Standing:
    """Return where ``chain`` stopped.

    Args:
        chain: the thread's own chain.
        nested: the chains of its other namespaces.
    """
    found = _Found()
    _follow(chain, nested, found, (), 0)
    return Standing(
        stops=_innermost(found.stops),
        reruns=tuple(found.reruns),
        kept=tuple(found.kept),
        path=tuple(found.path),
    )


class _Found:
    def __init__(self) -> None:
        self.stops: list[tuple[Stop, str]] = []
        """Each with its task's kind."""
        self.reruns: list[Rerun] = []
        self.kept: list[Kept] = []
        self.path: list[Chain] = []
        self.states: dict[tuple[str, int], NodeInput] = {}
        """What the tasks after a checkpoint read of its state, which is the same for all."""


def _follow(
    chain: Chain,
    nested: Mapping[str, Chain],
    found: _Found,
    above: tuple[str, ...],
    depth: int,
) -> None:
    if chain.head is None:
        return
    found.path.append(chain)
    head = chain.checkpoints[chain.head]
    for task in tasks_of(head):
        if task.finished:
            channels = (w.channel for w in task.writes if not internal(w.channel))
            found.kept.append(
                Kept(
                    namespace=chain.namespace,
                    checkpoint_id=head.checkpoint_id,
                    node=task.node,
                    task=task.id,
                    channels=tuple(dict.fromkeys(channels)),
                    since=head.created_at,
                    call=task.kind == "call",
                )
            )
            continue
        inner = None
        if depth < _DEEP:
            seen = (*above, chain.namespace)
            inner = next(_inner(chain, head, task, nested, seen), None)
        found.reruns.append(
            Rerun(
                namespace=chain.namespace,
                checkpoint_id=head.checkpoint_id,
                node=task.node,
                task=task.id,
                continues_in=inner.namespace if inner else None,
                call=task.kind == "call",
            )
        )
        if inner is not None and _explains(inner, task):
            _follow(inner, nested, found, (*above, chain.namespace), depth + 1)
        else:
            found.stops.append((_stop(chain, head, task, found), task.kind))


def _inner(
    chain: Chain,
    head: Checkpoint,
    task: Task,
    nested: Mapping[str, Chain],
    seen: tuple[str, ...],
) -> Iterator[Chain]:
    """Yield the chains of the subgraphs that ``task`` ran, the newest first."""
    named = f"{chain.namespace}|" if chain.namespace else ""
    spaces = {task.namespace, f"{named}{task.node}:{task.id}"}
    for space, other in nested.items():
        own = other.nesting
        if own is not None and (own.namespace, own.checkpoint_id, own.task) == (
            chain.namespace,
            head.checkpoint_id,
            task.id,
        ):
            spaces.add(space)
    known = [nested[s] for s in spaces if s is not None and s in nested and s not in seen]
    yield from sorted(known, key=_newest, reverse=True)


def _newest(chain: Chain) -> str:
    return "" if chain.head is None else chain.checkpoints[chain.head].checkpoint_id


def _explains(inner: Chain, task: Task) -> bool:
    """Return whether a subgraph's head is where ``task`` stopped, not a step that it left behind."""
    if inner.head is None:
        return False
    open_ = [t for t in tasks_of(inner.checkpoints[inner.head]) if not t.finished]
    if task.interrupts:
        return any(t.interrupts for t in open_)
    if task.errors:
        own = {error.message for error in task.errors}
        return any(error.message in own for t in open_ for error in t.errors)
    return bool(open_)


def _stop(chain: Chain, head: Checkpoint, task: Task, found: _Found) -> Stop:
    return Stop(
        at=StoppedAt(
            namespace=chain.namespace,
            checkpoint_id=head.checkpoint_id,
            index=head.index,
            step=head.step,
            node=task.node,
            task=task.id,
        ),
        error=task.errors[-1].message if task.errors else None,
        interrupts=tuple(replace(asked, open=True) for asked in task.interrupts),
        input=_input(chain, head, task, found),
        since=head.created_at,
    )


def _input(chain: Chain, head: Checkpoint, task: Task, found: _Found) -> NodeInput:
    if task.input is not MISSING:
        return NodeInput(
            kind="send",
            value=task.input,
            namespace=chain.namespace,
            checkpoint_id=head.checkpoint_id,
            index=head.index,
        )
    at = chain.namespace, head.index
    if at not in found.states:
        found.states[at] = _state_input(chain, head)
    return found.states[at]


def _state_input(chain: Chain, head: Checkpoint) -> NodeInput:
    state, pointer = chain.states[head.index], ""
    if isinstance(state, dict):
        own = {name: value for name, value in state.items() if not internal(name)}
        given = state.get("__start__", MISSING)
        state, pointer = (own, "") if own or given is MISSING else (given, "/__start__")
    return NodeInput(
        kind="state",
        value=state,
        namespace=chain.namespace,
        checkpoint_id=head.checkpoint_id,
        index=head.index,
        pointer=pointer,
    )


def _innermost(stops: Sequence[tuple[Stop, str]]) -> tuple[Stop, ...]:
    """Return the stops without tasks whose question or error a call inside them holds as well."""
    asked = {i.id for stop, kind in stops if kind == "call" for i in stop.interrupts}
    errors = {stop.error for stop, kind in stops if kind == "call" and stop.error is not None}
    return tuple(
        stop
        for stop, kind in stops
        if kind == "call"
        or not (
            (stop.interrupts and all(i.id in asked for i in stop.interrupts))
            or stop.error in errors
        )
    )
