"""Which reader claims what: look-alikes in pairs, and never two claims on one place."""

from pathlib import Path
from typing import Any

import pytest

from viewer.errors import SourceError, UnknownFormat
from viewer.sources import READERS, identify, open_source
from viewer.sources.base import Verdict

LONG = '"t": "' + "x" * 9000 + '"'
FILES = [
    ("one object", "a.jsonl", '{"n": 1}', "json-file"),
    ("one object and a line end", "a.jsonl", '{"n": 1}\n\n', "json-file"),
    ("a long object", "a.jsonl", f"{{{LONG}}}\n", "json-file"),
    ("an empty object", "a.json", "{}", "json-file"),
    ("messages", "a.json", '{"messages": []}', "json-file"),
    ("array named jsonl", "a.jsonl", '[{"n": 1}, {"n": 2}]', "json-file"),
    ("lines named json", "a.json", '{"n": 1}\n{"n": 2}', "jsonl"),
    ("lines longer than the head", "a.json", f"{{{LONG}}}\n{{{LONG}}}", "jsonl"),
    ("blank lines between", "a.txt", '\n{"n": 1}\n\n\n{"n": 2}', "jsonl"),
    ("pretty object", "a.jsonl", '{\n  "n": 1,\n  "m": {\n    "k": 2\n  }\n}\n', "json-file"),
    ("pretty array", "a.jsonl", '[\n {"n": 1},\n {"n": 2}\n]', "json-file"),
    ("array of whole lines", "a.jsonl", '{"checkpoints": [\n{"n": 1},\n{"n": 2}\n]}', "json-file"),
    ("members on whole lines", "a.json", '{"a":\n{"n": 1}\n,"b":\n{"n": 2}\n}', "json-file"),
    ("such a document torn", "a.json", '{"checkpoints": [\n{"n": 1},\n{"n": 2}\n', "json-file"),
    ("object with NaN", "a.json", '{"n": NaN}', "json-file"),
    ("lines with NaN", "a.json", '{"n": NaN}\n{"n": 2}', "jsonl"),
    ("first line torn", "a.json", '{"n": 1\n{"n": 2}\n{"n": 3}', "jsonl"),
    ("first line zero bytes", "a.json", b"\0\0\0\0\0\n" + b'{"n": 2}\n{"n": 3}', "jsonl"),
    ("first line a comment", "a.json", '# run\n{"n": 2}\n{"n": 3}', "jsonl"),
    ("a checkpoint and a patch", "a.jsonl", '{"n": 1}\n[]\n', "jsonl"),
    ("patches first", "a.jsonl", '[{"op": "remove", "path": "/n"}]\n{"n": 1}\n', "jsonl"),
    ("torn object", "a.json", '{"n": {"m": ', "json-file"),
    ("almost JSON", "a.json", '{\n // state\n "id": "t1"\n}', "json-file"),
    ("utf-16 object", "a.json", '{"n": 1}'.encode("utf-16"), "json-file"),
    ("utf-16 lines", "a.json", '{"n": 1}\n{"n": 2}'.encode("utf-16"), "jsonl"),
    ("utf-32 without mark", "a.json", '{"n": 1}'.encode("utf-32-le"), "json-file"),
    ("latin-1", "a.json", '{"n": "\xeb"}'.encode("latin-1"), "json-file"),
    ("no JSON at all", "a.json", "hello", None),
    ("a string", "a.json", '"text"', None),
    ("a number", "a.json", "17", None),
    ("null", "a.json", "null", None),
    ("numbers in lines", "a.jsonl", "1\n2\n3", None),
    ("an array of scalars", "a.json", "[1, 2]", None),
    ("an empty array", "a.json", "[]", None),
    ("nothing", "a.json", "", None),
    ("white space", "a.json", " \n ", None),
    ("a template", "a.json", "{% if a %}{{ b }}{% endif %}", None),
    ("rich text", "a.json", "{\\rtf1 text}", None),
    ("source code", "a.py", "import json\n\nSTATE = {\n}\n", None),
    ("a log with one object", "a.log", 'start\nmore\nmore\n{"n": 1}\nend', None),
    ("binary", "a.bin", bytes(range(256)) * 20, None),
]


def claims(path: Path) -> list[str]:
    return [reader.name for reader, verdict in identify(path) if verdict.claims]


@pytest.mark.parametrize(
    ("name", "content", "reader"),
    [pytest.param(name, content, reader, id=title) for title, name, content, reader in FILES],
)
def test_content_decides_and_one_reader_at_most_claims_a_file(
    put: Any, name: str, content: Any, reader: str | None
) -> None:
    path = put(f"only/{name}", content)
    assert claims(path) == ([reader] if reader else [])
    if reader is None:
        with pytest.raises(UnknownFormat):
            open_source(path)
    else:
        assert open_source(path).reader.name == reader


FOLDERS: list[tuple[str, dict[str, Any], str | None]] = [
    ("checkpoint files", {"1.json": {}, "2.json": {}}, "json-folder"),
    ("files without ending", {"1": {}, "2": {}}, "json-folder"),
    ("junk before a checkpoint", {"0.json": "junk", "1.json": {}}, "json-folder"),
    ("about.json and files", {"about.json": {}, "1.json": {}}, "run-folder"),
    ("checkpoints inside", {"checkpoints/1.json": {}}, "run-folder"),
    ("a chain file", {"chain.jsonl": "{}\n{}\n"}, "run-folder"),
    ("sidecars and files", {"memories/m.json": {}, "1.json": {}}, "run-folder"),
    ("versions and files", {"versions.json": {}, "1.json": {}}, "run-folder"),
    ("about.json alone", {"about.json": {}}, None),
    (
        "about.json of a store",
        {"about.json": {"format_version": 1, "title": "t", "reader": "jsonl"}, "1.json": {}},
        None,
    ),
    ("runs inside", {"a/1.json": {}, "b/1.json": {}}, None),
    ("arrays", {"a.json": [{}, {}], "b.json": [{}]}, None),
    ("lines", {"a.jsonl": "{}\n{}\n"}, None),
    ("no JSON", {"a.txt": "text"}, None),
    ("nothing", {}, None),
]


@pytest.mark.parametrize(
    ("content", "reader"),
    [pytest.param(content, reader, id=title) for title, content, reader in FOLDERS],
)
def test_one_reader_at_most_claims_a_folder(
    put: Any, tmp_path: Path, content: dict[str, Any], reader: str | None
) -> None:
    folder = tmp_path / "only"
    folder.mkdir()
    for name, value in content.items():
        put(f"only/{name}", value)
    assert claims(folder) == ([reader] if reader else [])


@pytest.mark.parametrize("name", ["about.json", "working.schema.json", "versions.json"])
def test_a_sidecar_is_never_a_checkpoint(put: Any, name: str) -> None:
    put("run/about.json", {"format_version": 1, "title": "t"})
    path = put(f"run/{name}", {"format_version": 1, "title": "t"})
    assert claims(path) == []
    with pytest.raises(SourceError, match="open its folder"):
        open_source(path)
    assert claims(put(f"alone/{name}", {})) == ([] if name == "about.json" else ["json-file"])


def test_every_verdict_says_why(put: Any, tmp_path: Path) -> None:
    for place in (put("a/1.json", {}), put("b.jsonl", "{}\n{}"), put("c.txt", "text"), tmp_path):
        verdicts = identify(place)
        assert len(verdicts) == len(READERS)
        assert all(isinstance(verdict, Verdict) and len(verdict.why) > 5 for _, verdict in verdicts)


def test_an_empty_file_is_named_so(put: Any) -> None:
    with pytest.raises(UnknownFormat, match="the file is empty"):
        open_source(put("a.json", b""))


def test_a_refusal_leaves_out_readers_of_folders(put: Any) -> None:
    with pytest.raises(UnknownFormat) as caught:
        open_source(put("a.txt", "text"))
    assert "run-folder" not in str(caught.value)
    assert "json-file: begins with 't'" in str(caught.value)
