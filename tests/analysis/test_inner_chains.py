from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from viewer.analysis.inner_chains import inner_chains, way_up
from viewer.chain import Chain
from viewer.model import Nesting, Task


def task(node: str, namespace: str, *, finished: bool) -> Task:
    return Task(
        id=f"of {namespace}", node=node, kind="pull", finished=finished, namespace=namespace
    )


def nested(chain: Chain, namespace: str, above: str, after: str | None, standing: Any) -> Chain:
    up = Nesting(
        namespace=above, checkpoint_id=after, task=None, node="n", standing=standing, reason="r"
    )
    return replace(chain, namespace=namespace, nesting=up)


@pytest.fixture
def chains(make_chain: Callable[..., Chain]) -> dict[str, Chain]:
    """Return a thread: a root with two tasks' subgraphs and one that only its own chain places."""
    done, failed = task("a", "a:1", finished=True), task("b", "b:2", finished=False)
    missing = task("c", "c:3", finished=True)
    root = make_chain({}, {}, {}, tasks=[(), (done, failed, missing), ()])
    inner = make_chain({}, {})
    return {
        "": root,
        "a:1": nested(inner, "a:1", "", "c1", "finished"),
        "b:2": nested(inner, "b:2", "", "c1", "live"),
        "d:4": nested(inner, "d:4", "", "c2", "detached"),
        "lost": nested(inner, "lost", "", None, "detached"),
        "a:1|e:5": nested(inner, "a:1|e:5", "a:1", "c0", "finished"),
    }


def test_subgraphs_stand_after_the_checkpoint_whose_task_ran_them(chains: dict[str, Chain]) -> None:
    assert inner_chains(chains[""], chains) == {1: ("b:2", "a:1"), 2: ("d:4",)}
    assert inner_chains(chains["a:1"], chains) == {0: ("a:1|e:5",)}
    assert inner_chains(chains["b:2"], chains) == {}


def test_the_way_up_begins_at_the_root(chains: dict[str, Chain]) -> None:
    def told(namespace: str) -> list[tuple[str, int | None]]:
        return [(above.namespace, index) for above, index in way_up(chains[namespace], chains)]

    assert told("a:1|e:5") == [("", 1), ("a:1", 0)]
    assert told("lost") == [("", None)]
    assert told("") == []
    chains["a:1"] = nested(chains["a:1"], "a:1", "a:1|e:5", "c0", "live")
    assert told("a:1|e:5") == [("a:1", 0)]
