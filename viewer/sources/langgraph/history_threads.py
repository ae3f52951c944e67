"""The states that LangGraph told of its threads, each put into its chain."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from viewer.chain.faults import CUT
from viewer.jsontext import dumps, type_name
from viewer.model import Problem, Record, Thread, ThreadRef
from viewer.sources.elements import Element
from viewer.sources.langgraph.history_chains import Chains, Key
from viewer.sources.langgraph.history_latest import latest
from viewer.sources.langgraph.history_nesting import nesting
from viewer.sources.langgraph.history_records import Entry, ordered, records
from viewer.sources.langgraph.history_shape import FIELDS, is_thread, told
from viewer.sources.langgraph.history_state import state
from viewer.sources.langgraph.naming import task_namespace

PROFILE = "langgraph"
DEFAULT_STATES = 10
"""``limit`` of ``POST /threads/{id}/history``."""


class Given(NamedTuple):
    """One value of a document, and the thread that stands around it as a key."""

    element: Element
    thread_id: str | None


def threads(given: Iterable[Given], name: str, place: str) -> dict[Key, Thread]:
    """Return the thread of each thread id and namespace.

    Args:
        given: the values of a document, in its order.
        name: id of a thread that nothing names.
        place: of the document.
    """
    chains = Chains(name)
    for one in given:
        _place(one, chains)
    found = chains.close()
    own = {
        key: records(ordered([e for e in entries if isinstance(e, Entry)]))
        for key, entries in found.items()
    }
    return {
        key: _thread(key, entries, own, chains.latest.get(key), place)
        for key, entries in found.items()
    }


def _thread(
    key: Key,
    entries: list[Entry | Record],
    own: Mapping[Key, list[Record]],
    newest: Problem | None,
    place: str,
) -> Thread:
    told_states = own[key]
    plain = [entry for entry in entries if isinstance(entry, Record)]
    found = (*told_states, *plain)
    times = [record.created_at for record in found if record.created_at is not None]
    cut = _cut(told_states, place)
    return Thread(
        ref=ThreadRef(
            thread_id=key[0],
            namespace=key[1],
            checkpoints=sum(record.listed for record in found),
            updated_at=max(times, default=None),
        ),
        records=found,
        problems=tuple(problem for problem in (cut, newest) if problem is not None),
        profile=PROFILE,
        live_head="id",
        nesting=nesting(key, entries, own),
    )


def _place(one: Given, chains: Chains) -> None:
    element = one.element
    if element.fault is not None:
        chains.lose(element, element.fault)
        return
    body = told(element.value)
    if body is None:
        chains.lose(
            element, f"no state of a LangGraph thread, but a JSON {type_name(element.value)}"
        )
    elif is_thread(body):
        thread_id, record, problem = latest(body, element)
        key = (thread_id or one.thread_id or chains.name, "")
        chains.latest.setdefault(key, problem)
        chains.add(key, record)
    else:
        for key, entry in _nested(body, element, one.thread_id or chains.name):
            chains.add(key, entry)


def _nested(body: Mapping[str, Any], element: Element, name: str) -> Iterator[tuple[Key, Entry]]:
    """Yield a state and, one after the other, those of the subgraphs inside it."""
    tasks = "/tasks" if isinstance(element.value, dict) else f"/{FIELDS.index('tasks')}"
    found = state(body, tasks)
    pending = [((found.thread_id or name, found.namespace), Entry(element, found))]
    while pending:
        key, entry = pending.pop()
        yield key, entry
        for task in entry.told.tasks:
            if task.state is None:
                continue
            pointer = f"{entry.element.pointer}{task.pointer}"
            inner = Element(
                place=f"{element.place.partition('#')[0]}#{pointer}",
                made_id=f"task:{task.id}",
                size_bytes=len(dumps(task.state.get("values"))),
                value=task.state,
                pointer=pointer,
            )
            own = state(task.state)
            namespace = own.namespace or task_namespace(key[1], task.node, task.id)
            pending.append(((own.thread_id or key[0], namespace), Entry(inner, own)))


def _cut(found: list[Record], place: str) -> Problem | None:
    """Return one note for all checkpoints whose parents the answer leaves out."""
    ids = {record.checkpoint_id for record in found}
    missing = [
        record
        for record in found
        if isinstance(record.parent_id, str) and record.parent_id not in ids
    ]
    if not missing:
        return None
    first = missing[0]
    reason = (
        f"an excerpt: what led to checkpoint {first.checkpoint_id or first.made_id} is not in it"
    )
    if len(found) == DEFAULT_STATES:
        reason += (
            f" ({DEFAULT_STATES} states are what LangGraph's server gives unless asked for more)"
        )
    return Problem(place=place, reason=reason, keyword=CUT)
