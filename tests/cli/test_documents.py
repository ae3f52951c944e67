"""Every JSON document validates against its published schema, over all sample runs."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

ROOT = Path(__file__).parents[2]
SCHEMAS = {
    path.name.removesuffix(".schema.json"): json.loads(path.read_text())
    for path in sorted((ROOT / "schemas" / "cli").glob("*.schema.json"))
}
RUNS = sorted(path.parent.name for path in (ROOT / "sample_runs").glob("*/about.json"))
COMMANDS = {
    "identify": ("identify",),
    "runs": ("runs",),
    "runs --check": ("runs", "--check"),
    "check": ("check",),
    "usage": ("usage",),
    "why": ("why",),
    "show": ("show",),
    "show --field": ("show", "--field", "/status"),
    "show --tasks": ("show", "--tasks"),
    "show --checkpoint": ("show", "--checkpoint", "head"),
    "show --checkpoint --field": ("show", "--checkpoint", "head", "--field", ""),
    "diff": ("diff",),
    "diff --patch": ("diff", "--patch"),
    "diff --ignore-order": ("diff", "--ignore-order", "--ignore", "/step"),
    "transcript": ("transcript",),
}
OWN = {"source", "thread_id", "namespace"}
LISTS = {
    "sources",
    "threads",
    "checkpoints",
    "changes",
    "violations",
    "not_run",
    "problems",
    "steps",
    "mentions",
    "evidence",
    "findings",
    "what_if",
}


def one_thread(cli, run):
    """The first root thread of a run: a store may hold several."""
    threads = cli("runs", ROOT / "sample_runs" / run, "--json").document["threads"]
    return next(row["thread_id"] for row in threads if row["namespace"] == "")


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize("run", RUNS)
def test_a_document_validates_against_its_schema(cli, run, words):
    command, *flags = words
    if command in ("show", "diff", "transcript"):
        flags += ["--thread", one_thread(cli, run)]
    result = cli(command, ROOT / "sample_runs" / run, "--json", *flags)
    assert result.err == ""
    Draft202012Validator(SCHEMAS[command]).validate(result.document)
    assert result.document["format_version"] == 1
    for name in LISTS & result.document.keys():
        assert all(row.keys() >= OWN for row in result.document[name]), name


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_published_schema_is_a_schema_and_closed(name):
    schema = SCHEMAS[name]
    Draft202012Validator.check_schema(schema)
    assert schema["additionalProperties"] is False
    assert {"format_version", "command"} <= set(schema["required"])


def test_every_command_has_a_published_schema():
    from viewer.cli.arguments import COMMANDS as known

    assert set(SCHEMAS) == set(known)


def test_all_sample_runs_open_together(cli):
    result = cli("runs", ROOT / "sample_runs", "--check", "--json")
    Draft202012Validator(SCHEMAS["runs"]).validate(result.document)
    folder = ROOT / "sample_runs"
    found = {Path(row["source"]).relative_to(folder).parts[0] for row in result.document["threads"]}
    assert found == set(RUNS)


def test_text_says_what_json_says(cli):
    source = ROOT / "sample_runs" / "T-80001"
    found = cli("transcript", source, "--json").document
    out = cli("transcript", source).out
    (mention,) = [row for row in found["mentions"] if row["id"] == "LK-615204"]
    line = next(line.split() for line in out.splitlines() if "LK-615204" in line)
    by = mention["by"]
    assert line == ["LK-615204", str(mention["count"]), *(str(by[w]) for w in by)]


def test_the_refund_passes_the_transcript_and_is_refused_by_the_state(cli):
    found = cli("transcript", ROOT / "sample_runs" / "T-80001", "--json").document
    tried = {row["name"]: row["findings"] for row in found["what_if"]}
    (finding, *_) = tried["refund-899"]
    assert finding["identifier"] == "LK-615204"
    assert finding["believed_by_transcript"] is True
    assert finding["proved_by_state"] is False


def test_no_usage_is_null_and_not_zero(cli, chain_file):
    source = chain_file("run.json", {"a": 1})
    found = cli("usage", source, "--json").document
    assert set(found["totals"].values()) == {None}
    assert cli("usage", source).out == "no usage is recorded\n"


def test_a_field_is_shown_along_the_chain(cli):
    rows = cli("show", ROOT / "sample_runs" / "T-80001", "--field", "/status", "--json").document[
        "checkpoints"
    ]
    assert [row["value"] for row in rows] == ["running"] * 3 + ["stopped"]


def test_identify_names_the_reader_and_what_others_miss(cli):
    (row,) = cli("identify", ROOT / "sample_runs" / "T-80001", "--json").document["sources"]
    assert row["reader"] == "run-folder"
    assert row["claimed_by"] == ["run-folder"]
    others = [reader for reader in row["readers"] if not reader["claims"]]
    assert others
    assert all(reader["why"] for reader in others)


def test_identify_looks_at_the_children_of_a_folder_that_no_reader_claims(cli):
    rows = cli("identify", ROOT / "sample_runs", "--json").document["sources"]
    folder = ROOT / "sample_runs"
    assert {Path(row["source"]).relative_to(folder).parts[0] for row in rows} == set(RUNS)
    assert all(row["reader"] for row in rows)
