"""The search line of every page about a thread: drawn, asked, and followed to where a hit stands.

What is searched for stays in the memory of the browser's own session: it is in no address, no file
and no cache that is shared.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import streamlit as st

from viewer.analysis.search import Query, Search
from viewer.analysis.search_query import Matcher
from viewer.chain import Chain
from viewer.errors import ViewerError
from viewer.model import ThreadRef
from viewer.panels.find import hits_payload, line_payload
from viewer.sources import Source
from viewer.ui import cache, selection
from viewer.ui.chosen import Chosen
from viewer.ui.panels import find

_KEY = "find_running"
_SLICE = 0.3
"""Seconds that a search may take of one answer; the panel asks again for the rest."""
_LONGEST = 1_000
"""Characters of a query."""


def show(source: Source, ref: ThreadRef, chain: Chain) -> str | None:
    """Draw the search line; return the page to go to where a hit was opened on another."""
    opened = find.show(
        line_payload(
            f"{source.name} {ref.thread_id}",
            ref.namespace,
            count=len(chain.checkpoints),
            spaces=len(_refs(source, ref)),
            page=selection.page(),
        ),
        key="find",
    )
    if opened is None:
        return None
    selection.choose(
        namespace=opened.namespace or None,
        checkpoint=f"@{opened.index}",
        base=None,
        at=opened.pointer,
    )
    return "timeline"


@dataclass(slots=True, kw_only=True)
class _Running:
    """One search under way: the chains begun, and those to come."""

    name: tuple[Any, ...]
    query: Query
    waiting: list[ThreadRef]
    begun: list[tuple[str, Search]] = field(default_factory=list)
    unread: int = 0

    def run(self, source: Source) -> None:
        """Search on for a while."""
        end = perf_counter() + _SLICE
        while perf_counter() < end:
            if not self.begun or self.begun[-1][1].done:
                if not self.waiting or (self.begun and self.begun[-1][1].full):
                    return
                self._begin(source, self.waiting.pop(0))
            else:
                self.begun[-1][1].run(max(0.0, end - perf_counter()))

    def _begin(self, source: Source, ref: ThreadRef) -> None:
        try:
            chain = cache.chain(source, ref)
        except ViewerError:
            self.unread += 1
        else:
            self.begun.append((ref.namespace, Search(chain, self.query)))

    @property
    def total(self) -> int:
        """Checkpoints of all chains; one that is not begun counts as its source says, at least 1."""
        return sum(run.total for _, run in self.begun) + sum(
            ref.checkpoints or 1 for ref in self.waiting
        )


def hits(chosen: Chosen, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a search found so far; asked again, it searches on.

    Args:
        chosen: the thread.
        args: ``text``, ``case``, ``regex``, and ``whole`` for all chains of the thread.

    Raises:
        QueryError: it cannot be searched for.
    """
    query = Query(
        text=str(args["text"])[:_LONGEST], case=bool(args["case"]), regex=bool(args["regex"])
    )
    source, ref = chosen.source, chosen.ref
    whole = bool(args["whole"])
    name = (source.name, cache.stamp(source.location), ref, query, whole)
    running = st.session_state.get(_KEY)
    if not isinstance(running, _Running) or running.name != name:
        # What cannot be searched for is not kept: asked again, it must fail again.
        Matcher(query)
        others = [one for one in _refs(source, ref) if one != ref] if whole else []
        running = _Running(name=name, query=query, waiting=[ref, *others])
        st.session_state[_KEY] = running
    running.run(source)
    return hits_payload(running.begun, total=running.total, unread=running.unread)


def _refs(source: Source, ref: ThreadRef) -> list[ThreadRef]:
    """Return the chains of a thread."""
    return [one for one in source.threads if one.thread_id == ref.thread_id]
