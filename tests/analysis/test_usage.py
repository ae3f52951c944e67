from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.analysis.usage import summed_once, usage
from viewer.chain import assemble
from viewer.model import MISSING, USAGE, Record, Thread, ThreadRef, Usage
from viewer.profiles import builtin_profiles

Make = Callable[..., Any]
COUNTERS = {
    "usage": {
        "pointers": {name: f"/usage/{name}" for name in USAGE},
        "budget": {"total_tokens": 100.0},
    }
}


def answer(**more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": "x", **more}


def spent(given: int, made: int) -> dict[str, int]:
    return {"input_tokens": given, "output_tokens": made}


def per_step(report: Any, name: str) -> list[Any]:
    return [getattr(step.usage, name) for step in report.steps]


def counters(*values: Any, name: str = "input_tokens") -> list[Any]:
    return [MISSING if v is MISSING else {"usage": {} if v is None else {name: v}} for v in values]


@pytest.fixture
def talk(make_profile: Make) -> Any:
    return make_profile(fields={"messages": "/messages"})


def test_cumulative_counters_become_differences_along_the_parents(
    make_chain: Make, make_profile: Make
) -> None:
    states = counters(10, 25, 40, 30)
    report = usage(make_chain(*states, parents=(None, 0, 1, 1), profile=make_profile(**COUNTERS)))
    assert per_step(report, "input_tokens") == [10, 15, 15, 5]
    assert [s.cumulative.input_tokens for s in report.steps] == [10, 25, 40, 30]
    assert report.totals.input_tokens == 45
    assert report.budget == {"total_tokens": 100.0}
    assert report.recorded


@pytest.mark.parametrize(
    ("values", "steps", "total", "decreased"),
    [
        pytest.param((0, 0, 5), [0, 0, 5], 5, [], id="no-call-is-zero"),
        pytest.param((5, None, 9), [5, None, 4], 9, [], id="absent-is-null"),
        pytest.param((5, MISSING, 9), [5, None, 4], 9, [], id="no-state-is-null"),
        pytest.param((None, None), [None, None], None, [], id="never-recorded"),
        pytest.param((9, 4, 6), [9, None, 2], 11, [1], id="went-down"),
        pytest.param((5, "many", 9), [5, None, 4], 9, [], id="no-number"),
        pytest.param((5, True, 9), [5, None, 4], 9, [], id="boolean"),
        pytest.param((5, float("nan"), 9), [5, None, 4], 9, [], id="nan"),
    ],
)
def test_what_a_counter_says_of_a_step(
    values: Any, steps: Any, total: Any, decreased: Any, make_chain: Make, make_profile: Make
) -> None:
    report = usage(make_chain(*counters(*values), profile=make_profile(**COUNTERS)))
    assert per_step(report, "input_tokens") == steps
    assert report.totals.input_tokens == total
    assert [s.index for s in report.steps if s.decreased == ("input_tokens",)] == decreased
    assert report.recorded is (total is not None)


def test_fractions_are_exact(make_chain: Make, make_profile: Make) -> None:
    states = counters(0.1, 0.3, 9.981, name="model_seconds")
    report = usage(make_chain(*states, profile=make_profile(**COUNTERS)))
    assert per_step(report, "model_seconds") == [0.1, 0.2, 9.681]
    assert report.totals.model_seconds == 9.981


def test_counters_per_step_are_taken_as_they_are(make_chain: Make, make_profile: Make) -> None:
    sections = {"usage": {**COUNTERS["usage"], "cumulative": False}}
    report = usage(make_chain(*counters(5, 3), profile=make_profile(**sections)))
    assert per_step(report, "input_tokens") == [5, 3]
    assert report.totals.input_tokens == 8


def test_total_tokens_is_computed_and_marked_only_where_it_is_absent(
    make_chain: Make, make_profile: Make
) -> None:
    states = [{"usage": spent(6, 2)}, {"usage": {**spent(8, 3), "total_tokens": 99}}]
    profile = make_profile(usage={**COUNTERS["usage"], "cumulative": False})
    report = usage(make_chain(*states, profile=profile))
    assert per_step(report, "total_tokens") == [8, 99]
    assert [s.total_computed for s in report.steps] == [True, False]
    assert report.total_computed
    one_sided = usage(make_chain(*counters(5), profile=profile))
    assert one_sided.totals.total_tokens is None
    assert not one_sided.total_computed


def talks(*lists: list[Any]) -> list[Any]:
    return [{"messages": listed} for listed in lists]


ASK = {"role": "user", "content": "q"}
NAMED = answer(id="a1", usage=spent(10, 5))
UNNAMED = answer(usage=spent(10, 5))
BARE = answer(id="a9")


@pytest.mark.parametrize(
    ("lists", "calls", "tokens"),
    [
        pytest.param([[ASK], [ASK, NAMED], [ASK, NAMED]], [0, 1, 0], [0, 15, 0], id="by-id"),
        pytest.param([[ASK], [UNNAMED], [UNNAMED]], [0, 1, 0], [0, 15, 0], id="by-words"),
        pytest.param([[UNNAMED], [UNNAMED] * 2], [1, 1], [15, 15], id="equal-answers-are-two"),
        pytest.param([[NAMED] * 3], [1], [15], id="one-answer-in-three-entries"),
        pytest.param([[ASK, UNNAMED], [UNNAMED, ASK]], [1, 0], [15, 0], id="cut-at-the-front"),
        pytest.param([[BARE], [BARE, NAMED]], [1, 1], [None, 15], id="call-without-a-record"),
        pytest.param([[BARE]], [None], [None], id="no-record-anywhere"),
        pytest.param([[ASK]], [None], [None], id="no-call-and-no-record"),
        pytest.param(
            [[answer(id="a1")], [NAMED]], [1, 0], [None, 15], id="record-comes-after-the-call"
        ),
        pytest.param([[NAMED], [answer(id="a1")]], [1, 0], [15, 0], id="record-is-dropped-later"),
    ],
)
def test_each_message_counts_once(
    lists: Any, calls: Any, tokens: Any, make_chain: Make, talk: Any
) -> None:
    report = usage(make_chain(*talks(*lists), profile=talk))
    assert per_step(report, "model_calls") == calls
    assert per_step(report, "total_tokens") == tokens


def test_sharing_entries_or_not_makes_no_difference(make_chain: Make, talk: Any) -> None:
    def fresh() -> list[Any]:
        return [{**UNNAMED}, {**NAMED}]

    report = usage(make_chain(*talks(fresh(), fresh()), profile=talk))
    assert per_step(report, "total_tokens") == [30, 0]


def test_each_branch_pays_for_its_own_answers(make_chain: Make, talk: Any) -> None:
    states = talks([ASK], [ASK, UNNAMED], [ASK, UNNAMED], [ASK, UNNAMED, UNNAMED])
    report = usage(make_chain(*states, profile=talk, parents=(None, 0, 0, 1)))
    assert per_step(report, "total_tokens") == [0, 15, 15, 15]
    assert [s.cumulative.total_tokens for s in report.steps] == [0, 15, 15, 30]
    assert report.totals.total_tokens == 45


def test_an_answer_that_a_subgraph_hands_to_its_parent_counts_once_in_the_thread(
    make_chain: Make, talk: Any
) -> None:
    inner = answer(id="s1", usage=spent(100, 7))
    outer = answer(id="p1", usage=spent(10, 5))
    parent = usage(make_chain(*talks([ASK], [ASK, outer], [ASK, outer, inner]), profile=talk))
    below = usage(make_chain(*talks([ASK], [ASK, outer, inner]), profile=talk))
    assert [r.totals.total_tokens for r in (parent, below)] == [122, 122]
    both = summed_once([parent, below])
    assert (both.model_calls, both.input_tokens, both.total_tokens) == (2, 110, 122)
    other = usage(make_chain(*talks([answer(id="s2", usage=spent(1, 1))]), profile=talk))
    assert summed_once([below, other]).total_tokens == 124
    assert summed_once([other, usage(make_chain(*counters(5), profile=talk))]).total_tokens == 2


@pytest.mark.parametrize(
    ("lists", "tokens"),
    [
        pytest.param([[ASK], [ASK, NAMED], [ASK]], [0, 15, 0], id="removed-again"),
        pytest.param(
            [[ASK, NAMED], [{"type": "remove", "id": "a1"}, ASK]], [15, 0], id="remove-message"
        ),
        pytest.param(
            [[ASK, NAMED], [ASK, {**NAMED, "content": "edited"}]], [15, 0], id="replaced-by-id"
        ),
        pytest.param(
            [[NAMED, answer(id="a2", usage=spent(3, 2))], [answer(id="sum", content="s")]],
            [20, None],
            id="summarised-away",
        ),
    ],
)
def test_what_add_messages_does_to_the_list_costs_nothing(
    lists: Any, tokens: Any, make_chain: Make, talk: Any
) -> None:
    report = usage(make_chain(*talks(*lists), profile=talk))
    assert per_step(report, "total_tokens") == tokens


def test_a_field_that_no_message_records_stays_null(make_chain: Make, talk: Any) -> None:
    report = usage(make_chain(*talks([ASK], [ASK, NAMED]), profile=talk))
    assert per_step(report, "cost_usd") == [None, None]
    assert report.totals.cost_usd is None


def test_messages_count_where_the_counters_are_absent(make_chain: Make, make_profile: Make) -> None:
    profile = make_profile(fields={"messages": "/messages"}, **COUNTERS)
    report = usage(make_chain(*talks([NAMED]), profile=profile))
    assert report.totals.total_tokens == 15


def test_an_empty_chain_has_an_empty_report(make_chain: Make) -> None:
    report = usage(make_chain())
    assert (report.steps, report.totals, report.recorded) == ((), Usage(), False)


KEYS = st.sampled_from(["messages", "usage", "input_tokens", "output_tokens", "role", "id", "type"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["assistant", "ai"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=25,
)


@given(states=st.lists(JSON, max_size=4))
def test_no_state_raises_and_no_amount_is_negative(states: list[Any]) -> None:
    records = tuple(Record(place="p", made_id=f"c{i}", state=s) for i, s in enumerate(states))
    thread = Thread(ref=ThreadRef(thread_id="t"), records=records)
    for profile in builtin_profiles():
        report = usage(assemble("s", "r", thread, profile))
        assert len(report.steps) == len(states)
        amounts = [getattr(step.usage, name) for step in report.steps for name in USAGE]
        assert all(n is None or n >= 0 for n in amounts)
