from pathlib import Path

import pytest

from viewer.analysis.messages import read_message
from viewer.analysis.observation_change import answered, observation_change
from viewer.analysis.observe import observe
from viewer.analysis.observed_messages import compare_messages
from viewer.model import MISSING, Sidecars
from viewer.sources import open_source

ROOT = Path(__file__).parents[2]


def message(role, text="", **more):
    return {"role": role, "content": text, **more}


def call(*entries, node="model", **more):
    return {"recorded_by": "viewer.recorder", "node": node, "messages": [*entries], **more}


def change(chain, index):
    return observation_change(chain, index, observe(chain, index))


def compared(base, target):
    a, b = (
        [read_message(i, entry, ("m", i)) for i, entry in enumerate(entries)]
        for entries in (base, target)
    )
    found = compare_messages(a, b, [m.pointer for m in b])
    return [(c.op, c.role, c.text, c.old, c.at) for c in found.changes], found.kept


A, B, C = message("user", "one", id="a"), message("assistant", "two", id="b"), message("tool", "3")


@pytest.mark.parametrize(
    ("base", "target", "changes", "kept"),
    [
        pytest.param([A, B], [A, B, C], [("added", "tool", "3", None, "/m/2")], 2, id="added"),
        pytest.param([A, B, C], [B, C], [("dropped", "user", "one", None, "")], 2, id="dropped"),
        pytest.param(
            [A, B],
            [message("user", "uno", id="a"), B],
            [("edited", "user", "uno", "one", "/m/0")],
            1,
            id="edited under its id",
        ),
        pytest.param([A, B, C], [C, A, B], [("moved", "tool", "3", None, "/m/0")], 2, id="moved"),
        pytest.param(
            [message("tool", "paid", tool_call_id="c")],
            [message("tool", "…", tool_call_id="c")],
            [("edited", "tool", "…", "paid", "/m/0")],
            0,
            id="another answer of one call",
        ),
        pytest.param(
            [message("user", "Where is my parcel? It was sent on Monday.")],
            [message("user", "Where is my parcel? It was sent on [date].")],
            [
                (
                    "edited",
                    "user",
                    "Where is my parcel? It was sent on [date].",
                    "Where is my parcel? It was sent on Monday.",
                    "/m/0",
                )
            ],
            0,
            id="alike in one place",
        ),
        pytest.param(
            [message("user", "Where is it?")],
            [message("user", "xyzzy plugh")],
            [
                ("dropped", "user", "Where is it?", None, ""),
                ("added", "user", "xyzzy plugh", None, "/m/0"),
            ],
            0,
            id="other words are another message",
        ),
        pytest.param(
            [message("user", "Where is my parcel?")],
            [message("assistant", "Where is my parcel?")],
            [
                ("dropped", "user", "Where is my parcel?", None, ""),
                ("added", "assistant", "Where is my parcel?", None, "/m/0"),
            ],
            0,
            id="the same words of another role",
        ),
        pytest.param(
            [message("user", "hi"), message("assistant", "x"), message("user", "hi")],
            [message("assistant", "x"), message("user", "hi")],
            [("dropped", "user", "hi", None, "")],
            2,
            id="the first of two equal ones is dropped",
        ),
        pytest.param(
            [message("user", "hi", id="1")],
            [message("user", "hi", id="2")],
            [],
            1,
            id="the same words under another id",
        ),
    ],
)
def test_messages_are_paired_by_id_else_by_words(base, target, changes, kept):
    found, stayed = compared(base, target)
    assert (sorted(found), stayed) == (sorted(changes), kept)


def test_a_dropped_message_stands_before_what_follows_it():
    found, _ = compared([A, C, B], [A, B, message("user", "new")])
    assert [op for op, *_ in found] == ["dropped", "added"]


def test_recorded_observations_of_a_sample_run():
    source = open_source(ROOT / "sample_runs" / "T-80001")
    chain = source.chain(source.threads[0])
    found, why = change(chain, 2)
    assert why == ""
    assert (found.index, found.title, found.kept) == (1, "since @1", 4)
    assert found.summary == "2 messages added, system prompt unchanged"
    assert [(m.op, m.role, m.at) for m in found.messages] == [
        ("added", "assistant", "/messages/4"),
        ("added", "user", "/messages/5"),
    ]
    assert change(chain, 0) == (None, "no earlier model call of this line is known")
    mixed, _ = change(chain, 3)
    assert mixed.title == "since @2 (recorded there, computed here)"
    assert mixed.prompt == "system prompt unchanged"


@pytest.mark.parametrize("index", [1, 2, 3])
def test_what_is_new_and_what_stayed_add_up_to_the_whole(index):
    source = open_source(ROOT / "sample_runs" / "T-80001")
    chain = source.chain(source.threads[0])
    found, _ = change(chain, index)
    fresh = sum(change.op != "dropped" for change in found.messages)
    assert fresh + found.kept == len(observe(chain, index).value["messages"])


def test_a_prompt_of_which_the_call_before_says_nothing_is_not_called_kept(make_chain):
    seen = {"c1": {"calls": [call(message("system", "Be kind."), A, B)]}}
    states = ({"messages": [A]}, {"messages": [A, B]})
    chain = make_chain(*states, profile="langgraph", sidecars=Sidecars(observations=seen))
    found, _ = change(chain, 1)
    assert (found.kept, found.system) == (1, None)
    assert found.prompt == "system prompt not known of the call before"
    assert found.summary == f"1 message added, {found.prompt}"


def test_a_prompt_that_stands_in_no_state_is_not_called_dropped(make_chain):
    seen = {"c0": {"calls": [call(message("system", "Be kind."), A)]}}
    states = ({"messages": [A]}, {"messages": [A, B]})
    chain = make_chain(*states, profile="langgraph", sidecars=Sidecars(observations=seen))
    found, _ = change(chain, 1)
    assert found.title == "since @0 (recorded there, computed here)"
    assert (found.system, found.summary) == (None, "1 message added")


def test_the_call_before_is_found_over_steps_without_one(make_chain):
    state = {"messages": [A]}
    seen = {
        "c0": {"calls": [call(message("system", "Be kind."), A)]},
        "c3": {"calls": [call(message("system", "Be brief."), A, B)]},
    }
    chain = make_chain(
        state, state, state, state, profile="langgraph", sidecars=Sidecars(observations=seen)
    )
    found, _ = change(chain, 3)
    assert found.index == 0
    assert found.summary == "1 message added, system prompt changed"
    assert found.system == ("Be kind.", "Be brief.")
    assert found.messages[0].at == "/calls/0/messages/2"


def test_only_the_own_line_counts(make_chain):
    seen = {"c0": {"calls": [call(A)]}, "c1": {"calls": [call(A, B)]}, "c2": {"calls": [call(A)]}}
    chain = make_chain(
        {}, {}, {}, profile="langgraph", parents=(None, 0, 0), sidecars=Sidecars(observations=seen)
    )
    found, _ = change(chain, 2)
    assert (found.index, found.summary) == (0, "the same 1 message")


def test_each_of_several_calls_is_compared_with_the_last_of_its_node(make_chain):
    seen = {
        "c0": {"calls": [call(A, node="plan"), call(B, node="write")]},
        "c1": {"calls": [call(A, B, node="plan"), call(B, C, node="write"), call(B, node="write")]},
    }
    chain = make_chain({}, {}, profile="langgraph", sidecars=Sidecars(observations=seen))
    found, _ = change(chain, 1)
    assert found.title == "since @0, 3 calls"
    assert [(m.op, m.role, m.at) for m in found.messages] == [
        ("added", "assistant", "/calls/0/messages/1"),
        ("added", "tool", "/calls/1/messages/1"),
        ("dropped", "tool", ""),
    ]
    assert found.summary == "2 messages added, 1 dropped"


def test_a_failed_call_that_was_shown_nothing_is_passed_over(make_chain):
    seen = {
        "c0": {"calls": [call(A)]},
        "c1": {"calls": [call(node="model", error={"message": "no"})]},
        "c2": {"calls": [call(A, B)]},
    }
    chain = make_chain({}, {}, {}, profile="langgraph", sidecars=Sidecars(observations=seen))
    assert change(chain, 2)[0].index == 0
    assert change(chain, 1) == (None, "what the model was shown is not known")


def test_other_tools_are_told(make_chain):
    tools = [{"name": "look"}, {"name": "pay"}]
    seen = {
        "c0": {"calls": [call(A, tools=tools[:1])]},
        "c1": {"calls": [call(A, tools=tools)]},
    }
    chain = make_chain({}, {}, profile="langgraph", sidecars=Sidecars(observations=seen))
    assert change(chain, 1)[0].summary == "the same 1 message, 1 appended to /tools"


def test_computed_observations_pass_over_steps_in_which_no_model_answered(make_chain):
    states = [
        {"messages": [A]},
        {"messages": [A, B]},
        {"messages": [A, B], "note": 1},
        {"messages": [A, B, C]},
    ]
    chain = make_chain(*states, profile="langgraph")
    assert [answered(chain, i, i + 1) for i in range(3)] == [True, False, False]
    found, _ = change(chain, 3)
    assert (found.index, found.summary) == (0, "2 messages added")
    assert [m.at for m in found.messages] == ["/messages/1", "/messages/2"]


def test_a_counter_of_calls_tells_more_than_messages(make_chain):
    def state(calls, *listed):
        return {"messages": [*listed], "usage": {"model_calls": calls}, "goal": "g", "evidence": []}

    chain = make_chain(state(1, A), state(1, A, B), state(2, A, B), profile="task-state")
    assert [answered(chain, i, i + 1) for i in range(2)] == [False, True]


@pytest.mark.parametrize("cumulative", [True, False])
def test_a_counter_that_starts_anew_at_each_step_is_no_sum(make_chain, make_profile, cumulative):
    counter = {"pointers": {"model_calls": "/calls"}, "cumulative": cumulative}
    states = [{"calls": 1}, {"calls": 1}, {"calls": 0}]
    chain = make_chain(*states, profile=make_profile(usage=counter))
    assert [answered(chain, i, i + 1) for i in range(2)] == [not cumulative, False]


def test_a_message_written_once_more_is_no_answer(make_chain):
    """Sources that share nothing between states give equal messages as objects of their own."""
    again = [dict(A), dict(B)]
    chain = make_chain({"messages": [A, B]}, {"messages": [*again, C]}, profile="langgraph")
    assert not answered(chain, 0, 1)
    other = message("assistant", "two", id="other")
    chain = make_chain({"messages": [A, B]}, {"messages": [*again, other]}, profile="langgraph")
    assert answered(chain, 0, 1)


def test_what_is_shown_beside_the_messages_is_told_as_a_change():
    source = open_source(ROOT / "sample_runs" / "thr_invoice_42")
    chain = source.chain(source.threads[0])
    found, _ = change(chain, 5)
    assert (found.index, found.messages) == (1, ())
    assert found.summary == (
        'step 1 → 5, /working/invoiceCount 3 added, /working/total "1840.25" added'
    )


def test_unknown_gives_the_reason(make_chain):
    chain = make_chain({"n": 1}, {"n": 2}, profile="plain")
    assert change(chain, 1) == (None, "what the model was shown is not known")
    lost = make_chain({"messages": [A]}, MISSING, {"messages": [A, B]}, profile="langgraph")
    assert change(lost, 2) == (None, "no earlier model call of this line is known")
