"""The handed cases 41 to 57 and 71 to 77 on LangGraph's SQLite stores, line by line."""

import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from viewer.analysis.diff import diff
from viewer.chain import Chain
from viewer.errors import UnknownFormat
from viewer.sources import identify, open_source, open_sources
from viewer.writeback.proposal import waiting

CASES = Path(__file__).parent
STORE = "checkpoints.sqlite"


def folder(number: int) -> Path:
    (found,) = CASES.glob(f"{number}-*")
    return found


def expect(number: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder(number) / "case.json").read_text())["expect"]
    return found


def chains(path: Path) -> dict[str, Chain]:
    source = open_source(path)
    assert source.reader.name == "langgraph-sqlite"
    assert source.problems == ()
    return {ref.namespace: source.chain(ref) for ref in source.threads}


def root(number: int) -> Chain:
    (chain,) = chains(folder(number) / STORE).values()
    assert (chain.thread_id, chain.problems) == ("t1", ())
    return chain


def bare(value: Any) -> Any:
    """Return a value without the classes around it, as the cases spell it."""
    if isinstance(value, list):
        return [bare(one) for one in value]
    if not isinstance(value, dict):
        return value
    if value.get("$type") == "map":
        return {str(key): bare(one) for key, one in value["items"]}
    if "$ctor" in value:
        return bare(value["value"])
    return {key: bare(one) for key, one in value.items()}


@pytest.mark.parametrize("number", [41, 42, 44])
def test_41_42_44_the_head_is_as_stated(number: int) -> None:
    wanted, chain = expect(number), root(number)
    assert len(chain.checkpoints) == wanted.get("checkpoints", len(chain.checkpoints))
    want, head = wanted["head"], chain.checkpoints[chain.head or 0]
    assert (head.checkpoint_id, head.parent_id) == (want["checkpoint_id"], want["parent"])
    assert (list(head.next), head.origin, head.step) == (want["next"], want["source"], want["step"])
    state = chain.state(head.index)
    assert {k: v for k, v in state.items() if not k.startswith("branch:")} == want["values"]
    tasks = [
        {
            "name": task.node,
            "error": task.errors[0].message if task.errors else None,
            "interrupts": [{"id": i.id, "value": i.value} for i in task.interrupts],
        }
        for task in head.tasks
    ]
    assert tasks == want["tasks"]
    words = {"waiting for a human": "waiting", "finished": "done"}
    assert head.phase == words[wanted.get("status", "finished")]
    assert len(waiting(chain)) == wanted.get("pending_interrupts", 0)


def test_41_what_the_next_node_would_write_is_not_in_the_state_yet() -> None:
    chain = root(41)
    head = chain.checkpoints[chain.head or 0]
    assert head.next_live == ("ask",)
    assert [w.channel for w in head.writes] == ["__interrupt__"]
    assert (head.status, waiting(chain)[0].checkpoint_id) == ("interrupted", head.checkpoint_id)


def test_42_the_answered_question_stays_where_it_was_asked_and_is_closed() -> None:
    chain = root(42)
    rows = [w.channel for c in chain.checkpoints for w in c.writes]
    for channel, count in expect(42)["special_writes"].items():
        assert rows.count(channel) == count
    told = json.loads((folder(42) / "case.json").read_text())["history"]
    assert [
        {"step": c.step, "next": list(c.next), "interrupts": [i.value for i in c.interrupts]}
        for c in reversed(chain.checkpoints)
    ] == told
    assert [i.open for c in chain.checkpoints for i in c.interrupts] == [False]
    assert waiting(chain) == ()


def test_44_the_edit_is_the_head_s_parent_on_a_second_branch() -> None:
    wanted, chain = expect(44), root(44)
    assert [chain.checkpoints[i].checkpoint_id for i in chain.forks] == wanted["fork_points"]
    assert len(chain.heads) == wanted["leaves"]
    assert sorted((c.step for c in chain.checkpoints), reverse=True) == wanted["steps_seen"]
    base, target = chain.pair()
    assert base is not None
    assert chain.checkpoints[base].origin == "update"
    changes = diff(chain.state(base), chain.state(target))
    assert [(c.op, c.pointer, c.new) for c in changes if c.pointer.startswith("/log")] == [
        ("add", "/log/3", "b")
    ]


def test_46_the_subgraph_is_a_chain_of_its_own_under_its_task() -> None:
    wanted, found = expect(46), chains(folder(46) / STORE)
    assert {ns: len(chain.checkpoints) for ns, chain in found.items()} == wanted["namespaces"]
    outer, inner = found[""], found[wanted["child_ns"]]
    outer_head, inner_head = (c.checkpoints[c.head or 0] for c in (outer, inner))
    assert list(outer_head.next) == wanted["root_next"]
    assert list(inner_head.next) == wanted["child_next"]
    state = inner.state(inner_head.index)
    assert {k: v for k, v in state.items() if not k.startswith("branch:")} == wanted["child_values"]
    assert inner.nesting is not None
    assert (inner.nesting.namespace, inner.nesting.checkpoint_id, inner.nesting.node) == (
        "",
        outer_head.checkpoint_id,
        "team",
    )
    assert [task.namespace for task in outer_head.tasks] == [wanted["child_ns"]]
    ids = {ns: {c.checkpoint_id for c in chain.checkpoints} for ns, chain in found.items()}
    assert not ids[""] & ids[wanted["child_ns"]]


def test_46_the_one_question_is_listed_once() -> None:
    wanted, found = expect(46), chains(folder(46) / STORE)
    asked = [p.value for chain in found.values() for p in waiting(chain, copies=False)]
    assert asked == wanted["pending_interrupts"]


def test_49_lineage_gives_the_order_and_not_the_ids() -> None:
    wanted, chain = expect(49), root(49)
    ids = [c.checkpoint_id for c in chain.checkpoints]
    assert ids == wanted["chain"]
    assert chain.checkpoints[chain.heads[0]].checkpoint_id == wanted["head"]
    for one in wanted["neighbour_diffs"]:
        base, target = ids.index(one["frm"]), ids.index(one["to"])
        assert chain.checkpoints[target].parent == base
        changes = diff(chain.state(base), chain.state(target))
        assert [{"path": c.pointer, "old": c.old, "new": c.new} for c in changes] == one["changes"]


def test_51_deltas_are_replayed_along_each_branch_alone() -> None:
    wanted, chain = expect(51), root_with_notes(51)
    old, new = (chain.state(head)["events"] for head in chain.heads)
    assert (old, new) == (wanted["old_branch_leaf_events"], wanted["new_branch_leaf_events"])
    told = json.loads((folder(51) / "case.json").read_text())["library_said"]
    for head, name in zip(chain.heads, ("old", "new"), strict=True):
        state = chain.state(head)
        assert {"events": state["events"], "n": state["n"]} == told[name]
    assert {p.keyword for p in chain.problems} == {"rebuilt"}


def root_with_notes(number: int) -> Chain:
    (chain,) = chains(folder(number) / STORE).values()
    return chain


def test_52_values_of_absent_classes_show_their_name_and_all_they_hold() -> None:
    wanted, chain = expect(52)["show"], root(52)
    state = chain.state(chain.head or 0)
    for name in ("art", "pt", "tags", "when", "price", "pair", "keys"):
        assert bare(state[name]) == wanted[name], name
    assert bare(state["path"]) == wanted["path"]
    assert state["blob"] == {"$type": "bytes", "b64": "AP8Q"}  # 00 ff 10
    text = json.dumps(state)
    assert all(f'"__main__.{name}"' in text for name in ("Artifact", "Point", "Phase"))
    assert "null" not in text


def test_52_no_module_of_the_store_is_imported_and_no_code_runs() -> None:
    code = (
        "import sys\n"
        "from viewer.sources import open_source\n"
        "source = open_source(sys.argv[1])\n"
        "before = set(sys.modules)\n"
        "chain = source.chain(source.threads[0])\n"
        "assert chain.state(chain.head)['art']['$type'] == '__main__.Artifact'\n"
        "assert not hasattr(sys.modules['__main__'], 'Artifact')\n"
        "print(sorted(m for m in set(sys.modules) - before if not m.startswith('viewer')))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(folder(52) / STORE)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        cwd=CASES.parents[1],
    )
    assert ran.stdout == "[]\n"


def test_54_an_application_s_tables_are_left_aside() -> None:
    wanted = expect(54)
    source = open_source(folder(54) / STORE)
    assert source.reader.name == "langgraph-sqlite"
    assert [ref.thread_id for ref in source.threads] == wanted["threads"]
    assert [ref.checkpoints for ref in source.threads] == [wanted["checkpoints"]]
    path = (folder(54) / STORE).as_uri()
    with sqlite3.connect(f"{path}?mode=ro&immutable=1", uri=True) as connection:
        names = {n for (n,) in connection.execute("SELECT name FROM sqlite_master")}
    assert set(wanted["ignored_tables"]) <= names
    claims = [r.name for r, v in identify(folder(54) / STORE) if v.claims]
    assert claims == ["langgraph-sqlite"]


def test_56_the_schema_before_namespaces_is_a_chain_by_its_parents() -> None:
    wanted, chain = expect(56), root(56)
    assert wanted["either"][0] == "three checkpoints of t1 in order n=0,1,2, chained by parent_ts"
    assert [chain.state(c.index) for c in chain.checkpoints] == [{"n": n} for n in range(3)]
    assert [c.parent for c in chain.checkpoints] == [None, 0, 1]
    assert [c.step for c in chain.checkpoints] == [0, 1, 2]


def test_57_a_set_has_no_order() -> None:
    wanted, chain = expect(57), root(57)
    first, second, third = (chain.state(i) for i in range(3))
    assert [c.pointer for c in diff(first["seen"], second["seen"])] == wanted["diff_1_2"]
    (change,) = diff(second["seen"], third["seen"])
    assert f"one member {change.op}ed: {change.new}" == wanted["diff_2_3"]


def test_71_the_rows_in_a_wal_are_read_and_the_wal_stays(tmp_path: Path) -> None:
    wanted = expect(71)
    with pytest.raises(UnknownFormat, match=r"WAL mode.*alone\.sqlite-wal") as raised:
        open_source(folder(71) / "alone.sqlite")
    assert "has no tables" in str(raised.value)
    for name, key in (("full.sqlite", "full.sqlite + -wal"), ("clean-wal-mode.sqlite",) * 2):
        copy = tmp_path / name
        copy.mkdir()
        for path in folder(71).glob(f"{name}*"):
            (copy / path.name).write_bytes(path.read_bytes())
        before = {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in copy.iterdir()}
        source = open_source(copy / name)
        assert len(source.threads) == wanted[key]["threads"]
        chain = source.chain(source.threads[0])
        assert len(chain.checkpoints) == wanted[key]["checkpoints"]
        assert {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in copy.iterdir()} == before


@pytest.mark.parametrize(
    ("number", "name", "words"),
    [
        (72, "checkpoints.db-wal", "the write-ahead log of an SQLite database; checkpoints.db is"),
        (76, "checkpoints.db", "no LangGraph store: table checkpoints, table writes missing; its"),
        (76, "checkpoints.db", "tables are checkpoint, migrations, user"),
        (77, "cut.sqlite", "damaged or incomplete"),
        (77, "noise.sqlite", "damaged or incomplete"),
        (77, "text.sqlite", "damaged or incomplete"),
    ],
)
def test_72_76_77_what_cannot_be_read_is_one_message_beside_what_can(
    number: int, name: str, words: str
) -> None:
    assert expect(number)["must"]
    place, good = folder(number) / name, folder(41) / STORE
    sources, (problem,) = open_sources((place, good))
    assert [source.location for source in sources] == [good]
    assert problem.place == str(place)
    assert words in problem.reason
    assert not any(verdict.claims for _, verdict in identify(place))


def test_76_77_a_database_s_message_speaks_of_the_database_only() -> None:
    for place in (folder(76) / "checkpoints.db", folder(77) / "cut.sqlite"):
        _, (problem,) = open_sources((place,))
        assert problem.reason.startswith("no reader knows this: langgraph-sqlite: ")
        assert "json-file" not in problem.reason
