import json

import pytest

SCHEMA = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}


@pytest.mark.parametrize(
    ("run", "code"),
    [
        pytest.param("T-80001", 0, id="clean"),
        pytest.param("broken-step-back", 1, id="a rule"),
        pytest.param("broken-illegal-status", 1, id="the schema"),
        pytest.param("broken-illegal-transition", 1, id="a transition"),
        pytest.param("broken-torn-last-line", 1, id="a line that is torn"),
    ],
)
def test_exit_code_follows_the_violations(cli, sample, run, code):
    result = cli("check", sample(run), "--json")
    assert result.code == code
    assert bool(result.document["violations"]) == bool(code)


def test_plain_states_cannot_be_judged_without_a_schema(cli, chain_file):
    result = cli("check", chain_file("run.json", {"n": 1}))
    assert result.code == 2
    assert "profile plain declares nothing to check; give --schema FILE" in result.out


@pytest.mark.parametrize(
    ("value", "code"),
    [pytest.param(1, 0, id="as the schema says"), pytest.param("x", 1, id="a wrong type")],
)
def test_a_schema_judges_plain_states(cli, chain_file, write_json, value, code):
    schema = write_json("schema.json", SCHEMA)
    result = cli("check", chain_file("run.json", {"n": value}), "--schema", schema, "--json")
    assert result.code == code
    assert [row["pointer"] for row in result.document["violations"]] == ["/n"] * code
    assert result.document["checked"] == {"sources": 1, "threads": 1, "checkpoints": 1}


def test_a_broken_schema_says_where_and_judges_nothing(cli, chain_file, write_json):
    broken = {"type": "object", "properties": {"n": {"type": "intger"}}, "required": "n"}
    schema = write_json("schema.json", broken)
    result = cli("check", chain_file("run.json", {"n": 1}), "--schema", schema)
    assert (result.code, result.out) == (2, "")
    assert "#/properties/n/type" in result.err
    assert "#/required" in result.err
    assert result.err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("[]", "a schema must be an object", id="no object"),
        pytest.param("{", "schema.json:1:", id="no JSON"),
    ],
)
def test_a_schema_file_that_is_none_is_named(cli, chain_file, write_json, text, says):
    schema = write_json("schema.json", text)
    result = cli("check", chain_file("run.json", {"n": 1}), "--schema", schema)
    assert result.code == 2
    assert says in result.err


def test_a_schema_for_a_list_judges_each_file_whole_and_says_so(cli, write_json, sample):
    numbers = {"type": ["array", "null"], "items": {"type": "integer"}}
    schema = write_json("schema.json", numbers)
    one, two = write_json("one.json", [1, "x"]), write_json("two.json", '{"k": 1, "k": 2}')
    lines = write_json("lines.jsonl", '{"n": 1}\n{"n": 2}\n')
    found = cli("check", one, two, sample("T-80001"), "--schema", schema, "--json").document
    assert [(r["source"], r["pointer"]) for r in found["violations"]][:2] == [
        (one, "/1"),
        (two, ""),
    ]
    assert [t["whole_file"] for t in found["threads"]] == [True, True, False]
    assert found["checked"] == {"sources": 3, "threads": 3, "checkpoints": 6}
    assert [p["place"] for p in found["problems"]] == [f"{two}#/k"]
    assert f"takes no object: {one}, {two}" in cli("check", one, two, "--schema", schema).out
    # Lines are checkpoints and no document: they are read as ever.
    result = cli("check", one, lines, "--schema", schema, "--json")
    assert result.document["checked"] == {"sources": 2, "threads": 2, "checkpoints": 3}
    states = write_json("states.json", {"type": ["array", "object"], "items": {"type": "integer"}})
    result = cli("check", write_json("chain.json", [{"n": 1}]), "--schema", states, "--json")
    assert [t["whole_file"] for t in result.document["threads"]] == [False]


def test_a_source_that_cannot_be_read_is_exit_2_unless_another_is_violated(cli, sample, tmp_path):
    gone = tmp_path / "gone"
    assert cli("check", sample("T-80001"), gone).code == 2
    assert cli("check", sample("broken-step-back"), gone).code == 1


def test_all_threads_are_covered_and_told_apart(cli, sample):
    result = cli("check", sample("broken-step-back"), sample("broken-illegal-status"), "--json")
    assert result.document["checked"]["sources"] == 2
    assert {row["source"] for row in result.document["violations"]} == {
        sample("broken-step-back"),
        sample("broken-illegal-status"),
    }


def test_one_thread_is_checked_when_it_is_named(cli, sample):
    both = (sample("broken-step-back"), sample("T-80001"))
    assert cli("check", *both, "--thread", "T-80001").code == 0


def test_a_rule_that_cannot_judge_is_not_a_clean_result(cli, write_json):
    profile = """
        name = "counting"
        title = "A state that counts"
        version = "1"
        [match]
        [[rules]]
        name = "step_monotone"
        pointer = "/step"
        """
    folder = write_json("counting/profile.toml", profile).removesuffix("/profile.toml")
    counted = write_json("whole.jsonl", '{"step": 1}\n{"step": 2}\n')
    assert cli("check", counted, "--profile", folder).code == 0
    uncounted = write_json("half.jsonl", '{"step": 1}\n{"n": 2}\n')
    result = cli("check", uncounted, "--profile", folder)
    assert result.code == 2
    assert "not every rule could judge every checkpoint" in result.out


def test_a_rule_that_needs_what_is_not_at_hand_does_not_spoil_the_rest(cli, sample):
    result = cli("check", f"{sample('thr_invoice_42')}/checkpoints", "--json")
    assert result.code == 0
    assert [row["rule"] for row in result.document["not_run"]] == ["memory_ref_exists"]


def test_every_violation_is_printed_with_its_place(cli, sample):
    rows = cli("check", sample("broken-illegal-status"), "--json").document["violations"]
    out = cli("check", sample("broken-illegal-status")).out
    assert rows
    for row in rows:
        assert row["pointer"] in out
        assert row["keyword"] in out


def test_runs_counts_what_check_finds(cli, sample):
    violations = cli("check", sample("broken-step-back"), "--json").document["violations"]
    (row,) = cli("runs", sample("broken-step-back"), "--check", "--json").document["threads"]
    assert row["violations"] == len(violations)
    (row,) = cli("runs", sample("broken-step-back"), "--json").document["threads"]
    assert row["violations"] is None


def test_a_source_is_not_changed_by_being_checked(cli, sample, tmp_path):
    from shutil import copytree

    copy = copytree(sample("thr_invoice_42"), tmp_path / "run")
    before = {p: p.read_bytes() for p in copy.rglob("*") if p.is_file()}
    for command in ("identify", "runs", "show", "diff", "check", "usage", "transcript"):
        cli(command, copy)
    assert {p: p.read_bytes() for p in copy.rglob("*") if p.is_file()} == before
    assert json.loads((copy / "about.json").read_text())
