import sqlite3
from pathlib import Path

from viewer.sources import NESTED, open_sources

SAMPLE = Path(__file__).parents[2] / "sample_runs" / "langgraph-interrupt-fork"
DATA = Path(__file__).parents[1] / "data" / "langgraph"


def put(place: Path) -> None:
    place.parent.mkdir(parents=True)
    place.write_text('{"n": 1}')


def test_a_folder_stands_for_what_lies_deep_inside_it(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    put(tree / "a" / "b" / "c" / "one.json")
    sources, problems = open_sources((tree,))
    assert [s.location.relative_to(tree).as_posix() for s in sources] == ["a/b/c"]
    assert not problems


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    put(tree / "a" / "one.json")
    put(tmp_path / "elsewhere" / "deep" / "secret.json")
    (tree / "link").symlink_to(tmp_path / "elsewhere")
    sources, _ = open_sources((tree,))
    assert [s.location.name for s in sources] == ["a"]


def test_the_search_ends_at_its_stated_depth(tmp_path: Path) -> None:
    deep = tmp_path.joinpath("tree", *("d" * (NESTED + 2)))
    put(deep / "one.json")
    sources, problems = open_sources((tmp_path / "tree",))
    assert not sources
    assert [p.place for p in problems] == [str(tmp_path / "tree")]


def test_a_store_beside_checkpoint_files_opens_too(tmp_path: Path) -> None:
    folder = tmp_path / "app"
    put(folder / "0001.json")
    (folder / "0002.json").write_text('{"n": 2}')
    store = folder / "checkpoints.sqlite"
    store.write_bytes((SAMPLE / "checkpoints.sqlite").read_bytes())
    (folder / "checkpoints.sqlite-wal").touch()
    states = folder / "states.json"
    states.write_bytes((DATA / "platform_history_done.json").read_bytes())
    sources, problems = open_sources((folder,))
    assert problems == ()
    assert [(s.reader.name, s.location) for s in sources] == [
        ("json-folder", folder),
        ("langgraph-sqlite", store),
        ("langgraph-history", states),
    ]
    assert sources[0].problems == ()
    (ref,) = sources[0].threads
    chain = sources[0].chain(ref)
    assert [chain.state(c.index) for c in chain.checkpoints] == [{"n": 1}, {"n": 2}]


def test_another_program_s_database_beside_checkpoint_files_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "app"
    put(folder / "0001.json")
    connection = sqlite3.connect(folder / "users.db")
    connection.execute("CREATE TABLE users (id)")
    connection.close()
    (folder / "gone.db-wal").write_bytes(b"\x37\x7f\x06\x82" + bytes(100))
    sources, problems = open_sources((folder,))
    assert [s.location for s in sources] == [folder]
    assert sources[0].problems == ()
    assert [p.place for p in problems] == [str(folder / "gone.db-wal"), str(folder / "users.db")]
    assert "gone.db is needed beside it" in problems[0].reason
    assert "its tables are users" in problems[1].reason


def test_a_folder_of_many_sources_is_listed_a_few_times_and_not_once_a_source(
    tmp_path, monkeypatch
):
    for number in range(30):
        (tmp_path / f"run{number}.jsonl").write_text('{"a": 1}\n{"a": 2}\n')
    listed = []
    listing = Path.iterdir
    monkeypatch.setattr(Path, "iterdir", lambda self: listed.append(self) or listing(self))
    sources, problems = open_sources((tmp_path,))
    assert len(sources) == 30
    assert not problems
    assert len(listed) <= 3
