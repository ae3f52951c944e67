"""Answers about the pair that the diff shows: its patch, and what stayed inside a field."""

from collections.abc import Mapping
from typing import Any

from viewer.analysis.diff import diff, to_patch
from viewer.jsontext import dumps
from viewer.panels.wire import capped, text_of
from viewer.pointer import escape, get
from viewer.ui.bases import kept_base
from viewer.ui.chosen import Chosen

_MOST = 200
"""Places told at once."""
_CHARACTERS = 20_000
"""Most characters sent of one unchanged value."""


def patch(chosen: Chosen, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the RFC 6902 patch from checkpoint ``base`` to ``target`` as text, and its length.

    Without ``base`` it is from what the page compares with: that may stand outside of the chain.
    """
    chain, base = chosen.chain, args["base"]
    base = kept_base() if base is None else chain.state(int(base))
    target = chain.state(int(args["target"]))
    operations = to_patch(base, diff(base, target, chain.profile.lists))
    return {"patch": dumps(operations, indent=2), "operations": len(operations)}


def base_value(chosen: Chosen, args: Mapping[str, Any]) -> str:
    """Return the JSON text of the value at ``pointer`` in the base that the page compares with."""
    return text_of(get(kept_base(), str(args["pointer"])))


def values(chosen: Chosen, args: Mapping[str, Any]) -> list[Any]:
    """Return the values at ``pointers`` in the state of checkpoint ``index``, long ones cut."""
    state = chosen.chain.state(int(args["index"]))
    return [capped(get(state, str(pointer)), _CHARACTERS) for pointer in args["pointers"][:_MOST]]


def untouched(chosen: Chosen, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return what stands at ``pointer`` in the state of checkpoint ``index``, ``touched`` aside.

    ``children`` are ``[pointer, value]``, long values cut; ``left`` counts those beyond the first
    two hundred.
    """
    place = str(args["pointer"])
    here = get(chosen.chain.state(int(args["index"])), place)
    touched = {str(token) for token in args["touched"]}
    pairs = here.items() if isinstance(here, dict) else enumerate(here)
    kept = [(token, value) for token, value in pairs if str(token) not in touched]
    return {
        "children": [
            [f"{place}/{escape(token)}", capped(value, _CHARACTERS)]
            for token, value in kept[:_MOST]
        ],
        "left": len(kept[_MOST:]),
    }
