from pathlib import Path

from viewer.sources import NESTED, open_sources


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
