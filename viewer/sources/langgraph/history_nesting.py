"""Which task of which chain a subgraph's namespace belongs to, from what its document tells."""

from collections.abc import Mapping, Sequence

from viewer.model import Nesting, Record
from viewer.sources.langgraph.history_records import Entry
from viewer.sources.langgraph.naming import task_namespace

Key = tuple[str, str]


def nesting(
    key: Key, entries: Sequence[Entry | Record], records: Mapping[Key, Sequence[Record]]
) -> Nesting | None:
    """Return where the chain ``key`` belongs; None for the root namespace.

    Args:
        key: thread id and namespace.
        entries: the chain's own states.
        records: those of every chain of the document; the newest task with its namespace counts.
    """
    thread_id, namespace = key
    if not namespace:
        return None
    above, _, own = namespace.rpartition("|")
    node, _, task_id = own.partition(":")
    for record in reversed(records.get((thread_id, above), ())):
        for task in record.tasks:
            if namespace not in (task.namespace, task_namespace(above, task.node, task.id)):
                continue
            return Nesting(
                namespace=above,
                checkpoint_id=record.checkpoint_id or record.made_id,
                task=task.id,
                node=task.node,
                standing="finished" if task.finished else "live",
                reason=f"task {task.id} of {task.node} ran it",
            )
    told = [entry.told for entry in entries if isinstance(entry, Entry)]
    around = [name for one in told if isinstance(name := one.ancestors.get(above), str)]
    return Nesting(
        namespace=above,
        checkpoint_id=around[0] if around else None,
        task=task_id or None,
        node=node,
        standing="detached",
        reason="the document holds no task of the graph around it that names it",
    )
