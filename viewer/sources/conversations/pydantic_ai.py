"""pydantic-ai's messages, one for each part that a person would call a message.

A request holds several parts (system, user, answers of tools), a response is one answer with text,
thinking and calls. What each came from stands in its ``stored`` field, and what a request says beside
its parts in the ``request`` field of its first message, so nothing is lost. Source:
``ModelMessagesTypeAdapter`` of pydantic-ai 1 and 2; older files lack most keys.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple


class Part(NamedTuple):
    """A message and its pointer inside the entry."""

    message: dict[str, Any]
    pointer: str


_ROLES = {"system-prompt": "system", "user-prompt": "user", "tool-return": "tool"}


def is_message(entry: Mapping[str, Any]) -> bool:
    """Return whether ``entry`` is a request or a response with parts, each naming its kind."""
    parts = entry.get("parts")
    return (
        entry.get("kind") in ("request", "response")
        and isinstance(parts, list)
        and all(isinstance(p, dict) and isinstance(p.get("part_kind"), str) for p in parts)
    )


def moved(pointers: Sequence[str], part: Part, *, first: bool) -> Iterator[str]:
    """Yield where those of ``pointers``, which lead into an entry, lead in the message of ``part``.

    Args:
        pointers: into the entry as stored.
        part: a message of the entry.
        first: whether it is the first one, which tells what the request says beside its parts.
    """
    for pointer in pointers:
        if pointer == part.pointer or pointer.startswith(part.pointer + "/"):
            yield "/stored" + pointer.removeprefix(part.pointer)
        elif first and not pointer.startswith("/parts/"):
            yield "/request" + pointer


def messages_of(entry: Mapping[str, Any], instructions: str | None) -> Iterator[Part]:
    """Yield the messages of one request or response.

    Args:
        entry: as stored; `is_message` says that it is one.
        instructions: those said last; a request repeats them, and they are one message.
    """
    if entry.get("kind") == "response":
        yield Part(_answer(entry), "")
        return
    own = entry.get("instructions")
    found: list[Part] = []
    if isinstance(own, str) and own and own != instructions:
        found.append(Part({"role": "system", "content": own}, "/instructions"))
    found += [Part(_asked(part), f"/parts/{n}") for n, part in enumerate(entry["parts"])]
    if not found:
        found.append(Part({"role": "user", "content": None}, "/parts"))
    found[0].message["request"] = {key: v for key, v in entry.items() if key != "parts"}
    yield from found


def _asked(part: Mapping[str, Any]) -> dict[str, Any]:
    kind = part["part_kind"]
    role = _ROLES.get(kind) or ("tool" if part.get("tool_name") else "user")
    found: dict[str, Any] = {"role": role, "content": part.get("content")}
    if role == "tool":
        found["tool_call_id"] = part.get("tool_call_id")
        found["name"] = part.get("tool_name")
        failed = kind == "retry-prompt" or part.get("outcome", "success") != "success"
        found["status"] = "error" if failed else "success"
    return {**found, "stored": part}


def _answer(entry: Mapping[str, Any]) -> dict[str, Any]:
    parts = entry["parts"]
    found: dict[str, Any] = {
        "role": "assistant",
        "content": [_block(part) for part in parts if part["part_kind"] != "tool-call"],
        "tool_calls": [_call(part) for part in parts if part["part_kind"] == "tool-call"],
    }
    for name in ("usage", "model_name"):
        if entry.get(name) is not None:
            found[name] = entry[name]
    response_id = entry.get("provider_response_id")
    if isinstance(response_id, str) and response_id:
        found["id"] = response_id
    return {**found, "stored": entry}


def _block(part: Mapping[str, Any]) -> dict[str, Any]:
    if part["part_kind"] == "text":
        return {"type": "text", "text": part.get("content")}
    if part["part_kind"] == "thinking":
        return {"type": "thinking", "thinking": part.get("content")}
    return {"type": part["part_kind"], **part}


def _call(part: Mapping[str, Any]) -> dict[str, Any]:
    args = part.get("args")
    if isinstance(args, str):
        function = {"name": part.get("tool_name"), "arguments": args}
        return {"id": part.get("tool_call_id"), "type": "function", "function": function}
    return {"id": part.get("tool_call_id"), "name": part.get("tool_name"), "args": args or {}}
