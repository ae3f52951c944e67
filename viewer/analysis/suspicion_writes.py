"""Values that no write explains: changed in place, or ahead of the tasks that wrote them.

LangGraph hands a node the state's own objects. A node that changes one in place leaves a value
that no write row holds, under a version that no write moved; and as checkpoints are by default
stored in the background, one may already hold what only the next node did (langgraph issue 8748).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from viewer.analysis.culprits import culprits
from viewer.analysis.differences import alike, first_difference, reencoded
from viewer.analysis.early_entries import early
from viewer.analysis.reducers import Reducer, between, expected, grown, slipped_in
from viewer.analysis.replay import Edge
from viewer.analysis.sightings import seen
from viewer.chain import Chain
from viewer.model import MISSING, Finding
from viewer.pointer import Tokens, join


@dataclass(frozen=True, slots=True, kw_only=True)
class Unexplained:
    """A value that the writes do not explain."""

    edge: Edge
    channel: str
    at: Tokens
    kind: str
    """``unwritten``, ``more`` (than was written), ``ahead`` (of a later task's write), ``row``
    (the input's own row is ahead)."""
    node: str = ""
    """Who did it, where the rows tell."""


def write_findings(
    chain: Chain, steps: Sequence[Edge], reducers: Mapping[str, Reducer]
) -> Iterator[Finding]:
    """Yield a finding for each step and channel whose value the stored writes contradict."""
    found = [one for edge in steps for one in _unexplained(edge, reducers)]
    ahead = [one for one in found if one.kind in ("ahead", "row")]
    in_place = [one for one in found if one.kind not in ("ahead", "row")]
    for one in ahead:
        text = _AHEAD if one.kind == "ahead" else _ROW
        yield _finding(chain, one, "state_from_the_future", one.node, text)
    nodes = culprits([one.edge for one in in_place], background=bool(ahead))
    for one, node in zip(in_place, nodes, strict=True):
        text = _MORE if one.kind == "more" else _UNWRITTEN
        yield _finding(chain, one, "changed_without_write", one.node or node, text)


def _unexplained(edge: Edge, reducers: Mapping[str, Reducer]) -> Iterator[Unexplained]:
    if edge.child.origin != "loop":
        return
    for channel in edge.after:
        if channel in edge.deltas or channel.startswith(("branch:", "join:", "start:", "__")):
            continue
        if channel in edge.before and edge.moved(channel) is False:
            yield from _compared(edge, channel, edge.before[channel], "unwritten")
        elif edge.exact and channel in edge.writes and channel not in edge.taking:
            yield from _written(edge, channel, reducers.get(channel))


def _written(edge: Edge, channel: str, reducer: Reducer | None) -> Iterator[Unexplained]:
    """Yield what a written channel holds beyond what its writes make of it."""
    writes, actual = edge.writes[channel], edge.after[channel]
    given = _given(edge, channel, writes[0].value)
    if not alike(given, writes[0].value) and grown(given, writes[0].value):
        at = (channel, *first_difference(given, writes[0].value))
        node = ", ".join(edge.child.next)
        yield Unexplained(edge=edge, channel=channel, at=at, kind="row", node=node)
        return
    first = edge.before.get(channel, MISSING) in (MISSING, None, [], {}) and len(writes) == 1
    if first and grown(given, actual):  # what came first, under any reducer
        yield from _compared(edge, channel, given, "more")
        return
    ahead = early(edge, channel)
    if ahead is not None:
        at = (channel, *first_difference(edge.before.get(channel, []), actual))
        yield Unexplained(edge=edge, channel=channel, at=at, kind="ahead", node=ahead)
    elif reducer is not None:
        made = expected(edge, channel, reducer)
        if made is not MISSING and (grown(made, actual) or slipped_in(made, edge, channel)):
            yield from _compared(edge, channel, made, "more")
        elif made is not MISSING:
            yield from _compared(edge, channel, made, "")


def _given(edge: Edge, channel: str, written: Any) -> Any:
    """Return the first value of a channel: the input as it was stored before any node ran."""
    given = edge.before.get("__start__")
    if edge.child.nodes == ("__start__",) and isinstance(given, dict) and "$type" not in given:
        return given.get(channel, written)
    return written


def _compared(edge: Edge, channel: str, made: Any, kind: str) -> Iterator[Unexplained]:
    """Yield the difference between what should stand there and what does, unless it has a reason."""
    actual = edge.after[channel]
    if alike(made, actual) or reencoded(made, actual):
        return
    at = (channel, *first_difference(made, actual))
    for write in edge.later.get(channel, ()):
        if _ahead(made, actual, write.value):
            yield Unexplained(edge=edge, channel=channel, at=at, kind="ahead", node=write.node)
            return
    if kind:
        node = _doubled(edge, channel, made) if kind == "more" else ""
        yield Unexplained(edge=edge, channel=channel, at=at, kind=kind, node=node)


def _doubled(edge: Edge, channel: str, made: Any) -> str:
    """Return who wrote the entries that an appended list holds once more; empty for others."""
    actual = edge.after[channel]
    if not isinstance(made, list) or not isinstance(actual, list):
        return ""
    extra = slipped_in(made, edge, channel) or actual[len(made) :]
    for write in edge.writes[channel]:
        if isinstance(write.value, list) and all(
            any(alike(entry, own) for own in write.value) for entry in extra
        ):
            return write.node
    return ""


def _ahead(made: Any, actual: Any, later: Any) -> bool:
    """Return whether ``actual`` holds more of a ``later`` write than ``made`` does."""
    if not alike(later, made) and between(made, actual, later):
        return True
    if all(isinstance(v, list) for v in (made, actual, later)) and len(actual) > len(made):
        extra = actual[len(made) :]
        return alike(actual[: len(made)], made) and all(
            any(alike(entry, other) for other in later) for entry in extra
        )
    return False


_AHEAD = (
    "the checkpoint of step {step} already holds what {node} wrote to {channel!r} only after it: the"
    " value was changed in place while it was stored, so a resume or a time travel from here may do"
    " that work twice or skip it"
)
_ROW = (
    "the stored input of {channel!r} already holds what {node} did after it: the value is changed in"
    " place while rows and checkpoints are stored, so each of them may hold what only later steps"
    " did, and a resume or a time travel may do that work twice or skip it"
)
_UNWRITTEN = (
    "{channel!r} changed in step {step} though no task wrote it: {node} changed the value in place,"
    " so no record tells of it, and a rerun or a time travel may not repeat it"
)
_MORE = (
    "{channel!r} holds more after step {step} than was written to it: {node} also changed the value"
    " in place, so entries stand in it twice or without a record"
)


def _finding(chain: Chain, one: Unexplained, keyword: str, node: str, text: str) -> Finding:
    edge, child = one.edge, one.edge.child
    return Finding(
        keyword=keyword,
        message=text.format(step=child.step, node=node or "a task", channel=one.channel),
        namespace=chain.namespace,
        checkpoint_id=child.checkpoint_id,
        index=child.index,
        step=child.step,
        node=node,
        channel=one.channel,
        pointer=join(one.at),
        evidence=(
            seen(edge.parent, edge.before, one.at),
            seen(child, edge.after, one.at),
        ),
    )
