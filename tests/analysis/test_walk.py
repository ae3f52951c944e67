"""A walk through a run: the one a folder carries, and the one made from its checkpoints."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from viewer.analysis.first_mention import first_mention
from viewer.analysis.walk import MOST, automatic_walk, read_walk, walk_json_schema, walk_of
from viewer.errors import SourceError
from viewer.sources import open_source

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_runs"


def chain_of(place: Path) -> Any:
    source = open_source(place)
    return source.chain(source.threads[0])


def test_the_published_schema_is_the_one_in_force() -> None:
    assert json.loads((ROOT / "schemas" / "walk.schema.json").read_text()) == walk_json_schema()


def test_t_80001_is_walked_in_five_steps_that_all_exist() -> None:
    chain = chain_of(SAMPLES / "T-80001")
    jsonschema.validate(chain.sidecars.walk, walk_json_schema())
    walk = walk_of(chain)
    assert len(walk.steps) == 5
    for step in walk.steps:
        state = chain.state(chain.resolve(step.checkpoint))
        for pointer in (*step.transcript, *step.state):
            place = state
            for token in pointer[1:].split("/"):
                place = place[int(token)] if isinstance(place, list) else place[token]
    assert walk.steps[-1].what_if in chain.sidecars.what_if


def test_without_a_file_the_checkpoints_are_walked_in_words() -> None:
    chain = chain_of(SAMPLES / "thr_invoice_42")
    walk = walk_of(chain)
    assert [step.checkpoint for step in walk.steps] == [f"@{i}" for i in range(9)]
    assert "status is awaiting_tool now (it was running)" in walk.steps[2].words
    assert "/pendingTool" in walk.steps[2].state


def test_a_long_run_is_walked_evenly_from_first_to_last(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    path.write_text("".join(f'{{"n": {i}}}\n' for i in range(500)))
    walk = automatic_walk(chain_of(path))
    assert len(walk.steps) == MOST
    assert (walk.steps[0].checkpoint, walk.steps[-1].checkpoint) == ("@0", "@499")
    assert walk.title == f"{MOST} of 500 checkpoints"


@pytest.mark.parametrize(
    ("change", "place"),
    [
        pytest.param({"steps": []}, "#/steps", id="no step"),
        pytest.param({"format_version": 2}, "#/format_version", id="a version to come"),
        pytest.param(
            {"steps": [{"checkpoint": "@0", "title": "x", "say": 1}]}, "#/steps/0/say", id="unknown"
        ),
        pytest.param(
            {"steps": [{"checkpoint": "@0", "title": "x", "state": ["no"]}]},
            "#/steps/0/state/0",
            id="no pointer",
        ),
    ],
)
def test_a_malformed_walk_names_its_place(change: dict[str, Any], place: str) -> None:
    good = {"format_version": 1, "steps": [{"checkpoint": "@0", "title": "x"}]}
    assert read_walk(good).steps[0].title == "x"
    with pytest.raises(SourceError) as error:
        read_walk({**good, **change})
    assert error.value.place.endswith(place)
    assert not jsonschema.Draft202012Validator(walk_json_schema()).is_valid({**good, **change})


def test_an_identifier_is_followed_back_to_where_it_first_stood() -> None:
    chain = chain_of(SAMPLES / "T-80001")
    found = first_mention(chain, 3, "LK-615204")
    assert found is not None
    assert (found.index, found.pointer) == (0, "/messages/1")
    assert first_mention(chain, 3, "LK-61520") is None
    assert first_mention(chain, 3, "LK-000000") is None
