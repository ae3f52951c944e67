"""What a loose comparison passes over: its controls, and how the address carries it."""

from urllib.parse import parse_qs, urlencode

import streamlit as st

from viewer.analysis.loose_diff import Loose
from viewer.ui import selection

_MARK = "loose:"
"""How the parameter `tab` of the Diff page begins where the comparison is loose."""
_KEYS = ("loose_order", "loose_types", "loose_digits", "loose_ignore")


def in_address() -> Loose:
    """Return what the address says does not count; nothing where it says something else."""
    text = selection.current().tab or ""
    if not text.startswith(_MARK):
        return Loose()
    said = {name: values[0] for name, values in parse_qs(text[len(_MARK) :]).items()}
    digits = said.get("digits", "")
    return Loose(
        ignore_order="order" in said,
        ignore_number_type="types" in said,
        significant=int(digits)
        if digits.isascii() and digits.isdigit() and len(digits) < 3
        else None,
        ignore=tuple(said.get("ignore", "").split()),
    )


def words(loose: Loose) -> str | None:
    """Return ``loose`` as the address carries it; None for the exact comparison."""
    said = {
        "order": "1" if loose.ignore_order else "",
        "types": "1" if loose.ignore_number_type else "",
        "digits": "" if loose.significant is None else str(loose.significant),
        "ignore": " ".join(loose.ignore),
    }
    given = {name: value for name, value in said.items() if value}
    return _MARK + urlencode(given) if given else None


def as_options(loose: Loose) -> dict[str, object]:
    """Return ``loose`` as a diff document names it."""
    return {
        "ignore_order": loose.ignore_order,
        "ignore": list(loose.ignore),
        "significant": loose.significant,
        "ignore_number_type": loose.ignore_number_type,
    }


def pick_loose() -> Loose:
    """Draw the controls, set from the address, and return what they hold."""
    now = in_address()
    held = (now.ignore_order, now.ignore_number_type, now.significant, " ".join(now.ignore))
    for key, value in zip(_KEYS, held, strict=True):
        st.session_state[key] = value
    on = sum(value not in (False, None, "") for value in held)
    with st.popover("Compare loosely" if not on else f"Compared loosely ({on})"):
        st.checkbox("Ignore the order of lists", key=_KEYS[0], on_change=_picked)
        st.checkbox("1 and 1.0 are equal", key=_KEYS[1], on_change=_picked)
        st.number_input(
            "Decimals that count", min_value=0, max_value=15, key=_KEYS[2], on_change=_picked
        )
        st.text_input(
            "Ignore places",
            key=_KEYS[3],
            placeholder="/messages/*/id  re:_at$",
            help="JSON Pointer patterns or re: and an expression for key names, blank between",
            on_change=_picked,
        )
    return now


def _picked() -> None:
    order, types, digits, ignored = (st.session_state[key] for key in _KEYS)
    loose = Loose(
        ignore_order=order,
        ignore_number_type=types,
        significant=None if digits is None else int(digits),
        ignore=tuple(ignored.split()),
    )
    selection.choose(tab=words(loose))
