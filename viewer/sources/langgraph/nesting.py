"""Which task of which chain a namespace belongs to, and whether that task still stands.

A namespace is its parent's with ``|node:taskid`` added; a second call of a subgraph in one task
adds ``|1``; a subgraph compiled with ``checkpointer=True`` keeps one namespace for all its runs,
without task ids. ``metadata.parents`` names the parent's checkpoint. Sources:
``langgraph/pregel/_algo.py``, ``langgraph/_internal/_config.py`` (``recast_checkpoint_ns``).
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from viewer.model import Nesting, Problem, Task
from viewer.sources.langgraph.ancestry import Ancestry, Step
from viewer.sources.langgraph.attach import Traces
from viewer.sources.langgraph.derive import facts
from viewer.sources.langgraph.naming import without_ids
from viewer.sources.langgraph.records import StoreNames
from viewer.sources.langgraph.stored import Stored
from viewer.sources.langgraph.triggers import Wiring, entry_name, join_names

LEVELS = 64
"""Namespaces deeper than this are not followed to their root."""


class Above(NamedTuple):
    """What the name of a namespace, and its checkpoints' metadata, say of its parent."""

    namespace: str
    """The nearest ancestor that has checkpoints."""
    ran: tuple[tuple[str, str | None], ...]
    """Node and task of each part in between, deepest first; a call's stands below its caller's. No
    task for a subgraph that keeps one namespace for all its runs."""
    checkpoint_id: str | None


class Nester:
    """Finds where the namespaces of one thread belong, each once."""

    def __init__(self, ancestry: Ancestry, traces: Traces, names: StoreNames) -> None:
        self._ancestry = ancestry
        self._traces = traces
        self._names = names

    def nesting(self, namespace: str, head: Stored | None) -> Nesting | None:
        """Return where ``namespace`` belongs; None for a root.

        Args:
            namespace: of a chain.
            head: its live head; without one nothing tells the parent's checkpoint.
        """
        way: list[Above] = []
        at, newest = namespace, head
        while at and len(way) <= LEVELS:
            above = _above(at, newest, self._traces.namespaces)
            way.append(above)
            at = above.namespace
            newest = self._ancestry.head(at) if at else None
        found: Nesting | None = None
        if at:
            return _left(way[0], None, f"it lies more than {LEVELS} namespaces deep")
        for above in reversed(way):
            found = self._placed(above, found)
        return found

    def _placed(self, above: Above, outer: Nesting | None) -> Nesting:
        """Return the nesting below a chain that itself stands as ``outer`` says."""
        if above.checkpoint_id is None:
            return _left(above, None, "no checkpoint says which one of the parent it started from")
        step = self._ancestry.step(above.namespace, above.checkpoint_id)
        if step is None:
            return _left(above, None, f"its parent's checkpoint {above.checkpoint_id} is not there")
        task = self._task(above, step)
        if task is None:
            return _left(above, None, f"no task after checkpoint {above.checkpoint_id} ran it")
        named = f"task {task.node or task.id} after checkpoint {above.checkpoint_id}"
        if task.finished or any(child.origin == "loop" for child in step.children):
            return _nesting(above, task, "finished", f"{named} has finished")
        if step.children:
            origins = " and ".join(sorted({child.origin or "?" for child in step.children}))
            reason = f"{named} was left: the parent went on from there by {origins}"
            return _nesting(above, task, "detached", reason)
        if not step.head:
            reason = f"{named} stands on a branch that is not the live one"
            return _nesting(above, task, "detached", reason)
        if outer is not None and outer.standing != "live":
            reason = f"its parent {above.namespace} is {outer.standing}: {outer.reason}"
            return _nesting(above, task, outer.standing, reason)
        return _nesting(above, task, "live", f"{named} has not finished")

    def _task(self, above: Above, step: Step) -> Task | None:
        """Return the task that ran the namespace: by id, by node, else the one that called it.

        The id of a task without rows may not be known, nor that of a call.
        """
        near = [one for one in (step.stored, step.parent, *step.children) if one is not None]
        old = any(one.known and (one.v or 1) <= 2 for one in near)
        wiring = Wiring(
            joins=join_names(channel for one in near for channel in one.versions),
            reads=self._names.reads() if old else {},
            entry=entry_name(near),
        )
        own = facts(
            step.stored, step.parent, step.children, above.namespace, wiring, self._traces
        ).tasks
        by_id = {task.id: task for task in own}
        same = next((by_id[task] for _, task in above.ran if task in by_id), None)
        if same is not None:
            return same
        planned = [task for task in own if task.kind in ("pull", "push")]
        node, named = above.ran[-1]
        runs = [task for task in planned if task.node == node]
        if named is None:
            return next((task for task in runs if not task.finished), runs[-1] if runs else None)
        return next((task for task in runs if not task.writes), None)


def detachment(nesting: Nesting | None, place: str) -> list[Problem]:
    """Return a note where nothing waits for what a namespace does."""
    if nesting is None or nesting.standing != "detached":
        return []
    reason = (
        "detached namespace, nothing of the run waits for it (an earlier attempt, or left by a"
        f" fork): {nesting.reason}"
    )
    return [Problem(place=place, reason=reason, keyword="detached")]


def _above(namespace: str, head: Stored | None, namespaces: Sequence[str]) -> Above:
    """Return the parent of a namespace.

    A graph between two that saves nothing has no chain: then the task is its caller's. A namespace
    without task ids may lie below one with them: ``metadata.parents`` holds that one's name.
    """
    named = head.metadata.get("parents") if head is not None else None
    parents: Mapping[str, Any] = named if isinstance(named, Mapping) else {}
    parts = namespace.split("|")
    if len(parts) > 2 * LEVELS:
        return Above("", ((namespace, None),), None)
    ran: list[tuple[str, str | None]] = []
    while True:
        while len(parts) > 1 and parts[-1].isdigit():
            parts.pop()
        node, _, task = parts.pop().partition(":")
        ran.append((node, task or None))
        above = "|".join(parts)
        if not task and above not in namespaces:
            same = [n for n in parents if n in namespaces and without_ids(n) == above]
            above = same[-1] if same else above
        if not parts or above in namespaces:
            own = parents.get(above)
            return Above(above, tuple(ran), own if isinstance(own, str) else None)


def _left(above: Above, task: Task | None, reason: str) -> Nesting:
    return _nesting(above, task, "detached", reason)


def _nesting(above: Above, task: Task | None, standing: Any, reason: str) -> Nesting:
    node, named = above.ran[-1]
    if task is not None:
        node = next((node for node, own in above.ran if own == task.id), task.node or node)
    return Nesting(
        namespace=above.namespace,
        checkpoint_id=above.checkpoint_id if task is not None else None,
        task=named if task is None else task.id,
        node=node,
        standing=standing,
        reason=reason,
    )
