"""One task of a state as LangGraph tells it: an object, or the tuple ``PregelTask``.

Sources: ``langgraph_sdk.schema.ThreadTask``, ``langgraph.types.PregelTask`` and ``Interrupt``.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from viewer.jsontext import dumps
from viewer.sources.langgraph.history_shape import told
from viewer.sources.langgraph.naming import interrupt_id

_TASK = ("id", "name", "path", "error", "interrupts", "state", "result")
Kind = Literal["pull", "push", "call", "error_handler", "unknown"]
_KINDS: Mapping[str, Kind] = {"__pregel_pull": "pull", "__pregel_push": "push"}
_PRINTED_ID = re.compile(r"\bid='([^']{1,200})'")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldTask:
    """One task of a state."""

    id: str
    node: str
    kind: Kind
    error: str | None
    questions: tuple[tuple[str, Any], ...]
    """Id and value of each interrupt."""
    result: Any
    """None where it has not finished: LangGraph writes ``{}`` for a task without output."""
    namespace: str | None
    """Of its subgraph, where the state names one."""
    state: Mapping[str, Any] | None
    """Of its subgraph, where the state holds it, by field names."""
    pointer: str
    """Of that state, from the state that the task stands in."""


def questions(value: Any) -> tuple[tuple[str, Any], ...]:
    """Return id and value of each interrupt in a list of them; an id that is not told is empty."""
    return tuple(_question(one) for one in elements(value))


def _question(one: Any) -> tuple[str, Any]:
    """Return one interrupt: ``{value, id}``, before 0.6 ``{value, resumable, ns, when}``, or text."""
    if isinstance(one, dict) and "value" in one:
        own, place = word(one.get("id") or one.get("interrupt_id")), one.get("ns")
        if own is None and isinstance(place, list) and all(isinstance(n, str) for n in place):
            own = interrupt_id("|".join(place))
        return own or "", one["value"]
    printed = _PRINTED_ID.search(one) if isinstance(one, str) else None
    return printed.group(1) if printed else "", one


def told_task(one: Any, namespace: str, pointer: str) -> ToldTask:
    """Return the task that ``one`` tells.

    Args:
        one: an object or a list.
        namespace: of the chain that it runs in.
        pointer: of ``one`` in the state.
    """
    body = dict(zip(_TASK, one, strict=False)) if isinstance(one, list) else members(one)
    inner = told(body.get("state"))
    path, error = body.get("path"), body.get("error")
    own = (
        placed(body, "checkpoint", "state")
        if inner is None
        else placed(inner, "checkpoint", "config")
    )
    node, name = word(body.get("name")) or "", word(own.get("checkpoint_ns"))
    return ToldTask(
        id=word(body.get("id")) or "",
        node=node,
        kind=_kind(path),
        error=None if error is None else error if isinstance(error, str) else dumps(error),
        questions=questions(body.get("interrupts")),
        result=body.get("result"),
        namespace=name if name != namespace else None,
        state=inner,
        pointer=f"{pointer}/{_TASK.index('state') if isinstance(one, list) else 'state'}",
    )


def _kind(path: Any) -> Kind:
    if not isinstance(path, list) or not path or not isinstance(path[0], str):
        return "unknown"
    if path[-1] == 0 and path[-2:-1] == ["node_error_handler"]:
        return "error_handler"
    if path[0] == "__pregel_push" and len(path) > 1 and isinstance(path[1], list):
        return "call"
    return _KINDS.get(path[0], "unknown")


def placed(body: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """Return what the first of ``keys`` with an object says; a config says it one level down."""
    for key in keys:
        found = body.get(key)
        if isinstance(found, dict):
            inner = found.get("configurable")
            return inner if isinstance(inner, dict) else found
    return {}


def word(value: Any) -> str | None:
    """Return a name or a number as text; None for anything else and for the empty text."""
    if type(value) is int and abs(value) < 10**18:
        return str(value)
    return value if isinstance(value, str) and value else None


def members(value: Any) -> Mapping[str, Any]:
    """Return ``value`` where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def elements(value: Any) -> Iterable[Any]:
    """Return ``value`` where it is a list, else nothing."""
    return value if isinstance(value, list) else ()
