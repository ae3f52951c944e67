"""Joins that wait where nothing runs any more: LangGraph's ``join:a+b:node`` channels.

A node behind ``add_edge([a, b], node)`` runs once each of the names has arrived. The channel keeps
those that have; a run that ends while some are absent never ran the node.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from viewer.analysis.why_words import names
from viewer.chain import Chain
from viewer.jsontext import walk
from viewer.model import Evidence, Finding
from viewer.pointer import join

_JOIN = "join:"
_NAMES = 1000
"""Most names of one join that are told apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingJoin:
    """A node that waits for names of which only a part has arrived."""

    channel: str
    node: str
    arrived: tuple[str, ...]
    absent: tuple[str, ...]


def waiting_joins(chain: Chain) -> tuple[WaitingJoin, ...]:
    """Return the joins that wait at the live head though nothing is left to run there."""
    if chain.head is None:
        return ()
    head, state = chain.checkpoints[chain.head], chain.states[chain.head]
    if not isinstance(state, dict) or head.next or head.next_live or head.tasks or head.interrupts:
        return ()
    found = (_waiting(channel, value) for channel, value in state.items())
    return tuple(one for one in found if one is not None)


def _waiting(channel: str, value: Any) -> WaitingJoin | None:
    starts, colon, node = channel.removeprefix(_JOIN).rpartition(":")
    if not channel.startswith(_JOIN) or not colon or not isinstance(value, dict | list):
        return None
    held = [text for at, text in walk(value) if isinstance(text, str) and at[-1:] not in _TAGS]
    arrived, absent = _parted(starts.split("+")[:_NAMES], held)
    if not arrived or not absent:
        return None
    return WaitingJoin(channel=channel, node=node, arrived=arrived, absent=absent)


_TAGS = (("$type",), ("$ctor",))
"""Where our readers' tags of a set stand beside its entries."""


def _parted(parts: Sequence[str], held: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names that have arrived and those that have not.

    A name may itself hold the ``+`` that parts the names: those that arrived are known whole.
    """
    arrived, absent = [], []
    known = {tuple(name.split("+")): name for name in held}
    longest = max(map(len, known), default=1)
    at = 0
    while at < len(parts):
        most = min(longest, len(parts) - at)
        size = next((n for n in range(most, 0, -1) if tuple(parts[at : at + n]) in known), 0)
        if size:
            arrived.append(known[tuple(parts[at : at + size])])
        else:
            absent.append(parts[at])
        at += size or 1
    return tuple(arrived), tuple(absent)


def join_findings(chain: Chain) -> Iterator[Finding]:
    """Yield the nodes that never ran because a name of their join did not arrive."""
    for one in waiting_joins(chain):
        head = chain.checkpoints[chain.head or 0]
        yield Finding(
            keyword="join_waits",
            message=f"{one.node} never ran: it waits for {names(one.absent, quoted=False)}; "
            f"{names(one.arrived, quoted=False)} {'has' if len(one.arrived) == 1 else 'have'} "
            f"arrived, and nothing is left to run after step {head.step}",
            namespace=chain.namespace,
            checkpoint_id=head.checkpoint_id,
            index=head.index,
            step=head.step,
            node=one.node,
            channel=one.channel,
            pointer=join((one.channel,)),
            evidence=tuple(
                Evidence(
                    checkpoint_id=made.checkpoint_id,
                    index=made.index,
                    pointer="",
                    note=f"{name} arrived",
                )
                for name in one.arrived
                if (made := _arrival(chain, name)) is not None
            ),
        )


def _arrival(chain: Chain, node: str) -> Any:
    """Return the newest checkpoint of the live head's lineage that ``node`` made."""
    at = chain.head
    while at is not None:
        if node in chain.checkpoints[at].nodes:
            return chain.checkpoints[at]
        at = chain.checkpoints[at].parent
    return None
