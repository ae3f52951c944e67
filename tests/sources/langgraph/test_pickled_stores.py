"""Stores whose checkpoints are pickles say the same of a thread as any other; secrets stay hidden."""

import pickle
import sqlite3
from pathlib import Path
from typing import Any, TypedDict

import numpy
import pandas
import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from pydantic import BaseModel, SecretBytes, SecretStr

from viewer.analysis.diff import diff
from viewer.chain import Chain
from viewer.cli import run
from viewer.jsontext import dumps
from viewer.sources import open_source
from viewer.sources.langgraph.pickled_errors import error_text

FAILED = ("crashed", "recovered")
"""Scenarios with an exception, which the library then says as an object, not as text."""


class State(TypedDict, total=False):
    log: list[str]
    table: Any
    number: complex
    key: Any
    answer: str


class Login(BaseModel):
    user: str
    key: SecretStr


def chain_of(path: Path) -> Chain:
    source = open_source(path)
    return source.chain(source.threads[0])


@pytest.fixture
def pickling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every value is pickled, as serializers of applications' own do."""
    loads = JsonPlusSerializer.loads_typed

    def loading(own: Any, typed: tuple[str, bytes]) -> Any:
        return pickle.loads(typed[1]) if typed[0] == "pickle" else loads(own, typed)

    monkeypatch.setattr(
        JsonPlusSerializer, "dumps_typed", lambda own, value: ("pickle", pickle.dumps(value))
    )
    monkeypatch.setattr(JsonPlusSerializer, "loads_typed", loading)


@pytest.mark.usefixtures("pickling")
def test_a_store_of_pickles_says_what_the_library_says(
    make: Any, agree: Any, scenario: str
) -> None:
    made = make(scenario)
    connection = sqlite3.connect(made.path)
    tags = connection.execute("SELECT type FROM checkpoints UNION SELECT type FROM writes")
    assert tags.fetchall() == [("pickle",)]
    connection.close()
    source = open_source(made.path)
    for ref in source.threads:
        chain = source.chain(ref)
        assert chain.problems == ()
        if not ref.namespace and scenario not in FAILED:
            agree(made, "", chain, ordered=False)


@pytest.mark.usefixtures("pickling")
@pytest.mark.parametrize("name", FAILED)
def test_a_pickled_error_reads_as_its_repr(make: Any, name: str) -> None:
    made = make(name)
    chain = chain_of(made.path)
    found = [(e.node, e.message) for c in chain.checkpoints for e in c.errors]
    assert found == [("bad", "ValueError('gateway said 503')")]
    assert chain.checkpoints[chain.head].status == ("error" if name == "crashed" else "done")
    assert len(chain.checkpoints) == len(list(made.graph.get_state_history(made.config)))


@pytest.mark.parametrize(
    ("error", "text"),
    [
        pytest.param("E('x')", "E('x')", id="text"),
        pytest.param({"$type": "m.E", "$ctor": "pickle", "value": 5}, "E(5)", id="one argument"),
        pytest.param({"$type": "m.E", "$ctor": "pickle", "args": ["a", None]}, "E('a', None)",
                     id="two"),
        pytest.param({"$type": "m.E", "$ctor": "pickle"}, '{"$type":"m.E","$ctor":"pickle"}',
                     id="none"),
        pytest.param({"$type": "m.E", "$ctor": "pickle", "args": [[1]]},
                     '{"$type":"m.E","$ctor":"pickle","args":[[1]]}', id="a list"),
        pytest.param({"$type": "m.E", "$ctor": "ctor1", "value": 5},
                     '{"$type":"m.E","$ctor":"ctor1","value":5}', id="no pickle"),
        pytest.param(None, "null", id="nothing"),
    ],
)  # fmt: skip
def test_an_error_s_text(error: Any, text: str) -> None:
    assert error_text(error) == text


def asking(saver: Any) -> Any:
    """Return a graph that keeps what msgpack cannot encode, and then asks."""
    frame = pandas.DataFrame({"city": ["Ulm", "Bonn"], "n": [1, 2]}, dtype=object)

    def load(state: State) -> State:
        return {"log": ["load"], "table": frame, "number": 1 + 2j}

    def ask(state: State) -> State:
        return {"answer": interrupt({"rows": len(state["table"])})}

    builder = StateGraph(State)
    builder.add_node("load", load)
    builder.add_node("ask", ask)
    builder.add_edge(START, "load")
    builder.add_edge("load", "ask")
    builder.add_edge("ask", END)
    return builder.compile(checkpointer=saver)


@pytest.mark.parametrize("answered", [False, True], ids=["waiting", "answered"])
def test_one_value_that_msgpack_lacks_leaves_the_checkpoint_whole(
    tmp_path: Path, agree: Any, made_of: Any, answered: bool
) -> None:
    path = tmp_path / "fallback.sqlite"
    connection = sqlite3.connect(path, check_same_thread=False)
    graph = asking(SqliteSaver(connection, serde=JsonPlusSerializer(pickle_fallback=True)))
    config = {"configurable": {"thread_id": "t"}}
    graph.invoke({"log": []}, config)
    if answered:
        graph.invoke(Command(resume="yes"), config)
    chain = chain_of(path)
    kinds = connection.execute("SELECT type FROM checkpoints ORDER BY rowid").fetchall()
    assert [kind for (kind,) in kinds] == ["msgpack"] * 2 + ["pickle"] * (2 if answered else 1)
    assert chain.problems == ()
    history = list(graph.get_state_history(config))
    for own, snapshot in zip(chain.checkpoints, reversed(history), strict=True):
        assert own.next == snapshot.next
        assert own.step == snapshot.metadata["step"]
        assert [(t.id, t.node) for t in own.tasks] == [(t.id, t.name) for t in snapshot.tasks]
        assert [(i.id, i.value) for i in own.interrupts] == [
            (i.id, i.value) for i in snapshot.interrupts
        ]
        state = chain.state(own.index)
        assert state.get("log") == snapshot.values.get("log")
        assert state.get("answer") == snapshot.values.get("answer")
        if "number" in snapshot.values:
            assert state["number"] == {
                "$type": "builtins.complex",
                "$ctor": "pickle",
                "args": [1.0, 2.0],
            }
            assert state["table"]["$type"].endswith(".DataFrame")
            assert all(word in dumps(state["table"]) for word in ("Ulm", "Bonn"))
    head = chain.checkpoints[chain.head]
    assert head.status == ("done" if answered else "interrupted")
    assert head.next_live == graph.get_state(config).next
    connection.close()


def test_a_numpy_scalar_keeps_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "numpy.sqlite"
    connection = sqlite3.connect(path, check_same_thread=False)
    saver = SqliteSaver(connection, serde=JsonPlusSerializer(pickle_fallback=True))
    builder = StateGraph(State)
    builder.add_node("a", lambda state: {"table": numpy.float64(1.5)})
    builder.add_edge(START, "a")
    graph = builder.compile(checkpointer=saver)
    graph.invoke({"log": []}, {"configurable": {"thread_id": "t"}})
    chain = chain_of(path)
    table = chain.state(chain.head)["table"]
    assert "scalar" in table["$type"]
    assert "AAAAAAAA+D8=" in dumps(table)
    connection.close()


def secretive(path: Path, **serde: Any) -> None:
    connection = sqlite3.connect(path, check_same_thread=False)
    saver = SqliteSaver(connection, serde=JsonPlusSerializer(**serde))
    steps = [
        {"key": SecretStr("hunter2"), "log": ["hunter"]},
        {"key": SecretStr("hunter2")},
        {"key": [SecretStr("other-one"), SecretBytes(b"hunter2")]},
        {"key": Login(user="ada", key=SecretStr("hunter2"))},
    ]
    if serde:
        steps[0]["number"] = 1j
    builder = StateGraph(State)
    for number, step in enumerate(steps):
        builder.add_node(f"n{number}", lambda state, step=step: step)
        builder.add_edge(START if not number else f"n{number - 1}", f"n{number}")
    graph = builder.compile(checkpointer=saver)
    graph.invoke({"log": []}, {"configurable": {"thread_id": "t"}})
    connection.close()


@pytest.mark.parametrize("serde", [{}, {"pickle_fallback": True}], ids=["msgpack", "pickle"])
def test_a_secret_is_nowhere_in_what_is_shown(
    tmp_path: Path, serde: Any, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "secret.sqlite"
    secretive(path, **serde)
    assert path.read_bytes().count(b"hunter2") > 3
    chain = chain_of(path)
    text = dumps([chain.state(c.index) for c in chain.checkpoints])
    text += dumps([w.value for c in chain.checkpoints for w in c.writes])
    assert "hunter2" not in text
    assert "other-one" not in text
    assert "aHVudGVyM" not in text, "nor its base64"
    first, again, other = (chain.state(index)["key"] for index in (2, 3, 4))
    assert first["value"] == "*" * 10
    assert first == again
    assert other[0]["$masked"] != first["$masked"]
    assert diff(chain.state(2)["key"], chain.state(3)["key"]) in ([], ())
    assert chain.state(5)["key"]["value"]["key"]["$masked"] == first["$masked"]
    assert run(["show", str(path), "--json", "--checkpoint", "head"]) == 0
    assert run(["diff", str(path), "--base", "@2", "--target", "head"]) == 1
    shown = capsysbinary.readouterr().out
    assert b"pydantic.types.SecretStr" in shown
    assert b"hunter2" not in shown
    assert b"other-one" not in shown
