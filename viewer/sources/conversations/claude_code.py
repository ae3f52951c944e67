"""Read the JSON lines in which Claude Code keeps a conversation.

A line is an envelope (``uuid``, ``parentUuid``, ``sessionId``, ``timestamp``, ``requestId``) around
a ``message``, or says something beside the conversation (``summary``, ``system`` …). One answer may
take several lines with one ``message.id``, each repeating the usage. Parents make forks; what a
subagent said (``isSidechain``) is a namespace of its own. A message without a parent goes on from the
one before it; where the link is null, that is a break (``/clear``, a compaction) and is said.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from viewer.chain import when
from viewer.limits import Limits
from viewer.model import MISSING, Missing, Record, Thread, ThreadRef
from viewer.sources.base import NOT_JSON, Probe, Reader, Reading, Verdict
from viewer.sources.conversations.message_list import PROFILE, parted
from viewer.sources.conversations.signs import recognised
from viewer.sources.elements import Element
from viewer.sources.grouping import Loaded
from viewer.sources.jsonl import elements
from viewer.sources.sharing import collector_paused
from viewer.sources.sqlite_file import is_database, is_wal

_ENVELOPE = "entry"


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
    for namespace in dict.fromkeys(line.namespace for line in found):
        records = tuple(_records([line for line in found if line.namespace == namespace]))
        ref = ThreadRef(
            thread_id=thread_id,
            namespace=namespace,
            checkpoints=len(records),
            updated_at=records[-1].created_at,
        )
        own = records if namespace else (*records, *lost)
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
        while isinstance(parent, str) and parent in through:
            parent = through.pop(parent)
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
    return found


def _side(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    if any(isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks):
        return "tools"
    return {"assistant": "model", "user": "user", "system": "system"}.get(
        str(message.get("role")), "other"
    )


def _records(lines: list[_Line]) -> Iterator[Record]:
    """Yield a record for each run of lines by one side, along parents."""
    said: dict[str, list[Mapping[str, Any]]] = {}
    step: dict[str, int] = {}
    ended: dict[str, str | Missing | None] = {}
    size: dict[str, int] = {}
    for line in lines:
        parent = line.parent
        above = parent if isinstance(parent, str) else ""
        so_far = [*said.get(above, ()), line.message]
        said[line.uuid] = so_far
        size[line.uuid] = size.get(above, 0) + line.element.size_bytes
        # The record before: the parent's own, or what the parent's run continues.
        before = ended.get(above, parent)
        after = line.follower
        goes_on = after is not None and (after.side, after.origin) == (line.side, None)
        if line.children == 1 and goes_on:
            ended[line.uuid] = before
            step[line.uuid] = step.get(above, 0)
            continue
        ended[line.uuid] = line.uuid
        at = step.get(above, 0)
        step[line.uuid] = at + 1
        yield Record(
            place=line.element.place,
            made_id=line.element.made_id,
            checkpoint_id=line.uuid,
            parent_id=before,
            state={"messages": so_far},
            step=at,
            created_at=when(line.message[_ENVELOPE].get("timestamp")),
            nodes=(line.side,),
            origin=line.origin,
            size_bytes=size[line.uuid],
        )


READER = Reader(
    name="claude-code",
    title="A conversation as Claude Code keeps it (JSON lines)",
    detect=detect,
    open=open_file,
)
