"""One recorded model call, and the lines that ``viewer/recorder.py`` writes of it.

The format is ``schemas/recording.schema.json``: a ``call`` line when a call starts, an ``outcome``
line when it ends. A call without an outcome was still running when the recording stopped.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from viewer.errors import ParseFault

FORMAT = "checkpoint-viewer.recording"
FORMAT_VERSION = 1
_SHOWN = ("order", "started_at", "node", "step", "task_id", "path", "model", "parameters")
_ENDED = ("ended_at", "seconds", "message_id", "usage", "error")
_DEEPEST = 64

RECORDER = "viewer.recorder"
"""``recorded_by`` of a call that the recorder wrote."""

Kind = Literal["recorder", "opentelemetry"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A model call with what joins it to a checkpoint."""

    place: str
    thread_id: str | None
    path: str
    """``[namespace|]node:task``, as LangGraph spells it; empty where nothing tells."""
    checkpoint_id: str | None
    value: Mapping[str, Any]
    """What is shown: ``recorded_by``, ``messages``, ``tools``, ``node``, ``usage``, ``error`` …"""

    def owner(self, stored: Collection[str]) -> tuple[str, str]:
        """Return namespace and task id of the innermost task whose chain is among ``stored``.

        A subgraph without a checkpointer, and a call inside a functional workflow, have no chain of
        their own: there the task around them made the call.
        """
        steps = self.path.split("|")[-_DEEPEST:]
        for inside in range(len(steps) - 1, -1, -1):
            namespace = "|".join(steps[:inside])
            if namespace in stored and ":" in steps[inside]:
                return namespace, steps[inside].rpartition(":")[2]
        return "|".join(steps[:-1]), ""


def recording_kind(head: bytes) -> Kind | None:
    """Return what wrote the recording that begins with ``head``; None where it is none."""
    start = head.lstrip(b" \t\r\n\xef\xbb\xbf")[:512]
    if not start.startswith(b"{"):
        return None
    if b'"format"' in start[:40] and f'"{FORMAT}"'.encode() in start[:120]:
        return "recorder"
    inside = start[1:].lstrip()
    if inside.startswith((b'"resourceSpans"', b'"resourceLogs"')):
        return "opentelemetry"
    return None


class Shared:
    """Equal messages become one object: each call repeats those of the calls before it."""

    def __init__(self) -> None:
        self._known: dict[bytes, Any] = {}

    def one(self, value: Any) -> Any:
        """Return ``value``, or the equal value given before."""
        try:
            return self._known.setdefault(msgspec.json.encode(value), value)
        except (msgspec.MsgspecError, ValueError, RecursionError, OverflowError):
            return value

    def each(self, values: Any) -> Any:
        """Return the list ``values`` with each entry shared; anything else as it is."""
        return [self.one(value) for value in values] if isinstance(values, list) else values


class Lines:
    """The recorder's lines, joined by their call id."""

    def __init__(self) -> None:
        self._begun: dict[str, tuple[str, dict[str, Any]]] = {}
        self._ended: dict[str, dict[str, Any]] = {}
        self._shared = Shared()

    def __len__(self) -> int:
        return len(self._begun)

    def add(self, line: Any, place: str) -> None:
        """Take one line.

        Raises:
            ParseFault: it is no line of a recording, or one of a format not known.
        """
        if not isinstance(line, dict) or line.get("format") != FORMAT:
            raise ParseFault("no recorded call: neither the recorder's format nor OpenTelemetry's")
        if line.get("format_version") != FORMAT_VERSION:
            raise ParseFault(f"recording of format_version {str(line.get('format_version'))[:20]}")
        name, kind = line.get("call_id"), line.get("kind")
        if not isinstance(name, str) or kind not in ("call", "outcome"):
            raise ParseFault("a line of a recording without call_id or of an unknown kind")
        if kind == "outcome":
            self._ended.setdefault(name, {key: line.get(key) for key in _ENDED})
            return
        if name not in self._begun:
            for key in ("messages", "tools"):
                line[key] = self._shared.each(line.get(key))
            self._begun[name] = (place, line)

    def calls(self) -> tuple[Call, ...]:
        """Return every call with its outcome, in the order of their lines."""
        return tuple(
            Call(
                place=place,
                thread_id=_text(line.get("thread_id")),
                path=_text(line.get("path")) or "",
                checkpoint_id=_text(line.get("checkpoint_id")),
                value={
                    "recorded_by": RECORDER,
                    "call_id": name,
                    **{key: line[key] for key in _SHOWN if line.get(key) is not None},
                    "tools": line["tools"] or [],
                    "messages": line["messages"],
                    **{key: line[key] for key in ("not_recorded",) if key in line},
                    **self._ended.get(name, {"not_ended": True}),
                },
            )
            for name, (place, line) in self._begun.items()
        )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
