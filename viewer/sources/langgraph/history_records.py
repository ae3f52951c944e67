"""From the states that LangGraph told of one chain to its records.

What a store's rows say for certain is told here by the tasks: one has finished where it has a
result, where ``get_state`` no longer names it as next, or where a later step was saved.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from viewer.chain import when
from viewer.model import Interrupt, Record, Task
from viewer.sources.elements import Element
from viewer.sources.langgraph.derive import DONE, FAILED, INTERRUPTED, PENDING
from viewer.sources.langgraph.history_outcome import outcome
from viewer.sources.langgraph.history_state import ToldState

ROOT = "__root__"
"""LangGraph's own name for the one channel of a state that is no object."""


class Entry(NamedTuple):
    """A state and where it stands."""

    element: Element
    told: ToldState


def ordered(entries: Sequence[Entry]) -> list[Entry]:
    """Return the states of a chain oldest first, one that stands twice alike only once."""
    unlike: list[Entry] = []
    by_id: dict[str, list[Any]] = {}
    for entry in entries:
        seen = by_id.setdefault(entry.told.checkpoint_id or "", [])
        if entry.told.checkpoint_id is None or entry.element.value not in seen:
            unlike.append(entry)
            seen.append(entry.element.value)
    position = {entry.told.checkpoint_id: number for number, entry in enumerate(unlike)}
    parents = [
        position[e.told.parent_id] < number
        for number, e in enumerate(unlike)
        if isinstance(e.told.parent_id, str) and e.told.parent_id in position
    ]
    forward = sum(parents) * 2 > len(parents)
    if not parents:
        times = [t for e in unlike if (t := when(e.told.created_at)) is not None]
        forward = len(times) > 1 and times[0] < times[-1]
    return unlike if forward else unlike[::-1]


def records(entries: Sequence[Entry]) -> list[Record]:
    """Return the record of each state of one chain, in the order given."""
    by_id = {entry.told.checkpoint_id: entry.told for entry in entries}
    children: dict[str, list[ToldState]] = {}
    for entry in entries:
        if isinstance(entry.told.parent_id, str):
            children.setdefault(entry.told.parent_id, []).append(entry.told)
    return [
        _record(
            entry,
            by_id.get(entry.told.parent_id) if isinstance(entry.told.parent_id, str) else None,
            children.get(entry.told.checkpoint_id or "", []),
        )
        for entry in entries
    ]


def _record(entry: Entry, parent: ToldState | None, children: Sequence[ToldState]) -> Record:
    element, told = entry
    stepped = any(child.metadata.get("source") == "loop" for child in children)
    tasks = tuple(outcome(one, told, stepped=stepped, leaf=not children) for one in told.tasks)
    asked = tuple(interrupt for task in tasks for interrupt in task.interrupts) or tuple(
        Interrupt(id=own, value=value, task="", open=not children) for own, value in told.questions
    )
    unfinished = [task for task in tasks if not task.finished]
    named = tuple(task.node for task in tasks) or told.next
    live = tuple(task.node for task in unfinished) if tasks else () if stepped else told.next
    metadata = told.metadata
    step, origin, run_id = (metadata.get(key) for key in ("step", "source", "run_id"))
    return Record(
        place=element.place,
        made_id=element.made_id,
        state=settled(told.values),
        checkpoint_id=told.checkpoint_id,
        parent_id=told.parent_id,
        run_id=run_id if isinstance(run_id, str) and run_id else None,
        step=step if type(step) is int else None,
        created_at=when(told.created_at),
        origin=origin if isinstance(origin, str) else None,
        nodes=_writers(told, parent),
        status=_status(named, live, unfinished, asked if not tasks and not stepped else ()),
        next=named,
        next_live=live,
        interrupts=asked,
        errors=tuple(error for task in tasks for error in task.errors),
        tasks=tasks,
        writes=tuple(write for task in tasks for write in task.writes),
        metadata={k: v for k, v in metadata.items() if k not in ("source", "step", "run_id")},
        size_bytes=element.size_bytes,
        duplicate_keys=element.duplicate_keys,
        pointer=element.pointer,
    )


def settled(values: Any) -> dict[str, Any]:
    """Return the values of a state as an object of channels; none at all as an empty one."""
    if isinstance(values, dict):
        return values
    return {} if values is None else {ROOT: values}


def _writers(told: ToldState, parent: ToldState | None) -> tuple[str, ...]:
    """Return the nodes that wrote a state: the tasks of its parent, or those that it names."""
    named = told.metadata.get("writes")
    if isinstance(named, dict) and told.metadata.get("source") != "input":
        return tuple(sorted(named))
    if told.metadata.get("source") != "loop" or parent is None:
        return ()
    return tuple(sorted({task.node for task in parent.tasks} or set(parent.next)))


def _status(
    named: tuple[str, ...],
    live: tuple[str, ...],
    unfinished: Sequence[Task],
    asked: Sequence[Interrupt],
) -> str:
    """Return LangGraph's own distinction; ``pending`` also covers running, killed and paused."""
    if not named:
        return DONE
    if not live:
        return PENDING
    if asked or any(task.interrupts for task in unfinished):
        return INTERRUPTED
    return FAILED if any(task.errors for task in unfinished) else PENDING
