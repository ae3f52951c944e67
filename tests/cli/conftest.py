import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from viewer.cli import run

ROOT = Path(__file__).parents[2]


class Result(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def root() -> Path:
    return ROOT


@pytest.fixture
def cli(capsysbinary: pytest.CaptureFixture[bytes]) -> Callable[..., Result]:
    """Runs one command line in this process."""

    def call(*arguments: str | Path) -> Result:
        capsysbinary.readouterr()
        code = run([str(a) for a in arguments])
        out, err = capsysbinary.readouterr()
        return Result(code, out.decode(), err.decode())

    return call


@pytest.fixture
def sample(root: Path) -> Callable[[str], str]:
    return lambda name: str(root / "sample_runs" / name)


@pytest.fixture
def write_json(tmp_path: Path) -> Callable[..., str]:
    """Writes a value as JSON (a text as it is) under the test's own folder."""

    def write(name: str, value: Any) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = value if isinstance(value, str) else json.dumps(value)
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


@pytest.fixture
def chain_file(write_json: Callable[..., str]) -> Callable[..., str]:
    """Writes plain states as one chain."""

    def write(name: str, *states: Any) -> str:
        return write_json(name, {"checkpoints": [{"state": state} for state in states]})

    return write
