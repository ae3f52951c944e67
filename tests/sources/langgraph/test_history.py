"""JSON of a thread's states: the server's real answers, and dumps that the real library made."""

import json
from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from viewer.analysis.messages import messages
from viewer.analysis.usage import usage
from viewer.chain import Chain
from viewer.sources import identify, open_source

DATA = Path(__file__).parents[2] / "data" / "langgraph"
THREAD = "01a22c63-908c-7479-a152-0914409521ae"
CHILD = "child:7cadcc7c-14d7-f800-bfbb-b608d0cb6d02"
QUESTION = "21d29cb2636a1e94c5d7f223aa59303b"
INTERNAL = ("branch:", "join:", "__")


def chains(path: Path) -> dict[tuple[str, str], Chain]:
    source = open_source(path)
    assert source.reader.name == "langgraph-history"
    assert source.problems == ()
    return {(ref.thread_id, ref.namespace): source.chain(ref) for ref in source.threads}


def only(path: Path) -> Chain:
    (chain,) = chains(path).values()
    return chain


def plain(value: Any) -> Any:
    """Return what ``json.dumps`` cannot write, as apps commonly spell it."""
    return asdict(value) if is_dataclass(value) else str(value)


def lists(states: list[Any]) -> str:
    return json.dumps(states, default=plain)


def by_field(states: list[Any]) -> str:
    return json.dumps([state._asdict() for state in states], default=plain, indent=1)


def in_lines(states: list[Any]) -> str:
    return "\n".join(json.dumps(state._asdict(), default=plain) for state in states)


def by_thread(states: list[Any]) -> str:
    return json.dumps({"t": [state._asdict() for state in states], "empty": []}, default=plain)


def as_served(states: list[Any]) -> str:
    return json.dumps([served(state) for state in states], default=plain)


def served(state: Any) -> dict[str, Any]:
    """Return a state in the server's words, as its own code maps them."""
    tasks = [
        {
            **{k: v for k, v in task._asdict().items() if k != "state"},
            "checkpoint": task.state["configurable"] if isinstance(task.state, dict) else None,
            "state": None
            if task.state is None or isinstance(task.state, dict)
            else served(task.state),
        }
        for task in state.tasks
    ]
    return {
        "values": state.values,
        "next": state.next,
        "tasks": tasks,
        "metadata": state.metadata,
        "created_at": state.created_at,
        "checkpoint": state.config["configurable"],
        "parent_checkpoint": state.parent_config and state.parent_config["configurable"],
        "interrupts": state.interrupts,
    }


def test_a_dump_says_what_the_store_says(make: Any, scenario: str, tmp_path: Path) -> None:
    made = make(scenario)
    source = open_source(made.path)
    store = next(source.chain(ref) for ref in source.threads if not ref.namespace)
    states = list(made.graph.get_state_history(made.config))
    for spelled in (lists, by_field, in_lines, by_thread, as_served):
        file = tmp_path / f"{spelled.__name__}.json"
        file.write_text(spelled(states), "utf-8")
        told = only(file)
        assert told.problems == ()
        assert told.thread_id == "t"
        assert told.profile.name == "langgraph"
        assert_same_chain(told, store)


def assert_same_chain(told: Chain, store: Chain) -> None:
    assert [c.checkpoint_id for c in told.checkpoints] == [
        c.checkpoint_id for c in store.checkpoints
    ]
    for own, stored in zip(told.checkpoints, store.checkpoints, strict=True):
        for name in ("parent", "step", "origin", "created_at", "status", "phase"):
            assert getattr(own, name) == getattr(stored, name), name
        for name in ("nodes", "next", "next_live", "errors"):
            assert sorted(getattr(own, name), key=repr) == sorted(getattr(stored, name), key=repr)
        asked = sorted((i.id, i.task, repr(i.value), i.open) for i in own.interrupts)
        assert asked == sorted((i.id, i.task, repr(i.value), i.open) for i in stored.interrupts)
        assert_same_values(told.state(own.index), store.state(stored.index))
    assert told.heads[-1:] == store.heads[-1:]
    assert told.forks == store.forks


def assert_same_values(told: dict[str, Any], stored: dict[str, Any]) -> None:
    wanted = {k: v for k, v in stored.items() if not k.startswith(INTERNAL)}
    if list(told) == ["__root__"] or not wanted:
        return  # a workflow's own result, not channels
    assert {k: v for k, v in told.items() if k in wanted} == wanted


@pytest.mark.parametrize("spelled", [lists, by_field, as_served])
def test_one_state_alone_is_the_head_with_its_subgraphs(
    make: Any, spelled: Callable[[list[Any]], str], tmp_path: Path
) -> None:
    made = make("nested")
    file = tmp_path / "state.json"
    live = made.graph.get_state(made.config, subgraphs=True)
    file.write_text(json.dumps(json.loads(spelled([live]))[0]), "utf-8")
    source = open_source(made.path)
    stored = {ref.namespace: source.chain(ref) for ref in source.threads}
    told = {key[1]: chain for key, chain in chains(file).items()}
    assert told.keys() == stored.keys()
    for namespace, chain in told.items():
        (own,) = chain.checkpoints
        head = stored[namespace].checkpoints[stored[namespace].head]
        assert own.checkpoint_id == head.checkpoint_id
        assert (own.status, own.next_live, own.step) == (head.status, head.next_live, head.step)
        assert [(i.id, i.open) for i in own.interrupts] == [(i.id, i.open) for i in head.interrupts]
        assert [p.keyword for p in chain.problems] == ["cut"]
        nesting = chain.nesting
        if namespace:
            assert (nesting.namespace, nesting.standing) == (namespace.rpartition("|")[0], "live")
            outer = told[nesting.namespace].checkpoints[0]
            assert nesting.checkpoint_id == outer.checkpoint_id
            assert [t.id for t in outer.tasks if t.namespace == namespace] == [nesting.task]
        else:
            assert nesting is None


def test_the_live_state_of_a_half_answered_step_names_who_is_left(
    make: Any, tmp_path: Path
) -> None:
    made = make("half_answered")
    file = tmp_path / "state.json"
    file.write_text(json.dumps(made.graph.get_state(made.config), default=plain), "utf-8")
    (head,) = only(file).checkpoints
    assert sorted(head.next) == ["auto", "left", "right"]
    assert head.next_live == ("right",)
    assert head.status == "interrupted"
    assert [i.value for i in head.interrupts if i.open] == [{"ask": "right"}]
    assert {t.node: t.finished for t in head.tasks} == {"auto": True, "left": True, "right": False}
    assert {(w.node, w.channel, *w.value) for w in head.writes if w.channel == "log"} == {
        ("left", "log", "left=L"),
        ("auto", "log", "auto"),
    }


def test_a_question_that_was_only_printed_keeps_its_id(make: Any, tmp_path: Path) -> None:
    made = make("waiting")
    file = tmp_path / "state.json"
    live = made.graph.get_state(made.config)
    file.write_text(json.dumps(live._asdict(), default=str), "utf-8")
    (asked,) = only(file).checkpoints[0].interrupts
    assert (asked.id, asked.open) == (live.interrupts[0].id, True)
    assert asked.value.startswith("Interrupt(value={'ask': 'approve'}")


def test_the_server_s_answer_is_a_chain_oldest_first() -> None:
    chain = only(DATA / "platform_history_done.json")
    assert (chain.thread_id, chain.namespace, chain.problems) == (THREAD, "", ())
    assert [c.step for c in chain.checkpoints] == [-1, 0, 1, 2, 3]
    assert [c.parent for c in chain.checkpoints] == [None, 0, 1, 2, 3]
    assert [c.nodes for c in chain.checkpoints] == [
        (),
        ("__start__",),
        ("bot",),
        ("child",),
        ("fin",),
    ]
    assert [c.phase for c in chain.checkpoints] == ["running"] * 4 + ["done"]
    (task,) = chain.checkpoints[2].tasks
    assert (task.node, task.kind, task.finished, task.namespace) == ("child", "pull", True, CHILD)
    assert [(i.id, i.open) for i in task.interrupts] == [(QUESTION, False)]
    (write,) = (w for w in chain.checkpoints[1].writes if w.channel == "messages")
    assert (write.node, write.value[0]["content"]) == ("bot", "hello")
    assert chain.checkpoints[4].run_id is not None
    assert chain.checkpoints[4].place.endswith("platform_history_done.json#/0")


def test_the_server_s_error_stops_the_run() -> None:
    head = only(DATA / "platform_history_error.json").checkpoints[-1]
    assert (head.status, head.phase, head.next_live) == ("error", "failed", ("boom",))
    assert [(e.node, e.message) for e in head.errors] == [("boom", "ValueError('kaboom')")]


def test_the_server_s_open_question_waits() -> None:
    head = only(DATA / "platform_history_waiting.json").checkpoints[-1]
    assert (head.status, head.phase) == ("interrupted", "waiting")
    assert [(i.id, i.value, i.open) for i in head.interrupts] == [(QUESTION, {"q": "ok?"}, True)]
    assert head.tasks[0].namespace == CHILD


def test_subgraphs_inside_a_state_are_namespaces_of_their_own() -> None:
    found = chains(DATA / "platform_state_waiting_subgraphs.json")
    assert list(found) == [(THREAD, ""), (THREAD, CHILD)]
    inner = found[THREAD, CHILD]
    assert inner.state(0) == {"log": []}
    assert inner.checkpoints[0].next == ("ask",)
    assert inner.checkpoints[0].place.endswith("#/tasks/0/state")
    assert (inner.nesting.node, inner.nesting.standing) == ("child", "live")
    assert inner.nesting.checkpoint_id == found[THREAD, ""].checkpoints[0].checkpoint_id


def test_an_excerpt_is_said_once_and_is_no_fault(tmp_path: Path) -> None:
    from viewer.analysis.check import check

    states = json.loads((DATA / "platform_history_done.json").read_text("utf-8"))
    file = tmp_path / "few.json"
    file.write_text(json.dumps(states[:3]), "utf-8")
    chain = only(file)
    (problem,) = chain.problems
    assert problem.keyword == "cut"
    assert states[2]["checkpoint_id"] in problem.reason
    assert chain.checkpoints[0].parent_id == states[3]["checkpoint_id"]
    assert chain.checkpoints[0].parent is None
    assert check(chain).violations == ()


def test_ten_states_are_told_to_be_the_server_s_own_limit(tmp_path: Path) -> None:
    def one(n: int) -> dict[str, Any]:
        ids = [
            {"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": f"c{n - i:03}"} for i in (0, 1)
        ]
        return {
            **{"values": {"n": n}, "next": ["a"], "tasks": [], "metadata": {"step": n}},
            **{"checkpoint": ids[0], "parent_checkpoint": ids[1], "created_at": None},
        }

    file = tmp_path / "ten.json"
    file.write_text(json.dumps([one(n) for n in range(30, 20, -1)]), "utf-8")
    chain = only(file)
    assert [chain.state(c.index)["n"] for c in chain.checkpoints] == list(range(21, 31))
    (problem,) = chain.problems
    assert "10 states" in problem.reason


def test_a_thread_shows_only_its_latest_values() -> None:
    chain = only(DATA / "platform_thread_waiting.json")
    (head,) = chain.checkpoints
    assert (head.checkpoint_id, head.id_made, head.parent_id) == ("latest", True, None)
    assert (head.status, head.phase) == ("interrupted", "waiting")
    assert [(i.id, i.task, i.open) for i in head.interrupts] == [
        (QUESTION, CHILD.partition(":")[2], True)
    ]
    assert chain.state(0)["cart"] == [{"sku": "tea", "price": 4.5}]
    (problem,) = chain.problems
    assert problem.keyword == "latest_only"
    assert "latest values" in problem.reason


@pytest.mark.parametrize(
    ("word", "phase"),
    [("idle", "done"), ("busy", "running"), ("interrupted", "waiting"), ("error", "failed")],
)
def test_a_thread_s_status_is_the_server_s_word(tmp_path: Path, word: str, phase: str) -> None:
    thread = json.loads((DATA / "platform_thread_waiting.json").read_text("utf-8"))
    thread |= {"status": word, "interrupts": {}, "error": "boom" if word == "error" else None}
    file = tmp_path / "thread.json"
    file.write_text(json.dumps([thread, {**thread, "thread_id": "u"}]), "utf-8")
    found = chains(file)
    assert list(found) == [(THREAD, ""), ("u", "")]
    head = found["u", ""].checkpoints[0]
    assert (head.status, head.phase) == (word, phase)
    assert [e.message for e in head.errors] == (["boom"] if word == "error" else [])


def test_messages_and_usage_are_read_from_their_erased_types() -> None:
    chain = only(DATA / "platform_history_done.json")
    said = messages(chain.state(4), chain.profile)
    assert [(m.role, m.text) for m in said] == [("user", "hi"), ("assistant", "hello")]
    assert [(c.name, c.id) for c in said[1].tool_calls] == [("t", "c1")]
    totals = usage(chain).totals
    assert (totals.model_calls, totals.input_tokens, totals.output_tokens) == (1, 3, 2)


def test_one_reader_claims_each_and_states_that_only_look_alike_stay_states(tmp_path: Path) -> None:
    for path in sorted(DATA.glob("platform_*.json")):
        assert [r.name for r, v in identify(path) if v.claims] == ["langgraph-history"]
    for number, other in enumerate(
        (
            {"values": [1, 2], "next": "x"},
            {"values": {}, "next": [], "n": 1},
            {"thread_id": "t", "status": "error", "state": {}},
            {"thread_id": "t", "status": "running", "values": {}, "metadata": {}},
            {"messages": [{"type": "human", "content": "hi"}]},
            {"plan": [{"status": "done"}], "config": {"configurable": {}}},
            [{"n": 1}, ["a"], {"configurable": 1}],
        )
    ):
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(other), "utf-8")
        assert [r.name for r, v in identify(path) if v.claims] == ["json-file"], other


def test_what_is_no_state_is_one_lost_record_and_the_rest_loads(tmp_path: Path) -> None:
    states = (DATA / "platform_history_done.json").read_text("utf-8")
    torn = tmp_path / "torn.json"
    torn.write_text(states[: int(len(states) * 0.7)], "utf-8")
    chain = only(torn)
    assert [c.step for c in chain.checkpoints] == [1, 2, 3]
    assert [p.keyword for p in chain.problems if p.no_state] == ["unreadable"]
    several = json.loads(states)
    several[1:1] = [17, {"n": 1}]
    mixed = tmp_path / "mixed.json"
    mixed.write_text(json.dumps(several), "utf-8")
    chain = only(mixed)
    assert len(chain.checkpoints) == 5
    assert [p.place.partition("#")[2] for p in chain.problems if p.no_state] == ["/1", "/2"]


def test_lines_lose_only_the_torn_one(tmp_path: Path) -> None:
    states = json.loads((DATA / "platform_history_done.json").read_text("utf-8"))
    file = tmp_path / "states.jsonl"
    texts = [json.dumps(state) for state in states]
    file.write_text("\n".join([texts[0], texts[1][:500], *texts[2:]]), "utf-8")
    chain = only(file)
    assert [c.step for c in chain.checkpoints] == [-1, 0, 1, 3]
    lost = [p for p in chain.problems if p.no_state]
    assert [p.place.startswith(f"{file}:2") for p in lost] == [True]


def test_several_threads_in_one_file_are_told_apart(tmp_path: Path) -> None:
    done = json.loads((DATA / "platform_history_done.json").read_text("utf-8"))
    error = json.loads((DATA / "platform_history_error.json").read_text("utf-8"))
    wanted = [5, 3]
    for name, value in (
        ("object", {"a": done, "b": error}),
        ("arrays", [done, error]),
        ("one array", done + error),
        ("with scalars", {"exported_at": "2026", "first": done, "second": error}),
    ):
        file = tmp_path / f"{name}.json"
        file.write_text(json.dumps(value), "utf-8")
        assert [len(c.checkpoints) for c in chains(file).values()] == wanted, name


def test_a_page_that_overlaps_the_next_is_taken_once(tmp_path: Path) -> None:
    states = json.loads((DATA / "platform_history_done.json").read_text("utf-8"))
    file = tmp_path / "pages.json"
    file.write_text(json.dumps([states[:3], states[2:]]), "utf-8")
    assert [c.step for c in only(file).checkpoints] == [-1, 0, 1, 2, 3]


def test_oldest_first_stays_oldest_first(tmp_path: Path) -> None:
    states = json.loads((DATA / "platform_history_done.json").read_text("utf-8"))
    file = tmp_path / "turned.json"
    file.write_text(json.dumps(states[::-1]), "utf-8")
    assert [c.step for c in only(file).checkpoints] == [-1, 0, 1, 2, 3]


HOSTILE = {
    "values a list": {"values": [1, "two"]},
    "values null": {"values": None},
    "next of numbers": {"next": [1, None, "a"]},
    "tasks of anything": {"tasks": [1, None, [], {}, [1, 2], {"id": 5, "path": [[]], "state": 3}]},
    "interrupts of anything": {"interrupts": [1, {"value": 2}, {"ns": [1], "value": 3}, "id='x'"]},
    "metadata a list": {"metadata": [1]},
    "parent is itself": {"parent_checkpoint": {"checkpoint_id": "c"}},
    "parent a number": {"parent_checkpoint": 5},
    "created a long number": {"created_at": 10**300},
    "deep task states": {
        "tasks": [{"id": "x", "name": "y", "state": {"values": {}, "next": ["z"]}}]
    },
}


@pytest.mark.parametrize("odd", HOSTILE.values(), ids=HOSTILE)
def test_fields_of_any_type_lose_at_most_themselves(tmp_path: Path, odd: dict[str, Any]) -> None:
    place = {"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "c"}
    state = {"values": {"n": 1}, "next": [], "tasks": [], "metadata": {}, "checkpoint": place}
    file = tmp_path / "odd.json"
    file.write_text(json.dumps([state | odd]), "utf-8")
    chain = next(iter(chains(file).values()))
    assert [c.checkpoint_id for c in chain.checkpoints] == ["c"]
    assert chain.checkpoints[0].has_state


def test_a_parent_is_told_in_any_of_its_spellings(tmp_path: Path) -> None:
    def parent(**told: Any) -> str | None:
        place = {"configurable": {"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "c"}}
        file = tmp_path / "one.json"
        file.write_text(json.dumps({"values": {}, "next": [], "config": place, **told}), "utf-8")
        return only(file).checkpoints[0].parent_id

    assert parent(parent_checkpoint={"checkpoint_id": "a"}) == "a"
    assert parent(parent_config={"configurable": {"checkpoint_id": "b"}}) == "b"
    assert parent(parent_config={"configurable": {"thread_ts": "2024-06-01"}}) == "2024-06-01"
    assert parent(parent_checkpoint_id="d") == "d"
    assert parent(parent_checkpoint=None, parent_checkpoint_id="stale") is None
    assert parent() is None


def test_a_question_that_an_edit_passed_over_is_no_longer_open(make: Any, tmp_path: Path) -> None:
    made = make("waiting")
    made.graph.update_state(made.config, {"n": 5})
    file = tmp_path / "states.json"
    file.write_text(by_field(list(made.graph.get_state_history(made.config))), "utf-8")
    source = open_source(made.path)
    (ref,) = source.threads
    told = only(file)
    assert_same_chain(told, source.chain(ref))
    assert [(c.origin, [i.open for i in c.interrupts]) for c in told.checkpoints[-2:]] == [
        ("loop", [False]),
        ("update", []),
    ]


def test_a_task_that_is_no_longer_next_has_finished_though_it_wrote_nothing(
    tmp_path: Path,
) -> None:
    tasks = [{"id": name, "name": name, "result": None} for name in ("quiet", "slow")]
    place = {"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "c"}
    state = {"values": {}, "next": ["slow"], "tasks": tasks, "checkpoint": place}
    file = tmp_path / "state.json"
    file.write_text(json.dumps(state), "utf-8")
    (head,) = only(file).checkpoints
    assert (head.next, head.next_live) == (("quiet", "slow"), ("slow",))
    assert [task.finished for task in head.tasks] == [True, False]
