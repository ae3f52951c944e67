"""Answers how the app joins a write with what a channel holds, for the tree's inspector."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from viewer.analysis.reducers import known_reducers
from viewer.analysis.replay import edges
from viewer.chain import Chain
from viewer.ui import cache
from viewer.ui.chosen import Chosen

_WORDS = {
    "replace": "replaced by each write",
    "append": "each write is appended",
    "add": "each write is added to it",
    "merge": "each write is merged into it",
}


def reducers(chosen: Chosen, _: Mapping[str, Any]) -> Mapping[str, str]:
    """Answer how writes are joined, by channel; only where the steps of the chain show it."""
    return _known(cache.stamp(chosen.source.location), ascii(chosen.ref), chosen.chain)


@st.cache_data(max_entries=64, show_spinner=False)
def _known(stamped: cache.Stamp, ref: str, _chain: Chain) -> dict[str, str]:
    found = known_reducers(edges(_chain))
    return {channel: f"{_WORDS[name]}, as every step shows" for channel, name in found.items()}
