"""LangGraph's ids and paths: how a task is called, and what a checkpoint id tells.

Source: ``langgraph/pregel/_algo.py`` (task ids, task paths) and
``langgraph/checkpoint/base/id.py`` (UUIDv6 with the step as clock sequence).
"""

import uuid
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import sha1
from typing import Literal, NamedTuple

from xxhash import xxh3_128_hexdigest

NULL_TASK = "00000000-0000-0000-0000-000000000000"
"""Task id of what a caller's ``Command`` wrote."""
ERROR, ERROR_SOURCE = "__error__", "__error_source_node__"
INTERRUPT, RESUME = "__interrupt__", "__resume__"
CONTROL = frozenset((ERROR, ERROR_SOURCE, INTERRUPT, RESUME))
"""Channels whose rows do not finish a task."""
SENDS = "__pregel_tasks"
NOT_NODES = frozenset(("__input__", "__interrupt__", "__snapshot_bumps__"))
"""Keys of ``versions_seen`` that are no node."""

_PULL, _PUSH = "__pregel_pull", "__pregel_push"
_OLD_WORDS = {_PULL: "__pregel_subscriptions", _PUSH: "__pregel_tasks"}
"""What releases up to 0.2.19 hashed instead."""
_HANDLER = ", node_error_handler, 0000000000"
_GREGORIAN = datetime(1582, 10, 15, tzinfo=UTC)

Kind = Literal["pull", "push", "call", "handler", "unknown"]


class TaskPath(NamedTuple):
    """Where a task comes from: a node that was triggered, or the n-th Send."""

    kind: Kind
    place: str
    """The node's name, the Send's number, or the whole path of a call."""

    @property
    def node(self) -> str:
        """The node that the path names; for a call, the node it was made in; else empty."""
        if self.kind in ("pull", "handler"):
            return self.place
        if self.kind == "call":
            parts = [part for part in self.place.split(", ") if part != f"~{_PUSH}"]
            if len(parts) > 1 and parts[0] == f"~{_PULL}":
                return parts[1]
        return ""


@lru_cache(maxsize=1024)
def task_path(text: str) -> TaskPath:
    """Return what the column ``task_path`` says; kind unknown where it is empty or new.

    Before the path of a write that was `saved_late` its step may stand: ``~~0000000002~…``.
    """
    if text.startswith("~~") and text[2:12].isdigit():
        text = text[12:]
    if text.startswith(f"~{_PULL}, "):
        rest = text[len(_PULL) + 3 :]
        if rest.endswith(_HANDLER):
            return TaskPath("handler", rest.removesuffix(_HANDLER))
        return TaskPath("pull", rest)
    if text.startswith(f"~{_PUSH}, ~"):
        return TaskPath("call", text)
    if text.startswith(f"~{_PUSH}, "):
        number = text.split(", ")[1]
        if number.isascii() and number.isdigit() and len(number) < 19:
            return TaskPath("push", str(int(number)))
    return TaskPath("unknown", text)


class TaskPlace(NamedTuple):
    """What a task's id is hashed from, besides the task itself."""

    checkpoint_id: str
    namespace: str
    step: int
    v: int


def task_id(
    at: TaskPlace, node: str, kind: Literal["pull", "push"], *parts: str, old: bool = False
) -> str | None:
    """Return the id LangGraph gives the task of ``node`` that runs after a checkpoint.

    Args:
        at: the checkpoint; its format decides the hash (SHA-1 in the first, then XXH3-128).
        node: the node's name.
        kind: ``pull`` with the sorted trigger channels as ``parts``, ``push`` with the Send's
            number.
        parts: see ``kind``.
        old: use the words of releases up to 0.2.19.

    Returns:
        The id; None where the checkpoint's own id is not hexadecimal.
    """
    try:
        raw = bytes.fromhex(at.checkpoint_id.replace("-", ""))
    except ValueError:
        return None
    word = _PULL if kind == "pull" else _PUSH
    hashed = raw + "".join(
        (
            f"{at.namespace}|{node}" if at.namespace else node,
            str(at.step + 1),
            node,
            _OLD_WORDS[word] if old else word,
            *parts,
        )
    ).encode("utf-8", "surrogateescape")
    digest = xxh3_128_hexdigest(hashed) if at.v > 1 else sha1(hashed).hexdigest()  # noqa: S324
    return f"{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}"


def task_namespace(namespace: str, node: str, task: str) -> str:
    """Return the namespace in which a task's subgraph stores its checkpoints."""
    own = f"{node}:{task}"
    return f"{namespace}|{own}" if namespace else own


def without_ids(namespace: str) -> str:
    """Return a namespace without task ids and call numbers: the one of a subgraph that remembers.

    Source: ``langgraph/_internal/_config.py``, ``recast_checkpoint_ns``.
    """
    return "|".join(part.split(":")[0] for part in namespace.split("|") if not part.isdigit())


def interrupt_id(namespace: str, question: int = 0) -> str:
    """Return the id of the ``question``-th interrupt raised in a task's namespace."""
    text = f"{namespace}|{question}" if question else namespace
    return xxh3_128_hexdigest(text.encode("utf-8", "surrogateescape"))


def saved_late(task: str, step: int | None) -> bool:
    """Return whether a task id was made for writes that durability ``exit`` saved at the end.

    They rebuild a delta channel's value and finish no task: the step stands in the id in place of
    its first digits. Source: ``langgraph/pregel/_checkpoint.py``, ``exit_delta_task_id``.
    """
    if task.startswith("ffffffff-"):
        return True
    return step is not None and task.startswith(f"{max(step + 1, 0):08d}-")


def update_tasks(checkpoint_id: str) -> frozenset[str]:
    """Return the task ids under which ``update_state`` stores what it wrote at a checkpoint."""
    try:
        root = uuid.UUID(checkpoint_id)
    except ValueError:
        return frozenset()
    names = ["__interrupt__", "__input__", *(f"__interrupt__:{i}" for i in range(1, 9))]
    return frozenset(str(uuid.uuid5(root, name)) for name in names)


def id_time(checkpoint_id: str) -> datetime | None:
    """Return when a UUIDv6 checkpoint id was made; None where the id is of another kind."""
    try:
        found = uuid.UUID(checkpoint_id)
    except ValueError:
        return None
    if found.version != 6:
        return None
    ticks = (found.int >> 80) << 12 | (found.int >> 64) & 0xFFF
    try:
        return _GREGORIAN + timedelta(microseconds=ticks // 10)
    except OverflowError:
        return None
