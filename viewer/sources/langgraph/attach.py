"""Which write rows belong to which task: by task path, else by the task's id, else by its traces.

Files of savers before 3.1.2 have no ``task_path``. A task's id is a hash over its trigger
channels, and a join that was never written is in no checkpoint of the chain: then the hash misses
and what a task leaves behind (a subgraph's namespace, an interrupt's id, its name in a join) tells
whose rows they are.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal, NamedTuple

from viewer.model import MISSING
from viewer.sources.langgraph.naming import (
    CONTROL,
    ERROR,
    INTERRUPT,
    NULL_TASK,
    TaskPath,
    interrupt_id,
    saved_late,
    task_id,
    task_namespace,
    update_tasks,
)
from viewer.sources.langgraph.stored import Stored, StoredWrite
from viewer.sources.langgraph.triggers import Names, Planned, all_triggers

QUESTIONS = 8
"""Questions of one task whose ids are tried."""
_EXTRA_JOINS = 6
"""Joins known elsewhere in the store that are tried in every combination."""


RowsKind = Literal["pull", "push", "call", "error_handler", "unknown", "stray"]
"""As in `viewer.model.Task`; ``stray`` where not even a task path tells whose rows they are."""


class TaskRows(NamedTuple):
    """One execution of a node after a checkpoint, with the rows it has stored."""

    id: str
    node: str
    kind: RowsKind
    writes: tuple[StoredWrite, ...]
    input: Any = MISSING
    """The argument of a Send."""

    @property
    def finished(self) -> bool:
        """Whether it has stored an output; interrupts and errors of earlier tries stay behind."""
        return any(write.channel not in CONTROL for write in self.writes)

    @property
    def questions(self) -> tuple[Any, ...]:
        """The interrupts it stored, as decoded."""
        return questions(self.writes)

    @property
    def errors(self) -> tuple[Any, ...]:
        """The error texts it stored."""
        return tuple(write.value for write in self.writes if write.channel == ERROR)


@dataclass(frozen=True, slots=True, kw_only=True)
class Traces:
    """What else of a chain helps to tell tasks apart."""

    namespaces: tuple[str, ...] = ()
    """All namespaces of the thread."""
    subgraphs: Mapping[str, str] = field(default_factory=dict)
    """Task id → the namespace of its subgraph's first call; a namespace without task ids → itself."""
    store_joins: Callable[[], Names] = dict
    """Joins that any checkpoint of the store knows; asked only when an id misses."""
    unattributed: dict[str, int] = field(default_factory=dict)
    """Checkpoint id → tasks left without a node because there were too many; `attach` fills it."""


def questions(writes: Iterable[StoredWrite]) -> tuple[Any, ...]:
    """Return the interrupts that rows hold, one after the other."""
    return tuple(
        question
        for write in writes
        if write.channel == INTERRUPT
        for question in (write.value if isinstance(write.value, list) else [write.value])
    )


def attach(
    stored: Stored, plan: Sequence[Planned], namespace: str, joins: Names, traces: Traces
) -> tuple[tuple[TaskRows, ...], tuple[TaskRows, ...]]:
    """Return the tasks of ``plan`` with their rows, and then the tasks that no plan explains.

    What ``Command`` and ``update_state`` stored is no task's.
    """
    rows = rows_by_task(stored)
    step = stored.step
    late = {task for task in rows if saved_late(task, step)}
    named: set[str] = set()
    by_path: dict[TaskPath, str] = {}
    for write in stored.writes:
        if write.path.kind != "unknown":
            named.add(write.task)
            if write.task not in late:
                by_path[write.path] = write.task
    found: dict[int, str] = {}
    for number, task in enumerate(plan):
        own = by_path.get(TaskPath(task.kind, task.key))
        own = own or next((i for i in _may_be(task) if i in rows), None)
        if own is not None:
            found[number] = own
    taken = {*named, *found.values(), *late}
    free = [task for task in rows if task not in taken]
    updates = update_tasks(stored.checkpoint_id) if free else frozenset()
    free = [task for task in free if task not in updates]
    lost = [number for number in range(len(plan)) if number not in found]
    if free and lost:
        _by_traces(stored, plan, namespace, joins, traces, (lost, free, found, rows))
    tasks = tuple(
        TaskRows(
            id=found.get(number) or task.id or "",
            node=task.node,
            kind=task.kind,
            writes=tuple(rows.get(found.get(number, ""), ())),
            input=task.input,
        )
        for number, task in enumerate(plan)
    )
    explained = {*found.values(), *updates}
    return tasks, tuple(unplanned(task, own) for task, own in rows.items() if task not in explained)


def _may_be(task: Planned) -> tuple[str | None, ...]:
    return task.id, *(i for some in task.others.values() for i in some)


def rows_by_task(stored: Stored) -> dict[str, list[StoredWrite]]:
    """Return the rows at a checkpoint by task id, without what a caller's ``Command`` stored."""
    rows: dict[str, list[StoredWrite]] = {}
    for write in stored.writes:
        if write.task != NULL_TASK:
            rows.setdefault(write.task, []).append(write)
    return rows


def unplanned(task: str, rows: Sequence[StoredWrite]) -> TaskRows:
    """Return a task of which only its rows tell."""
    path = rows[0].path
    kind: RowsKind = "stray" if path.kind == "unknown" else "unknown"
    if path.kind == "call":
        kind = "call"
    elif path.kind == "handler":
        kind = "error_handler"
    return TaskRows(id=task, node=path.node, kind=kind, writes=tuple(rows))


_MOST_PAIRS = 20_000
"""Most pairs of a planned task and unexplained rows compared; beyond, the rows name no node."""
_Open = tuple[list[int], list[str], dict[int, str], dict[str, list[StoredWrite]]]


def _by_traces(
    stored: Stored,
    plan: Sequence[Planned],
    namespace: str,
    joins: Names,
    traces: Traces,
    state: _Open,
) -> None:
    """Match lost tasks and free rows, surest trace first; changes ``state``."""
    lost, free, found, rows = state

    def give(number: int, task: str) -> None:
        found[number] = task
        lost.remove(number)
        free.remove(task)

    for number in list(lost):
        if plan[number].kind == "pull":
            guess = _by_more_joins(stored, plan[number].node, namespace, joins, traces, free)
            if guess is not None:
                give(number, guess)
    level = namespace.count("|") + 1 if namespace else 0
    called = {"|".join(name.split("|")[: level + 1]) for name in traces.namespaces}
    near = {name.rpartition(":")[2] for name in called}
    marks = {task: _marks(rows[task]) for task in free}
    telling = [task for task in free if task in near or any(marks[task])]
    if len(lost) * len(telling) > _MOST_PAIRS:
        traces.unattributed[stored.checkpoint_id] = len(telling)
        return
    for number in list(lost):
        node = plan[number].node
        for task in telling:
            asked, joined = marks[task]
            own = task_namespace(namespace, node, task)
            if own in called or node in joined or (asked and _asks(own, asked)):
                give(number, task)
                telling.remove(task)
                break
    if len(lost) == 1 and len(free) == 1:
        give(lost[0], free[0])


def _by_more_joins(
    stored: Stored, node: str, namespace: str, joins: Names, traces: Traces, free: list[str]
) -> str | None:
    """Return the free task whose id is the node's once joins known elsewhere are added."""
    own = all_triggers(node, set(), joins)
    more = sorted(traces.store_joins().get(node, frozenset()) - own)[:_EXTRA_JOINS]
    at = stored.place(namespace)
    for size in range(1, len(more) + 1):
        for added in combinations(more, size):
            guess = task_id(at, node, "pull", *sorted(own.union(added)))
            if guess in free:
                return guess
    return None


def _marks(rows: Sequence[StoredWrite]) -> tuple[frozenset[str], tuple[Any, ...]]:
    """Return the ids of the questions in a task's rows, and the nodes that its joins name."""
    bodies = [q.get("value") if isinstance(q, dict) else None for q in questions(rows)]
    ids = [body.get("id") for body in bodies if isinstance(body, dict)]
    joined = tuple(w.value for w in rows if w.channel.startswith("join:"))
    return frozenset(i for i in ids if isinstance(i, str)), joined


def _asks(namespace: str, asked: frozenset[str]) -> bool:
    return any(interrupt_id(namespace, question) in asked for question in range(QUESTIONS))
