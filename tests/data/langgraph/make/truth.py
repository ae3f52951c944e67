"""What LangGraph itself says of the threads it ran, as JSON; nothing of the viewer has a part in it.

Runs beside every release from 0.2.14 on, so it imports none: values are told apart by their shape.
A value is written as `tests/data/langgraph/README.md` says; one of an unknown class is refused.
"""

import base64
import dataclasses
import datetime
import decimal
import enum
import math
import uuid
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, version
from inspect import signature
from typing import Any

PACKAGES = (
    "langgraph",
    "langgraph-checkpoint",
    "langgraph-checkpoint-sqlite",
    "langgraph-checkpoint-postgres",
    "langchain",
    "langchain-core",
)


def made_by() -> dict[str, str]:
    """Return the versions of what made a store."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def plain(value: Any) -> Any:
    """Return a value as JSON; a class keeps its name and the way LangGraph would make it anew."""
    if value is None or isinstance(value, bool) or type(value) in (int, str):
        return _exact(value) if type(value) is int else value
    if type(value) is float:
        return value if math.isfinite(value) else {"$type": "float", "value": _word(value)}
    if isinstance(value, enum.Enum):
        return _made(value, "ctor1", plain(value.value))
    if isinstance(value, dict):
        return _mapping(value)
    if hasattr(value, "_asdict"):
        return _made(value, "ctor**", plain(value._asdict()))
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, bytes | bytearray):
        return {"$type": "bytes", "b64": base64.b64encode(value).decode()}
    return _instance(value)


def _instance(value: Any) -> Any:
    if isinstance(value, set | frozenset):
        return _made(value, "ctor1", sorted((plain(one) for one in value), key=repr))
    if isinstance(value, uuid.UUID):
        return _made(value, "ctor1", value.hex)
    if isinstance(value, decimal.Decimal):
        return _made(value, "ctor1", str(value))
    if isinstance(value, datetime.datetime):
        return {**_made(value, "method1", value.isoformat()), "$method": "fromisoformat"}
    if isinstance(value, datetime.date):
        return _made(value, "ctor*", [value.year, value.month, value.day])
    if hasattr(value, "model_dump"):
        made = _made(value, "pydantic2", plain(value.model_dump()))
        return {**made, "$method": "model_validate_json"}
    if hasattr(value, "lc_id"):  # a message before langchain-core 0.3, stored as its JSON
        told = value.to_json()
        return {"$type": ".".join(told["id"]), "$ctor": "lc1", "value": plain(told["kwargs"])}
    if type(value).__name__ == "Send":
        return _made(value, "ctor*", [value.node, plain(value.arg)])
    if dataclasses.is_dataclass(value):
        fields = {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return _made(value, "ctor**", fields)
    if hasattr(value, "PICKLED"):
        return _made(value, "pickle", plain(vars(value)))
    raise TypeError(f"no way to write down a {type(value)}")


def _mapping(value: dict[Any, Any]) -> Any:
    if all(isinstance(key, str) for key in value) and "$type" not in value:
        return {key: plain(one) for key, one in value.items()}
    return {"$type": "map", "items": [[plain(key), plain(one)] for key, one in value.items()]}


def _made(value: Any, way: str, argument: Any) -> dict[str, Any]:
    kind = type(value)
    return {"$type": f"{kind.__module__}.{kind.__name__}", "$ctor": way, "value": argument}


def _exact(value: int) -> Any:
    return value if abs(value) < 2**53 else {"$type": "int", "value": str(value)}


def _word(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def threads_truth(ran: Iterable[tuple[str, Any]], saver: Any) -> dict[str, Any]:
    """Return what the graph that ran each thread says of every namespace of it."""
    return {thread: dict(_namespaces(thread, graph, saver)) for thread, graph in ran}


def _namespaces(thread: str, graph: Any, saver: Any) -> Iterator[tuple[str, Any]]:
    """Yield each namespace with what is told of it; 0.2.14 cannot look into subgraphs."""
    deep = {"subgraphs": True} if "subgraphs" in signature(graph.get_state).parameters else {}
    counts: dict[str, int] = {}
    for stored in list(saver.list({"configurable": {"thread_id": thread}})):
        namespace = stored.config["configurable"]["checkpoint_ns"]
        counts[namespace] = counts.get(namespace, 0) + 1
    for namespace, count in sorted(counts.items()):
        config = {"configurable": {"thread_id": thread, "checkpoint_ns": namespace}}
        told = [_recorded(one) for one in graph.get_state_history(config)]
        live = graph.get_state(config, **deep)
        tasks = [_task(task) for task in live.tasks]
        yield (
            namespace,
            {
                "count": count,
                "live_next": list(live.next),
                "live_interrupts": _asked(live),
                "live_status": _status(live),
                "live_tasks": tasks,
                "history": told,
            },
        )


def _recorded(one: Any) -> dict[str, Any]:
    return {
        "checkpoint": _place(one.config),
        "parent_checkpoint": _place(one.parent_config),
        "created_at": one.created_at,
        "metadata": plain(one.metadata),
        "next": list(one.next),
        "tasks": [_task(task) for task in one.tasks],
        "interrupts": _asked(one),
        "values": plain(one.values),
    }


def _place(config: Any) -> Any:
    """Return the identity in a config; the first releases leave the empty namespace out."""
    if config is None:
        return None
    found = config["configurable"]
    return {
        "thread_id": found["thread_id"],
        "checkpoint_ns": found.get("checkpoint_ns", ""),
        "checkpoint_id": found.get("checkpoint_id"),
    }


def _task(task: Any) -> dict[str, Any]:
    """Return a task with the fields that the release knows: state, path and result came later."""
    told = {
        "id": task.id,
        "name": task.name,
        "error": None if task.error is None else str(task.error),
        "interrupts": [_interrupt(one) for one in task.interrupts],
    }
    if hasattr(task, "state"):
        told["state"] = _below(task.state)
    if hasattr(task, "path"):
        told["path"] = plain(task.path)
    if hasattr(task, "result"):
        told["result"] = plain(task.result)
    return told


def _below(state: Any) -> Any:
    """Return where a task's subgraph is stored and, asked for live, what it is about to do."""
    if state is None or not hasattr(state, "tasks"):
        return None if state is None else _place(state)
    told = {"checkpoint": _place(state.config), "next": list(state.next)}
    return told | {"tasks": [_task(task) for task in state.tasks]}


def _interrupt(one: Any) -> dict[str, Any]:
    return {"id": getattr(one, "id", None) or getattr(one, "interrupt_id", None)} | {
        "value": plain(one.value)
    }


def _asked(state: Any) -> list[dict[str, Any]]:
    return [_interrupt(one) for task in state.tasks for one in task.interrupts]


def _status(live: Any) -> str:
    """Return done, interrupted, error or pending, from ``get_state`` alone."""
    if not live.next:
        return "done"
    waiting = [task for task in live.tasks if task.name in live.next]
    if any(task.interrupts for task in waiting):
        return "interrupted"
    unfinished = [task for task in waiting if getattr(task, "result", None) is None]
    return "error" if any(task.error for task in unfinished) else "pending"
