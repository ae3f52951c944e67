"""Answers the strip's question for the subgraph chains that a checkpoint ran."""

from collections.abc import Mapping
from typing import Any

from viewer.analysis.inner_chains import inner_chains
from viewer.errors import ViewerError
from viewer.ui import cache
from viewer.ui.chosen import Chosen

MOST_CHAINS = 12
"""Chains unfolded beneath one checkpoint; the others are counted."""
MOST_CHECKPOINTS = 2_000
"""A longer chain is named and opened, not drawn inside another."""


def nested(chosen: Chosen, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the chains that ran after checkpoint ``index`` of ``namespace``, and how many more.

    Each comes with what the strip draws of it: ``null`` where it is too long or cannot be read.

    Raises:
        ViewerError: the thread holds no such chain.
    """
    source, thread = chosen.source, chosen.ref.thread_id
    ref = cache.ref_of(source, thread, str(args["namespace"]))
    chains = cache.siblings(source, ref)
    names = inner_chains(chains[ref.namespace], chains).get(int(args["index"]), ())
    rows = []
    for name in names[:MOST_CHAINS]:
        chain = chains[name]
        strip: dict[str, Any] | None = None
        if 0 < len(chain.checkpoints) <= MOST_CHECKPOINTS:
            try:
                strip = cache.strip(source, cache.ref_of(source, thread, name))
            except ViewerError:
                strip = None
        up = chain.nesting
        rows.append(
            {
                "namespace": name,
                "node": cache.node_of(chain),
                "standing": up.standing if up is not None else "",
                "reason": up.reason if up is not None else "",
                "count": len(chain.checkpoints),
                "head": chain.head,
                "strip": strip,
            }
        )
    return {"chains": rows, "more": max(0, len(names) - MOST_CHAINS)}
