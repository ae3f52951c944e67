"""Checkpoints sent to the browser before a person steps to them, and those asked for on the way.

The tree holds the text of one state; its neighbours are sent as what differs from it. The strip
tells Python of a step when the person rests; the tree has painted it by then.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
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
    chain, base = chain_key(chosen), _by_hand()
    # Streamlit forgets a component's values in the first run that does not draw it.
    lean = st.session_state.get(_SENT) == chain and key in st.session_state
    st.session_state[_SENT] = chain
    here: dict[str, Any] = {
        **chain_part(chosen.chain.profile, thread=thread_name(chosen)),
        "panel": dict(panel),
        "chain": chain,
        "base_set": base,
        "count": len(chosen.chain.checkpoints),
        "index": chosen.target,
        "rev": _rev(chain, chosen.target, base),
        "ahead": [],
    }
    if lean:
        return here
    layout, target = Layout(), chosen.target
    here |= _part(chosen, target, base, layout, None)
    if here["state"] is None:
        return here
    for towards in (1, -1) if len(here["state"]) <= _PAGE_CHARACTERS else ():
        around = _along(chosen, base, layout, target, target + towards, towards)
        here["ahead"] += _some(around, _WITH_PAGE, _PAGE_SECONDS)
    return here


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
    if args["chain"] != chain_key(chosen):
        raise SelectionError("the chain has changed")
    count = len(chosen.chain.checkpoints)
    base, held = args["base_set"], args["from"]
    if any(i is not None and not 0 <= int(i) < count for i in (base, held, args["index"])):
        raise SelectionError(f"the chain has {count} checkpoints")
    towards = 1 if args["towards"] > 0 else -1
    along = _along(chosen, base, Layout(), held, int(args["index"]), towards)
    return _some(along, int(args["count"]), SECONDS)


def chain_key(chosen: Chosen) -> str:
    """Return what names the chain as it is read now; it differs once a checkpoint is added."""
    source, ref = chosen.source, chosen.ref
    return revision(ascii(source.name), repr(cache.stamp(source.location)), ascii(ref))


def _along(
    chosen: Chosen, base: int | None, layout: Layout, held: int | None, first: int, towards: int
) -> Iterator[Part]:
    """Yield the parts from ``first`` on, each against the one before; ``held`` comes before all."""
    end = len(chosen.chain.checkpoints) if towards > 0 else -1
    for index in range(first, end, towards):
        part = _part(chosen, index, base, layout, held)
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


def _part(chosen: Chosen, index: int, base: int | None, layout: Layout, held: int | None) -> Part:
    """Return what the tree draws of checkpoint ``index``; its state against ``held``'s text."""
    chain = chosen.chain
    points = chain.checkpoints
    named = {"index": index, "rev": _rev(chain_key(chosen), index, base), "from": None}
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


def _rev(chain: str, index: int, base: int | None) -> str:
    return f"{chain} {base} {index}"


def _by_hand() -> int | None:
    """Return the base that was set by hand in the strip."""
    at = strip.position(_STRIP)
    return None if at is None else at.base
