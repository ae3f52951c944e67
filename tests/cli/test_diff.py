import json
import os
from pathlib import Path

import jsonpatch
import pytest

A = {"status": "running", "step": 1, "items": [{"id": "a", "n": 1}, {"id": "b", "n": 2}]}
B = {"status": "stopped", "step": 2, "items": [{"id": "b", "n": 2}, {"id": "a", "n": 1}]}


def test_two_files_are_compared_as_raw_documents(cli, write_json):
    one, two = write_json("a.json", A), write_json("b.json", B)
    result = cli("diff", one, two, "--json")
    found = result.document
    assert result.code == 1
    assert found["base"] == {"source": one} | dict.fromkeys(
        ("thread_id", "namespace", "checkpoint_id", "index", "step")
    )
    assert found["target"]["source"] == two
    rows = {(row["op"], row["path"]): row for row in found["changes"]}
    assert rows["replace", "/status"]["old"] == "running"
    assert rows["replace", "/status"]["new"] == "stopped"
    assert rows["replace", "/step"]["delta"] == 1
    assert found["counts"] == {"add": 0, "remove": 0, "replace": 2, "move": 1}


def test_equal_files_exit_0_whatever_their_layout(cli, write_json):
    one = write_json("a.json", '{"a": 1, "b": [1, 2]}')
    two = write_json("b.json", '{\n"b":[1,2],"a":1}')
    result = cli("diff", one, two)
    assert (result.code, result.out.splitlines()[-1]) == (0, "no difference")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param(1, 1.0, {"same_number": True}, id="the same number"),
        pytest.param(True, 1, {"type_changed": True}, id="true is not 1"),
        pytest.param(None, "x", {"type_changed": True}, id="null to text"),
        pytest.param(9.981, 6.2, {"delta": -3.781}, id="a decimal difference"),
        pytest.param(10**30, 10**30 + 1, {"delta": 1}, id="big integers are exact"),
        pytest.param(1, float("nan"), {}, id="NaN has no difference"),
        pytest.param(10**4299, -(10**4299), {}, id="a difference too long to write"),
        pytest.param(1e308, -1e308, {}, id="a difference past the floats"),
        pytest.param("a", "b", {}, id="text"),
    ],
)
def test_what_is_said_of_a_replaced_value(cli, write_json, old, new, said):
    one, two = write_json("a.json", {"x": old}), write_json("b.json", {"x": new})
    result = cli("diff", one, two, "--json")
    (row,) = result.document["changes"]
    marks = ("same_number", "type_changed", "delta")
    assert {key: row[key] for key in marks if key in row} == said
    assert cli("diff", one, two).code == 1


def test_the_patch_is_strict_and_applies(cli, write_json):
    one, two = write_json("a.json", A), write_json("b.json", B)
    result = cli("diff", one, two, "--patch")
    assert result.code == 1
    assert jsonpatch.apply_patch(A, json.loads(result.out)) == B
    assert cli("diff", one, two, "--patch", "--json").document["patch"] == json.loads(result.out)


def test_an_absent_value_is_not_null(cli, write_json):
    one, two = write_json("a.json", {"x": None}), write_json("b.json", {"y": None})
    rows = cli("diff", one, two, "--json").document["changes"]
    assert {row["op"]: sorted(set(row) & {"old", "new"}) for row in rows} == {
        "remove": ["old"],
        "add": ["new"],
    }


def test_a_chain_is_compared_from_the_parent_of_its_head(cli, sample):
    found = cli("diff", sample("T-80001"), "--json").document
    assert (found["base"]["index"], found["target"]["index"]) == (2, 3)
    status = next(row for row in found["changes"] if row["path"] == "/status")
    assert (status["old"], status["new"]) == ("running", "stopped")
    assert {row["thread_id"] for row in found["changes"]} == {"T-80001"}


def test_any_two_checkpoints_are_compared(cli, sample):
    found = cli("diff", sample("T-80001"), "--base", "head", "--target", "@0", "--json").document
    assert (found["base"]["index"], found["target"]["index"]) == (3, 0)


def test_a_checkpoint_equals_itself(cli, sample):
    result = cli("diff", sample("T-80001"), "--base", "@2", "--target", "@2", "--json")
    assert (result.code, result.document["changes"]) == (0, [])


def test_a_root_has_nothing_to_compare_with(cli, sample):
    result = cli("diff", sample("T-80001"), "--target", "@0")
    assert result.code == 2
    assert "is the first of its line: name a --base" in result.err


def test_no_diff_is_made_against_a_missing_parent(cli, write_json):
    source = write_json("c2.json", {"checkpoint_id": "c2", "parent_id": "c1", "state": {"a": 1}})
    result = cli("diff", source)
    assert result.code == 2
    assert "has a parent, c1, that is not in the source" in result.err


def test_two_stores_are_chains_and_not_documents(cli, write_json):
    one, two = (write_json(f"{n}.jsonl", '{"a": 1}\n{"a": 2}\n') for n in "xy")
    result = cli("diff", one, two)
    assert result.code == 2
    assert "2 threads, name one with --thread: x, y" in result.err
    assert cli("diff", one, two, "--thread", "y").code == 1


def test_a_file_that_is_no_document_is_named_with_its_place(cli, write_json):
    result = cli("diff", write_json("a.json", '{"a": 1,\n "b": }'), write_json("b.json", A))
    assert (result.code, result.out) == (2, "")
    assert "a.json:2:7: " in result.err


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no /dev/fd here")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param(b'{"a": 1}', 0, id="the same document"),
        pytest.param(b'{"a": 2}', 1, id="another"),
        pytest.param(b'{"a":', 2, id="torn"),
    ],
)
def test_a_pipe_is_a_document(cli, write_json, text, code):
    reading, writing = os.pipe()
    os.write(writing, text)
    os.close(writing)
    try:
        assert cli("diff", f"/dev/fd/{reading}", write_json("b.json", {"a": 1})).code == code
    finally:
        os.close(reading)


def test_keys_that_stand_twice_are_a_problem_of_their_file(cli, write_json):
    one = write_json("a.json", '{"a": 1, "a": 2}')
    result = cli("diff", one, write_json("b.json", {"a": 2}), "--json")
    assert result.code == 0
    (problem,) = result.document["problems"]
    assert (problem["source"], problem["keyword"]) == (one, "duplicate_key")


LOOSE = {"status": "running", "items": [3, 1.0004, 2], "at": "now"}
NEARLY = {"status": "running", "items": [1.0001, 2, 3.0], "at": "later"}


@pytest.mark.parametrize(
    ("flags", "code"),
    [
        pytest.param((), 1, id="exact"),
        pytest.param(("--ignore-order",), 1, id="order alone"),
        pytest.param(
            ("--ignore-order", "--significant", "2", "--ignore-number-type", "--ignore", "/at"),
            0,
            id="all four",
        ),
        pytest.param(("--ignore", "/at", "--ignore", "/items/**"), 0, id="two patterns"),
        pytest.param(("--ignore", "re:^(at|items)$"), 0, id="keys by name"),
    ],
)
def test_the_loose_comparison_leaves_out_what_it_is_told_to(cli, write_json, flags, code):
    one, two = write_json("a.json", LOOSE), write_json("b.json", NEARLY)
    result = cli("diff", one, two, "--json", *flags)
    assert result.code == code
    assert (result.document["rules"]["loose"] is None) == (flags == ())


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        pytest.param(("--ignore", "re:("), "re:(", id="no expression"),
        pytest.param(("--ignore", "at"), "pattern must be empty or begin", id="no pattern"),
        pytest.param(("--ignore-order", "--patch"), "--patch is exact", id="a loose patch"),
    ],
)
def test_loose_options_that_mean_nothing_are_refused(cli, write_json, flags, says):
    result = cli("diff", write_json("a.json", A), write_json("b.json", B), *flags)
    assert result.code == 2
    assert says in result.err


def test_the_rules_that_applied_are_listed(cli, sample):
    rules = cli("diff", sample("T-90103-approved"), "--json").document["rules"]
    assert rules["profile"] == "task-state"
    assert rules["lists"] == [{"pattern": "/operations", "key": "id"}]
    assert rules["loose"] is None
    assert cli("diff", sample("T-80001"), "--json").document["rules"]["lists"] == []


def test_doubled_ids_fall_back_and_are_said(cli, sample, write_json):
    state = cli("show", sample("T-80001"), "--checkpoint", "@0", "--json").document["state"]
    plan = [{"id": "p", "text": "one"}, {"id": "p", "text": "two"}]
    one = write_json("a.json", {**state, "operations": plan})
    two = write_json("b.json", {**state, "operations": plan[::-1]})
    result = cli("diff", one, two, "--json", "--profile", "task-state")
    assert [note["path"] for note in result.document["rules"]["unpaired"]] == ["/operations"]
    assert "/operations: " in cli("diff", one, two, "--profile", "task-state").out


def test_changes_that_look_alike_are_made_visible(cli, write_json):
    old = {"a": "pay\u200b", "b": "e\u0301", "c": "x\u00a0y"}
    new = {"a": "pay", "b": "é", "c": "x y"}
    out = cli("diff", write_json("a.json", old), write_json("b.json", new)).out
    for mark in ("pay\\u200b", "e\\u0301", "\\u00e9", "x\\u00a0y"):
        assert mark in out


def test_a_letter_of_another_script_is_made_visible(cli, write_json):
    base, target = {"to": "p\u0430ypal"}, {"to": "paypal"}
    out = cli("diff", write_json("a.json", base), write_json("b.json", target)).out
    assert '"p\\u0430ypal" -> "paypal"' in out


def test_a_long_text_is_shown_near_its_first_difference(cli, write_json):
    filler = "all work and no play makes Jack a dull boy. " * 50
    one = write_json("a.json", {"draft": f"{filler}The refund is 899.00 EUR. {filler}"})
    two = write_json("b.json", {"draft": f"{filler}The refund is refused. {filler}"})
    out = cli("diff", one, two).out
    assert "899.00" in out
    assert "refused" in out
    assert max(map(len, out.splitlines())) < 200
    assert "places" not in out


def test_a_long_text_that_differs_in_several_words_says_so(cli, write_json):
    filler = "all work and no play makes Jack a dull boy. " * 5
    one = write_json("a.json", {"draft": f"Once {filler}The refund is 899.00 EUR."})
    two = write_json("b.json", {"draft": f"Twice {filler}The refund is 0 EUR."})
    assert "(differs in 2 places)" in cli("diff", one, two).out
