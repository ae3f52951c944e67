"""The verdict: why a thread stands where it stands, what a resume would do, what looks wrong.

Each place that it names is a link; a click tells Python which one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from viewer.jsontext import dumps
from viewer.model import MISSING, Finding, LastWrite, NodeInput, Stop, Why
from viewer.panels.wire import revision, text_of

_VALUE = 400
"""Characters of one value shown at once."""
_WHOLE = 50_000
"""Characters of an error or a question that a click shows."""
_FIELDS = 12
_EVIDENCE = 4
_NAMES = 2
"""Channels of the last task that are named."""
_STOPS = 20
"""Tasks named of each kind; the rest are counted."""


Part = list[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a link leads: a checkpoint of a namespace, and a place in its state."""

    namespace: str
    checkpoint_id: str
    pointer: str = ""


def verdict_payload(why: Why) -> tuple[dict[str, Any], tuple[Place, ...]]:
    """Return what the panel draws, and the places its links lead to, by number.

    A row is ``[label, parts]``; a part is ``[kind, text]`` or ``["link", text, number]``, with kind
    ``text``, ``code`` or ``muted``, or ``["code", text, whole]`` of a text that is cut.
    """
    links = _Links()
    rows = [row for stop in why.stops[:_STOPS] for row in _stop(stop, links)]
    if len(why.stops) > _STOPS:
        rows.append(["", [["muted", f"and {len(why.stops) - _STOPS} more tasks that stopped"]]])
    if why.stops and why.last_write is not None:
        write = why.last_write
        parts: list[Part] = [
            ["code", write.node or "?"],
            ["text", " wrote "],
            *_channels(write),
            ["code", write.channel],
            ["text", " = "],
            ["code", _short(dumps(write.value))],
            links.to(write.namespace, write.checkpoint_id, f"after @{write.index}"),
        ]
        rows.append(["last write", parts])
    rows += _resume(why)
    findings = [_finding(found, links) for found in why.findings]
    payload = {
        "phase": why.phase,
        "sentence": why.sentence,
        "since": None if why.since is None else why.since.isoformat(),
        "rows": rows,
        "findings": findings,
        "notes": list(why.notes),
    }
    return {"rev": revision(text_of(payload)), **payload}, tuple(links.places)


class _Links:
    """Numbers the places that links lead to."""

    def __init__(self) -> None:
        self.places: list[Place] = []

    def to(self, namespace: str, checkpoint_id: str, text: str, pointer: str = "") -> Part:
        self.places.append(Place(namespace=namespace, checkpoint_id=checkpoint_id, pointer=pointer))
        return ["link", text, len(self.places) - 1]


def _stop(stop: Stop, links: _Links) -> Iterator[list[Any]]:
    at = stop.at
    where: list[Part] = [["code", at.node or "a task without a name"]]
    if at.namespace:
        where += [["text", " in "], ["code", at.namespace]]
    step = "" if at.step is None else f", step {at.step}"
    where.append(links.to(at.namespace, at.checkpoint_id, f"after @{at.index}{step}"))
    yield ["stopped at", where]
    if stop.error is not None:
        note = ["muted", "the store keeps only its repr, no traceback"]
        yield ["error", [_unfolding(stop.error), note]]
    for asked in stop.interrupts:
        question = _unfolding(dumps(asked.value), dumps(asked.value, indent=2))
        yield ["waits for", [question, ["muted", asked.id]]]
    yield ["input", _input(stop.input, links)]


def _input(given: NodeInput, links: _Links) -> list[Part]:
    link = links.to(given.namespace, given.checkpoint_id, f"@{given.index}", given.pointer)
    if given.value is MISSING:
        return [["text", "the state there, which cannot be read"], link]
    if given.kind == "send" or not isinstance(given.value, dict):
        return [["text", "argument of its Send: "], ["code", _short(dumps(given.value))], link]
    parts: list[Part] = [["text", "the state there: " if given.value else "the state there, empty"]]
    for name, value in list(given.value.items())[:_FIELDS]:
        parts.append(["code", f"{name}={_short(dumps(value), 60)}"])
        parts.append(["text", " "])
    more = len(given.value) - _FIELDS
    if more > 0:
        parts.append(["text", f"and {more} more fields"])
    return [*parts, link]


def _resume(why: Why) -> Iterator[list[Any]]:
    label = "a resume would"
    for rerun in why.reruns[:_STOPS]:
        node: Part = ["code", rerun.node or "a task without a name"]
        if rerun.continues_in:
            rest: list[Part] = [["text", " again; its subgraph goes on in "]]
            yield [label, [["text", "enter "], node, *rest, ["code", rerun.continues_in]]]
        else:
            yield [label, [["text", "run "], node, ["text", " again: it has saved nothing"]]]
        label = ""
    for kept in why.kept[:_STOPS]:
        node = ["code", kept.node or "a task without a name"]
        wrote: list[Part] = [["text", " saved"]]
        if kept.channels:
            wrote = [["text", " wrote to "], ["code", ", ".join(kept.channels)]]
        yield [label, [["text", "keep what "], node, *wrote, ["text", ", and not run it again"]]]
        label = ""
    left = max(len(why.reruns) - _STOPS, 0) + max(len(why.kept) - _STOPS, 0)
    if left:
        yield ["", [["muted", f"and {left} more tasks; `why --json` names them all"]]]


def _finding(found: Finding, links: _Links) -> dict[str, Any]:
    step = "" if found.step is None else f", step {found.step}"
    places: list[Part] = [
        links.to(found.namespace, found.checkpoint_id, f"@{found.index}{step}", found.pointer)
    ]
    for one in found.evidence[:_EVIDENCE]:
        space = found.namespace if one.namespace is None else one.namespace
        places.append(links.to(space, one.checkpoint_id, f"@{one.index}", one.pointer))
        places.append(["muted", one.note])
    many: list[Part] = []
    if found.count > 1 and found.last_checkpoint_id is not None:
        last = links.to(
            found.namespace, found.last_checkpoint_id, f"@{found.last_index}", found.pointer
        )
        many = [["text", f"{found.count} checkpoints, the last"], last]
    return {
        "keyword": found.keyword,
        "message": found.message,
        "node": found.node,
        "channel": found.channel,
        "many": many,
        "places": places,
    }


def _channels(write: LastWrite) -> list[Part]:
    """Return the channels of the last task where there are several, the one shown first."""
    if len(write.channels) < 2:
        return []
    names = [write.channel, *(name for name in write.channels if name != write.channel)]
    shown = ["code", ", ".join(names[:_NAMES])]
    more = len(names) - _NAMES
    return [shown, ["text", (f" and {more} more" if more > 0 else "") + "; "]]


def _unfolding(text: str, readable: str | None = None) -> Part:
    """Return a text cut short, with the whole of it where it was cut."""
    if len(text) <= _VALUE:
        return ["code", text]
    whole = readable or text
    left = len(whole) - _WHOLE
    cut = f"{whole[:_WHOLE]}… ({left:,} more characters stand in the source)"
    return ["code", _short(text), cut if left > 0 else whole]


def _short(text: str, most: int = _VALUE) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
