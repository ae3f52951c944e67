from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from viewer.analysis.search import Hit, Query, Search, search
from viewer.analysis.search_query import LONGEST, Matcher
from viewer.chain import Chain
from viewer.errors import QueryError
from viewer.jsontext import source_text, walk
from viewer.model import MISSING
from viewer.pointer import get, join

MakeChain = Callable[..., Chain]
FIXTURE = [HealthCheck.function_scoped_fixture]  # it makes chains and remembers nothing

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(min_value=-2, max_value=12),
    st.sampled_from([0.0, 1.0, 10.5, float("nan")]),
    st.text(alphabet="abA1/é\ud800", max_size=3),
)
KEYS = st.sampled_from(["id", "a", "b1", "name", "", "/", "A"])
OBJECTS = st.recursive(
    SCALARS, lambda inner: st.dictionaries(KEYS, inner, max_size=4), max_leaves=20
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=20,
)


@st.composite
def edited(draw: st.DrawFn, value: Any, fresh: st.SearchStrategy[Any]) -> Any:
    """Draw a value that shares parts with ``value``, as a later checkpoint does."""
    choice = draw(st.integers(0, 5))
    if choice == 0:
        return draw(fresh)
    if choice < 3:
        return value
    if isinstance(value, list):
        entries = [draw(edited(x, fresh)) if draw(st.booleans()) else x for x in value]
        if entries and draw(st.booleans()):
            entries.pop(draw(st.integers(0, len(entries) - 1)))
        if draw(st.booleans()):
            entries.insert(draw(st.integers(0, len(entries))), draw(fresh))
        return draw(st.permutations(entries)) if draw(st.booleans()) else entries
    if isinstance(value, dict):
        made = {k: draw(edited(x, fresh)) for k, x in value.items() if draw(st.integers(0, 4))}
        return made | draw(st.dictionaries(KEYS, fresh, max_size=1))
    return value


@st.composite
def states(draw: st.DrawFn, fresh: st.SearchStrategy[Any]) -> list[Any]:
    found = [draw(fresh)]
    for _ in range(draw(st.integers(0, 6))):
        found.append(draw(edited(found[-1], fresh)))
        if draw(st.integers(0, 5)) == 0:
            found.append(draw(st.sampled_from(found)))  # what was gone comes back
    return [MISSING if draw(st.integers(0, 9)) == 0 else state for state in found]


QUERIES = st.one_of(
    st.builds(Query, text=st.sampled_from(["a", "1", "A", "é", "null", "0"]), case=st.booleans()),
    st.builds(Query, text=st.sampled_from(["^a", "[0-9]$", "a|b", "^$"]), regex=st.just(True)),
)


def naive(chain: Chain, query: Query) -> list[list[tuple[str, str, Any]]]:
    """Return kind, pointer and value of each match, a list a checkpoint."""
    matcher = Matcher(query)
    found = []
    for state in chain.states:
        rows = []
        for place, value in walk(state) if state is not MISSING else ():
            if place and isinstance(place[-1], str) and matcher.matches(place[-1]):
                rows.append(("key", join(place), value))
            if not isinstance(value, dict | list) and matcher.matches_scalar(value):
                rows.append(("value", join(place), value))
        found.append(rows)
    return found


def written(kind: str, pointer: str, value: Any) -> tuple[str, ...]:
    """Return what matched: a key's text, or a value with its type."""
    if kind == "key":
        return kind, pointer.rpartition("/")[2]
    return kind, type(value).__name__, source_text(value)


@given(states(VALUES), QUERIES)
@settings(max_examples=60, deadline=None, suppress_health_check=FIXTURE)
def test_what_is_found_is_what_looking_at_every_state_finds(
    make_chain: MakeChain, given_states: list[Any], query: Query
) -> None:
    chain = make_chain(*given_states)
    truth = naive(chain, query)
    seen: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for index, rows in enumerate(truth):
        for row in rows:
            seen[written(*row)].append(index)
    found: dict[tuple[str, ...], list[Hit]] = defaultdict(list)
    for hit in search(chain, query):
        found[written(hit.kind, hit.pointer, hit.value)].append(hit)
        rows_at = [
            {written(k, p, v): None for k, p, v in rows if p == place}
            for rows, place in (
                (truth[hit.first], hit.pointer),
                (truth[hit.last], hit.last_pointer),
            )
        ]
        assert all(written(hit.kind, hit.pointer, hit.value) in rows for rows in rows_at)
    assert found.keys() == seen.keys()
    for what, indices in seen.items():
        assert min(h.first for h in found[what]) == indices[0]
        assert max(h.last for h in found[what]) == indices[-1]
        assert sum(h.count for h in found[what]) == len(indices)
        assert any(h.at_head for h in found[what]) == (chain.head in indices)


@given(states(OBJECTS), QUERIES)
@settings(max_examples=40, deadline=None, suppress_health_check=FIXTURE)
def test_without_lists_every_place_is_told_exactly(
    make_chain: MakeChain, given_states: list[Any], query: Query
) -> None:
    chain = make_chain(*given_states)
    seen: dict[Any, list[int]] = defaultdict(list)
    for index, rows in enumerate(naive(chain, query)):
        for kind, pointer, value in rows:
            seen[(pointer, *written(kind, pointer, value))].append(index)
    found = {
        (h.pointer, *written(h.kind, h.pointer, h.value)): (h.first, h.last, h.count, h.at_head)
        for h in search(chain, query)
    }
    assert found == {k: (i[0], i[-1], len(i), chain.head in i) for k, i in seen.items()}


def test_a_moved_list_member_stays_one_place(make_chain: MakeChain) -> None:
    first, second, third = ({"id": f"t{i}", "what": f"task {i}"} for i in range(3))
    chain = make_chain(
        {"plan": [first, second]},
        {"plan": [third, second, first]},
        {"plan": [third, {**first, "done": True}]},
        {"plan": []},
    )
    (hit,) = search(chain, Query(text="task 0"))
    assert (hit.pointer, hit.last_pointer) == ("/plan/0/what", "/plan/1/what")
    assert (hit.first, hit.last, hit.count, hit.at_head) == (0, 2, 3, False)


def test_hits_stand_in_order_of_first_checkpoint_and_then_of_the_document(
    make_chain: MakeChain,
) -> None:
    chain = make_chain({"l": ["x"] * 11}, {"l": ["x"] * 11, "a": "x", "x": 0})
    assert [(h.first, h.pointer) for h in search(chain, Query(text="X"))] == [
        *((0, f"/l/{i}") for i in range(11)),
        (1, "/a"),
        (1, "/x"),
    ]
    assert [h.pointer for h in search(chain, Query(text="/l/1*: x"))] == ["/l/1", "/l/10"]
    assert not search(chain, Query(text="X", case=True))


def test_a_head_on_another_branch_is_not_the_last_checkpoint(make_chain: MakeChain) -> None:
    times = [datetime(2026, 1, day, tzinfo=UTC) for day in (1, 3, 2)]
    chain = make_chain({"s": "a"}, {"s": "b"}, {"s": "c"}, parents=(None, 0, 0), created_at=times)
    at_head = {h.value: h.at_head for h in search(chain, Query(text="[abc]", regex=True))}
    assert at_head == {"a": False, "b": True, "c": False}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "nothing to search for"),
        ("(", "unterminated subpattern"),
        ("(?=a)b", "look-around"),
        (r"(a)\1", "back references"),
    ],
)
def test_what_cannot_be_searched_for_is_said(text: str, reason: str) -> None:
    with pytest.raises(QueryError, match=reason):
        Matcher(Query(text=text, regex=True))


def test_an_expression_that_makes_others_hang_ends_at_once() -> None:
    matcher = Matcher(Query(text="(a+)+$", regex=True))
    started = perf_counter()
    assert not matcher.matches("a" * 100_000 + "!")
    assert perf_counter() - started < 1


@pytest.mark.parametrize(
    "text",
    [
        r"(\w{1,90}){1,90}!",
        "(?:(?:a{0,30}){0,30}){0,9}b",
        "(?:(?:a{0,9}){0,20}){0,9}b",
        "(.{0,99}){0,99}~",
    ],
)
def test_an_expression_of_very_many_ways_is_refused(text: str) -> None:
    # Linear too, but minutes for one long value: the engine goes all the ways at every letter.
    with pytest.raises(QueryError, match="large repetitions"):
        Matcher(Query(text=text, regex=True))


@pytest.mark.parametrize(
    "text",
    [
        r"[\w.+-]{1,64}@[\w.-]{1,255}",
        r"ORD-\d{4,12}",
        "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        "|".join(f"word{n}" for n in range(90)),
    ],
)
def test_expressions_of_daily_life_are_searched_for(text: str) -> None:
    assert not Matcher(Query(text=text, regex=True)).matches("")


def test_a_long_value_is_searched_as_far_as_is_said() -> None:
    matcher = Matcher(Query(text="z", regex=True))
    assert matcher.matches("z" + "a" * LONGEST)
    assert not matcher.matches("a" * LONGEST + "z")
    assert matcher.cut == 2


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        (Query(text="B"), "abcb", (1, 2)),
        (Query(text="b", case=True), "aBcb", (3, 4)),
        (Query(text="İ"), "İ", None),
        (Query(text=r"o \d+", regex=True), "no 1234 x", (1, 7)),
        (Query(text="B+", regex=True), "abbb", (1, 4)),
        (Query(text="^a", regex=True), "aaa", (0, 1)),
        (Query(text="z", regex=True), "aaa", None),
        (Query(text="c", regex=True), "\ud800abc", (3, 4)),
    ],
)
def test_where_the_match_stands(query: Query, text: str, found: tuple[int, int] | None) -> None:
    assert Matcher(query).span(text) == found


def test_a_search_goes_on_where_it_stopped(make_chain: MakeChain) -> None:
    chain = make_chain(*({"n": i} for i in range(5)))
    run = Search(chain, Query(text="n"))
    run.run(0)
    assert (run.searched, run.total, run.done) == (1, 5, False)
    assert [(h.first, h.last, h.count) for h in run.hits()] == [(0, 0, 1)]
    run.run()
    assert run.done
    assert [(h.first, h.last, h.count) for h in run.hits()] == [(0, 4, 5)]


def test_too_many_places_end_the_search(
    make_chain: MakeChain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("viewer.analysis.search_places.KEPT", 3)
    run = Search(make_chain({"l": ["x"] * 9}, {"l": []}), Query(text="x"))
    run.run()
    assert run.full
    assert run.done
    assert run.found == 3


def test_a_long_chain_costs_what_is_distinct_in_it(make_chain: MakeChain) -> None:
    shared = {"big": [{"id": i, "text": f"text {i} of many"} for i in range(3_000)]}
    started = perf_counter()
    search(make_chain({"s": shared}), Query(text="needle"))
    one = perf_counter() - started
    many = make_chain(*({"s": shared, "n": i} for i in range(500)))
    started = perf_counter()
    search(many, Query(text="needle"))
    assert perf_counter() - started < 20 * one


def test_deep_states_are_searched(make_chain: MakeChain) -> None:
    def deep(last: str) -> Any:
        value: Any = last
        for _ in range(390):
            value = {"k": [value]}
        return value

    (first, second) = search(make_chain(deep("x1"), deep("x2")), Query(text="x"))
    assert (first.last, second.first) == (0, 1)
    assert get(deep("x1"), first.pointer) == "x1"
