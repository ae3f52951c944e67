"""The rows of a `langgraph dev` folder as `load_thread` takes them."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from viewer.limits import Limits
from viewer.model import Problem, ThreadRef
from viewer.sources.langgraph.blobs import SEALED, Blobs
from viewer.sources.langgraph.dev_ops import OPS, dev_ops
from viewer.sources.langgraph.dev_store import VALUES, DevCheckpoint, DevStore, Typed
from viewer.sources.langgraph.rows import RawCheckpoint, RawWrite
from viewer.sources.langgraph.stored import (
    Stored,
    StoredWrite,
    shape_only,
    stored_checkpoint,
    stored_write,
)
from viewer.sources.langgraph.triggers import Names, join_names, read_names


class DevRows:
    """What the files of one moment hold."""

    def __init__(self, store: DevStore, place: str, limits: Limits) -> None:
        self.store = store
        self._place = place
        self._limits = limits

    def checkpoints(self, ref: ThreadRef, blobs: Blobs) -> Iterator[Stored | Problem]:
        """Yield the checkpoints as the server saved them, then what of their values is unread.

        The newest of a thread also has what the server says of the thread.
        """
        sealed: Counter[str] = Counter()
        told: set[tuple[str, str | int | float]] = set()
        chain = self.store.checkpoints.get((ref.thread_id, ref.namespace), {})
        newest = max(chain, default=None) if not ref.namespace else None
        for row in chain.values():
            one = _checkpoint(row, blobs)
            if row.checkpoint_id == newest and ref.thread_id in self._ops:
                metadata = {**one.metadata, OPS: self._ops[ref.thread_id]}
                one = one._replace(metadata=metadata)
            if one.fault is not None:
                yield one
                continue
            found = self._values(ref, one)
            lost = (
                [] if self._tells_all(row, blobs) else [c for c in one.versions if c not in found]
            )
            if lost:
                reason = (
                    f"{len(lost)} of its values are not there: {VALUES} is missing or cut short"
                )
                yield one._replace(fault=reason)
                continue
            values = dict(one.values)
            for channel, typed in found.items():
                if typed.tag == "empty":
                    continue
                value, fault = blobs.channel(channel, typed.tag, typed.raw)
                values[channel] = value
                version = one.versions[channel]
                if fault is None or (channel, version) in told:
                    continue
                told.add((channel, version))
                if value["$type"] in SEALED:
                    sealed[str(typed.tag)] += 1
                else:
                    place = f"{self._where('values', ref)}/{channel}/{version}]"
                    yield Problem(place=place, reason=f"channel {channel}: {fault}")
            size = one.size + sum(len(typed.raw or b"") for typed in found.values())
            yield one._replace(values=values, size=size)
        for tag, count in sealed.items():
            reason = f"{count} channel values are not read: their tag is {tag}"
            place = f"{self._where('values', ref)}]"
            yield Problem(place=place, reason=reason, keyword="sealed")

    def _values(self, ref: ThreadRef, one: Stored) -> Mapping[str, Typed]:
        """Return the values that stand in a file of their own, by channel."""
        keys = {
            channel: (ref.thread_id, ref.namespace, channel, version)
            for channel, version in one.versions.items()
        }
        values = self.store.values
        return {channel: values[key] for channel, key in keys.items() if key in values}

    def _tells_all(self, row: DevCheckpoint, blobs: Blobs) -> bool:
        """Return whether a channel without a value has none, and its value is not lost."""
        return self.store.complete or blobs.holds_values(*row.checkpoint)

    def writes(self, ref: ThreadRef, blobs: Blobs) -> Iterator[tuple[str, StoredWrite] | Problem]:
        """Yield what tasks wrote, and why that may not be all."""
        for row in self.store.writes.get((ref.thread_id, ref.namespace), ()):
            raw = RawWrite(
                checkpoint_id=row.checkpoint_id,
                task=row.task,
                path=row.path,
                position=row.position,
                channel=row.channel,
                tag=row.value.tag,
                blob=row.value.raw,
            )
            yield row.checkpoint_id, stored_write(raw, blobs)
        if self.store.unwritten is not None:
            reason = f"a task may seem unfinished, for writes are lost: {self.store.unwritten}"
            yield Problem(place=f"{self._where('writes', ref)}]", reason=reason)

    def namespaces(self, thread_id: str) -> tuple[str, ...]:
        """Return every namespace of a thread."""
        return tuple(own for thread, own in self.store.checkpoints if thread == thread_id)

    def joins(self) -> Names:
        """Return the joins that any checkpoint of the store knows."""
        return join_names(
            channel for shape in self._shapes for channel in shape.get("channel_versions") or {}
        )

    def reads(self) -> Names:
        """Return node → the channels it reads, from all checkpoints of formats 1 and 2."""
        return read_names(map(shape_only, self._shapes))

    @cached_property
    def _ops(self) -> Mapping[str, Any]:
        return dev_ops(self.store.ops, self._limits)

    @cached_property
    def _shapes(self) -> list[Mapping[str, Any]]:
        blobs = Blobs(self._limits.depth)
        chains = self.store.checkpoints.values()
        return [blobs.shape(*row.checkpoint) for chain in chains for row in chain.values()]

    def _where(self, part: str, ref: ThreadRef) -> str:
        return f"{self._place}!{part}[{ref.thread_id}/{ref.namespace}"


def _checkpoint(row: DevCheckpoint, blobs: Blobs) -> Stored:
    """Return a checkpoint with the values that it holds itself.

    Its metadata are written as values are, not as JSON only.
    """
    one = stored_checkpoint(
        RawCheckpoint(
            checkpoint_id=row.checkpoint_id,
            parent_id=row.parent_id,
            tag=row.checkpoint.tag,
            blob=row.checkpoint.raw,
            metadata=None,
        ),
        blobs,
    )
    found, fault = blobs.stand_in(*row.metadata)
    if fault is None and (not isinstance(found, dict) or "$type" in found):
        fault = "it is no object"
    if fault is not None:
        return one._replace(metadata_fault=f"metadata cannot be read: {fault}")
    return one._replace(metadata=found)
