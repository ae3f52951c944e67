"""A checkpoint as its rows say, decoded and checked; what follows from it is in ``derive``."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from viewer.errors import ParseFault
from viewer.sources.langgraph.blobs import Blobs, Sealed
from viewer.sources.langgraph.naming import NULL_TASK, TaskPath, TaskPlace, task_path
from viewer.sources.langgraph.rows import RawCheckpoint, RawWrite

KNOWN_FORMATS = range(1, 5)
"""Values of the checkpoint's ``v`` whose tasks can be told; others show values only."""

Version = str | int | float
_VERSION = frozenset((str, int, float))


class StoredWrite(NamedTuple):
    """One write row with its value decoded."""

    task: str
    path: TaskPath
    sort: tuple[str, str, int]
    """The order in which LangGraph applies the rows of a step."""
    channel: str
    value: Any
    fault: str | None
    """Why ``value`` only stands for what could not be read."""


class Stored(NamedTuple):
    """One checkpoint: what stands in its two tables."""

    checkpoint_id: str
    parent_id: str | None
    tag: str | None
    size: int
    metadata: Mapping[str, Any]
    fault: str | None
    """Why the blob gives no values; what it holds is empty then."""
    v: int | None
    ts: str | None
    values: Mapping[str, Any]
    versions: Mapping[str, Version]
    seen: Mapping[str, Mapping[str, Version]]
    """Node → channel → the version that the node has worked on."""
    pending_sends: tuple[Any, ...]
    """Sends kept in the checkpoint itself (formats before 4)."""
    writes: tuple[StoredWrite, ...] = ()
    sealed: bool = False
    metadata_fault: str | None = None

    @property
    def step(self) -> int | None:
        """The step number that LangGraph gave; -1 is the input."""
        found = self.metadata.get("step")
        return found if type(found) is int else None

    @property
    def origin(self) -> str | None:
        """Why it was saved: input, loop, update or fork."""
        found = self.metadata.get("source")
        return found if isinstance(found, str) else None

    @property
    def known(self) -> bool:
        """Whether tasks can be told from the values."""
        return self.fault is None and self.v in KNOWN_FORMATS

    def place(self, namespace: str) -> TaskPlace:
        """Return what the ids of the tasks that run after this checkpoint are hashed from."""
        step = -1 if self.step is None else self.step
        return TaskPlace(self.checkpoint_id, namespace, step, self.v or 1)


def stored_checkpoint(raw: RawCheckpoint, blobs: Blobs) -> Stored:
    """Return the checkpoint of a row, without its writes; a fault never raises."""
    metadata, metadata_fault = _metadata(raw.metadata, blobs)
    sealed = False
    try:
        found = _parts(blobs.checkpoint(raw.tag, raw.blob))
    except ParseFault as error:
        found = {**_parts({}), "fault": error.reason}
        sealed = isinstance(error, Sealed)
    return Stored(
        **found,
        checkpoint_id=raw.checkpoint_id,
        parent_id=raw.parent_id,
        tag=raw.tag,
        size=len(raw.blob or b""),
        metadata=metadata,
        metadata_fault=metadata_fault,
        sealed=sealed,
    )


def shape_only(found: Mapping[str, Any]) -> Stored:
    """Return a checkpoint of which only channel names and versions matter."""
    parts = _parts({**found, "channel_values": {}})
    return Stored(checkpoint_id="", parent_id=None, tag=None, size=0, metadata={}, **parts)


def _parts(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that a blob fills; parts of the wrong type count as absent."""
    v, ts, sends = found.get("v"), found.get("ts"), found.get("pending_sends")
    values = found.get("channel_values")
    usable = isinstance(values, dict) and "$type" not in values
    seen = _object(found.get("versions_seen"))
    return {
        "fault": None if usable else "the checkpoint has no channel_values with text keys",
        "v": v if type(v) is int else None,
        "ts": ts if isinstance(ts, str) else None,
        "values": values if usable else {},
        "versions": _versions(found.get("channel_versions")),
        "seen": {node: _versions(channels) for node, channels in seen.items()},
        "pending_sends": tuple(sends) if isinstance(sends, list) else (),
    }


def stored_write(raw: RawWrite, blobs: Blobs) -> StoredWrite:
    """Return a write with its value, or with a node that stands for it."""
    value, fault = blobs.stand_in(raw.tag, raw.blob)
    return StoredWrite(
        task=raw.task,
        path=TaskPath("unknown", "") if raw.task == NULL_TASK else task_path(raw.path),
        sort=(raw.path, raw.task, raw.position),
        channel=raw.channel,
        value=value,
        fault=fault,
    )


def _metadata(raw: bytes | None, blobs: Blobs) -> tuple[Mapping[str, Any], str | None]:
    if not raw:
        return {}, None
    try:
        # The first releases wrote metadata as they wrote values: as a pickle, then as JSON.
        found = blobs.value("pickle" if raw[:1] == b"\x80" else "json", raw)
    except ParseFault as fault:
        return {}, f"metadata cannot be read: {fault.reason}"
    if not isinstance(found, dict) or "$type" in found:
        return {}, "metadata is no object"
    return found, None


def _object(found: Any) -> Mapping[str, Any]:
    """Return ``found`` where it is an object; the first releases pickled a defaultdict."""
    if isinstance(found, dict) and found.get("$type") == "collections.defaultdict":
        found = found.get("entries")
    return found if isinstance(found, dict) else {}


def _versions(found: Any) -> Mapping[str, Version]:
    own = found if type(found) is dict and "$type" not in found else _object(found)
    if _VERSION.issuperset(map(type, own.values())):
        return own
    return {
        name: version for name, version in own.items() if isinstance(version, str | int | float)
    }
