"""How a checkpoint is called above a column of a diff, on a page and in a report."""

from viewer.chain import Chain
from viewer.jsontext import visible


def checkpoint_title(chain: Chain, index: int) -> str:
    """Return how a checkpoint is called above a column: position, step, node or status.

    Where the run went on, the node that wrote it tells more than its status.
    """
    here = chain.checkpoints[index]
    passed = here.phase in ("running", "unknown")
    said = ", ".join(here.nodes) if here.nodes and passed else here.status or ""
    words = [f"@{index}", f"step {here.step}" if here.step is not None else "", said]
    return " · ".join(visible(word) for word in words if word)
