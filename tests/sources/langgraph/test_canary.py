"""The canary: what the newest LangGraph release stores is read as that release reads it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from viewer.sources import open_source

MAKE = Path(__file__).parents[2] / "data" / "langgraph" / "make"
NEWEST = ("langgraph", "langgraph-checkpoint-sqlite", "langchain")
OFFLINE = ("No matching distribution", "ConnectionError", "NewConnectionError", "Max retries")


@pytest.fixture(scope="module")
def newest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of stores that the newest release made in an environment of its own."""
    folder = tmp_path_factory.mktemp("newest")
    subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True)
    python = folder / "env" / "bin" / "python"
    install = [python, "-m", "pip", "install", "-q", "--upgrade", *NEWEST]
    done = subprocess.run(install, capture_output=True, text=True)
    if done.returncode and any(word in done.stderr for word in OFFLINE):
        pytest.skip("no package registry can be reached")
    assert done.returncode == 0, done.stderr
    for script in (
        ["make_new.py", "--no-postgres", "--into", folder],
        ["make_old.py", folder / "threads.sqlite"],
    ):
        made = subprocess.run(
            [python, MAKE / script[0], *script[1:]], capture_output=True, text=True
        )
        assert made.returncode == 0, made.stderr
    return folder


@pytest.mark.slow
def test_the_newest_release_is_read_as_it_reads_itself(
    newest: Path, compare: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    stores = sorted(newest.glob("*.sqlite"))
    assert len(stores) == 6
    told, fields, faults = {}, 0, []
    for path in stores:
        told = json.loads(path.with_name(f"{path.name}.expected.json").read_text("utf-8"))
        compared = compare(open_source(path), told)
        fields += sum(compared.counts.values())
        faults += compared.differences
    versions = ", ".join(f"{name} {number}" for name, number in told["made_by"].items())
    with capsys.disabled():
        sys.stdout.write(f"\n{versions}: {fields} fields of {len(stores)} stores compared\n")
    assert not faults, f"{versions}:\n" + "\n".join(map(str, faults))
    assert fields > 1_000
