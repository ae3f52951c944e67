"""The wheel alone, in an empty environment outside the checkout, is the whole product."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
import venv
from collections.abc import Mapping
from importlib.metadata import (
    Distribution,
    distribution,
    distributions,
    packages_distributions,
)
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(False, id="dependencies linked"),
        pytest.param(True, id="dependencies from the index", marks=pytest.mark.slow),
    ],
)
def installed(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """Build the wheel, install it with its dependencies, return the environment's bin folder.

    The dependencies that the wheel declares, and theirs, are there and nothing else is: links into
    this environment, or copies fetched by pip, which takes a minute.
    """
    place = tmp_path_factory.mktemp("wheel")
    run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", place, ROOT],
        place,
    )
    wheel = next(place.glob("*.whl"))
    venv.create(place / "env", with_pip=request.param)
    binaries = place / "env" / "bin"
    if request.param:
        run([binaries / "pip", "install", "-q", wheel], place)
        return binaries
    pip = [sys.executable, "-m", "pip", "--python", binaries / "python"]
    run([*pip, "install", "-q", "--no-deps", "--no-index", "--no-compile", wheel], place)
    (site,) = (place / "env" / "lib").glob("python*/site-packages")
    (own,) = distributions(name="checkpoint-viewer", path=[str(site)])
    owners = packages_distributions()
    for needed in closure(own):
        link(needed, site, owners)
    return binaries


def closure(own: Distribution) -> list[Distribution]:
    """Return what ``own`` declares and what that declares in turn, in the versions installed here.

    A version that a declaration does not admit fails.
    """
    found: dict[tuple[str, frozenset[str]], Distribution] = {}
    waiting: list[tuple[Distribution, frozenset[str]]] = [(own, frozenset())]
    while waiting:
        needs, extras = waiting.pop()
        for wanted in map(Requirement, needs.requires or ()):
            chosen = ({"extra": extra} for extra in ("", *extras))
            if wanted.marker and not any(map(wanted.marker.evaluate, chosen)):
                continue
            key = canonicalize_name(wanted.name), frozenset(wanted.extras)
            if key not in found:
                found[key] = distribution(wanted.name)
                waiting.append((found[key], key[1]))
            assert wanted.specifier.contains(found[key].version, prereleases=True), wanted
    return list({name: one for (name, _), one in found.items()}.values())


def link(needed: Distribution, site: Path, owners: Mapping[str, list[str]]) -> None:
    """Link an installed distribution into another site-packages.

    Folder by folder, but file by file where a folder has more than one owner.
    """
    assert needed.files, needed.name
    parts = {
        Path(file if len(set(owners.get(file.parts[0], ()))) > 1 else file.parts[0])
        for file in needed.files
        if file.parts[0] not in ("..", "__pycache__")
    }
    for part in parts:
        (site / part).parent.mkdir(parents=True, exist_ok=True)
        (site / part).symlink_to(needed.locate_file(part))


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
