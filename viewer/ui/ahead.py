"""Checkpoints sent to the browser before a person steps to them, and those asked for on the way.

The tree holds the text of one state; its neighbours are sent as what differs from it. The strip
tells Python of a step when the person rests; the tree has painted it by then.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import streamlit as st

from viewer.errors import SelectionError
from viewer.panels.ahead import Layout, splices
from viewer.panels.tree import chain_part, step_part
from viewer.panels.wire import revision, text_of
from viewer.ui import cache
from viewer.ui.checkpoint import changes_here, messages_by_pointer, thread_name
from viewer.ui.chosen import Chosen
from viewer.ui.panels import strip

BYTES = 300_000
"""Characters of neighbours sent in one answer, the first one not counted."""
SECONDS = 0.15
"""Work that goes into one answer, the first checkpoint not counted."""
_WITH_PAGE = 3
_PAGE_SECONDS = 0.02
_PAGE_CHARACTERS = 1_000_000
"""Of a longer state no neighbours go with the page: they are asked for once it is drawn."""
_SENT = "ahead_sent"
_STRIP = "strip"

Part = dict[str, Any]


def tree_payload_here(chosen: Chosen, panel: Mapping[str, Any], *, key: str) -> dict[str, Any]:
    """Return what the tree ``key`` draws: the target checkpoint and its nearest neighbours.

    Where the tree stands on the page since the last run, it has what it shows or asks for it
    (`states`), and no state is sent.

    Args:
        panel: what the address asks of the panel (`viewer.ui.selection.for_panel`).
    """
    with cache.stamps_held():
        return _payload(chosen, panel, key)


def _payload(chosen: Chosen, panel: Mapping[str, Any], key: str) -> dict[str, Any]:
    batch = _Batch(chosen=chosen, chain=chain_key(chosen), base=_by_hand(), layout=Layout())
    # Streamlit forgets a component's values in the first run that does not draw it.
    lean = st.session_state.get(_SENT) == batch.chain and key in st.session_state
    st.session_state[_SENT] = batch.chain
    target = chosen.target
    here: dict[str, Any] = {
        **chain_part(chosen.chain.profile, thread=thread_name(chosen)),
        "panel": dict(panel),
        "chain": batch.chain,
        "base_set": batch.base,
        "count": len(chosen.chain.checkpoints),
        "index": target,
        "rev": batch.rev(target),
        "ahead": [],
    }
    if lean:
        return here
    here |= _part(batch, target, None)
    if here["state"] is None or len(here["state"]) > _PAGE_CHARACTERS:
        return here
    for towards in (1, -1):
        around = _along(batch, target, target + towards, towards)
        here["ahead"] += _some(around, _WITH_PAGE, _PAGE_SECONDS)
    return here


@dataclass(frozen=True, slots=True, kw_only=True)
class _Batch:
    """What the parts of one answer have in common."""

    chosen: Chosen
    chain: str
    base: int | None
    """Set by hand; None where each checkpoint is compared with its parent."""
    layout: Layout

    def rev(self, index: int) -> str:
        return f"{self.chain} {self.base} {index}"


def states(chosen: Chosen, args: Mapping[str, Any]) -> list[Part]:
    """Answer which checkpoints stand at ``index`` and on from there, as the tree draws them.

    Args:
        chosen: what the page shows.
        args: ``chain`` that the browser holds; ``base_set`` by hand or null; ``index`` and the
            direction ``towards`` (1 or -1); how many (``count``); the checkpoint ``from`` whose
            text the browser holds, or null. Each part differs from the one before it.

    Raises:
        SelectionError: the chain has changed; the page is about to be drawn anew.
    """
    if args["chain"] != st.session_state.get(_SENT):
        raise SelectionError("the chain has changed")
    count = len(chosen.chain.checkpoints)
    base, held = args["base_set"], args["from"]
    if any(i is not None and not 0 <= int(i) < count for i in (base, held, args["index"])):
        raise SelectionError(f"the chain has {count} checkpoints")
    towards = 1 if args["towards"] > 0 else -1
    batch = _Batch(chosen=chosen, chain=args["chain"], base=base, layout=Layout())
    with cache.stamps_held():
        along = _along(batch, held, int(args["index"]), towards)
        return _some(along, int(args["count"]), SECONDS)


def chain_key(chosen: Chosen) -> str:
    """Return what names the chain as it is read now; it differs once a checkpoint is added."""
    source, ref = chosen.source, chosen.ref
    return revision(ascii(source.name), repr(cache.stamp(source.location)), ascii(ref))


def _along(batch: _Batch, held: int | None, first: int, towards: int) -> Iterator[Part]:
    """Yield the parts from ``first`` on, each against the one before; ``held`` comes before all."""
    end = len(batch.chosen.chain.checkpoints) if towards > 0 else -1
    for index in range(first, end, towards):
        part = _part(batch, index, held)
        yield part
        held = index if part["state"] is not None else held


def _some(parts: Iterator[Part], most: int, seconds: float) -> list[Part]:
    """Return the first of ``parts`` and as many more as fit the budgets."""
    found: list[Part] = []
    size, until = 0, perf_counter() + seconds
    for part in parts:
        size += len(text_of(part)) if found else 0
        if found and size > BYTES:
            break
        found.append(part)
        if len(found) >= most or perf_counter() > until:
            break
    return found


def _part(batch: _Batch, index: int, held: int | None) -> Part:
    """Return what the tree draws of checkpoint ``index``; its state against ``held``'s text."""
    chosen, base, layout = batch.chosen, batch.base, batch.layout
    chain = chosen.chain
    points = chain.checkpoints
    named = {"index": index, "rev": batch.rev(index), "from": None}
    if not points[index].has_state:
        words = f"Checkpoint @{index} is listed without a state."
        return {**named, "state": None, "words": words}
    there = replace(chosen, target=index, base=points[index].parent if base is None else base)
    before = None
    if held is not None and points[held].has_state:
        before = layout.of(chain.state(held))
    laid = layout.of(chain.state(index), before)
    part = step_part(
        chain.state(index),
        changes_here(there),
        profile=chain.profile,
        violations=messages_by_pointer(there),
        title=f"State of checkpoint {points[index].checkpoint_id}",
        index=index,
        base=there.base,
        text=laid.text,
    )
    if before is not None:
        part["state"] = splices(before, laid)
        named["from"] = held
    return {**part, **named}


def _by_hand() -> int | None:
    """Return the base that was set by hand in the strip."""
    at = strip.position(_STRIP)
    return None if at is None else at.base
