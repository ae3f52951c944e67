import pytest

from viewer.ui.amounts import amount


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
