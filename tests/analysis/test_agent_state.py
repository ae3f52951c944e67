"""AgentState as the real library keeps it, and how far the projection says what a model is shown."""

import itertools
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph

from viewer.analysis.check import check
from viewer.analysis.messages import messages
from viewer.analysis.usage import usage
from viewer.model import Write
from viewer.sources import open_source

Make = Callable[..., Any]
ROOT = Path(__file__).parents[2]
pytest.importorskip("langchain", reason="the agents are langchain's own")


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    kept = [*sys.path]
    import observation

    sys.path[:] = kept
    return observation


@pytest.fixture
def stored(bench: ModuleType, tmp_path: Path) -> Callable[[str], Any]:
    """Return a function that runs an app of the benchmark and returns its root chain."""

    def made(kind: str, most: int = 9) -> Any:
        source = open_source(bench.recorded(tmp_path, kind, "t", most))
        return source.chain(next(ref for ref in source.threads if not ref.namespace))

    return made


def test_a_jump_stands_for_one_step_and_new_input_is_no_step(stored: Any) -> None:
    chain = stored("`jump_to` the end", 1)
    jumps = [c.origin for c in chain.checkpoints if chain.state(c.index).get("jump_to") == "end"]
    assert jumps == ["loop", "input"]
    assert check(chain).violations == ()


WROTE = (Write(task="t", node="n", channel="jump_to", value="end"),)


@pytest.mark.parametrize(
    ("origin", "writes", "expected"),
    [
        pytest.param("loop", (), ["/jump_to"], id="stays"),
        pytest.param("update", (), ["/jump_to"], id="stays-after-an-update"),
        pytest.param("loop", WROTE, [], id="written-again"),
        pytest.param("input", (), [], id="new-input"),
        pytest.param("fork", (), [], id="a-copy"),
    ],
)
def test_a_jump_that_stays_after_its_step_is_a_violation(
    origin: str, writes: Any, expected: Any, make_chain: Make
) -> None:
    state = {"messages": [], "jump_to": "end"}
    chain = make_chain(
        state, state, profile="langgraph", step=(1, 2), origin=("loop", origin), writes=(writes, ())
    )
    found = [v for v in check(chain).violations if v.keyword == "ephemeral"]
    assert [v.pointer for v in found] == expected


def test_a_structured_answer_stands_beside_the_messages(stored: Any) -> None:
    chain = stored("`response_format`", 4)
    last = chain.state(chain.head)
    assert last["structured_response"]["value"] == {"paid": True}
    listed = messages(last, chain.profile)
    assert [m.role for m in listed] == ["user", *["assistant", "tool"] * 4]
    assert listed[1].tool_calls[0].name == "lookup"
    assert listed[2].tool_call_id == listed[1].tool_calls[0].id
    assert chain.profile.owner(("structured_response", "value", "paid")) == "model"


def test_trimming_the_state_costs_nothing_twice(stored: Any) -> None:
    chain = stored("trimmed in `before_model` (`RemoveMessage`)", 9)
    lengths = [len(messages(chain.state(c.index), chain.profile)) for c in chain.checkpoints]
    assert any(after < before for before, after in itertools.pairwise(lengths))
    assert usage(chain).totals.model_calls == 9
    assert usage(chain).totals.total_tokens == 9 * 12


KINDS = {
    "no middleware": {"equal": 4},
    "system prompt from the state (`dynamic_prompt`)": {"equal": 4},
    "`SummarizationMiddleware`": {
        "equal": 6,
        "no message of the state: a call for another purpose": 2,
    },
    "trimmed in `wrap_model_call` (`request.override`)": {
        "equal": 2,
        "messages left out on the way": 4,
    },
    "`ContextEditingMiddleware`": {"equal": 2, "a message's text replaced on the way": 2},
    "agents as subgraphs": {"equal": 4},
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_projection_says_what_the_model_saw_but_for_changes_on_the_way(
    kind: str, bench: ModuleType, tmp_path: Path
) -> None:
    most = sum(KINDS[kind].values())
    found = [*bench.compared(bench.recorded(tmp_path, kind, "t", most), kind)][:most]
    assert dict(bench.Counter(one.verdict for one in found)) == KINDS[kind]


@pytest.mark.slow
def test_the_table_in_the_docs_is_what_two_hundred_calls_say(bench: ModuleType) -> None:
    found = bench.run()
    assert len(found) == 200
    assert bench.table(found) in bench.PAGE.read_text(encoding="utf-8")
    for one in found:
        trimmed = "on the way" in one.verdict or "another purpose" in one.verdict
        assert trimmed or one.verdict == bench.EQUAL


def test_messages_read_the_same_from_msgpack_and_from_a_pickle(tmp_path: Path) -> None:
    class State(MessagesState):
        odd: Any

    said: list[AnyMessage] = [
        AIMessage(
            [{"type": "text", "text": "looking"}],
            id="a",
            tool_calls=[{"name": "lookup", "args": {"number": 1}, "id": "c"}],
            usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
        ),
        ToolMessage("paid", id="t", tool_call_id="c", artifact={"rows": 1}),
    ]
    read = []
    for odd in (1, 1j):  # A complex number is no msgpack: the whole checkpoint becomes a pickle.
        store = tmp_path / f"{odd}.db"
        connection = sqlite3.connect(store, check_same_thread=False)
        graph = StateGraph(State)
        graph.add_node("agent", lambda _, odd=odd: {"messages": said, "odd": odd})
        graph.add_edge(START, "agent")
        saver = SqliteSaver(connection, serde=JsonPlusSerializer(pickle_fallback=True))
        config: Any = {"configurable": {"thread_id": "t"}}
        graph.compile(checkpointer=saver).invoke({"messages": [HumanMessage("hi", id="h")]}, config)
        connection.close()
        source = open_source(store)
        chain = source.chain(source.threads[0])
        state = chain.state(chain.head or 0)
        assert state["messages"][0]["$ctor"] == ("pickle" if odd == 1j else "pydantic2")
        read.append((messages(state, chain.profile), usage(chain).totals))
    assert read[0] == read[1]
    found, totals = read[0]
    assert [m.role for m in found] == ["user", "assistant", "tool"]
    assert totals.total_tokens == 3
    assert found[2].artifact == "/messages/2/value/artifact"
