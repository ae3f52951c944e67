"""Record what each model call of a LangChain or LangGraph app really got.

One file without dependencies: install it with the viewer or copy it alone into an app. Then::

    graph.invoke(state, {"callbacks": [Recorder("run/observations.jsonl")], ...})

Each call leaves two lines of JSON, described by ``schemas/recording.schema.json``: ``call`` when it
starts (the messages in the model's own order, tools as bound, parameters), which survives when the
process is killed meanwhile, and ``outcome`` when it ends (tokens, error). LangGraph tells a callback
in its metadata which thread, namespace and task runs; the running config tells which checkpoint that
task read. Headers and keys are never written; what people and tools say is.

The app is never disturbed: nothing raises, and what could not be recorded is counted in
``Recorder.failures`` and stands in the file as a call without messages. Threads, event loops and
processes may share one file: each line is one write at the end under a lock.
"""

import contextlib
import hashlib
import importlib
import itertools
import json
import math
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

FORMAT = "checkpoint-viewer.recording"
FORMAT_VERSION = 1
DEPTH = 60
"""Deepest nesting written; what lies deeper is cut and marked."""
LONGEST_TEXT = 2_000_000
"""Longest text written whole, in characters; of a longer one its head, length and SHA-256."""

_SHOWN = (
    *("type", "role", "id", "name", "content", "tool_calls", "invalid_tool_calls"),
    *("tool_call_id", "status", "additional_kwargs"),
)
"""Fields of a LangChain message that can reach a model; usage and artifacts cannot."""
_SECRET_KEY = re.compile(
    r"(^|[_-])(api[_-]?key|key|secret|passw(or)?d|authorization|auth|credentials?|cookies?|headers?"
    r"|(access|api|auth|bearer|refresh|id|session)?[_-]?token)$",
    re.IGNORECASE,
)
_SECRET_TEXT = re.compile(
    r"\b(?:sk|pk|rk|xai|gsk|lsv2|ghp|gho|pat)[-_][A-Za-z0-9_\-]{12,}"
    r"|\bAIza[A-Za-z0-9_\-]{20,}|\bAKIA[A-Z0-9]{12,}|(?i:\bbearer\s+)[A-Za-z0-9._\-]{8,}"
    r"|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"
)
_MASK = "**********"


def _handler_base() -> type:
    """Return LangChain's handler class, which some callers insist on; plain ``object`` without."""
    try:
        found = importlib.import_module("langchain_core.callbacks").BaseCallbackHandler
    except (ImportError, AttributeError):
        found = object
    return found if isinstance(found, type) else object


class Recorder(_handler_base()):  # type: ignore[misc]
    """A LangChain callback that appends each model call to a JSONL file.

    Args:
        path: the file; its folder is made when the first call comes.

    ``failures`` counts what could not be written as it should; ``last_failure`` says why.
    """

    raise_error = False
    run_inline = True  # In the caller's own context: the order is true and nothing is lost at exit.
    ignore_llm = ignore_chat_model = False
    ignore_chain = ignore_agent = ignore_retriever = ignore_retry = ignore_custom_event = True

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__()
        self.path = os.fspath(path)
        self.failures = 0
        self.last_failure = ""
        self._order = itertools.count()
        self._lock = threading.Lock()
        self._started: dict[str, float] = {}

    def on_chat_model_start(
        self, serialized: Any, messages: Any, *, run_id: Any = None, **more: Any
    ) -> None:
        """Record the input of one call of a chat model."""
        self._begin(run_id, serialized, more, lambda: [_message(m) for b in messages for m in b])

    def on_llm_start(
        self, serialized: Any, prompts: Any, *, run_id: Any = None, **more: Any
    ) -> None:
        """Record the input of one call of a model that completes a text."""
        self._begin(
            run_id, serialized, more, lambda: [{"type": "prompt", "content": p} for p in prompts]
        )

    def on_llm_end(self, response: Any, *, run_id: Any = None, **_: Any) -> None:
        """Record what the call cost."""
        self._end(run_id, lambda: _outcome(response))

    def on_llm_error(self, error: BaseException, *, run_id: Any = None, **_: Any) -> None:
        """Record why the call failed."""
        self._end(run_id, lambda: {"error": _safe(f"{type(error).__name__}: {error}")[:10_000]})

    def _begin(
        self, run_id: Any, serialized: Any, more: Mapping[str, Any], messages: Callable[[], Any]
    ) -> None:
        with self._undisturbed():
            with self._lock:
                order = next(self._order)
                self._started[str(run_id)] = time.monotonic()
            call: dict[str, Any] = {"order": order, "started_at": _now()}
            with self._undisturbed():
                metadata = more.get("metadata") or {}
                call |= _plain(_place(metadata) | _asked(serialized, metadata, more))
                call["messages"] = _plain(messages())
            if "messages" not in call:
                call |= {"messages": None, "not_recorded": _safe(self.last_failure)[:1_000]}
            self._write("call", run_id, call)

    def _end(self, run_id: Any, outcome: Callable[[], dict[str, Any]]) -> None:
        with self._undisturbed():
            with self._lock:
                started = self._started.pop(str(run_id), None)
            seconds = None if started is None else round(time.monotonic() - started, 6)
            found: dict[str, Any] = {"message_id": None, "usage": None, "error": None}
            with self._undisturbed():
                found |= outcome()
            self._write("outcome", run_id, {"ended_at": _now(), "seconds": seconds, **found})

    @contextlib.contextmanager
    def _undisturbed(self) -> Iterator[None]:
        """Count what goes wrong instead of raising it into the app."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - whatever it is, the app comes first
            self.failures += 1
            with contextlib.suppress(Exception):
                self.last_failure = f"{type(error).__name__}: {error}"

    def _write(self, kind: str, run_id: Any, body: dict[str, Any]) -> None:
        head = {"format": FORMAT, "format_version": FORMAT_VERSION, "kind": kind}
        line = json.dumps({**head, "call_id": str(run_id), **body}, allow_nan=False)
        with self._lock:
            _append(self.path, line.encode() + b"\n")


def _append(path: str, line: bytes) -> None:
    """Append ``line`` whole, on a line of its own even where an earlier writer was cut off."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
    try:
        file = os.open(path, flags, 0o600)
    except FileNotFoundError:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, flags, 0o600)
    try:
        _lock(file)
        size = os.lseek(file, 0, os.SEEK_END)
        if size:
            os.lseek(file, size - 1, os.SEEK_SET)
            if os.read(file, 1) != b"\n":
                line = b"\n" + line
        while line:
            line = line[os.write(file, line) :]
    finally:
        os.close(file)


def _lock(file: int) -> None:
    """Wait until no other process writes; closing the file gives the lock back.

    Windows and some file systems have no such lock: there only this process's own lines are safe.
    """
    with contextlib.suppress(ImportError, OSError):
        fcntl = importlib.import_module("fcntl")
        fcntl.flock(file, fcntl.LOCK_EX)


def _now() -> str:
    return datetime.now(timezone.utc).isoformat()  # noqa: UP017 - apps may run Python 3.10


def _place(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return where in a LangGraph run the call stands; null where nothing tells.

    LangGraph names the running task in ``langgraph_checkpoint_ns``: ``[namespace|]node:task``.
    """
    path = metadata.get("langgraph_checkpoint_ns") or metadata.get("checkpoint_ns") or ""
    namespace, _, last = path.rpartition("|")
    thread = metadata.get("thread_id")
    return {
        "thread_id": None if thread is None else str(thread),
        "namespace": namespace if path else None,
        "checkpoint_id": _checkpoint_id(namespace) if path else None,
        "task_id": last.rpartition(":")[2] or None,
        "node": metadata.get("langgraph_node"),
        "step": metadata.get("langgraph_step"),
        "path": path or None,
    }


def _checkpoint_id(namespace: str) -> str | None:
    """Return the id of the checkpoint that the running task of ``namespace`` read.

    LangGraph keeps it in the running config (``checkpoint_map``: namespace → checkpoint id).
    """
    try:
        module = importlib.import_module("langchain_core.runnables.config")
        config = module.var_child_runnable_config.get()
        found = config["configurable"]["checkpoint_map"][namespace]
    except (ImportError, AttributeError, LookupError, TypeError):
        return None
    return found if isinstance(found, str) else None


def _asked(serialized: Any, metadata: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    parameters = dict(more.get("invocation_params") or more.get("options") or {})
    tools = parameters.pop("tools", None) or parameters.pop("functions", None)
    name = metadata.get("ls_model_name") or parameters.get("model") or parameters.get("model_name")
    ids = serialized.get("id") if isinstance(serialized, Mapping) else None
    return {
        "model": {
            "name": name,
            "provider": metadata.get("ls_provider"),
            "class": ids[-1] if isinstance(ids, list) and ids else None,
        },
        "parameters": _without_secrets(_plain(parameters)),
        "tools": list(tools) if tools else [],
    }


def _message(message: Any) -> Any:
    if isinstance(message, Mapping):
        return dict(message)
    told = vars(message)  # Asking a pydantic object for what it lacks is slow.
    body = {n: told[n] for n in _SHOWN if n in told and told[n] not in (None, "", [], {})}
    return {**body, "content": message.content}


def _outcome(response: Any) -> dict[str, Any]:
    answers = [g for batch in response.generations or () for g in batch]
    answer = getattr(answers[0], "message", None) if answers else None
    usage = getattr(answer, "usage_metadata", None)
    if not usage:
        usage = (getattr(response, "llm_output", None) or {}).get("token_usage")
    return {"message_id": _plain(getattr(answer, "id", None)), "usage": _plain(usage) or None}


def _without_secrets(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _MASK if _SECRET_KEY.search(key) and inner is not None else _without_secrets(inner)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [_without_secrets(inner) for inner in value]
    return _safe(value) if isinstance(value, str) else value


def _safe(text: str) -> str:
    return _SECRET_TEXT.sub(_MASK, text)


def _plain(value: Any, depth: int = 0) -> Any:
    """Return ``value`` as JSON; what JSON has no word for keeps its type and its text."""
    kind = type(value)
    if value is None or kind is bool or (kind is str and len(value) <= LONGEST_TEXT):
        return value
    if kind is int:
        return value if value.bit_length() < 10_000 else {"$type": "int", "hex": hex(value)}
    if kind is float:
        return value if math.isfinite(value) else {"$type": "float", "value": str(value)}
    if isinstance(value, str):
        return _bounded(str(value))
    if depth >= DEPTH:
        return {"$type": "cut", "reason": f"nested deeper than {DEPTH} levels"}
    if kind is dict or isinstance(value, Mapping):
        named = {key if type(key) is str else repr(key)[:200]: v for key, v in value.items()}
        return {key: _plain(inner, depth + 1) for key, inner in named.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(inner, depth + 1) for inner in value]
    dumped = getattr(value, "model_dump", None)
    if callable(dumped) and not isinstance(value, type):
        return _plain(dumped(), depth + 1)
    return {"$type": f"{kind.__module__}.{kind.__qualname__}", "repr": _safe(repr(value)[:1_000])}


def _bounded(text: str) -> Any:
    if len(text) <= LONGEST_TEXT:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return {"$type": "cut", "length": len(text), "sha256": digest, "head": text[:1_000]}
