from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from viewer.analysis.diff import diff
from viewer.analysis.messages import messages, read_message
from viewer.analysis.observe import observe, shown_instead, verdict
from viewer.analysis.said import conversation, model_calls, said
from viewer.model import MISSING, Change, Sidecars
from viewer.profiles import load_profile
from viewer.sources import open_source

Make = Callable[..., Any]
LANGGRAPH = load_profile("langgraph")


def stored(kind: str, content: Any, name: str | None = None, **more: Any) -> dict[str, Any]:
    """A message as our LangGraph reader shows it."""
    body = {"content": content, "type": kind.lower(), "id": name, **more}
    return {"$type": f"langchain_core.messages.{kind}Message", "$ctor": "pydantic2", "value": body}


def call(*entries: Any, node: str = "model", **more: Any) -> dict[str, Any]:
    return {"recorded_by": "viewer.recorder", "node": node, "messages": [*entries], **more}


def flat(entry: Any) -> dict[str, Any]:
    """The same message as the recorder writes it."""
    return {k: v for k, v in entry["value"].items() if v is not None and k != "usage_metadata"}


CALLS = [{"id": "c", "name": "lookup", "args": {"n": 1}, "type": "tool_call"}]
ASK = stored("Human", "which invoices?", "h1")
USE = stored("AI", "", "a1", tool_calls=CALLS, usage_metadata={"input_tokens": 1})
GOT = stored("Tool", "invoice 1 is paid in full", "t1", tool_call_id="c", status="success")
SYSTEM = {"type": "system", "content": "You are kind."}


@pytest.mark.parametrize(
    "spelled",
    [
        pytest.param([flat(ASK), flat(USE), flat(GOT)], id="recorder"),
        pytest.param(
            [
                {"role": "user", "content": [{"type": "text", "text": "which invoices?"}]},
                {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": {"name": "lookup", "arguments": '{"n": 1}'}}]},
                {"role": "tool", "tool_call_id": "c", "content": "invoice 1 is paid in full"},
            ],
            id="openai",
        ),
        pytest.param(
            [
                {"lc": 1, "type": "constructor", "id": ["HumanMessage"], "kwargs": {"content": "which invoices?"}},
                {"lc": 1, "type": "constructor", "id": ["AIMessage"], "kwargs": {"content": "", "tool_calls": CALLS}},
                {"lc": 1, "type": "constructor", "id": ["ToolMessage"], "kwargs": {"content": "invoice 1 is paid in full", "tool_call_id": "c"}},
            ],
            id="langsmith",
        ),
        pytest.param(
            [
                {"role": "user", "content": "which invoices?"},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "lookup", "input": {"n": 1}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "invoice 1 is paid in full"}]},
            ],
            id="anthropic",
        ),
    ],
)  # fmt: skip
def test_every_spelling_of_a_recording_says_what_the_state_says(spelled: list[Any]) -> None:
    state = messages({"messages": [ASK, USE, GOT]}, LANGGRAPH)
    recorded = [read_message(i, entry, (i,)) for i, entry in enumerate(spelled)]
    assert [said(m) for m in recorded] == [said(m) for m in state]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(stored("Human", "which invoice?", "h1"), id="other-words"),
        pytest.param(stored("AI", "which invoices?", "h1"), id="another-role"),
        pytest.param(stored("Human", [{"type": "text", "text": "which invoices?"}, {"type": "image_url", "image_url": {"url": "u"}}], "h1"), id="an-image-more"),
        pytest.param(stored("Human", "which invoices?", "h1", tool_calls=CALLS), id="a-call-more"),
    ],
)  # fmt: skip
def test_what_a_model_would_see_otherwise_is_said_otherwise(other: Any) -> None:
    one, two = (said(read_message(0, entry, (0,))) for entry in (ASK, other))
    assert one != two


def test_an_observation_of_another_form_holds_no_calls() -> None:
    for value in (None, 7, [], {}, {"messages": []}, {"calls": []}, {"calls": [{"messages": []}]}):
        assert model_calls(value) is None
    assert [c.node for c in model_calls(call(SYSTEM)) or ()] == ["model"]
    [rubbish] = model_calls({"recorded_by": 1, "messages": 7, "node": 3, "tools": 4}) or ()
    assert (rubbish.messages, rubbish.node, rubbish.tools) == ((), "", ())


def test_a_conversation_leaves_out_what_stands_in_only_one_of_both() -> None:
    entries = [SYSTEM, flat(ASK), {"type": "remove", "id": "h1", "content": ""}]
    read = [read_message(i, entry, (i,)) for i, entry in enumerate(entries)]
    assert [m.id for m in conversation(read)] == ["h1"]


CLEARED = {**flat(GOT), "content": "[cleared]"}
OLD_GOT = stored("Tool", "invoice 1 is open", "t1", tool_call_id="c", status="success")


@pytest.mark.parametrize(
    ("base", "seen", "expected"),
    [
        pytest.param([ASK], [[SYSTEM, flat(ASK), flat(USE)]], {"/messages/1": "shown"}, id="added"),
        pytest.param([ASK], [[flat(ASK)]], {"/messages/1": "not shown"}, id="trimmed-away"),
        pytest.param([ASK], [[flat(ASK)], [flat(USE)]], {"/messages/1": "shown"}, id="in-one-of-two-calls"),
        pytest.param([ASK, USE, ASK], [[flat(ASK), flat(USE)]], {"/messages/2": "shown"}, id="doubled-then-removed"),
        pytest.param([], [[flat(ASK), flat(USE)]], {"/messages/0": "shown", "/messages/1": "shown"}, id="whole-list"),
    ],
)  # fmt: skip
def test_a_message_of_the_state_is_found_in_the_calls(
    base: Any, seen: Any, expected: Any, make_chain: Make
) -> None:
    states = ({"messages": base}, {"messages": [ASK, USE]})
    beside = Sidecars(observations={"c1": {"calls": [call(*entries) for entries in seen]}})
    chain = make_chain(*states, profile="langgraph", sidecars=beside)
    found = observe(chain, 1)
    assert (found.kind, len(found.calls or ())) == ("recorded", len(seen))
    changes = diff(*states, LANGGRAPH)
    assert {c.pointer: verdict(chain, c, found) for c in changes} == expected


@pytest.mark.parametrize(
    ("seen", "path", "old", "new", "expected"),
    [
        pytest.param(flat(GOT), (2, "value", "content"), OLD_GOT, GOT, "shown", id="new-text"),
        pytest.param(flat(OLD_GOT), (2, "value", "content"), OLD_GOT, GOT, "stale", id="old-text"),
        pytest.param(CLEARED, (2, "value", "content"), OLD_GOT, GOT, "not shown", id="cleared"),
        pytest.param(None, (2, "value", "content"), OLD_GOT, GOT, "not shown", id="left-out"),
        pytest.param(flat(GOT), (2,), OLD_GOT, GOT, "shown", id="whole-message"),
        pytest.param(flat(OLD_GOT), (2,), OLD_GOT, GOT, "stale", id="whole-message-stale"),
        pytest.param(CLEARED, (2,), MISSING, GOT, "not shown", id="whole-message-cleared"),
        pytest.param(flat(GOT), (2, "value", "usage_metadata"), MISSING, GOT, "left out", id="usage"),
        pytest.param(flat(GOT), (2, "value", "status"), MISSING, GOT, "shown", id="status"),
        pytest.param(flat(GOT), (2, "$type"), "x", GOT, "shown", id="wrapper"),
        pytest.param(flat(GOT), (), [ASK, USE], [ASK, USE, GOT], "shown", id="list"),
        pytest.param(None, (), [ASK, USE], [ASK, USE, GOT], "stale", id="list-stale"),
        pytest.param(CLEARED, (), MISSING, [ASK, USE, GOT], "not shown", id="list-cleared"),
    ],
)  # fmt: skip
def test_a_change_inside_a_message_is_judged_by_its_twin(
    seen: Any, path: Any, old: Any, new: Any, expected: str, make_chain: Make
) -> None:
    def inside(value: Any) -> Any:
        for step in path[1:]:
            value = value.get(step, MISSING) if isinstance(value, dict) else value
        return value

    entries = [SYSTEM, flat(ASK), flat(USE), *([] if seen is None else [seen])]
    beside = Sidecars(observations={"c0": call(*entries)})
    chain = make_chain({"messages": [ASK, USE, GOT]}, profile="langgraph", sidecars=beside)
    at = ("messages", *path)
    before = inside(old)
    op = "add" if before is MISSING else "replace"
    change = Change(op, at, at, before, inside(new))
    assert verdict(chain, change, observe(chain, 0)) == expected


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        pytest.param([flat(ASK)], "shown", id="gone"),
        pytest.param([flat(ASK), flat(GOT)], "stale", id="still-there"),
    ],
)
def test_a_removed_message_that_was_still_shown_is_stale(
    entries: Any, expected: str, make_chain: Make
) -> None:
    beside = Sidecars(observations={"c0": call(*entries)})
    chain = make_chain({"messages": [ASK]}, profile="langgraph", sidecars=beside)
    change = Change("remove", ("messages", 1), ("messages", 1), GOT, MISSING)
    assert verdict(chain, change, observe(chain, 0)) == expected


def test_another_message_of_the_same_words_is_not_the_one(make_chain: Make) -> None:
    first, second = stored("Human", "yes", "h1"), stored("Human", "yes", "h2")
    beside = Sidecars(observations={"c0": call(flat(first))})
    chain = make_chain({"messages": [first, second]}, profile="langgraph", sidecars=beside)
    found = observe(chain, 0)
    changes = [
        Change("add", ("messages", i), ("messages",), MISSING, m)
        for i, m in enumerate([first, second])
    ]
    assert [verdict(chain, c, found) for c in changes] == ["shown", "not shown"]


@pytest.mark.parametrize("kind", ["traceloop", "openinference", "langsmith"])
def test_a_real_trace_says_the_same_as_the_state(kind: str) -> None:
    source = open_source(Path(__file__).parents[1] / "data" / "otel" / f"{kind}.db")
    chain = source.chain(source.threads[0])
    compared = [
        (conversation(one.messages), messages(chain.state(checkpoint.index), chain.profile))
        for checkpoint in chain.checkpoints
        for one in observe(chain, checkpoint.index).calls or ()
    ]
    assert len(compared) == 2
    for shown, state in compared:
        assert [said(m) for m in shown] == [said(m) for m in state]


NAME = "Ada Example of Bergen"


@pytest.mark.parametrize(
    ("field", "value", "system", "expected"),
    [
        pytest.param("customer", NAME, f"You serve {NAME}.", "shown", id="in-the-system-prompt"),
        pytest.param("customer", NAME, "You serve her.", "unknown", id="maybe-in-other-words"),
        pytest.param("branch:to:model", NAME, f"Go to {NAME}.", "leak", id="what-drives-the-graph"),
    ],
)
def test_a_field_besides_the_messages_may_stand_in_the_app_s_own_prompt(
    field: str, value: Any, system: str, expected: str, make_chain: Make
) -> None:
    seen = call({"type": "system", "content": system}, flat(ASK))
    beside = Sidecars(observations={"c0": seen})
    state = {"messages": [ASK], field: value}
    chain = make_chain(state, profile="langgraph", sidecars=beside)
    change = Change("add", (field,), (), MISSING, value)
    assert verdict(chain, change, observe(chain, 0)) == expected


def test_without_a_recording_only_the_messages_are_promised(make_chain: Make) -> None:
    chain = make_chain(
        {"messages": [ASK], "customer": NAME, "branch:to:a": None}, profile="langgraph"
    )
    found = observe(chain, 0)
    assert found.kind == "computed"
    assert found.value == {"messages": [ASK]}
    said_of = {
        field: verdict(chain, Change("add", (field,), (), MISSING, 1), found)
        for field in ("messages", "customer", "branch:to:a")
    }
    assert said_of == {
        "messages": "would be shown",
        "customer": "unknown",
        "branch:to:a": "would not be shown",
    }


def test_where_no_message_list_stands_nobody_knows_what_is_shown(make_chain: Make) -> None:
    chain = make_chain({"customer": NAME}, {"chat": [ASK]}, profile="langgraph")
    for index in (0, 1):
        found = observe(chain, index)
        assert found.kind == "unknown"
        assert "nothing stands in the state" in found.why


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param([flat(ASK), flat(USE)], id="a-list"),
        pytest.param({"messages": [flat(ASK), flat(USE)], "model": "m"}, id="a-request"),
        pytest.param([["user", "which invoices?"], flat(USE)], id="a-pair"),
    ],
)
def test_a_message_list_recorded_by_hand_is_compared_by_what_it_says(
    seen: Any, make_chain: Make
) -> None:
    chain = make_chain(
        {"messages": [ASK, USE, GOT]},
        profile="langgraph",
        sidecars=Sidecars(observations={"c0": seen}),
    )
    found = observe(chain, 0)
    listed = enumerate([ASK, USE, GOT])
    changes = [Change("add", ("messages", i), ("messages",), MISSING, m) for i, m in listed]
    assert [verdict(chain, c, found) for c in changes] == ["shown", "shown", "not shown"]


def test_beside_a_change_stands_what_the_model_got_in_its_place(make_chain: Make) -> None:
    seen = call(SYSTEM, flat(USE), CLEARED)
    beside = Sidecars(observations={"c0": seen})
    chain = make_chain({"messages": [ASK, USE, GOT]}, profile="langgraph", sidecars=beside)
    found = observe(chain, 0)

    def instead(*path: Any) -> Any:
        return shown_instead(chain, Change("replace", path, path, 0, 1), found)

    assert instead("messages", 0) is MISSING
    assert instead("messages", 1) == flat(USE)
    assert instead("messages", 2) == CLEARED
    assert instead("messages", 2, "value", "content") == "[cleared]"
    assert instead("messages", 2, "value", "usage_metadata") is MISSING
    assert instead("messages") is MISSING
    assert instead("customer") is MISSING
    assert (
        shown_instead(chain, Change("replace", (), (), 0, 1), observe(make_chain({}), 0)) is MISSING
    )


def test_the_reason_names_the_calls(make_chain: Make) -> None:
    calls = [call(node="writer"), call(node="critic", error="rate limit"), call(node="writer")]
    beside = Sidecars(observations={"c0": {"calls": calls}})
    chain = make_chain({"messages": []}, profile="langgraph", sidecars=beside)
    assert observe(chain, 0).why == "recorded for c0: 3 model calls by writer, critic, 1 failed"


def test_a_long_conversation_is_judged_at_once(make_chain: Make) -> None:
    listed = [stored("Human", f"message number {i}", f"h{i}") for i in range(600)]
    beside = Sidecars(observations={"c0": call(*map(flat, listed))})
    chain = make_chain({"messages": listed}, profile="langgraph", sidecars=beside)
    found = observe(chain, 0)
    changes = [
        Change("add", ("messages", i), ("messages",), MISSING, m) for i, m in enumerate(listed)
    ]
    assert {verdict(chain, change, found) for change in changes} == {"shown"}
