"""One value, one digest; what canonical JSON cannot carry still tells apart what differs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.digest import digest
from viewer.equality import same

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def test_the_digest_is_that_of_the_canonical_text() -> None:
    # printf '{"a":[1,0.5],"b":null}' | sha256sum
    told = "sha256:01b9c5a6e6f861c62aa1a87f8c3a4824df23bc344a041265f1bc65cc511b2537"
    assert digest({"b": None, "a": [1, 0.5]}) == told


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(1, 1.0, id="integer and float"),
        pytest.param(1, True, id="number and boolean"),
        pytest.param(2**53, 2**53 + 1, id="past what a double tells apart"),
        pytest.param(10**5000, 10**5000 + 1, id="past what Python writes in decimal"),
        pytest.param("\ud800", "\ud801", id="half surrogate pairs"),
        pytest.param("\ud800", "\\ud800", id="a half pair and its escape"),
        pytest.param(float("nan"), None, id="not a number and null"),
        pytest.param({}, [], id="object and list"),
    ],
)
def test_what_differs_has_two_digests(one: object, other: object) -> None:
    assert digest({"x": one}) != digest({"x": other})


def test_both_zeros_have_one_digest() -> None:
    assert digest(-0.0) == digest(0.0)


@given(VALUES, VALUES)
def test_digests_are_equal_where_values_are(one: object, other: object) -> None:
    assert digest(one) == digest(one)
    assert (digest(one) == digest(other)) == same(one, other)
