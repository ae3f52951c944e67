"""Read what LangGraph tells of a thread as JSON: the Agent Server's answers and state dumps.

``POST /threads/{id}/history`` and ``get_history`` give an array of ``ThreadState``, newest first;
``get_state`` gives one; ``threads.get`` a ``Thread`` with its latest values only. The library's
``StateSnapshot`` says the same in other words. Values are JSON without their types: messages are
objects with a ``type``, a Decimal is text, a set a list.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from viewer.errors import ParseFault
from viewer.limits import Limits
from viewer.model import Problem
from viewer.sources.base import NOT_JSON, Probe, Reader, Reading, Verdict
from viewer.sources.elements import Element, element
from viewer.sources.files import lines, read_bytes
from viewer.sources.grouping import Loaded
from viewer.sources.json_bytes import WHITESPACE, utf8
from viewer.sources.json_shape import stands_in_lines
from viewer.sources.langgraph.history_parts import parts
from viewer.sources.langgraph.history_signs import recognised
from viewer.sources.langgraph.history_threads import Given, threads
from viewer.sources.sharing import SharedLoader, collector_paused
from viewer.sources.sqlite_file import is_database, is_wal

_BLANK = WHITESPACE + b"\0"


def detect(probe: Probe) -> Verdict:
    """Claim a file whose first value is a ``ThreadState``, a ``StateSnapshot`` or a ``Thread``."""
    if probe.is_dir:
        return Verdict(False, "a folder, not a file")
    if is_database(probe.head) or is_wal(probe.head):
        return Verdict(False, NOT_JSON)
    found = recognised(probe.path, probe.head)
    if found is None:
        return Verdict(False, "no JSON of a thread's states (values, next, checkpoint or config)")
    return Verdict(True, found)


def open_file(path: Path, limits: Limits) -> Reading:
    """Return the threads of the file at ``path``.

    Raises:
        SourceError: it cannot be read.
    """
    with collector_paused():
        given = list(islice(_given(path, limits), limits.checkpoints + 1))
    problems: tuple[Problem, ...] = ()
    if len(given) > limits.checkpoints:
        reason = f"more than {limits.checkpoints} states; the rest is left out (limit: checkpoints)"
        problems = (Problem(place=str(path), reason=reason, keyword="limit"),)
    found = threads(given[: limits.checkpoints], path.stem, str(path))
    return Loaded(
        place=str(path),
        threads=tuple(thread.ref for thread in found.values()),
        problems=problems,
        by_key=found,
    )


def _given(path: Path, limits: Limits) -> Iterator[Given]:
    loader = SharedLoader(depth=limits.depth)
    if not stands_in_lines(path):
        try:
            yield from _document(loader, utf8(read_bytes(path, limits)), str(path), None)
        except ParseFault as error:
            yield Given(Element(f"{path}", path.stem, 0, fault=error.reason), None)
        return
    for number, line in enumerate(lines(path, limits), 1):
        text = line.strip(_BLANK)
        if text:
            yield from _document(loader, text, str(path), number)


def _document(loader: SharedLoader, text: bytes, path: str, line: int | None) -> Iterator[Given]:
    """Yield the values of one document, or of one line."""
    where = path if line is None else f"{path}:{line}"
    whole = "state" if line is None else f"line:{line}"
    index = 0
    try:
        for index, (own, pointer, name) in enumerate(parts(text), 1):
            made_id = f"item:{index - 1}" if pointer and line is None else whole + pointer
            if pointer:
                yield Given(element(loader, own, where, made_id, pointer=pointer), name)
            else:
                yield Given(element(loader, own, path, made_id, line=line), name)
    except ParseFault as error:
        place = where if error.line is None else f"{where}:{error.line}:{error.column}"
        yield Given(Element(place, f"item:{index}", 0, fault=error.reason), None)
        return
    if not index:
        yield Given(element(loader, text, path, whole, line=line), None)


READER = Reader(
    name="langgraph-history",
    title="JSON of LangGraph's Agent Server or SDK, and dumps of StateSnapshot",
    detect=detect,
    open=open_file,
)
