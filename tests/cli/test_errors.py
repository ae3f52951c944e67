import sys

import pytest

READING = ("runs", "show", "diff", "check", "usage", "transcript")


@pytest.mark.parametrize("command", ["open", "identify", *READING])
def test_a_missing_source_is_one_line_and_exit_2(cli, tmp_path, command):
    result = cli(command, tmp_path / "absent", "--json")
    assert (result.code, result.out) == (2, "")
    assert result.err == f"checkpoint-viewer: {tmp_path / 'absent'}: no such file or folder\n"


@pytest.mark.parametrize("command", READING)
def test_an_unknown_profile_is_named(cli, sample, command):
    result = cli(command, sample("T-80001"), "--profile", "nonesuch")
    assert result.code == 2
    assert "no profile 'nonesuch'" in result.err
    assert result.err.count("\n") == 1


@pytest.mark.parametrize("command", READING)
def test_an_unknown_reader_is_named(cli, sample, command):
    result = cli(command, sample("T-80001"), "--format", "nonesuch")
    assert result.code == 2
    assert "no reader 'nonesuch'" in result.err


@pytest.mark.parametrize("command", READING)
def test_an_unknown_thread_is_answered_with_those_there_are(cli, sample, command):
    result = cli(command, sample("T-80001"), sample("T-90103"), "--thread", "T-1")
    assert result.code == 2
    assert "no thread 'T-1': there are T-80001, T-90103" in result.err


@pytest.mark.parametrize("command", READING)
def test_an_unknown_namespace_is_answered_with_those_there_are(cli, sample, command):
    result = cli(command, sample("T-80001"), "--thread", "T-80001", "--namespace", "sub")
    assert result.code == 2
    assert "no namespace 'sub': there are ''" in result.err


@pytest.mark.parametrize("command", ["show", "diff", "transcript"])
def test_two_threads_ask_for_one_and_list_them(cli, sample, command):
    result = cli(command, sample("T-80001"), sample("T-90103"))
    assert result.code == 2
    assert "2 threads, name one with --thread: T-80001, T-90103" in result.err


def test_equal_thread_ids_are_told_apart_by_their_sources(cli, chain_file):
    one, two = chain_file("one/run.json", {"a": 1}), chain_file("two/run.json", {"a": 2})
    result = cli("show", one, two, "--thread", "run")
    assert result.code == 2
    assert f"run in {one}, run in {two}" in result.err


@pytest.mark.parametrize("command", ["show", "diff", "transcript"])
def test_one_thread_is_not_guessed_while_a_source_is_unread(cli, sample, tmp_path, command):
    result = cli(command, sample("T-80001"), tmp_path / "absent")
    assert (result.code, result.out) == (2, "")
    assert "absent: no such file" in result.err


def test_the_good_rest_is_shown_beside_a_source_that_cannot_be_read(cli, sample, tmp_path):
    result = cli("runs", tmp_path / "absent", sample("T-80001"), "--json")
    assert result.code == 0
    assert [row["thread_id"] for row in result.document["threads"]] == ["T-80001"]
    assert [row["source"] for row in result.document["problems"]] == [str(tmp_path / "absent")]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        pytest.param("nonesuch", "no checkpoint 'nonesuch'", id="unknown id"),
        pytest.param("@9", "@0 to @1", id="index past the end"),
        pytest.param("@-1", "no checkpoint", id="negative index"),
        pytest.param("@" + "9" * 5000, "no checkpoint", id="an index of 5,000 digits"),
    ],
)
@pytest.mark.parametrize("option", ["show --checkpoint", "diff --base", "diff --target"])
def test_a_checkpoint_that_is_not_there_is_named(cli, chain_file, option, name, says):
    command, flag = option.split()
    result = cli(command, chain_file("run.json", {"a": 1}, {"a": 2}), flag, name)
    assert result.code == 2
    assert says in result.err


def test_a_doubled_id_is_refused_with_its_indices(cli, write_json):
    twice = [{"checkpoint_id": "x", "state": {"a": n}} for n in range(2)]
    result = cli("show", write_json("run.json", twice), "--checkpoint", "x")
    assert result.code == 2
    assert "stands 2 times: name @0, @1" in result.err


@pytest.mark.parametrize(
    ("pointer", "says"),
    [
        pytest.param("a", "must be empty or begin with '/'", id="no slash"),
        pytest.param("/b", "nothing at /b", id="leads nowhere"),
        pytest.param("/~2", "'~' must be followed by 0 or 1", id="bad escape"),
    ],
)
def test_a_field_that_is_not_there_is_named(cli, chain_file, pointer, says):
    source = chain_file("run.json", {"a": 1})
    result = cli("show", source, "--checkpoint", "head", "--field", pointer)
    assert result.code == 2
    assert says in result.err


@pytest.mark.parametrize("command", ["show --checkpoint head", "diff", "transcript"])
def test_a_chain_without_a_checkpoint_says_what_could_not_be_read(cli, write_json, command):
    source = write_json("run.json", '{"a": 1,}')
    result = cli(*command.split(), source)
    assert result.code == 2
    assert "thread 'run' holds no checkpoint: " in result.err
    assert "run.json:1:" in result.err


def test_a_message_cannot_drive_the_terminal(cli, tmp_path):
    result = cli("runs", tmp_path / "\x1b[2Jgone\nrm -rf")
    assert result.code == 2
    assert result.err.count("\n") == 1
    assert "\x1b" not in result.err


def test_a_deep_document_ends_without_a_traceback(cli, write_json):
    depth = 100_000
    deep = write_json("deep.json", "[" * depth + "]" * depth)
    for arguments in (("runs", deep), ("diff", deep, deep), ("check", deep, "--schema", deep)):
        result = cli(*arguments)
        assert result.code == 2
        assert result.err.count("\n") == 1


@pytest.mark.parametrize("form", ["--json", "--format=json-file"])
def test_a_state_of_the_allowed_depth_is_printed(cli, write_json, form):
    state: dict[str, object] = {}
    for _ in range(390):
        state = {"a": state}
    source = write_json(
        "run.json", {"checkpoints": [{"state": state}, {"state": {**state, "b": 1}}]}
    )
    room = sys.getrecursionlimit()
    assert cli("show", source, "--checkpoint", "head", form).code == 0
    assert cli("diff", source, form).code == 1
    assert sys.getrecursionlimit() == room
