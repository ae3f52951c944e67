"""Read the JSON lines in which Claude Code keeps a conversation.

A line is an envelope (``uuid``, ``parentUuid``, ``sessionId``, ``timestamp``, ``requestId``) around
a ``message``, or says something beside the conversation (``summary``, ``system`` …). One answer may
take several lines with one ``message.id``, each repeating the usage. Parents make forks; what a
subagent said (``isSidechain``) is a namespace of its own. A message without a parent goes on from the
one before it; where the link is null, that is a break (``/clear``, a compaction) and is said.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from viewer.chain import when
from viewer.limits import Limits
from viewer.model import MISSING, Missing, Record, Thread, ThreadRef
from viewer.sources.base import NOT_JSON, Probe, Reader, Reading, Verdict
from viewer.sources.conversations.growth import HELD, steps_for
from viewer.sources.conversations.message_list import PROFILE, parted
from viewer.sources.conversations.signs import recognised
from viewer.sources.elements import Element
from viewer.sources.grouping import Loaded
from viewer.sources.jsonl import elements
from viewer.sources.sharing import collector_paused
from viewer.sources.sqlite_file import is_database, is_wal

_ENVELOPE = "entry"
_NO_ROOM = f"not read: the forks of this conversation repeat more than {HELD:,} messages"


@dataclass(slots=True)
class _Line:
    """A line that holds a message, among the others."""

    element: Element
    uuid: str
    parent: str | Missing | None
    side: str
    message: Mapping[str, Any]
    namespace: str = ""
    origin: str | None = None
    children: int = 0
    follower: "_Line | None" = None


def detect(probe: Probe) -> Verdict:
    """Claim JSON lines whose envelopes are Claude Code's."""
    if probe.is_dir:
        return Verdict(False, "a folder, not a file")
    if is_database(probe.head) or is_wal(probe.head):
        return Verdict(False, NOT_JSON)
    if recognised(probe.path, probe.head) != "claude-code":
        return Verdict(False, "no lines with type, uuid and message as Claude Code writes them")
    return Verdict(True, "lines with type, uuid and message as Claude Code writes them")


def open_file(path: Path, limits: Limits) -> Reading:
    """Return the conversation of the file at ``path``, each subagent's as a namespace.

    Raises:
        SourceError: it cannot be read.
    """
    with collector_paused():
        read = list(elements(path, limits))
    good, lost = parted(read)
    found = _lines(good)
    names = (one.value.get("sessionId") for one in good)
    thread_id = next((name for name in names if isinstance(name, str) and name), path.stem)
    threads: dict[tuple[str, str], Thread] = {}
    namespaces = dict.fromkeys(line.namespace for line in found)
    for namespace in namespaces:
        records = tuple(_records([line for line in found if line.namespace == namespace]))
        ref = ThreadRef(
            thread_id=thread_id,
            namespace=namespace,
            checkpoints=len(records),
            updated_at=records[-1].created_at,
        )
        # The file of a subagent holds its conversation alone.
        main = namespace == ("" if "" in namespaces else next(iter(namespaces)))
        own = (*records, *lost) if main else records
        threads[thread_id, namespace] = Thread(ref=ref, records=own, profile=PROFILE)
    refs = tuple(thread.ref for thread in threads.values())
    return Loaded(place=str(path), threads=refs, problems=(), by_key=threads)


def _lines(read: list[Element]) -> list[_Line]:
    """Return the lines with messages, joined by parents; what stands beside them goes along."""
    known: dict[str, _Line] = {}
    # Lines without a message stand between others; their parents are passed through.
    through: dict[str, str | None] = {}
    beside: list[Any] = []
    found: list[_Line] = []
    for one in read:
        entry = one.value
        uuid = entry.get("uuid")
        parent = entry.get("parentUuid", MISSING)
        if not isinstance(entry.get("message"), dict):
            beside.append(entry)
            if isinstance(uuid, str):
                through[uuid] = parent if isinstance(parent, str) else None
            continue
        passed: set[str] = set()
        while isinstance(parent, str) and parent in through and parent not in passed:
            passed.add(parent)
            parent = through[parent]
        for one_passed in passed:
            through[one_passed] = parent if isinstance(parent, str) else None
        name = uuid if isinstance(uuid, str) and uuid not in known else one.made_id
        rest = {key: value for key, value in entry.items() if key != "message"}
        if beside:
            rest["before"], beside = beside, []
        message = {**entry["message"], _ENVELOPE: rest}
        line = _Line(one, name, parent, _side(message), message)
        above = known.get(parent) if isinstance(parent, str) else None
        sidechain = entry.get("isSidechain") is True
        if above is None and not isinstance(parent, str) and not sidechain:
            # No link, or a new root after /clear or a compaction: the conversation goes on.
            above = next((one for one in reversed(found) if not one.namespace), None)
            if above is not None:
                line.parent = above.uuid
                line.origin = "break" if parent is None else None
        if sidechain:
            aside = above is not None and above.namespace
            line.namespace = above.namespace if above and aside else f"sidechain:{name}"
            line.parent = line.parent if aside else None
        if above is not None and above.namespace == line.namespace:
            above.children += 1
            above.follower = line
        known[name] = line
        found.append(line)
    if beside and found:
        last = found[-1].message
        found[-1].message = {**last, _ENVELOPE: {**last[_ENVELOPE], "after": beside}}
    return found


def _side(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    if any(isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks):
        return "tools"
    return {"assistant": "model", "user": "user", "system": "system"}.get(
        str(message.get("role")), "other"
    )


@dataclass(slots=True)
class _Path:
    """What leads up to a line and includes it."""

    line: _Line
    above: "_Path | None" = None
    said: list[Mapping[str, Any]] = field(default_factory=list)
    """Messages up to the record before; at a record, up to here."""
    before: str | Missing | None = MISSING
    """The record before."""
    step: int = 0
    runs: int = 0
    size: int = 0
    is_record: bool = False

    def own(self, *, all_of_it: bool = False) -> list[_Line]:
        """Return the lines since the record before, or all of them from the first one on."""
        found, at = [self.line], self.above
        while at is not None and (all_of_it or not at.is_record):
            found.append(at.line)
            at = at.above
        return found[::-1]


def _records(lines: list[_Line]) -> Iterator[Record]:
    """Yield a record for each run of lines by one side, along parents.

    Where that makes too many, neighbouring runs are put together; what even then would hold too
    much (forks without end) is listed without a state, and says so.
    """
    most = steps_for(len(lines))
    stride = -(-sum(not _goes_on(line) for line in lines) // most)
    room = HELD
    paths: dict[str, _Path] = {}
    for line in lines:
        parent = line.parent
        above = paths.get(parent) if isinstance(parent, str) else None
        here = _Path(line=line, above=above, before=parent)
        if above is not None:
            here.before = above.line.uuid if above.is_record else above.before
            here.said, here.step, here.runs = above.said, above.step, above.runs
            here.step += above.is_record
        here.size = line.element.size_bytes + (above.size if above else 0)
        paths[line.uuid] = here
        if _goes_on(line):
            continue
        here.runs += 1
        follower = line.follower
        last = line.children != 1 or follower is None or follower.origin is not None
        if here.runs % stride and not last:
            continue
        here.is_record = True
        own = here.own()
        room -= len(here.said) + len(own)
        if room >= 0:
            here.said = [*here.said, *(one.message for one in own)]
        elif line is lines[-1]:
            # Where the conversation stands is always told.
            here.said = [one.message for one in here.own(all_of_it=True)]
        yield _record(here, own, known=room >= 0 or line is lines[-1])


def _goes_on(line: _Line) -> bool:
    """Return whether the next line is said by the same side, and by nobody else."""
    after = line.follower
    return (
        line.children == 1 and after is not None and (after.side, after.origin) == (line.side, None)
    )


def _record(here: _Path, own: list[_Line], *, known: bool) -> Record:
    last = here.line
    start = len(here.said) - len(own)
    doubled = [f"/messages/{n}{at}" for n, line in enumerate(own, start) for at in _doubled(line)]
    return Record(
        place=last.element.place,
        made_id=last.element.made_id,
        checkpoint_id=last.uuid,
        parent_id=here.before,
        state={"messages": here.said} if known else MISSING,
        fault=None if known else _NO_ROOM,
        step=here.step,
        created_at=when(last.message[_ENVELOPE].get("timestamp")),
        nodes=tuple(dict.fromkeys(line.side for line in own)),
        origin=own[0].origin,
        size_bytes=here.size,
        duplicate_keys=tuple(doubled) if known else (),
    )


def _doubled(line: _Line) -> Iterator[str]:
    """Yield where keys stand twice in a line, as pointers into its message."""
    for pointer in line.element.duplicate_keys:
        inside = pointer.startswith("/message/")
        yield pointer.removeprefix("/message") if inside else f"/{_ENVELOPE}{pointer}"


READER = Reader(
    name="claude-code",
    title="A conversation as Claude Code keeps it (JSON lines)",
    detect=detect,
    open=open_file,
)
