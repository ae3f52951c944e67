"""Input that makes a careless program take its time."""

import json
import time
from pathlib import Path

import pytest

from viewer.cli import run


def test_two_long_texts_without_a_common_line_are_compared_at_once(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps([{"text": "a b " * 250_000}, {"text": "b c " * 250_000}]))
    before = time.process_time()
    assert run(["diff", str(path)]) == 1
    assert b"/text" in capsysbinary.readouterr().out
    assert time.process_time() - before < 2.0
