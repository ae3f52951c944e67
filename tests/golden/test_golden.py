"""The commands' output on every sample run, byte for byte; README.md says how to accept."""

import os
import shlex
from pathlib import Path

import pytest

from viewer.cli import run

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
RUNS = sorted(path.parent.name for path in (ROOT / "sample_runs").glob("*/about.json"))
SHORT = (
    "identify {source}",
    "runs {source} --check",
    "show {source}",
    "diff {source}",
    "check {source}",
    "usage {source}",
    "transcript {source}",
)
MORE = {
    "T-80001": (
        "show {source} --field /status",
        "show {source} --checkpoint @1 --field /evidence",
        "diff {source} --base @0 --target @1 --patch",
        "runs {source} --check --json",
        "show {source} --json",
        "check {source} --json",
        "usage {source} --json",
        "transcript {source} --json",
    ),
    "thr_invoice_42": ("show {source} --checkpoint @3", "diff {source} --json"),
    "broken-rubbish-in-working": ("check {source} --json",),
}


def transcript(name, capsysbinary):
    """Return what a person would see who types each command."""
    parts = []
    for line in (*SHORT, *MORE.get(name, ())):
        words = shlex.split(line.format(source=f"sample_runs/{name}"))
        capsysbinary.readouterr()
        code = run(words)
        out, err = capsysbinary.readouterr()
        parts.append(
            f"$ checkpoint-viewer {shlex.join(words)}\n{(out + err).decode()}[exit {code}]\n"
        )
    return "\n".join(parts)


@pytest.mark.parametrize("name", RUNS)
def test_output_is_as_accepted(name, capsysbinary, monkeypatch):
    monkeypatch.chdir(ROOT)
    for variable in [v for v in os.environ if v.startswith("CHECKPOINT_VIEWER_")]:
        monkeypatch.delenv(variable)
    actual = transcript(name, capsysbinary)
    golden = HERE / f"{name}.txt"
    if os.environ.get("GOLDEN") == "accept":
        golden.write_text(actual, encoding="utf-8")
    if not golden.exists() or golden.read_text(encoding="utf-8") != actual:
        beside = golden.with_suffix(".actual")
        beside.write_text(actual, encoding="utf-8")
        pytest.fail(f"{golden.name} differs from {beside.name}; see tests/golden/README.md")


def test_every_golden_file_has_its_run():
    assert sorted(path.stem for path in HERE.glob("*.txt")) == RUNS
