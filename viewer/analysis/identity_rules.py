"""Rules on identities: checkpoint ids, parents, idempotency keys and memory pointers."""

from collections.abc import Iterator, Mapping
from typing import Any

from viewer.analysis.lineage import Lineage, Unfit, list_at
from viewer.analysis.schema_words import quoted
from viewer.chain.faults import CUT
from viewer.jsontext import type_name
from viewer.model import NotRun, Violation
from viewer.pointer import Tokens, find, join, pattern
from viewer.profiles.rule_sections import (
    IdempotencyStable,
    MemoryRefExists,
    ParentExists,
    UniqueCheckpointIds,
)

Found = Iterator[Violation | NotRun]
Keys = Mapping[str, str]


def unique_checkpoint_ids(lineage: Lineage, rule: UniqueCheckpointIds) -> Found:
    """Find checkpoints whose id an earlier one has already; ids that we made do not count."""
    first: dict[str, int] = {}
    pointer = lineage.chain.profile.file.fields.checkpoint_id or ""
    for own in lineage.chain.checkpoints:
        if own.id_made:
            continue
        known = first.setdefault(own.checkpoint_id, own.index)
        if known != own.index:
            message = f"checkpoint id {quoted(own.checkpoint_id)} stands at @{known} already"
            yield lineage.violation(rule, own.index, pointer, message)


def parent_exists(lineage: Lineage, rule: ParentExists) -> Found:
    """Find checkpoints whose parent is not in the chain, or is their own descendant.

    Of an excerpt, which its reader calls one, a parent outside is expected.
    """
    ids = {own.checkpoint_id for own in lineage.chain.checkpoints}
    cut = any(problem.keyword == CUT for problem in lineage.chain.problems)
    pointer = lineage.chain.profile.file.fields.parent_id or ""
    for own in lineage.chain.checkpoints:
        if own.parent_id is None or own.parent is not None:
            continue
        name = quoted(own.parent_id)
        circle = own.parent_id in ids
        if cut and not circle:
            continue
        message = f"parents run in a circle at {name}" if circle else f"no parent {name} here"
        yield lineage.violation(rule, own.index, pointer, message)


def memory_ref_exists(lineage: Lineage, rule: MemoryRefExists) -> Found:
    """Find pointers to memories that are not among those at hand."""
    memories = lineage.chain.sidecars.memories
    if memories is None:
        yield lineage.not_run(rule, None, "no memories are at hand")
        return
    for index, state in lineage.states(rule.when):
        try:
            refs = list_at(state, rule.pointer)
        except Unfit as why:
            yield lineage.not_run(rule, index, why)
            continue
        for i, ref in enumerate(refs):
            place = rule.pointer + join((i,))
            if not isinstance(ref, str):
                why_not = f"{place} is {type_name(ref)}, not a memory id"
                yield lineage.not_run(rule, index, why_not)
            elif ref not in memories:
                yield lineage.violation(rule, index, place, f"there is no memory {quoted(ref)}")


def idempotency_stable(lineage: Lineage, rule: IdempotencyStable) -> Found:
    """Find ids whose idempotency key is another one than before on the same lineage.

    A reference to a task at hand must carry that task's key where it first stands.
    """
    tasks = dict(_task_keys(lineage, rule)) if rule.args.tasks else {}
    if rule.args.tasks:
        yield from _changed_envelopes(lineage, rule)
    where = pattern(rule.pointer)
    known: list[Keys] = []
    for own in lineage.chain.checkpoints:
        before = known[own.parent] if own.parent is not None else {}
        state = lineage.chain.states[own.index]
        now = dict(before)
        for at, found in where.select(state) if own.has_state else ():
            name, key = _named(at, found, rule)
            if name is None or key is None:
                continue
            wanted = before.get(name, tasks.get(name, key))
            if key != wanted:
                place = join(at) + rule.args.key
                message = f"key of {quoted(name)} was {quoted(wanted)}, is {quoted(key)}"
                yield lineage.violation(rule, own.index, place, message)
            now[name] = key
        known.append(before if now == before else now)


def _named(at: Tokens, found: Any, rule: IdempotencyStable) -> tuple[str | None, str | None]:
    """Return identity and key of one object; in a map the map's key is the identity."""
    name, key = find(found, rule.args.id), find(found, rule.args.key)
    if name is None and at and isinstance(at[-1], str):
        name = at[-1]
    text = name if isinstance(name, str) else None
    return text, key if isinstance(key, str) else None


def _task_keys(lineage: Lineage, rule: IdempotencyStable) -> Iterator[tuple[str, str]]:
    """Yield each task at hand with the key of its first version."""
    for name, versions in lineage.chain.sidecars.tasks.items():
        key = find(versions[0], rule.args.key) if versions else None
        if isinstance(key, str):
            yield name, key


def _changed_envelopes(lineage: Lineage, rule: IdempotencyStable) -> Found:
    for name, versions in lineage.chain.sidecars.tasks.items():
        keys = [find(version, rule.args.key) for version in versions]
        for i in range(1, len(keys)):
            then, now = keys[i - 1], keys[i]
            if not isinstance(then, str) or not isinstance(now, str):
                why = f"tasks/{name}: version {i - 1} or {i} has no {rule.args.key}"
                yield lineage.not_run(rule, None, why)
            elif then != now:
                message = f"tasks/{name}, version {i}: key was {quoted(then)}, is {quoted(now)}"
                yield lineage.violation(rule, None, rule.args.key, message)
