"""``show --search`` and ``show --biography``."""

import json

import jsonschema
import pytest


@pytest.fixture
def valid(root):
    """Return a function that holds a document to the published schema of ``show``."""
    schema = json.loads((root / "schemas/cli/show.schema.json").read_text("utf-8"))
    return jsonschema.Draft202012Validator(schema).validate


def test_where_the_evidence_first_says_so(cli, sample, valid):
    result = cli("show", sample("T-80001"), "--search", "OTHER_customer", "--json")
    assert result.code == 0
    valid(result.document)
    found = result.document["search"]
    assert (found["found"], found["complete"], found["cut_values"]) == (3, True, 0)
    (hit,) = (hit for hit in found["hits"] if hit["pointer"] == "/evidence/0/code")
    assert hit == {
        "kind": "value",
        "pointer": "/evidence/0/code",
        "last_pointer": "/evidence/0/code",
        "value": "other_customer",
        "first": 1,
        "first_checkpoint_id": "T-80001-1",
        "last": 3,
        "last_checkpoint_id": "T-80001-3",
        "checkpoints": 3,
        "at_head": True,
    }
    text = cli("show", sample("T-80001"), "--search", "OTHER_customer").out
    row = next(line for line in text.splitlines() if "/evidence/0/code" in line)
    assert row.split()[:7] == ["@1", "@3", "3", "of", "4", "has", "it"]
    none = cli("show", sample("T-80001"), "--search", "OTHER_customer", "--match-case").out
    assert "nothing in 4 checkpoints" in none


def test_a_field_is_told_over_all_steps(cli, chain_file, valid):
    one, two = {"id": "a", "n": 1}, {"id": "b", "n": 5}
    path = chain_file("run.json", {"l": [one, two]}, {"l": [two, one]}, {"l": [{**two, "n": 7}]})
    result = cli("show", path, "--biography", "/l/0/n", "--json")
    valid(result.document)
    told = result.document["biography"]
    assert [(run["first"], run["last"], run["value"]) for run in told["runs"]] == [
        (0, 1, 5),
        (2, 2, 7),
    ]
    assert told["followed_by"] == ["id"]
    assert told["numbers"] == {"least": 5, "most": 7, "growth": 2}
    text = cli("show", path, "--biography", "/l/1", "--checkpoint", "@0")
    assert text.code == 0
    assert "members of lists followed by id" in text.out
    assert "(2 inside)" in text.out
    gone = cli("show", path, "--biography", "/l/0", "--checkpoint", "@0", "--json")
    valid(gone.document)
    assert [run["kind"] for run in gone.document["biography"]["runs"]] == ["container", "absent"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--search", "("), "nothing"),
        (("--search", "(", "--regex"), "this is no regular expression"),
        (("--search", ""), "nothing to search for"),
        (("--regex",), "go with --search"),
        (("--search", "a", "--checkpoint", "@0"), "without --checkpoint"),
        (("--search", "a", "--biography", "/a"), "--search and --biography do not go together"),
        (("--biography", "/nowhere"), "nothing at /nowhere"),
        (("--biography", "/a", "--field", "/a"), "--biography and --field do not go together"),
    ],
)
def test_what_cannot_be_told_is_said(cli, chain_file, options, reason):
    result = cli("show", chain_file("run.json", {"a": 1}), *options)
    told = result.out + result.err
    assert reason in told
    assert result.code == (0 if result.out else 2)
