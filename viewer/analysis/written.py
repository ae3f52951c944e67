"""Which node wrote each channel of a checkpoint: the writes that its parent's tasks stored."""

from collections.abc import Mapping

from viewer.chain import Chain


def written(chain: Chain, index: int) -> Mapping[str, tuple[str, ...]]:
    """Return channel → who wrote it in the step that led to the checkpoint at ``index``.

    Who is a node's name, or ``the caller`` for what was written without a task. The rows at a
    checkpoint are what the step after it wrote (LangGraph's ``put_writes``); where that step forked,
    both children share them, and a checkpoint that no step made (an update, a copy) has none.
    Empty where the source keeps no writes.
    """
    here = chain.checkpoints[index]
    if here.parent is None or here.origin not in (None, "loop"):
        return {}
    ran = set(here.nodes)
    found: dict[str, dict[str, None]] = {}
    for write in chain.checkpoints[here.parent].writes:
        if write.node and ran and write.node not in ran:
            continue
        found.setdefault(write.channel, {})[write.node or "the caller"] = None
    return {channel: tuple(names) for channel, names in found.items()}


def written_between(chain: Chain, base: int, target: int) -> Mapping[str, tuple[str, ...]]:
    """Return channel → who wrote it on the way from ``base`` to ``target``, in order of the steps.

    Empty where ``base`` is no ancestor of ``target``.
    """
    steps = []
    at: int | None = target
    while at is not None and at != base:
        steps.append(at)
        at = chain.checkpoints[at].parent
    if at is None:
        return {}
    found: dict[str, dict[str, None]] = {}
    for step in reversed(steps):
        for channel, names in written(chain, step).items():
            found.setdefault(channel, {}).update(dict.fromkeys(names))
    return {channel: tuple(names) for channel, names in found.items()}
