"""The row that ``why`` gives of one thread."""

from collections.abc import Iterable
from typing import Any

from viewer.chain import Chain
from viewer.model import MISSING, Finding, Interrupt, Kept, LastWrite, NodeInput, Rerun, Stop, Why
from viewer.reports.as_json import Row, owner, time
from viewer.reports.terminal import value

_PREVIEW = 200
"""Longest preview of a field of the input, in columns; `show` gives it whole."""
_FIELDS = 50
"""Most fields of the input that are named."""


def why_row(chain: Chain, why: Why) -> Row:
    """Return the row of one thread; ``source``, ``thread_id`` and ``namespace`` lead every part."""
    of = {"source": chain.source, "thread_id": chain.thread_id}
    return {
        **owner(chain),
        "reader": chain.reader,
        "profile": chain.profile.name,
        "phase": why.phase,
        "status": why.status,
        "sentence": why.sentence,
        "head": why.head,
        "since": time(why.since),
        "stopped_at": _at(why.stops[0]) if why.stops else None,
        "error": why.error,
        "interrupts": _interrupts(why.interrupts),
        "input": None if why.input is None else _input(why.input),
        "last_write": None if why.last_write is None else _write(why.last_write),
        "stops": [_stop(stop) for stop in why.stops],
        "reruns": [_rerun(rerun) for rerun in why.reruns],
        "kept": [_kept(kept) for kept in why.kept],
        "findings": [{**of, **finding_row(finding)} for finding in why.findings],
        "notes": list(why.notes),
    }


def finding_row(finding: Finding) -> Row:
    """Return the row of one finding, without its source and thread."""
    return {
        "namespace": finding.namespace,
        "keyword": finding.keyword,
        "checkpoint_id": finding.checkpoint_id,
        "index": finding.index,
        "step": finding.step,
        "node": finding.node,
        "channel": finding.channel,
        "pointer": finding.pointer,
        "message": finding.message,
        "evidence": [
            {
                "namespace": finding.namespace if one.namespace is None else one.namespace,
                "checkpoint_id": one.checkpoint_id,
                "index": one.index,
                "pointer": one.pointer,
                "note": one.note,
            }
            for one in finding.evidence
        ],
        "count": finding.count,
        "last_checkpoint_id": finding.last_checkpoint_id,
        "last_index": finding.last_index,
    }


def _stop(stop: Stop) -> Row:
    return {
        **_at(stop),
        "error": stop.error,
        "interrupts": _interrupts(stop.interrupts),
        "input": _input(stop.input),
        "since": time(stop.since),
    }


def _at(stop: Stop) -> Row:
    return {
        "namespace": stop.at.namespace,
        "checkpoint_id": stop.at.checkpoint_id,
        "index": stop.at.index,
        "step": stop.at.step,
        "node": stop.at.node,
        "task": stop.at.task,
    }


def _interrupts(interrupts: Iterable[Interrupt]) -> list[Row]:
    return [{"id": i.id, "value": i.value, "task": i.task} for i in interrupts]


def _input(given: NodeInput) -> Row:
    """Return what a node was given: a Send's argument whole, a state's fields as previews."""
    row: Row = {
        "kind": given.kind,
        "namespace": given.namespace,
        "checkpoint_id": given.checkpoint_id,
        "index": given.index,
        "pointer": given.pointer,
    }
    if given.value is MISSING:
        return {**row, "fields": {}, "more_fields": 0}
    if given.kind == "send" or not isinstance(given.value, dict):
        return {**row, "value": given.value}
    fields: dict[str, Any] = given.value
    shown = list(fields.items())[:_FIELDS]
    return {
        **row,
        "fields": {name: value(found, _PREVIEW) for name, found in shown},
        "more_fields": len(fields) - len(shown),
    }


def _write(write: LastWrite) -> Row:
    return {
        "namespace": write.namespace,
        "checkpoint_id": write.checkpoint_id,
        "index": write.index,
        "node": write.node,
        "task": write.task,
        "channel": write.channel,
        "value": write.value,
        "channels": list(write.channels),
    }


def _rerun(rerun: Rerun) -> Row:
    return {
        "namespace": rerun.namespace,
        "checkpoint_id": rerun.checkpoint_id,
        "node": rerun.node,
        "task": rerun.task,
        "continues_in": rerun.continues_in,
        "call": rerun.call,
    }


def _kept(kept: Kept) -> Row:
    return {
        "namespace": kept.namespace,
        "checkpoint_id": kept.checkpoint_id,
        "node": kept.node,
        "task": kept.task,
        "channels": list(kept.channels),
        "since": time(kept.since),
        "call": kept.call,
    }
