"""A panel asks Python while a person works in it; the page is not drawn anew for that."""

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.browser

ASK = """(questions) => Promise.all(questions.map(([id, kind, args]) => new Promise((done) => {
  const heard = ({ detail }) => {
    if (detail.id !== id) return;
    document.removeEventListener("checkpointanswer", heard);
    done("error" in detail ? `error: ${detail.error}` : detail.answer);
  };
  document.addEventListener("checkpointanswer", heard);
  document.dispatchEvent(new CustomEvent("checkpointask", { detail: { id, kind, args } }));
})))"""


@pytest.mark.parametrize("steps", [0, 3], ids=["at rest", "while stepping"])
def test_questions_are_answered(open_at: Callable[[str], Any], samples: str, steps: int) -> None:
    page = open_at(f"{samples}/timeline?source=T-80001")
    for _ in range(steps):
        page.keyboard.press("ArrowLeft")
    found = page.evaluate(
        ASK,
        [
            ["a", "value", {"index": 3, "pointer": "/stop_reason"}],
            ["b", "value", {"index": 0, "pointer": "/no such field"}],
            ["c", "no such kind", {}],
        ],
    )
    assert found[0] == '"max_steps"'
    assert "no such field" in found[1]
    assert found[2] == "error: nobody answers 'no such kind'"
