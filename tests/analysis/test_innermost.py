"""An outer finding is explained only by the run of the subgraph that led to its checkpoint."""

from dataclasses import replace
from typing import Any

import pytest

from viewer.analysis.innermost import innermost
from viewer.model import Finding, Nesting


def finding(namespace: str, index: int, node: str, keyword: str) -> Finding:
    return Finding(
        keyword=keyword,
        message="m",
        namespace=namespace,
        checkpoint_id=f"c{index}",
        index=index,
        step=index,
        node=node,
        channel="n",
        pointer="/n",
    )


@pytest.mark.parametrize(
    ("ran_after", "node", "keyword", "left"),
    [
        pytest.param("c1", "team", "type_changed", ["deep"], id="the run that led to it"),
        pytest.param("c0", "team", "type_changed", ["team", "deep"], id="an earlier run"),
        pytest.param("c1", "other", "type_changed", ["other", "deep"], id="another node"),
        pytest.param("c1", "team", "duplicated_entries", ["team", "deep"], id="its own reducer"),
    ],
)
def test_an_outer_finding_is_left_out_where_the_inner_one_explains_it(
    make_chain: Any, ran_after: str, node: str, keyword: str, left: list[str]
):
    outer = make_chain({"n": 1}, {"n": 1}, {"n": "x"})
    nesting = Nesting(
        namespace="", checkpoint_id=ran_after, task="t", node="team", standing="finished", reason=""
    )
    inner = replace(make_chain({"n": 1}, {"n": "x"}), namespace="team:t", nesting=nesting)
    found = {
        "": (finding("", 2, node, keyword),),
        "team:t": (finding("team:t", 1, "deep", keyword),),
    }
    assert [f.node for f in innermost(found, {"": outer, "team:t": inner})] == left
