"""The folder of `langgraph dev`: what its server says of the threads, and what damage leaves."""

import json
import pickle
import random
import shutil
import uuid
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Any

import ormsgpack
import pytest
from langgraph.checkpoint.memory import InMemorySaver

from viewer.chain import when
from viewer.errors import SourceError, UnknownFormat, ViewerError
from viewer.jsontext import dumps
from viewer.limits import Limits
from viewer.model import MISSING
from viewer.sources import identify, open_source, open_sources
from viewer.sources.langgraph import dev_store

KEPT = Path(__file__).parents[2] / "data" / "langgraph" / "dev_server"
TRUTH = json.loads((KEPT / "expected.json").read_text("utf-8"))
NAMES = TRUTH["names"]
FIRST, SECOND, THIRD = (f".langgraph_checkpoint.{number}.pckl" for number in (1, 2, 3))
OPS = ".langgraph_ops.pckl"
INTERNAL = ("branch:", "join:", "__start__", "__pregel")
CHAINS = [
    pytest.param(NAMES[name], namespace, id=f"{name}{'/sub' if namespace else ''}")
    for name in NAMES
    for namespace in TRUTH["threads"][NAMES[name]]["history"]
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the kept folder, for damage."""
    made = tmp_path / "project" / ".langgraph_api"
    shutil.copytree(KEPT / ".langgraph_api", made)
    return made


def chains(place: Path, **options: Any) -> dict[tuple[str, str], Any]:
    source = open_source(place, **options)
    return {(ref.thread_id, ref.namespace): source.chain(ref) for ref in source.threads}


def told(value: Any) -> Any:
    """Return a value as the server writes it: types are gone, objects are their fields."""
    if isinstance(value, list):
        return [told(part) for part in value]
    if isinstance(value, dict):
        if "$type" in value:
            return told(value["value"])
        return {key: told(part) for key, part in value.items()}
    return value


@pytest.fixture(scope="module")
def kept() -> dict[tuple[str, str], Any]:
    return chains(KEPT)


@pytest.mark.parametrize(("thread", "namespace"), CHAINS)
def test_every_checkpoint_is_what_the_server_s_history_says(
    kept: dict[tuple[str, str], Any], thread: str, namespace: str
) -> None:
    chain = kept[thread, namespace]
    history = TRUTH["threads"][thread]["history"][namespace]
    assert [c.checkpoint_id for c in chain.checkpoints] == [
        one["checkpoint"]["checkpoint_id"] for one in reversed(history)
    ]
    assert chain.problems == ()
    for own, one in zip(chain.checkpoints, reversed(history), strict=True):
        parent = one["parent_checkpoint"]
        assert own.parent_id == (parent and parent["checkpoint_id"])
        assert own.created_at == when(one["created_at"])
        stored = {key: value for key, value in own.metadata.items() if key != "langgraph_ops"}
        assert {**stored, "source": own.origin, "step": own.step} == one["metadata"]
        assert sorted(own.next) == sorted(one["next"])
        asked = [{"id": i.id, "value": i.value} for i in own.interrupts]
        assert asked == one["interrupts"]
        assert sorted((t.id, t.node) for t in own.tasks) == sorted(
            (t["id"], t["name"]) for t in one["tasks"]
        )
        by_id = {task.id: task for task in own.tasks}
        for task in one["tasks"]:
            mine = by_id[task["id"]]
            assert [e.message for e in mine.errors] == ([task["error"]] if task["error"] else [])
            assert [(i.id, i.value) for i in mine.interrupts] == [
                (i["id"], i["value"]) for i in task["interrupts"]
            ]
            assert mine.finished == (task["result"] is not None)
        state = {k: v for k, v in chain.state(own.index).items() if not k.startswith(INTERNAL)}
        assert told(state) == {k: v for k, v in one["values"].items() if k in state or v != []}


@pytest.mark.parametrize("name", NAMES)
def test_the_head_stands_where_the_server_says(kept: dict[tuple[str, str], Any], name: str) -> None:
    thread = NAMES[name]
    live, row = TRUTH["threads"][thread]["state"], TRUTH["threads"][thread]["thread"]
    chain = kept[thread, ""]
    head = chain.checkpoints[chain.head]
    assert head.checkpoint_id == live["checkpoint"]["checkpoint_id"]
    assert list(head.next_live) == live["next"]
    opened = [{"id": i.id, "value": i.value} for i in head.interrupts if i.open]
    assert opened == live["interrupts"]
    said = head.metadata["langgraph_ops"]
    assert said["status"] == row["status"]
    assert said["metadata"] == row["metadata"]
    assert when(said["updated_at"]) == when(row["updated_at"])
    assert said.get("error") == row["error"] or "gateway said 503" in dumps(said["error"])
    last = {"failed": "error"}.get(name, "success")
    assert [run["status"] for run in said["runs"]][-1] == last
    assert len(said["runs"]) == (2 if name == "answered" else 1)
    assert all("langgraph_ops" not in c.metadata for c in chain.checkpoints if c is not head)
    words = {"idle": "done", "interrupted": "interrupted", "error": "error"}
    assert head.status == words[row["status"]]


@pytest.mark.parametrize(
    "said",
    [
        pytest.param({"threads": 5, "runs": [{"thread_id": "x"}]}, id="no list"),
        pytest.param({"threads": [5, {"thread_id": 7}], "runs": [5]}, id="no rows"),
        pytest.param([], id="no dict"),
    ],
)
def test_what_the_server_says_in_another_shape_is_left_out(folder: Path, said: Any) -> None:
    (folder / OPS).write_bytes(pickle.dumps(said, protocol=2))
    for chain in chains(folder).values():
        assert all("langgraph_ops" not in c.metadata for c in chain.checkpoints)


def test_memories_stand_beside_each_thread(kept: dict[tuple[str, str], Any]) -> None:
    (told_item,) = TRUTH["items"]
    for chain in kept.values():
        ((name, own),) = chain.sidecars.memories.items()
        assert name == "people.ada/likes"
        assert {k: own[k] for k in ("namespace", "key", "value")} == {
            k: told_item[k] for k in ("namespace", "key", "value")
        }
        assert when(own["created_at"]) == when(told_item["created_at"])
        assert when(own["updated_at"]) == when(told_item["updated_at"])


def test_the_listing_tells_when_each_thread_moved_last() -> None:
    source = open_source(KEPT / ".langgraph_api")
    for ref in source.threads:
        newest = TRUTH["threads"][ref.thread_id]["history"][ref.namespace][0]
        assert ref.updated_at == when(newest["created_at"])


def test_a_project_is_opened_by_its_hidden_folder(folder: Path) -> None:
    project = folder.parent
    (project / "langgraph.json").write_text('{"graphs": {}}')
    (project / "src").mkdir()
    for place in (project, folder, project.parent):
        ((source,), problems) = open_sources((place,))
        assert problems == ()
        assert source.reader.name == "langgraph-dev"
        assert len(source.threads) == 6


def test_a_store_beside_the_hidden_folder_is_opened_too(folder: Path, settle: Any) -> None:
    shutil.copy(settle("waiting"), folder.parent / "mine.sqlite")
    sources, problems = open_sources((folder.parent,))
    assert problems == ()
    assert sorted(s.reader.name for s in sources) == ["langgraph-dev", "langgraph-sqlite"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(b"\x80\x02]q\x00.", "no pickle of a dict", id="a list"),
        pytest.param(b'{"a": 1}', "no pickle of a dict", id="JSON"),
        pytest.param(b"", "no pickle of a dict", id="nothing"),
        pytest.param(b"\x80\x09}.", "no pickle of a dict", id="another protocol"),
    ],
)
def test_the_name_proves_nothing(folder: Path, content: bytes, words: str) -> None:
    (folder / FIRST).write_bytes(content)
    verdict = next(v for reader, v in identify(folder) if reader.name == "langgraph-dev")
    assert not verdict.claims
    assert words in verdict.why
    with pytest.raises(UnknownFormat):
        open_source(folder)


def test_a_protocol_with_frames_is_claimed_too(folder: Path) -> None:
    (folder / FIRST).write_bytes(pickle.dumps({}, protocol=5))
    assert open_source(folder).threads == ()


def test_opening_leaves_the_folder_as_it_is(folder: Path) -> None:
    def seen() -> dict[str, Any]:
        return {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in folder.iterdir()}

    before = seen()
    assert chains(folder)
    assert seen() == before


def test_what_the_server_writes_later_is_read(folder: Path) -> None:
    source = open_source(folder)
    ref = next(r for r in source.threads if r.thread_id == NAMES["done"])
    whole = (folder / SECOND).read_bytes()
    assert any(c.writes for c in source.chain(ref).checkpoints)
    (folder / SECOND).write_bytes(b"\x80\x02}q\x00.")
    assert not any(c.writes for c in source.chain(ref).checkpoints)
    (folder / SECOND).write_bytes(whole)
    assert any(c.writes for c in source.chain(ref).checkpoints)


def test_the_first_file_alone_names_the_threads_and_says_what_is_missing(folder: Path) -> None:
    (folder / SECOND).unlink()
    (folder / THIRD).unlink()
    source = open_source(folder)
    (problem,) = source.problems
    assert Path(problem.place).name == SECOND
    assert "not there" in problem.reason
    chain = source.chain(source.threads[0])
    assert [c.step for c in chain.checkpoints] == [-1, 0, 1, 2, 3]
    assert not any(c.has_state or c.status == "done" for c in chain.checkpoints)
    assert [p.no_state for p in chain.problems if THIRD in p.reason] == [True] * 5


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8, 0.99])
@pytest.mark.parametrize("name", [FIRST, SECOND, THIRD, "store.pckl", OPS])
def test_what_stands_before_a_cut_is_read(folder: Path, name: str, share: float) -> None:
    whole = chains(folder)
    raw = (folder / name).read_bytes()
    (folder / name).write_bytes(raw[: int(len(raw) * share)])
    source = open_source(folder)
    (problem,) = (p for p in source.problems if p.keyword != "stray_writes")
    assert problem.place == str(folder / name)
    assert "only what stands before is shown" in problem.reason
    for ref in source.threads:
        chain = source.chain(ref)
        good = whole[ref.thread_id, ref.namespace]
        states = {c.checkpoint_id: good.state(c.index) for c in good.checkpoints}
        for own in chain.checkpoints:
            assert not own.has_state or chain.state(own.index) == states[own.checkpoint_id]
        lost = [p for p in chain.problems if "a task may seem unfinished" in p.reason]
        assert bool(lost) == (name == SECOND)
    if name == FIRST and share > 0.4:
        assert any(c.has_state for r in source.threads for c in source.chain(r).checkpoints)


def test_a_cut_through_the_values_leaves_no_false_status(folder: Path) -> None:
    raw = (folder / THIRD).read_bytes()
    (folder / THIRD).write_bytes(raw[: len(raw) // 2])
    found = chains(folder)
    readable = [c.has_state for chain in found.values() for c in chain.checkpoints]
    assert any(readable)
    assert not all(readable)
    whole = chains(KEPT)
    for key, chain in found.items():
        for own, good in zip(chain.checkpoints, whole[key].checkpoints, strict=True):
            assert not own.has_state or own.status == good.status


def test_memories_that_are_none_are_told(folder: Path) -> None:
    store = {("a", "b"): {"k": 5}, "no": {}, ("a",): {"k": {"value": 1}}}
    (folder / "store.pckl").write_bytes(pickle.dumps(store, protocol=2))
    chain = next(iter(chains(folder).values()))
    assert chain.sidecars.memories == {}
    assert [p.reason for p in chain.problems] == ["no item of a store"] * 2
    (folder / "store.pckl").unlink()
    assert next(iter(chains(folder).values())).sidecars.memories is None


def test_more_memories_than_the_limit_are_told(folder: Path) -> None:
    found = chains(folder, limits=Limits(memories=0))
    problems = next(iter(found.values())).problems
    assert [p.keyword for p in problems] == ["limit"]


class Bomb:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return (Path.touch, (self.path,))


def test_nothing_in_the_folder_is_executed(folder: Path, tmp_path: Path) -> None:
    bomb = Bomb(tmp_path / "touched")
    for name in (FIRST, SECOND, THIRD, "store.pckl", OPS):
        raw = (folder / name).read_bytes()
        hostile = pickle.dumps({"bomb": bomb, ("bomb", "", "c"): {("t", 0): bomb}}, protocol=2)
        (folder / name).write_bytes(raw[:-1] + b"0" + hostile)
        source = open_source(folder)
        for ref in source.threads:
            assert source.chain(ref) is not None
        (folder / name).write_bytes(raw)
    typed = ("pickle", pickle.dumps(bomb))
    thread, checkpoint_id = "t", "1ef00000-0000-6000-8000-000000000000"
    storage = {thread: {"": {checkpoint_id: (("pickle", pickle.dumps({"v": 4, "id": checkpoint_id,
        "channel_versions": {"x": "1"}, "versions_seen": {}})), typed, None)}}}  # fmt: skip
    (folder / FIRST).write_bytes(pickle.dumps(storage, protocol=2))
    (folder / THIRD).write_bytes(pickle.dumps({(thread, "", "x", "1"): typed}, protocol=2))
    chain = chains(folder)[thread, ""]
    assert "touch" in dumps(chain.state(0)["x"])
    assert not (tmp_path / "touched").exists()


def test_parts_that_repeat_each_other_are_bounded(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = {f"{n:04}": (("msgpack", b"\x80"), ("json", b"{}"), None) for n in range(500)}
    spaces = {f"ns{n}": own for n in range(500)}
    (folder / FIRST).write_bytes(pickle.dumps({f"t{n}": spaces for n in range(500)}, protocol=2))
    source = open_source(folder)
    assert any(p.keyword == "limit" for p in source.problems)
    assert sum(ref.checkpoints or 0 for ref in source.threads) < 200_000


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(5, id="a number"),
        pytest.param(("msgpack", b""), id="too short"),
        pytest.param((5, 6, 7), id="no values"),
        pytest.param((("msgpack", "text"), ("json", b"{}"), None), id="text for bytes"),
        pytest.param((("msgpack", b"\xc1"), ("json", b"{"), 5), id="no msgpack"),
        pytest.param((("msgpack+aes", b"1"), ("msgpack+aes", b"1"), None), id="encrypted"),
    ],
)
def test_an_entry_that_is_no_checkpoint_costs_only_itself(folder: Path, entry: Any) -> None:
    good = (("msgpack", b"\x82\xa1v\x04\xaechannel_values\x81\xa1n\x01"), ("json", b"{}"), None)
    storage = {"t": {"": {"c0": good, "c1": entry, "c2": good}}, "u": 5, 7: {"": {"c": good}}}
    (folder / FIRST).write_bytes(pickle.dumps(storage, protocol=2))
    chain = chains(folder)["t", ""]
    by_id = {c.checkpoint_id: c for c in chain.checkpoints}
    assert chain.state(by_id["c0"].index) == chain.state(by_id["c2"].index) == {"n": 1}
    assert "c1" not in by_id or not by_id["c1"].has_state


def test_the_first_file_cut_to_nothing_is_named(folder: Path) -> None:
    (folder / FIRST).write_bytes(b"\x80\x02}")
    source = open_source(folder)
    assert source.threads == ()
    assert any(FIRST in p.place for p in source.problems)


def test_a_file_over_the_limit_is_named(folder: Path) -> None:
    with pytest.raises(SourceError, match="limit: file_bytes"):
        open_source(folder, limits=Limits(file_bytes=100))


def kept_saver(saver: InMemorySaver, folder: Path, *, old: bool) -> None:
    """Dump a real saver as the server does; ``old``: as releases before checkpoint 2.1 did."""
    storage: Any = defaultdict(lambda: defaultdict(dict))
    for thread, spaces in saver.storage.items():
        for namespace, own in spaces.items():
            for checkpoint_id, (raw, metadata, parent) in own.items():
                found = saver.serde.loads_typed(raw)
                values = saver._load_blobs(thread, namespace, found["channel_versions"])
                whole = saver.serde.dumps_typed({**found, "channel_values": values})
                entry = (whole if old else raw, metadata, parent)
                storage[thread][namespace][checkpoint_id] = entry
    plain = {thread: {ns: dict(own) for ns, own in s.items()} for thread, s in storage.items()}
    writes = {
        key: {slot: row[:3] if old else row for slot, row in rows.items()}
        for key, rows in saver.writes.items()
    }
    folder.mkdir()
    (folder / FIRST).write_bytes(pickle.dumps(plain, protocol=2))
    (folder / SECOND).write_bytes(pickle.dumps(writes, protocol=2))
    if not old:
        (folder / THIRD).write_bytes(pickle.dumps(dict(saver.blobs), protocol=2))


@pytest.mark.parametrize("old", [False, True], ids=["three files", "two files, as before 2.1"])
def test_every_scenario_reads_as_the_memory_saver_has_it(
    scenarios: dict[str, Any], made_of: Any, agree: Any, tmp_path: Path, old: bool
) -> None:
    for name, scenario in scenarios.items():
        if old and name == "functional":
            continue  # newer than the dumps without task paths
        saver = InMemorySaver()
        made = made_of(tmp_path / f"{name}.api", None)
        made.graph = scenario(saver, made.config)
        kept_saver(saver, made.path, old=old)
        found = chains(made.path)
        assert ("t", "") in found
        for (_, namespace), chain in found.items():
            assert all(p.keyword == "unreadable" and SECOND not in p.place for p in chain.problems)
            if not namespace:
                agree(made, namespace, chain, ordered=False)


def dump(folder: Path, name: str, value: Any) -> None:
    (folder / name).write_bytes(pickle.dumps(value, protocol=2))


def one_checkpoint(thread: Any, **versions: str) -> dict[Any, Any]:
    found = {"v": 4, "channel_versions": versions, "versions_seen": {}}
    return {thread: {"": {"c": (("msgpack", ormsgpack.packb(found)), ("json", b"{}"), None)}}}


def test_values_that_cannot_be_read_are_told_by_channel(folder: Path) -> None:
    storage = one_checkpoint("t", a="1", b="1", c="1", d="1", e="1")
    dump(folder, FIRST, storage)
    values = {"a": ("msgpack", b"\xc1"), "b": ("msgpack+aes", b"xyz"), "c": ("empty", b""), "d": 5}
    dump(folder, THIRD, {("t", "", name, "1"): value for name, value in values.items()})
    chain = chains(folder)["t", ""]
    state = chain.state(0)
    assert {name: node["$type"] for name, node in state.items()} == {
        "a": "undecodable",
        "b": "encrypted",
        "d": "undecodable",
    }
    told = {p.place.rpartition("!")[2]: p.keyword for p in chain.problems}
    assert told == {
        "values[t//a/1]": "unreadable",
        "values[t//d/1]": "unreadable",
        "values[t/]": "sealed",
    }
    raw = storage["t"][""]["c"][0][1]
    assert chain.checkpoints[0].size_bytes == len(raw) + 1 + 3


def test_ids_may_be_uuids_and_writes_may_have_no_thread(folder: Path) -> None:
    dump(folder, FIRST, one_checkpoint(uuid.UUID(int=7)))
    rows = {("k", 0): ("k", "n", ("msgpack", b"\x01"), "")}
    dump(folder, SECOND, {(uuid.UUID(int=7), "", "c"): rows, ("gone", "", "c"): rows})
    source = open_source(folder)
    (ref,) = source.threads
    assert ref.thread_id == str(uuid.UUID(int=7))
    assert [w.value for w in source.chain(ref).checkpoints[0].writes] == [1]
    (problem,) = source.problems
    assert (problem.keyword, problem.place.rpartition("!")[2]) == ("stray_writes", "writes[gone/]")


@pytest.mark.parametrize("seed", range(6))
def test_any_damage_gives_records_or_a_named_error(folder: Path, seed: int) -> None:
    chance = random.Random(seed)
    whole = {name: (folder / name).read_bytes() for name in dev_store.FILES}
    for _ in range(8):
        for name, content in whole.items():
            raw = bytearray(content)
            for _ in range(chance.choice((0, 1, 5, 50))):
                raw[chance.randrange(len(raw))] = chance.randrange(256)
            (folder / name).write_bytes(raw)
        with suppress(ViewerError):
            source = open_source(folder)
            for ref in source.threads:
                with suppress(ViewerError):
                    chain = source.chain(ref)
                    assert dumps([s for s in chain.states if s is not MISSING])
                    assert dumps([w.value for c in chain.checkpoints for w in c.writes])
                    assert dumps([dict(c.metadata) for c in chain.checkpoints])


def test_a_bytearray_is_bytes(folder: Path) -> None:
    entry = (("msgpack", bytearray(b"\x81\xaechannel_values\x81\xa1n\x01")), ("json", b"{}"), None)
    (folder / FIRST).write_bytes(pickle.dumps({"t": {"": {"c": entry}}}, protocol=5))
    assert chains(folder)["t", ""].state(0) == {"n": 1}


def test_no_part_of_the_files_is_forgotten() -> None:
    assert dev_store.FILES == (FIRST, SECOND, THIRD, "store.pckl", OPS)
