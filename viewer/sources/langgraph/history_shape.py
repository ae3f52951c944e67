"""Whether one JSON value is what LangGraph says of a thread, told by its members.

Three shapes: ``ThreadState`` and ``Thread`` of the Agent Server (``langgraph_sdk.schema``), and
``StateSnapshot`` of the library (``langgraph.types``), dumped by its field names or as the tuple
that it is.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

FIELDS = (
    *("values", "next", "config", "metadata", "created_at", "parent_config", "tasks"),
    "interrupts",
)
"""``StateSnapshot`` as a tuple; releases before 0.4 have no interrupts, the first no tasks."""
FEWEST = 6
THREAD_STATUS = ("idle", "busy", "interrupted", "error")
"""``langgraph_sdk.schema.ThreadStatus``."""

Text = bytes | msgspec.Raw
"""The text of one JSON value."""


def is_state_text(members: Mapping[str, Text]) -> bool:
    """Return whether an object with these members is a ``ThreadState`` or ``StateSnapshot``."""
    if not {"values", "next"} <= members.keys() or bytes(members["next"])[:1] != b"[":
        return False
    config, checkpoint = (bytes(members.get(key, b"")) for key in ("config", "checkpoint"))
    return (
        b'"configurable"' in config
        or b'"checkpoint_id"' in checkpoint
        or b'"thread_id"' in checkpoint
        or {"tasks", "parent_checkpoint"} <= members.keys()
    )


def is_thread_text(members: Mapping[str, Text]) -> bool:
    """Return whether an object with these members is a ``Thread``."""
    if not {"thread_id", "status", "values"} <= members.keys() or "state" in members:
        return False
    word = bytes(members["status"]).strip(b'"').decode(errors="replace")
    return word in THREAD_STATUS and ("metadata" in members or "updated_at" in members)


def is_tuple_text(elements: Iterable[Text]) -> bool:
    """Return whether an array with these elements is a ``StateSnapshot`` dumped as a tuple."""
    texts = [bytes(one) for one in elements]
    return (
        FEWEST <= len(texts) <= len(FIELDS)
        and texts[1][:1] == b"["
        and texts[2][:1] == b"{"
        and b'"configurable"' in texts[2]
    )


def told(value: Any) -> Mapping[str, Any] | None:
    """Return ``value`` by field names where it is a state or a thread; None where it is neither."""
    if isinstance(value, list):
        if not FEWEST <= len(value) <= len(FIELDS) or not isinstance(value[1], list):
            return None
        if not isinstance(value[2], dict) or "configurable" not in value[2]:
            return None
        return dict(zip(FIELDS, value, strict=False))
    if not isinstance(value, dict) or "values" not in value:
        return None
    return value if isinstance(value.get("next"), list) or is_thread(value) else None


def is_thread(body: Mapping[str, Any]) -> bool:
    """Return whether ``body`` is a ``Thread``: its latest values without any checkpoint."""
    return "next" not in body and body.get("status") in THREAD_STATUS
