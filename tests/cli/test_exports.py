import csv
import io
import json

import pytest


def test_a_diff_as_markdown(cli, sample):
    result = cli("diff", sample("T-80001"), "--target", "@2", "--markdown")
    assert result.code == 1
    assert result.out.startswith("## What changed: @1 → @2\n\n**`2 messages appended")
    assert "recorded for T-80001-2" in result.out
    assert "| changed | `/step` | `1` | `2` (+1) |" in result.out
    shown = [line for line in result.out.splitlines() if "`/messages/" in line]
    assert {line.split("|")[-2].strip() for line in shown} == {"shown"}


def test_a_diff_as_csv(cli, sample):
    result = cli("diff", sample("T-80001"), "--target", "@2", "--csv")
    found = list(csv.DictReader(io.StringIO(result.out, newline="")))
    rows = cli("diff", sample("T-80001"), "--target", "@2", "--json").document["changes"]
    assert [row["path"] for row in found] == [row["path"] for row in rows]
    step = next(row for row in found if row["path"] == "/step")
    assert (step["old"], step["new"], step["delta"]) == ("1", "2", "1")


def test_two_files_as_markdown_say_nothing_of_a_model(cli, write_json):
    one, two = write_json("a.json", {"n": 1}), write_json("b.json", {"n": 2})
    out = cli("diff", one, two, "--markdown").out
    assert "| change | place | old | new |\n" in out
    assert "the model" not in out
    same = cli("diff", one, one, "--markdown")
    assert (same.code, "no difference" in same.out) == (0, True)


def test_the_text_begins_with_the_sentence_and_json_carries_it(cli, write_json):
    one, two = write_json("a.json", {"n": 1, "m": [1]}), write_json("b.json", {"n": 2, "m": [1, 2]})
    assert cli("diff", one, two).out.splitlines()[1] == "n 1 → 2, 1 appended to /m"
    assert cli("diff", one, two, "--json").document["summary"] == "n 1 → 2, 1 appended to /m"
    assert cli("diff", one, one, "--json").document["summary"] == "no difference"


def test_a_state_as_csv(cli, chain_file):
    source = chain_file("run.json", {"n": -1, "t": "=1", "api_key": "long-secret-text"})
    result = cli("show", source, "--checkpoint", "@0", "--csv")
    found = {row[0]: row[1:] for row in csv.reader(io.StringIO(result.out, newline=""))}
    assert found["/n"] == ["integer", "-1"]
    assert found["/t"] == ["string", "'=1"]
    assert found["/api_key"][1].startswith("[masked ")
    field = cli("show", source, "--checkpoint", "@0", "--field", "/n", "--csv")
    assert field.out.splitlines() == ["pointer,type,value", "/n,integer,-1"]
    hidden = cli("show", source, "--checkpoint", "@0", "--field", "/api_key", "--csv")
    assert "long-secret-text" not in hidden.out


def test_a_state_as_markdown(cli, sample):
    result = cli("show", sample("T-80001"), "--checkpoint", "@1", "--markdown")
    assert result.code == 0
    assert result.out.startswith("## State of @1 `T-80001-1`, step 1, thread `T-80001` in")
    assert '| `/status` | string | `"running"` |' in result.out
    part = cli(
        "show", sample("T-80001"), "--checkpoint", "@1", "--field", "/usage", "--markdown"
    ).out
    assert "| `/usage/model_calls` | integer | `1` |" in part
    assert "/status" not in part


@pytest.mark.parametrize(
    "words",
    [
        ("diff", "--markdown", "--csv"),
        ("diff", "--markdown", "--json"),
        ("diff", "--csv", "--patch"),
        ("show", "--csv"),
        ("show", "--markdown"),
        ("show", "--csv", "--markdown", "--checkpoint", "@0"),
        ("show", "--csv", "--checkpoint", "@0", "--json"),
    ],
)
def test_one_form_at_a_time(cli, sample, words):
    command, *flags = words
    result = cli(command, sample("T-80001"), *flags)
    assert (result.code, result.out) == (2, "")


def test_secrets_are_masked_in_what_is_passed_on(cli, write_json):
    one = write_json("a.json", {"password": "swordfish-one"})
    two = write_json("b.json", {"password": "swordfish-two"})
    for form in ("--markdown", "--csv"):
        assert "swordfish" not in cli("diff", one, two, form).out
    assert json.loads(cli("diff", one, two, "--patch").out)[0]["value"] == "swordfish-two"
