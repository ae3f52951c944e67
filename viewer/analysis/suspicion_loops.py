"""Loops: nodes that run again and again and get nowhere."""

from collections.abc import Iterator, Sequence
from typing import Any

from viewer.analysis.differences import alike
from viewer.analysis.replay import Edge
from viewer.analysis.tasks import internal
from viewer.chain import Chain
from viewer.model import Evidence, Finding

_SAME_STATE = 3
"""Visits of one node that leave the same state."""
_SAME_WRITES = 4
"""Visits in a row that write the same; counters aside."""


def loop_findings(chain: Chain, steps: Sequence[Edge], turn: Sequence[int]) -> Iterator[Finding]:
    """Yield nodes that ran again and again in one turn without progress."""
    visits: dict[tuple[int, str], list[Edge]] = {}
    for edge in steps:
        if edge.child.origin != "loop":
            continue
        for node in edge.child.nodes:
            if node != "__start__":
                visits.setdefault((turn[edge.child.index], node), []).append(edge)
    for (_, node), found in visits.items():
        most = max(_same_runs(chain, found), key=len, default=[])
        alike = max(_alike_runs(chain, found, node), key=len, default=[])
        if len(most) >= _SAME_STATE:
            yield _loop(chain, node, most, "left the same state each time")
        elif len(alike) >= _SAME_WRITES:
            yield _loop(chain, node, alike, "wrote the same each time, counters aside")


def _same_runs(chain: Chain, found: Sequence[Edge]) -> list[list[Edge]]:
    """Return the visits in runs whose states, the runtime's channels aside, are the same."""
    runs: list[list[Edge]] = []
    for edge in found:
        last = runs[-1][-1] if runs else None
        if last and _led(chain, last, edge) and alike(_own(last.after), _own(edge.after)):
            runs[-1].append(edge)
        else:
            runs.append([edge])
    return runs


def _led(chain: Chain, earlier: Edge, later: Edge) -> bool:
    """Return whether the later step goes on from the earlier one, on its own branch."""
    at = later.child.parent
    while at is not None and at > earlier.child.index:
        at = chain.checkpoints[at].parent
    return at == earlier.child.index


def _own(state: Any) -> dict[str, Any]:
    return {name: value for name, value in state.items() if not internal(name)}


def _alike_runs(chain: Chain, found: Sequence[Edge], node: str) -> list[list[Edge]]:
    """Return the visits in runs in which ``node`` wrote the same values; numbers do not count."""
    runs: list[list[Edge]] = []
    before: dict[str, Any] = {}
    for edge in found:
        wrote = {
            channel: [w.value for w in writes if w.node == node]
            for channel, writes in edge.writes.items()
            if any(w.node == node and type(w.value) not in (int, float) for w in writes)
        }
        telling = any(value not in ([None], [""], [[]], [{}]) for value in wrote.values())
        led = bool(runs) and _led(chain, runs[-1][-1], edge)
        if led and telling and alike(before, wrote):
            runs[-1].append(edge)
        else:
            runs.append([edge])
        before = wrote if telling else {}
    return runs


def _written(edge: Edge, node: str) -> str:
    """Return the first field that ``node`` wrote in a visit; empty where it wrote none."""
    own = (c for c, writes in edge.writes.items() if any(w.node == node for w in writes))
    return next(own, "")


def _loop(chain: Chain, node: str, run: Sequence[Edge], how: str) -> Finding:
    first, last = run[0].child, run[-1].child
    return Finding(
        keyword="loop",
        message=f"{node} ran {len(run)} times between steps {first.step} and {last.step} and {how}: "
        "the run made no progress there",
        namespace=chain.namespace,
        checkpoint_id=first.checkpoint_id,
        index=first.index,
        step=first.step,
        node=node,
        channel=_written(run[0], node),
        count=len(run),
        last_checkpoint_id=last.checkpoint_id,
        last_index=last.index,
        evidence=tuple(
            Evidence(
                checkpoint_id=edge.child.checkpoint_id,
                index=edge.child.index,
                pointer="",
                note=f"after {node} ran",
            )
            for edge in (run[0], run[-1])
        ),
    )
