"""Model calls in OpenTelemetry traces: OTLP as JSON, a document a file or a line.

A span is a model call where its operation is ``chat``, ``text_completion`` or ``generate_content``
(GenAI conventions), or where LangSmith, Traceloop or OpenInference call it an LLM's, and where its
input was captured at all. Thread and LangGraph task stand in the metadata that the instrumentation
copied (``langsmith.metadata.thread_id``, ``traceloop.association.properties.…``, OpenInference's
``metadata``), on the span itself or on one around it; the thread else in ``gen_ai.conversation.id``.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from viewer.sources.otel_values import attributes, decoded, input_messages, tool_definitions
from viewer.sources.recorded_call import Call, Shared

_OPERATIONS = ("chat", "text_completion", "generate_content")
_KINDS = (
    ("langsmith.span.kind", ("llm",)),
    ("openinference.span.kind", ("LLM",)),
    ("llm.request.type", ("chat", "completion")),
)
_JOINS = ("thread_id", "langgraph_checkpoint_ns", "langgraph_node", "checkpoint_id")
_USAGE = (
    (
        "input_tokens",
        ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"),
    ),
    (
        "output_tokens",
        (
            "gen_ai.usage.output_tokens",
            "gen_ai.usage.completion_tokens",
            "llm.token_count.completion",
        ),
    ),
)
_INPUTS = ("gen_ai.input.messages", "gen_ai.prompt")
_REQUEST = "gen_ai.request."
_OUTWARDS = 64
"""Most spans around a call that are asked for thread and task."""
_DETAILS = "gen_ai.client.inference.operation.details"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Span:
    place: str
    parent: tuple[str, str]
    body: dict[str, Any]
    told: dict[str, Any]
    events: list[dict[str, Any]]


class Spans:
    """The spans of all documents: a call's events and the spans around it may stand anywhere."""

    def __init__(self) -> None:
        self._spans: dict[tuple[str, str], _Span] = {}
        self._events: dict[tuple[str, str], list[dict[str, Any]]] = {}
        self._shared = Shared()
        self._copied: dict[int, dict[str, str]] = {}
        self._depth = 0
        self.unread: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._spans)

    def add(self, document: dict[str, Any], place: str, depth: int) -> None:
        """Take one document; what is no span in it is left out."""
        self._depth = depth
        for body in _inner(document, "resourceSpans", "scopeSpans", "spans"):
            name = _ids(body, "spanId")
            events = [self._event(e) for e in _list(body, "events") if isinstance(e, dict)]
            self._spans[name] = _Span(
                place=place,
                parent=_ids(body, "parentSpanId"),
                body=body,
                told=attributes(body.get("attributes"), depth),
                events=events,
            )
        for body in _inner(document, "resourceLogs", "scopeLogs", "logRecords"):
            self._events.setdefault(_ids(body, "spanId"), []).append(self._event(body))

    def _event(self, body: dict[str, Any]) -> dict[str, Any]:
        told = attributes(body.get("attributes"), self._depth)
        named = body.get("name") or body.get("eventName") or told.get("event.name")
        said = attributes([{"key": "body", "value": body.get("body")}], self._depth)
        return {**told, **said, "event.name": named}

    def calls(self) -> tuple[Call, ...]:
        """Return the spans that are model calls with a captured input, by the time they began.

        Those whose input was captured in no known shape are counted in ``unread`` by place.
        """
        self.unread.clear()
        made = [call for name, span in self._spans.items() if (call := self._call(name, span))]
        return tuple(call for _, call in sorted(made, key=lambda pair: pair[0]))

    def _call(self, name: tuple[str, str], span: _Span) -> tuple[int, Call] | None:
        events = [*span.events, *self._events.get(name, ())]
        told = dict(span.told)
        for event in events:
            if event["event.name"] in (_DETAILS, "gen_ai.content.prompt"):
                told |= {k: v for k, v in event.items() if k.startswith("gen_ai.")}
        if not _is_call(told):
            return None
        messages = input_messages(told, events, self._depth)
        if messages is None:
            if any(told.get(key) for key in _INPUTS):
                self.unread[span.place] += 1
            return None
        joins = self._joins(span)
        began = _nanoseconds(span.body.get("startTimeUnixNano"))
        ended = _nanoseconds(span.body.get("endTimeUnixNano"))
        path = joins.get("langgraph_checkpoint_ns") or ""
        usage = {k: n for k, ways in _USAGE if (n := _first(told, ways)) is not None}
        value = {
            "recorded_by": "OpenTelemetry",
            "call_id": name[1],
            "started_at": _time(began),
            "node": joins.get("langgraph_node"),
            "task_id": path.rpartition("|")[2].rpartition(":")[2] or None,
            "path": path or None,
            "model": {"name": told.get("gen_ai.request.model") or told.get("llm.model_name")},
            "parameters": {
                key.removeprefix(_REQUEST): v for key, v in told.items() if key.startswith(_REQUEST)
            },
            "tools": self._shared.each(tool_definitions(told, self._depth)),
            "messages": self._shared.each(messages),
            "seconds": (ended - began) / 1e9 if began and ended >= began else None,
            "usage": usage or None,
            "error": _error(span.body, told),
        }
        return began, Call(
            place=span.place,
            thread_id=joins.get("thread_id"),
            path=path,
            checkpoint_id=joins.get("checkpoint_id"),
            value={
                key: v for key, v in value.items() if v is not None or key in ("usage", "error")
            },
        )

    def _joins(self, span: _Span) -> dict[str, str]:
        """Return thread and task of a call, from its own span outwards; the nearest counts."""
        found: dict[str, str] = {}
        here: _Span | None = span
        for _ in range(_OUTWARDS):
            if here is None:
                break
            found = {**self._metadata(here), **found}
            here = self._spans.get(here.parent)
        return found

    def _metadata(self, span: _Span) -> dict[str, str]:
        """Return what a span itself says, read once: thousands of calls may stand in one span."""
        if id(span) not in self._copied:
            self._copied[id(span)] = _metadata(span.told, self._depth)
        return self._copied[id(span)]


def _metadata(told: dict[str, Any], depth: int) -> dict[str, str]:
    copied = decoded(told.get("metadata"), depth)
    found = {k: copied[k] for k in _JOINS if k in copied} if isinstance(copied, dict) else {}
    for key in ("gen_ai.conversation.id", "session.id"):
        if key in told:
            found.setdefault("thread_id", told[key])
    for key, value in told.items():
        last = key.rpartition(".")[2]
        if last in _JOINS:
            found[last] = value
    return {key: value for key, value in found.items() if isinstance(value, str)}


def _is_call(told: dict[str, Any]) -> bool:
    for key, words in _KINDS:
        if key in told:
            return told[key] in words
    operation = told.get("gen_ai.operation.name")
    return operation is None or operation in _OPERATIONS


def _inner(document: dict[str, Any], *way: str) -> Iterator[dict[str, Any]]:
    level = [document]
    for key in way:
        level = [b for holder in level for b in _list(holder, key) if isinstance(b, dict)]
    yield from level


def _list(holder: dict[str, Any], key: str) -> list[Any]:
    found = holder.get(key)
    return found if isinstance(found, list) else []


def _ids(body: dict[str, Any], key: str) -> tuple[str, str]:
    return str(body.get("traceId", ""))[:64], str(body.get(key, ""))[:64]


def _first(told: dict[str, Any], ways: tuple[str, ...]) -> Any:
    return next((told[way] for way in ways if way in told), None)


def _nanoseconds(value: Any) -> int:
    text = str(value)[:20] if isinstance(value, str | int) else ""
    return int(text) if text.isascii() and text.isdigit() else 0


def _time(nanoseconds: int) -> str | None:
    try:
        return datetime.fromtimestamp(nanoseconds / 1e9, UTC).isoformat() if nanoseconds else None
    except (ValueError, OverflowError, OSError):
        return None


def _error(body: dict[str, Any], told: dict[str, Any]) -> str | None:
    status = body.get("status")
    if not isinstance(status, dict) or status.get("code") not in (2, "STATUS_CODE_ERROR"):
        return None
    return str(status.get("message") or told.get("error.type") or "error")[:10_000]
