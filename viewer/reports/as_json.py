"""Findings for programs: rows and documents, one document a command, published in schemas/cli/.

Every document has ``format_version`` and ``command``; every row carries ``source``, ``thread_id``
and ``namespace`` (null where a row is about a source as a whole). A field that a row may lack is
absent, never null, where null would be a value (``old``, ``new``, ``value``).

Format versions:
  1  the first
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from math import isfinite
from typing import Any

from viewer.chain import Chain
from viewer.equality import same_number
from viewer.jsontext import type_name
from viewer.model import (
    MISSING,
    USAGE,
    Change,
    Checkpoint,
    NotRun,
    Problem,
    ThreadRef,
    Usage,
    Violation,
)
from viewer.pointer import join

FORMAT_VERSION = 1
Row = dict[str, Any]
_EXACT_BITS = 1024


def document(command: str, **parts: Any) -> Row:
    """Return the document of ``command``: its version, its name and its parts."""
    return {"format_version": FORMAT_VERSION, "command": command, **parts}


def owner(chain: Chain) -> Row:
    """Return what every row of a chain begins with."""
    return {"source": chain.source, "thread_id": chain.thread_id, "namespace": chain.namespace}


def time(moment: datetime | None) -> str | None:
    """Return an aware UTC time in ISO 8601 with ``Z``, or None."""
    return None if moment is None else moment.isoformat().replace("+00:00", "Z")


def problem_row(problem: Problem, source: str, of: Chain | ThreadRef | None = None) -> Row:
    """Return the row of a problem in ``source``, in the thread ``of`` where it concerns one."""
    return {
        "source": source,
        "thread_id": of.thread_id if of else None,
        "namespace": of.namespace if of else None,
        "place": problem.place,
        "reason": problem.reason,
        "keyword": problem.keyword,
        "checkpoint_id": problem.checkpoint_id,
        "index": problem.index,
    }


def named(chain: Chain, index: int) -> Row:
    """Return the row that names one checkpoint."""
    checkpoint = chain.checkpoints[index]
    return {
        **owner(chain),
        "checkpoint_id": checkpoint.checkpoint_id,
        "index": index,
        "step": checkpoint.step,
    }


def checkpoint_row(chain: Chain, checkpoint: Checkpoint) -> Row:
    """Return the row of one checkpoint in the list that ``show`` gives."""
    return {
        **owner(chain),
        "index": checkpoint.index,
        "checkpoint_id": checkpoint.checkpoint_id,
        "parent_id": checkpoint.parent_id,
        "step": checkpoint.step,
        "origin": checkpoint.origin,
        "nodes": list(checkpoint.nodes),
        "status": checkpoint.status,
        "phase": checkpoint.phase,
        "next": list(checkpoint.next),
        "next_live": list(checkpoint.next_live),
        "interrupts": [
            {"id": i.id, "value": i.value, "task": i.task, "open": i.open}
            for i in checkpoint.interrupts
        ],
        "errors": [
            {"task": e.task, "node": e.node, "message": e.message} for e in checkpoint.errors
        ],
        "created_at": time(checkpoint.created_at),
        "size_bytes": checkpoint.size_bytes,
        "has_state": checkpoint.has_state,
        "trusted": checkpoint.trusted,
        "id_made": checkpoint.id_made,
        "gap": checkpoint.gap,
    }


def task_rows(checkpoint: Checkpoint) -> Row:
    """Return ``tasks``, what ran after a checkpoint, and ``caller_writes``, which no task made."""
    own = {task.id for task in checkpoint.tasks}
    return {
        "tasks": [
            {
                "id": task.id,
                "node": task.node,
                "kind": task.kind,
                "finished": task.finished,
                "namespace": task.namespace,
                **({} if task.input is MISSING else {"input": task.input}),
                "writes": [{"channel": w.channel, "value": w.value} for w in task.writes],
                "interrupts": [{"id": i.id, "open": i.open} for i in task.interrupts],
                "errors": [e.message for e in task.errors],
            }
            for task in checkpoint.tasks
        ],
        "caller_writes": [
            {"channel": w.channel, "value": w.value} for w in checkpoint.writes if w.task not in own
        ],
    }


def change_rows(changes: Sequence[Change], of: Mapping[str, Any], noise: set[int]) -> list[Row]:
    """Return a row a change; ``noise`` holds the positions of those that the profile folds."""
    return [
        {**of, **_change(change), **({"noise": True} if position in noise else {})}
        for position, change in enumerate(changes)
    ]


def _change(change: Change) -> Row:
    row: Row = {"op": change.op, "path": change.pointer}
    if change.op == "move" or (change.op == "replace" and change.old_path != change.path):
        row["old_path"] = join(change.old_path)
    if change.old is not MISSING:
        row["old"] = change.old
    if change.new is not MISSING:
        row["new"] = change.new
    if change.op == "replace":
        row |= _judged(change.old, change.new)
    return row


def _judged(old: Any, new: Any) -> Row:
    """Return what is worth saying of a replaced value: its type, its worth, its difference."""
    if same_number(old, new):
        return {"same_number": True}
    if _is_number(old) and _is_number(new):
        found = delta(old, new)
        return {} if found is None else {"delta": found}
    return {"type_changed": True} if type_name(old) != type_name(new) else {}


def delta(old: float, new: float) -> int | float | None:
    """Return ``new - old`` as decimals say it (0.3, not 0.30000000000000004).

    None where it cannot be written: a value is no finite number, or far too long.
    """
    if type(old) is int and type(new) is int:
        found = new - old
        return found if found.bit_length() < _EXACT_BITS else None
    if any(isinstance(n, float) and not isfinite(n) for n in (old, new)) or any(
        isinstance(n, int) and n.bit_length() >= _EXACT_BITS for n in (old, new)
    ):
        return None
    difference = float(Decimal(repr(new)) - Decimal(repr(old)))
    return difference if isfinite(difference) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def violation_row(violation: Violation, chain: Chain) -> Row:
    """Return the row of one violation; ``causes`` stands only where branches are told apart."""
    return {
        **owner(chain),
        "checkpoint_id": violation.checkpoint_id,
        "index": violation.index,
        "gate": violation.gate,
        "keyword": violation.keyword,
        "pointer": violation.pointer,
        "message": violation.message,
        **({"causes": list(violation.causes)} if violation.causes else {}),
    }


def not_run_row(missed: NotRun, chain: Chain) -> Row:
    """Return the row of a gate or rule that could not judge."""
    return {
        **owner(chain),
        "gate": missed.gate,
        "rule": missed.rule,
        "checkpoint_id": missed.checkpoint_id,
        "index": missed.index,
        "reason": missed.reason,
    }


def usage_fields(usage: Usage) -> Row:
    """Return the usage fields in their order; null says that no record is at hand."""
    return {name: getattr(usage, name) for name in USAGE}
