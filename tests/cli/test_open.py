import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from viewer.cli.open import _environment, address, named_places, streamlit_command
from viewer.settings import settings
from viewer.sources.dsn import locate


@pytest.fixture
def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def started(root, free_port, tmp_path):
    """The app, started from a folder in which a hostile module lies about."""
    (tmp_path / "streamlit.py").write_text("raise SystemExit('imported')")
    command = [
        *(sys.executable, "-P", "-m", "viewer", "open", "--json", "--no-browser"),
        *("--port", str(free_port), str(root / "sample_runs" / "T-80001"), "--thread", "T-80001"),
    ]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as app:
        try:
            yield app, free_port
        finally:
            app.terminate()


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_the_app_starts_on_the_loopback_interface_and_stops_when_told(started, root, told):
    app, port = started
    document = json.loads(_document(app.stdout))
    schema = json.loads((root / "schemas" / "cli" / "open.schema.json").read_text())
    Draft202012Validator(schema).validate(document)
    assert document["url"] == f"http://127.0.0.1:{port}/timeline?thread=T-80001"
    assert [row["source"] for row in document["sources"]] == [str(root / "sample_runs" / "T-80001")]
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health") as answer:
        assert answer.status == 200
    app.send_signal(told)
    assert app.wait(timeout=20) == 0
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port), timeout=1)


def _document(stream):
    lines = []
    for line in stream:
        lines.append(line)
        if line == b"}\n":
            break
    return b"".join(lines)


def test_a_port_that_is_taken_is_named(cli, sample):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = cli("open", sample("T-80001"), "--port", str(port), "--no-browser")
    assert result.code == 2
    assert f"port {port} is taken" in result.err


def test_the_server_is_bound_to_this_machine_and_tells_nobody():
    command = streamlit_command(8600)
    pairs = dict(zip(command[5::2], command[6::2], strict=True))
    assert pairs["--server.address"] == "127.0.0.1"
    assert pairs["--browser.gatherUsageStats"] == "false"
    assert Path(command[4]).name == "app.py"


@pytest.mark.parametrize(
    ("thread", "namespace", "url"),
    [
        pytest.param(None, None, "http://127.0.0.1:8600/", id="first page"),
        pytest.param("a b&c", None, "http://127.0.0.1:8600/timeline?thread=a+b%26c", id="thread"),
        pytest.param("t", "", "http://127.0.0.1:8600/timeline?thread=t&namespace=", id="root"),
    ],
)
def test_the_address_leads_to_the_thread(thread, namespace, url):
    assert address(8600, thread, namespace) == url


def test_the_sample_runs_open_where_no_source_is_named(root):
    assert named_places([]) == [root / "sample_runs"]


def test_a_relative_source_is_made_absolute_and_named_once(root, monkeypatch):
    monkeypatch.chdir(root / "sample_runs")
    found = named_places(["T-80001", "T-80001"])
    assert found == [root / "sample_runs" / "T-80001"]


def test_a_path_with_a_colon_reaches_the_app(tmp_path):
    folder = tmp_path / f"a{os.pathsep}b"
    folder.mkdir()
    places = named_places([str(folder)])
    told = _environment(places, argparse.Namespace(profile=None, format=None))
    assert settings(told).sources == (str(folder),)


def test_an_address_reaches_the_app_through_its_environment_alone():
    places = named_places([locate("postgresql://ann:hidden@db/runs")])
    assert str(places) == "[Dsn(name='postgresql:db/runs')]"
    told = _environment(places, argparse.Namespace(profile=None, format="langgraph-postgres"))
    assert settings(told).sources == ("postgresql://ann:hidden@db/runs",)
    assert "hidden" not in str(settings(told))


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        pytest.param(("--profile", "nonesuch"), "no profile 'nonesuch'", id="profile"),
        pytest.param(("--format", "nonesuch"), "no reader 'nonesuch'", id="reader"),
    ],
)
def test_what_does_not_exist_is_refused_before_the_app_starts(cli, sample, flags, says):
    result = cli("open", sample("T-80001"), *flags)
    assert result.code == 2
    assert says in result.err
