from typing import Any

import pytest

from viewer.analysis.branching import branching
from viewer.analysis.schema import compile_schema
from viewer.errors import SchemaFileError


def doubling(levels: int, keyword: str = "anyOf") -> dict[str, Any]:
    """Return a schema that holds one value against two to the power of ``levels`` subschemas."""
    places: dict[str, Any] = {"0": {"type": "object"}}
    for level in range(1, levels + 1):
        below = {"$ref": f"#/$defs/{level - 1}"}
        places[str(level)] = {keyword: [{**below, "minProperties": 9}, below]}
    return {"$defs": places, "$ref": f"#/$defs/{levels}"}


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf", "allOf"])
def test_references_that_double_are_refused_with_their_place(keyword: str) -> None:
    with pytest.raises(SchemaFileError, match="more than 10000 subschemas") as caught:
        compile_schema(doubling(40, keyword))
    assert caught.value.pointers == ("",)


def test_a_few_doublings_are_judged() -> None:
    assert compile_schema(doubling(5)).faults({"a": 1}) == []


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"$ref": "#"}, id="itself"),
        pytest.param(
            {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}, id="each other"
        ),
        pytest.param(
            {"anyOf": [{"properties": {"l": {"$ref": "#"}, "r": {"$ref": "#"}}}] * 3}, id="a tree"
        ),
        pytest.param({"anyOf": [{"const": n} for n in range(20_000)]}, id="a long choice"),
        pytest.param({"$ref": "#anchor"}, id="an anchor"),
        pytest.param({"$ref": "#/nowhere"}, id="nowhere"),
        pytest.param({"anyOf": 5, "not": [], "dependentSchemas": "x"}, id="wrong types"),
        pytest.param(True, id="a boolean"),
    ],
)
def test_a_reference_back_counts_once(schema: Any) -> None:
    assert not dict(branching(schema))
