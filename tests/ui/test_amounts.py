from dataclasses import replace

import pytest

from viewer.ui import amounts
from viewer.ui.amounts import amount
from viewer.ui.selection import Selection


@pytest.mark.parametrize(
    ("field", "value", "shown"),
    [
        ("cost_usd", 0.0, "$0"),
        ("cost_usd", 1.25, "$1.25"),
        ("cost_usd", None, "no record"),
        ("input_tokens", 6104, "6,104"),
        ("model_seconds", 9.981, "9.981 s"),
        ("model_calls", 0, "0"),
    ],
)
def test_amount_tells_zero_from_no_record(field: str, value: float | None, shown: str) -> None:
    assert amount(field, value) == shown


def test_two_quick_switches_both_count(monkeypatch: pytest.MonkeyPatch) -> None:
    # The second is called before the page was drawn again, so with what it was drawn with before.
    held = [Selection()]
    monkeypatch.setattr(amounts.selection, "current", lambda: held[0])
    monkeypatch.setattr(
        amounts.selection, "choose", lambda **p: held.append(replace(held.pop(), **p))
    )
    amounts.switch("cumulative", True)
    amounts.switch("clock", True)
    assert held[0].view == "cumulative,clock"
    amounts.switch("cumulative", False)
    assert held[0].view == "clock"
    amounts.switch("clock", False)
    assert held[0].view is None
