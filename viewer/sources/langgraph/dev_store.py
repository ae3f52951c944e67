"""What `langgraph dev` keeps in ``.langgraph_api``: its memory saver, dumped as pickles.

Source: ``langgraph_runtime_inmem`` (checkpoint.py, store.py, database.py) and the
``InMemorySaver`` and ``PersistentDict`` of langgraph-checkpoint. The files hold

1. thread → namespace → checkpoint id → (checkpoint, metadata, parent id),
2. (thread, namespace, checkpoint id) → (task, slot) → (task, channel, value[, task path]),
3. (thread, namespace, channel, version) → value; until langgraph-checkpoint 2.1 there is no such
   file, and a checkpoint holds its values itself,

with every value as (tag, bytes). ``store.pckl`` holds the long-term memories,
``.langgraph_ops.pckl`` threads and runs. A file that is cut
short or damaged gives what stands before its fault.
"""

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from viewer.errors import SourceError
from viewer.limits import Limits
from viewer.model import Problem
from viewer.sources.files import read_bytes
from viewer.sources.langgraph.inert import Entries, Stub
from viewer.sources.langgraph.opcodes import salvaged

CHECKPOINTS, WRITES, VALUES = (f".langgraph_checkpoint.{number}.pckl" for number in (1, 2, 3))
ITEMS = "store.pckl"
_MISSING = {WRITES: "not there: what tasks wrote, asked and failed with is not known"}
"""What is said of a file that every release writes."""
OPS = ".langgraph_ops.pckl"
FILES = (CHECKPOINTS, WRITES, VALUES, ITEMS, OPS)

_UUID_FIELDS = 4

T = TypeVar("T")
Version = str | int | float
Key = tuple[str, str]
"""Thread and namespace."""


class Typed(NamedTuple):
    """A value as its serializer left it."""

    tag: str | None
    raw: bytes | None


class DevCheckpoint(NamedTuple):
    """One entry of the first file."""

    checkpoint_id: str
    checkpoint: Typed
    metadata: Typed
    parent_id: str | None


class DevWrite(NamedTuple):
    """One entry of the second file."""

    checkpoint_id: str
    task: str
    position: int
    channel: str
    value: Typed
    path: str


class DevFile(NamedTuple):
    """One of the files."""

    node: Any
    """Its dict; None where there is none."""
    size: int
    fault: str | None


class DevStore(NamedTuple):
    """All that the files hold, by thread and namespace."""

    checkpoints: dict[Key, dict[str, DevCheckpoint]]
    writes: dict[Key, list[DevWrite]]
    values: dict[tuple[str, str, str, Version], Typed]
    complete: bool
    """False where the file of the values is missing, or not all of it could be read."""
    unwritten: str | None
    """Why not all writes are known, where that is so."""
    items: DevFile
    """The long-term memories."""
    ops: DevFile
    """What the server says of its threads and runs."""
    problems: tuple[Problem, ...]


def dev_store(folder: Path, limits: Limits) -> DevStore:
    """Return what the files in ``folder`` hold.

    Raises:
        SourceError: the first file cannot be read at all.
    """
    found = {name: _file(folder / name, limits) for name in FILES}
    first = found[CHECKPOINTS]
    if first.node is None:
        raise SourceError(str(folder / CHECKPOINTS), first.fault or "no such file")
    problems = [
        Problem(place=str(folder / name), reason=one.fault)
        for name, one in found.items()
        if one.fault is not None
    ]
    checkpoints: dict[Key, dict[str, DevCheckpoint]] = {}
    for key, own in _all(_checkpoints, first, folder / CHECKPOINTS, problems):
        checkpoints.setdefault(key, {})[own.checkpoint_id] = own
    writes: dict[Key, list[DevWrite]] = {}
    for key, write in _all(_writes, found[WRITES], folder / WRITES, problems):
        writes.setdefault(key, []).append(write)
    values = found[VALUES]
    return DevStore(
        checkpoints=checkpoints,
        writes=writes,
        values={
            key: typed
            for key, typed in _values(values.node)
            if values.fault is None or typed.raw is not None
        },
        complete=values.node is not None and values.fault is None,
        unwritten=found[WRITES].fault,
        items=found[ITEMS],
        ops=found[OPS],
        problems=tuple(problems),
    )


def _file(path: Path, limits: Limits) -> DevFile:
    """Return the nodes of a file, or of what stands before its fault."""
    try:
        raw = read_bytes(path, limits)
    except SourceError as error:
        return DevFile(None, 0, error.reason if path.exists() else _MISSING.get(path.name))
    node, fault = salvaged(raw)
    if not isinstance(node, Entries):
        return DevFile(None, len(raw), fault or "a pickle of something that is no dict")
    if fault is not None:
        fault = f"{fault}; only what stands before is shown"
    return DevFile(node, len(raw), fault)


def _all(
    entries: Callable[[Any], Iterator[T | None]],
    file: DevFile,
    path: Path,
    problems: list[Problem],
) -> Iterator[T]:
    """Yield the entries of a file, at most one a byte: in a pickle, parts can stand in each other."""
    for number, found in enumerate(entries(file.node)):
        if number > file.size:
            reason = "its parts repeat each other so often that the rest is left out"
            problems.append(Problem(place=str(path), reason=reason, keyword="limit"))
            return
        if found is not None:
            yield found


def _checkpoints(storage: Any) -> Iterator[tuple[Key, DevCheckpoint] | None]:
    for thread, namespaces in _pairs(storage):
        for namespace, own in _pairs(namespaces):
            key = _words((thread, namespace), 2)
            yield None
            for checkpoint_id, parts in _pairs(own):
                if key is None or not isinstance(checkpoint_id, str) or not _holds(parts, 2):
                    yield None
                    continue
                parent = word(parts[2]) if len(parts) > 2 else None
                yield (
                    (key[0], key[1]),
                    DevCheckpoint(checkpoint_id, _typed(parts[0]), _typed(parts[1]), parent),
                )


def _writes(writes: Any) -> Iterator[tuple[Key, DevWrite] | None]:
    for place, rows in _pairs(writes):
        key = _words(place, 3)
        yield None
        for number, (slot, parts) in enumerate(_pairs(rows)):
            if key is None or not _holds(parts, 3):
                yield None
                continue
            position = slot[1] if _holds(slot, 2) else number
            path = parts[3] if len(parts) > 3 else ""
            yield (
                (key[0], key[1]),
                DevWrite(
                    checkpoint_id=key[2],
                    task=word(parts[0]) or "",
                    position=position if type(position) is int else number,
                    channel=word(parts[1]) or "",
                    value=_typed(parts[2]),
                    path=word(path) or "",
                ),
            )


def _values(values: Any) -> Iterator[tuple[tuple[str, str, str, Version], Typed]]:
    for place, value in _pairs(values):
        key = _words(place, 3)
        version = place[3] if _holds(place, 4) else None
        if key is not None and isinstance(version, str | int | float):
            yield (key[0], key[1], key[2], version), _typed(value)


def _pairs(node: Any) -> list[tuple[Any, Any]]:
    """Return keys and values of a dict, or of a dict with a default; of a list its numbers."""
    if isinstance(node, list):
        return list(enumerate(node))
    entries = node.entries if isinstance(node, Stub) else node
    return entries.pairs if isinstance(entries, Entries) else []


def _typed(node: Any) -> Typed:
    """Return tag and bytes; both None where it is neither, which no blob is."""
    if not isinstance(node, tuple) or len(node) != 2 or not isinstance(node[0], str):
        return Typed("no tag", None)
    raw = node[1]
    if isinstance(raw, Stub) and raw.type_name == "builtins.bytearray" and raw.args:
        raw = raw.args[0]
    return Typed(node[0], raw if isinstance(raw, bytes) else None)


def _holds(node: Any, count: int) -> bool:
    return isinstance(node, tuple) and len(node) >= count


def _words(place: Any, count: int) -> tuple[str, ...] | None:
    """Return the first parts of a tuple as text; None where it has fewer, or others."""
    if not _holds(place, count):
        return None
    found = [text for part in place[:count] if (text := word(part)) is not None]
    return tuple(found) if len(found) == count else None


def word(node: Any) -> str | None:
    """Return an id as text, be it text or a ``uuid.UUID``."""
    if isinstance(node, Stub) and node.type_name == "uuid.UUID" and isinstance(node.state, Entries):
        # Only "int" and "is_safe" stand there; a long state could be shared by many ids.
        number = {k: v for k, v in node.state.pairs[:_UUID_FIELDS] if isinstance(k, str)}.get("int")
        if type(number) is int and 0 <= number < 1 << 128:
            return str(uuid.UUID(int=number))
    return node if isinstance(node, str) else None
