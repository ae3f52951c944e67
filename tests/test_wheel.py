"""The wheel alone, in an empty environment outside the checkout, is the whole product."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel, install it with its dependencies, return the environment's bin folder."""
    place = tmp_path_factory.mktemp("wheel")
    run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", place, ROOT],
        place,
    )
    wheel = next(place.glob("*.whl"))
    venv.create(place / "env", with_pip=True)
    binaries = place / "env" / "bin"
    run([binaries / "pip", "install", "-q", wheel], place)
    return binaries


def run(command: list[str | Path], cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run ``command`` outside the checkout; a failure shows its output."""
    clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(command, cwd=cwd, env=clean, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done


def test_wheel_opens_a_source(installed: Path, tmp_path: Path) -> None:
    source = tmp_path / "run.jsonl"
    source.write_text('{"n": 1}\n{"n": 2}\n')
    found = json.loads(
        run([installed / "checkpoint-viewer", "runs", source, "--json"], tmp_path).stdout
    )
    assert [(t["reader"], t["checkpoints"]) for t in found["threads"]] == [("jsonl", 2)]


def test_wheel_carries_samples_and_profiles(installed: Path, tmp_path: Path) -> None:
    code = "from viewer.settings import bundle; print(bundle())"
    bundle = Path(run([installed / "python", "-c", code], tmp_path).stdout.strip())
    assert not bundle.is_relative_to(ROOT)
    samples = bundle / "sample_runs" / "T-80001"
    found = json.loads(
        run([installed / "checkpoint-viewer", "runs", samples, "--json"], tmp_path).stdout
    )
    assert [t["profile"] for t in found["threads"]] == ["task-state"]


@pytest.fixture
def port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


def test_wheel_starts_the_app(installed: Path, tmp_path: Path, port: int) -> None:
    command = [installed / "checkpoint-viewer", "open", "--no-browser", "--port", str(port)]
    with (tmp_path / "app.log").open("wb") as log:
        app = subprocess.Popen(command, cwd=tmp_path, stdout=log, stderr=subprocess.STDOUT)
    try:
        wait_until_healthy(app, port, tmp_path / "app.log")
    finally:
        app.terminate()
        app.wait(20)


def wait_until_healthy(app: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    """Return when the server answers; fail with its log when it ends or stays silent."""
    end = time.monotonic() + 90
    while time.monotonic() < end:
        assert app.poll() is None, log.read_text()[-3000:]
        try:
            with urllib.request.urlopen(
                f"http://127.0.0.1:{port}/_stcore/health", timeout=2
            ) as answer:
                assert answer.read() == b"ok"
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"no answer on port {port}: {log.read_text()[-3000:]}")
