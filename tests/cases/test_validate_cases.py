"""Cases 84 to 92: states and schemas on which other validators gave a wrong or useless answer."""

import json
from pathlib import Path
from typing import Any

import pytest

from viewer import cli
from viewer.analysis.schema import Fault, compile_schema
from viewer.errors import SchemaFileError

CASES = Path(__file__).parent
FOLDERS = {path.name[:2]: path for path in CASES.iterdir() if path.name[:2] in ("84", "86", "87")}
FOLDERS |= {path.name[:2]: path for path in CASES.iterdir() if path.name[:2] in ("89", "91", "92")}


def read(number: str, name: str) -> Any:
    return json.loads((FOLDERS[number] / name).read_text(encoding="utf-8"))


def faults(number: str) -> list[Fault]:
    return compile_schema(read(number, "schema.json")).faults(read(number, "state.json"))


@pytest.mark.parametrize("number", ["84", "87", "89", "91"])
def test_every_fault_has_the_place_and_keyword_that_the_case_states(number: str) -> None:
    wanted = read(number, "case.json")["expect"]["violations"]
    found = [{"path": f.pointer, "keyword": f.keyword} for f in faults(number)]
    assert sorted(found, key=str) == sorted(wanted, key=str)


def test_86_the_second_branch_is_told_beside_the_first() -> None:
    (fault,) = faults("86")
    assert fault.pointer == read("86", "case.json")["expect"]["violations_at"]
    assert fault.keyword == "anyOf"
    assert "branch 2: /0/job/name is missing" in fault.causes
    assert "branch 1: /0/nodeset is missing" in fault.causes


def test_87_the_eight_places_are_told_apart() -> None:
    assert len({f.pointer for f in faults("87")}) == 8


def test_91_the_order_is_the_same_on_every_run_and_by_place() -> None:
    runs = {tuple(f.pointer for f in faults("91")) for _ in range(20)}
    assert runs == {("/items/1", "/items/3", "/n", "/title")}
    assert compile_schema({"type": "integer"}).faults(2.0) == []


def test_92_a_broken_schema_judges_no_state() -> None:
    with pytest.raises(SchemaFileError) as caught:
        faults("92")
    assert caught.value.pointers == ("/properties/n/type", "/required")
    for words in (*caught.value.pointers, "neither", "valid", "invalid"):
        assert words in str(caught.value)


def check(capsysbinary: pytest.CaptureFixture[bytes], number: str, *options: str) -> Any:
    """Return exit code and both outputs of ``check`` on a case's files."""
    folder = FOLDERS[number]
    state, schema = str(folder / "state.json"), str(folder / "schema.json")
    code = cli.run(["check", state, "--schema", schema, *options])
    out, err = capsysbinary.readouterr()
    return code, out.decode(), err.decode()


@pytest.mark.parametrize("number", ["84", "86", "87", "89", "91"])
def test_the_command_line_prints_what_the_case_states(
    capsysbinary: pytest.CaptureFixture[bytes], number: str
) -> None:
    code, out, _ = check(capsysbinary, number, "--json")
    assert code == 1
    found = [{"path": r["pointer"], "keyword": r["keyword"]} for r in json.loads(out)["violations"]]
    expect = read(number, "case.json")["expect"]
    if "violations" in expect:
        assert sorted(found, key=str) == sorted(expect["violations"], key=str)
    else:
        assert found == [{"path": expect["violations_at"], "keyword": "anyOf"}]


def test_86_a_person_reads_which_branch_fails_where(
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    _, out, _ = check(capsysbinary, "86")
    assert "branch 2: /0/job/name is missing" in out


def test_92_the_command_line_names_the_places_in_the_schema_and_judges_nothing(
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    code, out, err = check(capsysbinary, "92")
    assert (code, out) == (2, "")
    assert "#/properties/n/type" in err
    assert "#/required" in err
