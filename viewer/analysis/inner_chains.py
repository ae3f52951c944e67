"""Which subgraph chains ran after each checkpoint of a chain."""

from collections.abc import Mapping

from viewer.chain import Chain


def inner_chains(chain: Chain, others: Mapping[str, Chain]) -> Mapping[int, tuple[str, ...]]:
    """Return index → namespaces of the chains that a task after that checkpoint ran, each once.

    Args:
        chain: The chain that is looked at.
        others: The thread's chains by namespace; a namespace that is not among them is left out.

    The tasks of a checkpoint name their subgraphs. A subgraph that no task names is placed where
    its own chain says it was run (`Nesting`). What did not finish stands first.
    """
    found: dict[int, dict[str, bool]] = {}
    placed: set[str] = set()
    for checkpoint in chain.checkpoints:
        for task in checkpoint.tasks:
            if task.namespace is not None and task.namespace in others:
                found.setdefault(checkpoint.index, {})[task.namespace] = task.finished
                placed.add(task.namespace)
    index_of = {c.checkpoint_id: c.index for c in chain.checkpoints}
    for namespace, other in others.items():
        up = other.nesting
        if namespace in placed or up is None or up.namespace != chain.namespace:
            continue
        index = index_of.get(up.checkpoint_id) if up.checkpoint_id is not None else None
        if index is not None:
            found.setdefault(index, {})[namespace] = up.standing == "finished"
    return {
        index: tuple(sorted(names, key=lambda name: names[name]))
        for index, names in sorted(found.items())
    }


def way_up(chain: Chain, others: Mapping[str, Chain]) -> tuple[tuple[Chain, int | None], ...]:
    """Return the chains that ran ``chain``, the root first, each with the index it was run after.

    The index is None where the source does not tell. Empty for a root.
    """
    found: list[tuple[Chain, int | None]] = []
    seen = {chain.namespace}
    up = chain.nesting
    while up is not None and up.namespace in others and up.namespace not in seen:
        seen.add(up.namespace)
        above = others[up.namespace]
        same = (c.index for c in above.checkpoints if c.checkpoint_id == up.checkpoint_id)
        found.append((above, next(same, None)))
        up = above.nesting
    return tuple(reversed(found))
