import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer import pointer
from viewer.errors import PointerError


@given(st.lists(st.text(max_size=5), max_size=5))
def test_join_and_split_are_inverse(tokens: list[str]) -> None:
    assert pointer.split(pointer.join(tuple(tokens))) == tuple(tokens)


@pytest.mark.parametrize("bad", ["a", "/~", "/~2", "/a~x"])
def test_malformed_pointer_is_named(bad: str) -> None:
    with pytest.raises(PointerError):
        pointer.split(bad)


@pytest.mark.parametrize("token", ["01", "-", "-1", "+1", "1.0", "９", "9" * 30])
def test_array_index_is_strict(token: str) -> None:
    assert pointer.array_index(token) is None
    with pytest.raises(PointerError):
        pointer.get(["a", "b"], (token,))


def test_null_exists_and_absent_does_not() -> None:
    assert pointer.exists({"a": None}, "/a")
    assert not pointer.exists({"a": None}, "/b")
    assert pointer.find({}, "/b", 7) == 7


@pytest.mark.parametrize(
    ("text", "tokens", "covers"),
    [
        pytest.param("/a/*", ("a", 3), True, id="star-is-one-token"),
        pytest.param("/a/*", ("a",), False, id="star-is-not-none"),
        pytest.param("/a/*", ("a", 3, "b"), False, id="star-is-not-two"),
        pytest.param("/a/**", ("a",), True, id="tail-may-be-empty"),
        pytest.param("/a/**", ("a", 3, "b"), True, id="tail-any-depth"),
        pytest.param("/~2", ("*",), True, id="literal-star"),
        pytest.param("/~2", ("x",), False, id="literal-star-only"),
        pytest.param("/a~1b", ("a/b",), True, id="escape"),
        pytest.param("/to:*", ("to:x",), True, id="beginning"),
        pytest.param("/to:*", ("to",), False, id="not-the-beginning"),
        pytest.param("/to:*/**", ("to:x", 0), True, id="beginning-and-tail"),
        pytest.param("/to:~2", ("to:*",), True, id="literal-star-at-the-end"),
        pytest.param("/to:~2", ("to:x",), False, id="literal-star-is-no-beginning"),
    ],
)
def test_pattern_covers(text: str, tokens: tuple[str | int, ...], covers: bool) -> None:
    assert pointer.pattern(text).matches(tokens) is covers


def test_pattern_selects_places_with_values() -> None:
    value = {"e": [{"id": 1}, {"x": 2}, {"id": 3}]}
    found = list(pointer.pattern("/e/*/id").select(value))
    assert found == [(("e", 0, "id"), 1), (("e", 2, "id"), 3)]


def test_a_beginning_selects_every_key_that_has_it() -> None:
    value = {"to:a": 1, "on": 2, "to:b": 3}
    assert list(pointer.pattern("/to:*").select(value)) == [(("to:a",), 1), (("to:b",), 3)]
