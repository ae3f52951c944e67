"""Which task of which chain a namespace belongs to, and whether that task still stands.

A namespace is its parent's with ``|node:taskid`` added; a second call of a subgraph in one task
adds ``|1``; a subgraph compiled with ``checkpointer=True`` keeps one namespace for all its runs,
without task ids. ``metadata.parents`` names the parent's checkpoint. Sources:
``langgraph/pregel/_algo.py``, ``langgraph/_internal/_config.py`` (``recast_checkpoint_ns``).
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from viewer.model import Nesting, Problem
from viewer.sources.langgraph.ancestry import Ancestry, Step
from viewer.sources.langgraph.attach import Traces
from viewer.sources.langgraph.derive import facts
from viewer.sources.langgraph.kin import ParentStep, Ran, ran
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
        at, parents = namespace, _parents(head)
        while at and len(way) <= LEVELS:
            above = _above(at, parents, self._traces.namespaces)
            way.append(above)
            at = above.namespace
            parents = self._named(at) if at else {}
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
        step = self._step(above.namespace, above.checkpoint_id)
        if step is None:
            return _left(above, None, f"its parent's checkpoint {above.checkpoint_id} is not there")
        task = _task(above, step)
        if task is None:
            return _left(above, None, f"no task after checkpoint {above.checkpoint_id} ran it")
        named = f"task {task.node or task.id} after checkpoint {above.checkpoint_id}"
        if task.finished or "loop" in step.origins:
            return _nesting(above, task, "finished", f"{named} has finished")
        if step.origins:
            origins = " and ".join(sorted({origin or "?" for origin in step.origins}))
            reason = f"{named} was left: the parent went on from there by {origins}"
            return _nesting(above, task, "detached", reason)
        if not step.head:
            reason = f"{named} stands on a branch that is not the live one"
            return _nesting(above, task, "detached", reason)
        if outer is not None and outer.standing != "live":
            reason = f"its parent {above.namespace} is {outer.standing}: {outer.reason}"
            return _nesting(above, task, outer.standing, reason)
        return _nesting(above, task, "live", f"{named} has not finished")

    def _named(self, namespace: str) -> Mapping[str, Any]:
        """Return what the live head of a chain above says of those above it, read once."""
        known = self._ancestry.kin.parents
        if namespace not in known:
            known[namespace] = _parents(self._ancestry.head(namespace))
        return known[namespace]

    def _step(self, namespace: str, checkpoint_id: str) -> ParentStep | None:
        """Return the step after a checkpoint, told once for all namespaces that it started."""
        known, name = self._ancestry.kin.steps, (namespace, checkpoint_id)
        if name not in known:
            step = self._ancestry.step(namespace, checkpoint_id)
            known[name] = None if step is None else self._told(namespace, step)
        return known[name]

    def _told(self, namespace: str, step: Step) -> ParentStep:
        near = [one for one in (step.stored, step.parent, *step.children) if one is not None]
        old = any(one.known and (one.v or 1) <= 2 for one in near)
        wiring = Wiring(
            joins=join_names(channel for one in near for channel in one.versions),
            reads=self._names.reads() if old else {},
            entry=entry_name(near),
        )
        own = ran(
            facts(step.stored, step.parent, step.children, namespace, wiring, self._traces).tasks
        )
        origins = tuple(child.origin for child in step.children)
        return ParentStep(own, {task.id: task for task in own}, origins, step.head)


def _task(above: Above, step: ParentStep) -> Ran | None:
    """Return the task that ran the namespace: by id, by node, else the one that called it.

    The id of a task without rows may not be known, nor that of a call.
    """
    by_id = step.by_id
    same = next((by_id[task] for _, task in above.ran if task and task in by_id), None)
    if same is not None:
        return same
    node, named = above.ran[-1]
    runs = [task for task in step.ran if task.planned and task.node == node]
    if named is None:
        return next((task for task in runs if not task.finished), runs[-1] if runs else None)
    return next((task for task in runs if not task.wrote), None)


def detachment(nesting: Nesting | None, place: str) -> list[Problem]:
    """Return a note where nothing waits for what a namespace does."""
    if nesting is None or nesting.standing != "detached":
        return []
    reason = (
        "detached namespace, nothing of the run waits for it (an earlier attempt, or left by a"
        f" fork): {nesting.reason}"
    )
    return [Problem(place=place, reason=reason, keyword="detached")]


def _parents(head: Stored | None) -> Mapping[str, Any]:
    named = head.metadata.get("parents") if head is not None else None
    return named if isinstance(named, Mapping) else {}


def _above(namespace: str, parents: Mapping[str, Any], namespaces: Sequence[str]) -> Above:
    """Return the parent of a namespace.

    A graph between two that saves nothing has no chain: then the task is its caller's. A namespace
    without task ids may lie below one with them: ``metadata.parents`` holds that one's name.
    """
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


def _left(above: Above, task: Ran | None, reason: str) -> Nesting:
    return _nesting(above, task, "detached", reason)


def _nesting(above: Above, task: Ran | None, standing: Any, reason: str) -> Nesting:
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
