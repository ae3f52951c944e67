"""A JSON value in a form: each scalar in a field of its own type, or all of it as JSON text."""

from collections.abc import Callable, Iterator
from typing import Any

import streamlit as st

from viewer import patch
from viewer.errors import ParseFault
from viewer.jsontext import dumps, source_text, type_name
from viewer.limits import DEFAULT_LIMITS
from viewer.model import MISSING
from viewer.pointer import Tokens, exists, find, join
from viewer.sources.json_bytes import parse
from viewer.ui.say import literal, visible

_FIELDS = 14
_LONG = 60
_MODES = ("Form", "JSON")


def edit_value(recorded: Any, value: Any, *, key: str) -> Any:
    """Draw an editor of ``value``; return what it holds, or `MISSING` while that is no JSON.

    The form has the scalars of ``value``, and its lists of texts, in their own types: a number
    stays a number. What a form cannot hold is edited as JSON.

    Args:
        recorded: the value as stored; a field that differs from it is marked.
        value: where editing starts.
        key: of the widgets; another key starts afresh.
    """
    places = list(_places(value, ()))
    fits = 0 < len(places) <= _FIELDS
    mode = "JSON"
    if fits:
        picked = st.segmented_control(
            "As",
            _MODES,
            default="Form",
            required=True,
            key=f"{key}:mode",
            label_visibility="collapsed",
        )
        mode = picked or "Form"
    if mode == "JSON":
        return _as_json(value, key)
    operations = []
    columns = st.columns(2)
    for number, at in enumerate(places):
        old = find(value, at)
        same = exists(recorded, at) and find(recorded, at) == old
        with columns[number % 2] if _short(old) else st.container():
            new = _field(at, old, same, f"{key}:{join(at)}")
        if not _short(old):
            columns = st.columns(2)
        if new is MISSING:
            return MISSING
        if type(new) is not type(old) or new != old:
            operations.append({"op": "replace", "path": join(at), "value": new})
    return patch.apply(value, operations)


def _places(value: Any, at: Tokens) -> Iterator[Tokens]:
    """Yield the places of the scalars in ``value``, and of its lists of texts as a whole."""
    if at and _plain(value):
        yield at
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _places(part, (*at, key))
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from _places(part, (*at, number))


def _short(value: Any) -> bool:
    return len(source_text(value)) <= _LONG


def _plain(part: Any) -> bool:
    if isinstance(part, list):
        return all(isinstance(entry, str) for entry in part)
    return not isinstance(part, dict)


def _field(at: Tokens, old: Any, as_recorded: bool, key: str) -> Any:
    label = literal(join(at)) + ("" if as_recorded else " (changed)")
    if isinstance(old, bool):
        return st.toggle(label, old, key=key)
    if isinstance(old, list):
        text = st.text_input(f"{label}, separated by commas", ", ".join(map(visible, old)), key=key)
        if text == ", ".join(map(visible, old)):
            return old
        return [part.strip() for part in (text or "").split(",") if part.strip()]
    if old is None:
        text = st.text_input(label, "", placeholder="null", key=key)
        return text or None
    shown = visible(source_text(old))
    draw: Callable[..., Any] = (
        st.text_area if len(shown) > _LONG or "\n" in shown else st.text_input
    )
    text = draw(label, shown, key=key)
    if text == shown:
        return old
    if isinstance(old, str):
        return text or ""
    return _number(text or "", type_name(old))


def _number(text: str, kind: str) -> Any:
    try:
        found = parse(text.encode("utf-8", "surrogatepass"), DEFAULT_LIMITS.depth).value
    except ParseFault:
        found = None
    if isinstance(found, bool) or not isinstance(found, int | float):
        st.error(f"{literal(text)} is no {kind}. The verdicts are those of the value before.")
        return MISSING
    return found


def _seen(text: str) -> str:
    """Return JSON text in which the characters that nobody sees are written as JSON's escapes."""
    if visible(text) == text:
        return text
    pairs = ((char, char.encode("utf-16-be", "surrogatepass").hex()) for char in text)
    return "".join(
        char
        if visible(char) == char
        else "".join(f"\\u{units[n : n + 4]}" for n in range(0, len(units), 4))
        for char, units in pairs
    )


def _as_json(value: Any, key: str) -> Any:
    shown = _seen(dumps(value, indent=2))
    lines = min(max(shown.count("\n") + 2, 6), 22)
    text = st.text_area(
        "JSON", shown, height=lines * 20 + 20, key=f"{key}:json", label_visibility="collapsed"
    )
    if text == shown:
        return value
    try:
        found = parse((text or "").encode("utf-8", "surrogatepass"), DEFAULT_LIMITS.depth)
    except ParseFault as error:
        where = f"line {error.line}, column {error.column}: " if error.line is not None else ""
        st.error(
            f"{where}{literal(error.reason)}. The verdicts are those of the value before.",
            title="No JSON",
        )
        return MISSING
    for pointer in found.duplicate_keys:
        st.warning(f"{literal(pointer)} stands twice; the last one counts.")
    return found.value
