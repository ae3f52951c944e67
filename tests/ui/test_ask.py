"""Every kind of question that a panel asks has its answer, and no start waits for it."""

import re
import subprocess
import sys
from pathlib import Path

from viewer.ui.ask import ANSWERS, answerer

PANELS = Path(__file__).parents[2] / "viewer" / "panels"


def test_each_kind_that_panels_ask_is_answered() -> None:
    texts = [path.read_text(encoding="utf-8") for path in PANELS.glob("*.js")]
    asked = {kind for text in texts for kind in re.findall(r'\bask\(\s*"([a-z_]+)"', text)}
    assert len(asked) > 8
    assert asked <= set(ANSWERS)
    assert all(callable(answerer(kind)) for kind in ANSWERS)


def test_what_few_visits_need_is_not_imported_at_the_start() -> None:
    late = ["viewer.reports.html_report", "viewer.ui.pair_answers", "pandas", "deepdiff"]
    code = f"import sys, viewer.ui.page; print([m for m in {late} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
