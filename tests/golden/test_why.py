"""What ``why`` prints on every sample run, byte for byte; README.md says how to accept.

Each file stands in ``why/``. Ages are told from a fixed time.
"""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from viewer.cli import run

HERE = Path(__file__).parent / "why"
ROOT = Path(__file__).parents[2]
RUNS = sorted(path.parent.name for path in (ROOT / "sample_runs").glob("*/about.json"))
NOW = datetime(2026, 12, 1, tzinfo=UTC)
AS_JSON = ("T-80001", "langgraph-interrupt-fork")


@pytest.mark.parametrize("name", RUNS)
def test_why_says_what_was_accepted(name, capsysbinary, monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("viewer.cli.why.now", lambda: NOW)
    for variable in [v for v in os.environ if v.startswith("CHECKPOINT_VIEWER_")]:
        monkeypatch.delenv(variable)
    parts = []
    for words in (["why"], ["why", "--json"] if name in AS_JSON else None):
        if words is None:
            continue
        capsysbinary.readouterr()
        code = run([*words, f"sample_runs/{name}"])
        out, err = capsysbinary.readouterr()
        parts.append(f"{(out + err).decode()}[exit {code}]\n")
    actual = "\n".join(parts)
    golden = HERE / f"{name}.txt"
    if os.environ.get("GOLDEN") == "accept":
        golden.write_text(actual, encoding="utf-8")
    if not golden.exists() or golden.read_text(encoding="utf-8") != actual:
        beside = golden.with_suffix(".actual")
        beside.write_text(actual, encoding="utf-8")
        pytest.fail(f"{golden.name} differs from {beside.name}; see tests/golden/README.md")


def test_every_accepted_answer_has_its_run():
    assert sorted(path.stem for path in HERE.glob("*.txt")) == RUNS
