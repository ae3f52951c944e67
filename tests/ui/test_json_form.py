"""JSON in an editor: what nobody sees is written out, and means the same."""

import json

import pytest

from viewer.jsontext import dumps
from viewer.ui.json_form import _seen


@pytest.mark.parametrize("hidden", ["\u202e", "\u200b", "\x7f", "\U000e0041", "\ufeff"])
def test_hidden_characters_are_escapes_with_the_same_meaning(hidden: str) -> None:
    value = {f"a{hidden}": [f"{hidden}b", "\u00e9 \U0001f604"]}
    shown = _seen(dumps(value, indent=2))
    assert hidden not in shown
    assert "\U0001f604" in shown
    assert json.loads(shown) == value
