"""Read a list of messages: OpenAI's chat and Responses, LangChain's three forms, pydantic-ai.

One JSON array, or one message a line. Messages stand in the state as they are stored (pydantic-ai's
parts each with what they came from).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from viewer.chain import when
from viewer.jsontext import type_name
from viewer.limits import Limits
from viewer.model import Problem, Record, Thread, ThreadRef
from viewer.sources.base import NOT_JSON, Probe, Reader, Reading, Verdict
from viewer.sources.conversations import pydantic_ai
from viewer.sources.conversations.growth import SIDES, Said, grown, steps_for
from viewer.sources.conversations.signs import Dialect, dialect_of, recognised
from viewer.sources.elements import Element
from viewer.sources.grouping import Loaded
from viewer.sources.json_file import elements_of
from viewer.sources.json_shape import stands_in_lines
from viewer.sources.jsonl import elements as lines_of
from viewer.sources.sharing import collector_paused
from viewer.sources.sqlite_file import is_database, is_wal

PROFILE = "conversation"
_WORDS = {
    "openai": "messages as OpenAI writes them (role, content)",
    "langchain": "messages as LangChain writes them (type and data, lc and kwargs, or flat)",
    "pydantic-ai": "messages as pydantic-ai writes them (kind, parts)",
}


def detect(probe: Probe) -> Verdict:
    """Claim a file that lists messages of one dialect and nothing else."""
    if probe.is_dir:
        return Verdict(False, "a folder, not a file")
    if is_database(probe.head) or is_wal(probe.head):
        return Verdict(False, NOT_JSON)
    found = recognised(probe.path, probe.head)
    if found is None or found == "claude-code":
        return Verdict(False, "no list whose entries are all messages (role, type or kind)")
    return Verdict(True, _WORDS[found])


def open_file(path: Path, limits: Limits) -> Reading:
    """Return the one thread of the file at ``path``.

    Raises:
        SourceError: it cannot be read.
    """
    with collector_paused():
        listed = lines_of(path, limits) if stands_in_lines(path) else elements_of(path, limits)
        elements = list(listed)
    good, lost = parted(elements)
    dialect = dialect_of([one.value for one in good]) or "openai"
    said = list(_said(good, dialect))
    return conversation(path, path.stem, said, lost)


def conversation(
    path: Path,
    thread_id: str,
    said: list[Said],
    lost: list[Record],
    problems: tuple[Problem, ...] = (),
) -> Loaded:
    """Return the opened source of one linear conversation."""
    records = grown(said, steps_for(len(said)))
    ref = ThreadRef(
        thread_id=thread_id,
        checkpoints=len(records),
        updated_at=next((r.created_at for r in reversed(records) if r.created_at), None),
    )
    thread = Thread(ref=ref, records=(*records, *lost), problems=problems, profile=PROFILE)
    return Loaded(place=str(path), threads=(ref,), problems=(), by_key={(thread_id, ""): thread})


def parted(elements: list[Element]) -> tuple[list[Element], list[Record]]:
    """Return the entries that are objects, and a record for each other one: a problem, no step."""
    good = [one for one in elements if one.fault is None and isinstance(one.value, dict)]
    kept = set(map(id, good))
    return good, [_lost(one) for one in elements if id(one) not in kept]


def _lost(element: Element) -> Record:
    kind = "" if element.fault else type_name(element.value)
    return Record(
        place=element.place,
        made_id=element.made_id,
        fault=element.fault or f"a message is a JSON object, this is a {kind}",
        listed=False,
        size_bytes=element.size_bytes,
        pointer=element.pointer,
    )


def _said(elements: list[Element], dialect: Dialect) -> Iterator[Said]:
    instructions: str | None = None
    for one in elements:
        # What looks unlike the rest of the list is still said, as it is stored.
        if dialect != "pydantic-ai" or not pydantic_ai.is_message(one.value):
            yield Said(
                message=one.value,
                side=_side(one.value),
                place=one.place,
                made_id=one.made_id,
                size=one.size_bytes,
                doubled=one.duplicate_keys,
            )
            continue
        at = when(one.value.get("timestamp"))
        for number, part in enumerate(pydantic_ai.messages_of(one.value, instructions)):
            message = part.message
            if part.pointer == "/instructions":
                instructions = message["content"]
            yield Said(
                message=message,
                side=SIDES[message["role"]],
                place=one.place,
                made_id=one.made_id,
                size=0 if number else one.size_bytes,
                at=at,
                doubled=tuple(pydantic_ai.moved(one.duplicate_keys, part, first=not number)),
            )


def _side(entry: Any) -> str:
    """Return who made an entry in OpenAI's or LangChain's words; ``other`` for a role unheard of."""
    way = entry.get("id")
    if entry.get("lc") == 1 and isinstance(way, list) and way:
        name = str(way[-1]).removesuffix("Chunk").removesuffix("Message").lower()
        return SIDES.get(name, "other")
    kind = str(entry.get("type") or "")
    if kind in ("function_call", "reasoning", "custom_tool_call"):
        return "model"
    if kind.endswith("_call_output"):
        return "tools"
    role = entry.get("role") or kind.removesuffix("Chunk").removesuffix("Message").lower()
    return SIDES.get(str(role), "other")


READER = Reader(
    name="message-list",
    title="A conversation: OpenAI, LangChain or pydantic-ai messages as JSON",
    detect=detect,
    open=open_file,
)
