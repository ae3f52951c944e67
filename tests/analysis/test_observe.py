from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.analysis.diff import diff
from viewer.analysis.observe import VERDICTS, observe, verdict
from viewer.analysis.projection import Projector
from viewer.chain import assemble
from viewer.equality import same
from viewer.model import MISSING, Change, Record, Sidecars, TaskError, Thread, ThreadRef
from viewer.profiles import builtin_profiles, load_profile
from viewer.sources import open_source

Make = Callable[..., Any]


def recorded(**observations: Any) -> Sidecars:
    return Sidecars(observations=observations)


def test_recorded_wins_over_computed_wins_over_unknown(make_chain: Make) -> None:
    chain = make_chain(
        {"messages": [1], "goal": "g"}, {"messages": [2]}, MISSING,
        profile="task-state", sidecars=recorded(c0=None),
    )  # fmt: skip
    first, second, third = (observe(chain, i) for i in range(3))
    assert (first.kind, first.value, first.why) == ("recorded", None, "recorded for c0")
    assert (second.kind, second.value) == ("computed", {"messages": [2]})
    assert "projection of profile task-state" in second.why
    assert (third.kind, third.value) == ("unknown", MISSING)
    assert "no readable state" in third.why


def test_without_a_projection_the_observation_is_unknown(make_chain: Make) -> None:
    found = observe(make_chain({"a": 1}), 0)
    assert (found.kind, found.value) == ("unknown", MISSING)
    assert "profile plain has no projection" in found.why


def test_an_observation_of_a_doubled_id_belongs_to_nobody() -> None:
    records = tuple(
        Record(place="p", made_id="x", checkpoint_id="x", state={"messages": []}) for _ in "ab"
    )
    sidecars = recorded(x={"messages": []})
    thread = Thread(ref=ThreadRef(thread_id="t"), records=records, sidecars=sidecars)
    found = observe(assemble("s", "r", thread, load_profile("task-state")), 1)
    assert found.kind == "unknown"
    assert "several checkpoints have that id" in found.why


STATE = {"a": {"b": 1, "c": [1, 2]}, "l": [{"x": 1, "y": 2}, {"y": 3}], "e": {}}


@pytest.mark.parametrize(
    ("include", "exclude", "shown"),
    [
        pytest.param([], [], STATE, id="everything"),
        pytest.param(["/a"], [], {"a": STATE["a"]}, id="subtree"),
        pytest.param(["/a/**"], [], {"a": STATE["a"]}, id="subtree-with-tail"),
        pytest.param(["/a/b"], [], {"a": {"b": 1}}, id="leaf-keeps-its-holder"),
        pytest.param(["/a"], ["/a/b"], {"a": {"c": [1, 2]}}, id="exclude-inside"),
        pytest.param(["/a/b"], ["/a"], MISSING, id="exclude-above"),
        pytest.param([], ["/a/**", "/l/*/y"], {"l": [{"x": 1}, {}], "e": {}}, id="only-exclude"),
        pytest.param(["/l/*/x"], [], {"l": [{"x": 1}]}, id="items-without-are-dropped"),
        pytest.param(["/e"], [], {"e": {}}, id="empty-object-is-kept"),
        pytest.param(["/nope"], [], MISSING, id="nothing"),
        pytest.param([""], [], STATE, id="root"),
        pytest.param(["/a"], [""], MISSING, id="root-excluded"),
    ],
)
def test_projection_prunes_exactly(
    include: Any, exclude: Any, shown: Any, make_profile: Make
) -> None:
    profile = make_profile(projection={"include": include, "exclude": exclude})
    found = Projector(profile).project(STATE)
    assert same(found, shown)


def test_a_part_is_projected_as_the_whole_would_be(make_profile: Make) -> None:
    projector = Projector(make_profile(projection={"include": ["/a"], "exclude": ["/a/b"]}))
    assert projector.part(("a", "c", 0), 1) == 1
    assert projector.part(("a", "b", "deep"), 1) is MISSING
    assert projector.part(("l", 0), {"x": 1}) is MISSING
    assert projector.part(("a",), STATE["a"]) == {"c": [1, 2]}


SHOWN = {"projection": {"include": ["/open", "/items", "/part", "/null"], "exclude": ["/part/hid"]}}
FAULT = TaskError(task="t", node="n", message="refused")
LONG, OLD = "a text long enough to be known", "what the base said at this place"


def put(path: tuple[Any, ...], new: Any, old: Any = MISSING) -> Change:
    return Change("add" if old is MISSING else "replace", path, path, old, new)


def drop(path: tuple[Any, ...], old: Any) -> Change:
    return Change("remove", path, path, old, MISSING)


@pytest.mark.parametrize(
    ("seen", "change", "expected"),
    [
        pytest.param({"open": 2}, put(("open",), 2, 1), "shown", id="target-value"),
        pytest.param({"open": 1}, put(("open",), 2, 1), "stale", id="base-value"),
        pytest.param({"open": 7}, put(("open",), 2, 1), "unknown", id="neither"),
        pytest.param({"open": True}, put(("open",), 1, 2), "unknown", id="true-is-not-1"),
        pytest.param({}, put(("open",), 2, 1), "not shown", id="absent"),
        pytest.param({"null": None}, put(("null",), None, 1), "shown", id="null-is-a-value"),
        pytest.param({"items": []}, put(("null",), None, 1), "not shown", id="null-absent"),
        pytest.param({"secret": 2}, put(("secret",), 2, 1), "leak", id="hidden-shown"),
        pytest.param({"secret": 1}, put(("secret",), 2, 1), "leak", id="hidden-shown-stale"),
        pytest.param({"open": 2}, put(("secret",), 2, 1), "left out", id="hidden-absent"),
        pytest.param({"part": {"in": 1}}, put(("part",), {"in": 1, "hid": 2}), "shown", id="part-as-meant"),
        pytest.param({"part": {"in": 1, "hid": 2}}, put(("part",), {"in": 1, "hid": 2}), "leak", id="part-leaks"),
        pytest.param({"part": {"in": 0}}, put(("part",), {"in": 1, "hid": 2}, {"in": 0, "hid": 9}), "stale", id="part-of-the-base"),
        pytest.param({"items": [1, 2]}, put(("items", 1), 2), "shown", id="item"),
        pytest.param({"items": [0, 1, 2]}, put(("items", 1), 2), "shown", id="item-further-on"),
        pytest.param({"items": [1, 3]}, put(("items", 1), 2), "not shown", id="item-not-there"),
        pytest.param({"items": [1]}, put(("items", 1), 2), "not shown", id="item-beyond-the-end"),
        pytest.param({"items": [1]}, drop(("open",), 5), "shown", id="removal-gone"),
        pytest.param({"open": 5}, drop(("open",), 5), "stale", id="removal-still-there"),
        pytest.param({"secret": 5}, drop(("secret",), 5), "leak", id="removal-hidden-still-there"),
        pytest.param({}, drop(("secret",), 5), "left out", id="removal-hidden-gone"),
        pytest.param({"items": [1]}, drop(("items", 0), 1), "unknown", id="removal-of-an-equal-neighbour"),
        pytest.param({"messages": [LONG]}, put(("open",), LONG, OLD), "shown", id="text-in-free-form"),
        pytest.param(f"You see: {LONG}.", put(("open",), LONG, OLD), "shown", id="text-in-a-text"),
        pytest.param(f"You see: {OLD}.", put(("open",), LONG, OLD), "stale", id="base-text-in-a-text"),
        pytest.param(f"You see: {LONG}er", put(("open",), LONG, OLD), "unknown", id="whole-words-only"),
        pytest.param("nothing of it", put(("open",), LONG, OLD), "unknown", id="other-words"),
        pytest.param("2", put(("open",), 2, 1), "unknown", id="numbers-stand-anywhere"),
        pytest.param("short", put(("open",), "short", "x"), "unknown", id="short-texts-too"),
        pytest.param({"prompt": LONG}, put(("secret",), LONG, "x"), "leak", id="hidden-text"),
        pytest.param(f"{OLD}", drop(("secret",), OLD), "leak", id="hidden-removed-text"),
        pytest.param({"say": 'He said: a \\"quoted\\" text'}, put(("open",), 'a "quoted" text', 1), "shown", id="escaped-text"),
        pytest.param([{"role": "user", "content": LONG}], put(("items", 0), {"role": "user", "content": LONG}), "shown", id="equal-object"),
        pytest.param(f"user: {LONG}", put(("items", 0), {"role": "user", "content": LONG}), "shown", id="object-by-its-texts"),
        pytest.param(f"user: {LONG}", put(("items", 0), {"n": 3, "content": LONG}), "unknown", id="a-number-beside-them"),
        pytest.param(None, put(("open",), 2, 1), "unknown", id="null-observation"),
        pytest.param({"open": 2}, put((), {"open": 2}, {"open": 1}), "shown", id="whole-state"),
    ],
)  # fmt: skip
def test_verdict_of_a_recorded_observation(
    seen: Any, change: Change, expected: str, make_chain: Make, make_profile: Make
) -> None:
    state = {"open": 0, "secret": 0, "items": [1], "part": {}, "null": None}
    chain = make_chain(state, profile=make_profile(**SHOWN), sidecars=recorded(c0=seen))
    assert verdict(chain, change, observe(chain, 0)) == expected


@pytest.mark.parametrize(
    ("seen", "change", "expected"),
    [
        pytest.param(LONG, put(("secret",), LONG, 1), "unknown", id="in-free-form"),
        pytest.param({"open": LONG}, put(("secret",), LONG, 1), "left out", id="by-place"),
        pytest.param(LONG, drop(("gone",), LONG), "unknown", id="removed-in-free-form"),
        pytest.param({"open": LONG}, drop(("gone",), LONG), "left out", id="removed-by-place"),
    ],
)  # fmt: skip
def test_a_hidden_text_that_stands_openly_elsewhere_is_no_leak(
    seen: Any, change: Change, expected: str, make_chain: Make, make_profile: Make
) -> None:
    state = {"open": LONG, "secret": LONG}
    chain = make_chain(state, profile=make_profile(**SHOWN), sidecars=recorded(c0=seen))
    assert verdict(chain, change, observe(chain, 0)) == expected


@pytest.mark.parametrize(
    ("seen", "change", "expected"),
    [
        pytest.param({"a": 2}, put(("a",), 2, 1), "shown", id="shown"),
        pytest.param({"a": 1}, put(("a",), 2, 1), "stale", id="stale"),
        pytest.param({}, put(("a",), 2, 1), "unknown", id="absent"),
        pytest.param({}, drop(("a",), 1), "unknown", id="gone"),
    ],
)
def test_without_a_projection_nobody_knows_what_was_meant(
    seen: Any, change: Change, expected: str, make_chain: Make
) -> None:
    chain = make_chain({"a": 2}, sidecars=recorded(c0=seen))
    assert verdict(chain, change, observe(chain, 0)) == expected


def test_computed_observations_only_say_what_would_be(make_chain: Make, make_profile: Make) -> None:
    chain = make_chain({"open": 2, "secret": 2}, profile=make_profile(**SHOWN))
    seen = observe(chain, 0)
    assert verdict(chain, put(("open",), 2, 1), seen) == "would be shown"
    assert verdict(chain, drop(("open",), 2), seen) == "would be shown"
    assert verdict(chain, put(("secret",), 2, 1), seen) == "would not be shown"
    assert verdict(chain, put(("part", "hid"), 2), seen) == "would not be shown"


def test_unknown_stays_unknown(make_chain: Make) -> None:
    chain = make_chain({"a": 2})
    assert verdict(chain, put(("a",), 2, 1), observe(chain, 0)) == "unknown"


def test_depth_does_not_raise(make_chain: Make, make_profile: Make) -> None:
    deep: Any = 1
    for _ in range(3000):
        deep = {"open": deep}
    chain = make_chain(deep, profile=make_profile(**SHOWN), sidecars=recorded(c0=deep))
    copy = {"open": {"open": deep["open"]["open"]}}
    assert verdict(chain, put(("open",), copy, 1), observe(chain, 0)) in VERDICTS


def test_the_fork_sample_s_model_call_saw_a_stale_count() -> None:
    place = Path(__file__).parents[2] / "sample_runs/thr_invoice_42-fork"
    source = open_source(place)
    chain = source.chain(source.threads[0])
    seen = observe(chain, 4)
    changes = {c.pointer: c for c in diff(chain.state(3), chain.state(4), chain.profile.lists)}
    assert seen.kind == "recorded"
    assert verdict(chain, changes["/working/invoiceCount"], seen) == "stale"
    assert verdict(chain, changes["/step"], seen) == "shown"
    assert verdict(chain, changes["/status"], seen) == "left out"


KEYS = st.sampled_from(["messages", "goal", "working", "plan", "status", "step", "content"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


@given(base=JSON, target=JSON, seen=st.just(MISSING) | JSON)
def test_no_state_and_no_observation_raises(base: Any, target: Any, seen: Any) -> None:
    records = tuple(
        Record(place="p", made_id=f"c{i}", checkpoint_id=f"c{i}", state=s)
        for i, s in enumerate((base, target))
    )
    sidecars = Sidecars() if seen is MISSING else recorded(c1=seen)
    thread = Thread(ref=ThreadRef(thread_id="t"), records=records, sidecars=sidecars)
    for profile in builtin_profiles():
        chain = assemble("s", "r", thread, profile)
        found = observe(chain, 1)
        for change in diff(base, target):
            assert verdict(chain, change, found) in VERDICTS


@pytest.mark.parametrize(
    ("fields", "index", "told"),
    [
        pytest.param({"status": "done"}, 1, "no model call came after this checkpoint", id="done"),
        pytest.param({"status": "awaiting_approval"}, 1, "no model call came", id="waiting"),
        pytest.param({"status": "failed"}, 1, "no model call came", id="failed"),
        pytest.param({"status": "done"}, 0, "", id="no-head"),
        pytest.param({"status": "running"}, 1, "", id="may-go-on"),
        pytest.param({"status": "failed", "errors": (FAULT,)}, 1, "no model call is known", id="error"),
    ],
)  # fmt: skip
def test_at_a_resting_head_it_is_said_that_no_model_call_came(
    fields: Any, index: int, told: str, make_chain: Make, make_profile: Make
) -> None:
    profile = make_profile(
        **SHOWN,
        status={
            "values": ["running", "awaiting_approval", "done", "failed"],
            "phases": {
                "running": "running",
                "awaiting_approval": "waiting",
                "done": "done",
                "failed": "failed",
            },
        },
    )
    both = {name: (value, value) for name, value in fields.items()}
    found = observe(make_chain({"open": 1}, {"open": 2}, profile=profile, **both), index)
    assert found.kind == "computed"
    assert found.why.startswith(told or "computed by")
    assert ("this is what one would be shown" in found.why) is bool(told)
