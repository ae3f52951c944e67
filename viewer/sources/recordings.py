"""Model calls recorded beside a store, joined to the checkpoints whose next step made them.

Looked for beside a file ``<store>``: ``<store>.observations.jsonl``, ``observations.jsonl``,
``<store>.otlp.json``, ``otlp.json``, ``traces.json`` (each also as ``.jsonl`` or ``.json``) and the
lines in a folder ``observations/``; for a store that is a folder, in it, and beside it where its
name is hidden. What a file holds is told by its content: lines of ``viewer/recorder.py`` or
OpenTelemetry's traces as JSON. Nothing is read before a chain is asked for.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from viewer.errors import ParseFault, SourceError
from viewer.limits import Limits
from viewer.model import Problem, Sidecars, Thread, ThreadRef
from viewer.sources.base import HEAD_BYTES
from viewer.sources.files import leads_out, lines, listing, open_regular, read_bytes
from viewer.sources.json_bytes import WHITESPACE, parse
from viewer.sources.otel_spans import Spans
from viewer.sources.recorded_call import RECORDER, Call, Lines, recording_kind

FOLDER = "observations"
_STEMS = ("observations", "otlp", "traces")
_ENDS = (".jsonl", ".json")
_FILES = 1_000
"""Most files of the folder looked at."""


class Recordings:
    """The recordings beside one source; read once, when first asked for."""

    def __init__(self, location: Path, limits: Limits) -> None:
        self._limits = limits
        self._files = tuple(_beside(location, limits))
        self._calls: tuple[Call, ...] | None = None
        self._faults: list[Problem] = []

    @property
    def found(self) -> bool:
        """Whether any file stands beside the source that may hold recordings."""
        return bool(self._files)

    def problems(self, refs: Iterable[ThreadRef]) -> tuple[Problem, ...]:
        """Return what could not be read, and how many calls belong to none of ``refs``."""
        known = {ref.thread_id for ref in refs}
        strays = Counter(
            (call.place, "thread" if call.thread_id is not None else "")
            for call in self._read()
            if call.thread_id not in known
        )
        return (
            *self._faults[: self._limits.problems],
            *(
                _stray(
                    place, count, "threads that the store does not hold" if told else "no thread"
                )
                for (place, told), count in strays.items()
            ),
        )

    def joined(self, thread: Thread, refs: Iterable[ThreadRef]) -> Thread:
        """Return ``thread`` with the calls that its tasks made as observations.

        An observation's value is ``{"calls": [call, …]}``. A call inside a subgraph of which the
        store holds no chain belongs to the task that ran the subgraph. Calls of this thread that
        no checkpoint explains become a problem that counts them. Where the recorder saw the calls
        of a checkpoint, OpenTelemetry's word of the same calls is left out.
        """
        ref = thread.ref
        calls = [call for call in self._read() if call.thread_id == ref.thread_id]
        if not calls:
            return thread
        stored = {r.namespace for r in refs if r.thread_id == ref.thread_id}
        ids = {record.checkpoint_id for record in thread.records}
        ran = {task.id: r.checkpoint_id for r in thread.records for task in r.tasks}
        made: dict[str, list[Any]] = {}
        strays: Counter[str] = Counter()
        for call in calls:
            namespace, task = call.owner(stored)
            if namespace != ref.namespace:
                continue
            own = call.checkpoint_id if call.checkpoint_id in ids else None
            name = ran.get(task) or own
            if name is None:
                strays[call.place] += 1
            else:
                made.setdefault(name, []).append(call.value)
        joined = {name: {"calls": _once(calls)} for name, calls in made.items()}
        beside: Sidecars = thread.sidecars
        return replace(
            thread,
            sidecars=replace(beside, observations={**joined, **beside.observations}),
            problems=(
                *thread.problems,
                *(
                    _stray(place, count, f"no checkpoint of thread {ref.thread_id}/{ref.namespace}")
                    for place, count in strays.items()
                ),
            ),
        )

    def _read(self) -> tuple[Call, ...]:
        if self._calls is None:
            own, spans = Lines(), Spans()
            for path in self._files:
                try:
                    self._file(path, own, spans)
                except SourceError as error:
                    self._fault(error.place, error.reason)
            self._calls = (*own.calls(), *spans.calls())
            for place, count in spans.unread.items():
                calls = "1 model call" if count == 1 else f"{count} model calls"
                self._fault(place, f"{calls} left out: the input holds no messages that are known")
        return self._calls

    def _file(self, path: Path, own: Lines, spans: Spans) -> None:
        for place, raw in _documents(path, self._limits):
            if len(own) + len(spans) >= self._limits.checkpoints:
                reason = (
                    f"more than {self._limits.checkpoints} recorded calls; the rest is not read"
                )
                self._fault(place, reason, "limit")
                return
            try:
                value = parse(raw, self._limits.depth).value
                if isinstance(value, dict) and (
                    "resourceSpans" in value or "resourceLogs" in value
                ):
                    spans.add(value, str(path), self._limits.depth)
                else:
                    own.add(value, str(path))
            except ParseFault as error:
                self._fault(place, error.reason)

    def _fault(self, place: str, reason: str, keyword: str = "recording") -> None:
        self._faults.append(Problem(place=place, reason=reason, keyword=keyword))


def _once(calls: list[Any]) -> list[Any]:
    own = [call for call in calls if call["recorded_by"] == RECORDER]
    return own or calls


def _stray(place: str, count: int, whose: str) -> Problem:
    calls = (
        "1 recorded model call belongs" if count == 1 else f"{count} recorded model calls belong"
    )
    return Problem(place=place, reason=f"{calls} to {whose}", keyword="stray_calls")


def _beside(location: Path, limits: Limits) -> Iterator[Path]:
    """Yield the files beside ``location`` that hold recordings, by name and first bytes."""
    is_folder = location.is_dir()
    folders = [location] if is_folder else [location.parent]
    if is_folder and location.name.startswith("."):
        folders.append(location.parent)
    own = [] if is_folder else [f"{location.name}.{s}{e}" for s in _STEMS for e in _ENDS]
    names = [*own, *(s + e for s in _STEMS for e in _ENDS)]
    for folder in folders:
        listed = [folder / name for name in names]
        inner = folder / FOLDER
        if inner.is_dir() and not leads_out(inner, folder):
            with suppress(SourceError):
                listed += [inner / name for name in listing(inner, limits).names[:_FILES]]
        for path in listed:
            if path != location and path.is_file() and not leads_out(path, folder):
                with suppress(SourceError):
                    if recording_kind(_head(path)) is not None:
                        yield path


def _head(path: Path) -> bytes:
    file, _ = open_regular(path)
    with file:
        return file.read(HEAD_BYTES)


def _documents(path: Path, limits: Limits) -> Iterator[tuple[str, bytes]]:
    """Yield each JSON document of ``path`` with its place: the file's one, else one a line."""
    found = (
        (f"{path}:{number}", text)
        for number, line in enumerate(lines(path, limits), 1)
        if (text := line.strip(WHITESPACE))
    )
    first = next(found, None)
    if first is None:
        return
    if first[1].endswith(b"}"):
        yield first
        yield from found
    else:
        yield str(path), read_bytes(path, limits)
