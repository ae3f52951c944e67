"""What the Runs and Usage pages keep beside `viewer.ui.cache`, under the same keys."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from viewer.analysis.growth import Growth, growth
from viewer.analysis.usage import UsageReport, usage
from viewer.chain import Chain
from viewer.model import ThreadRef
from viewer.sources import Source
from viewer.ui.cache import Stamp, chain, stamp

_KEYS: dict[str | type, Any] = {ThreadRef: ascii}


@st.cache_resource(max_entries=128, show_spinner=False, hash_funcs=_KEYS)
def _usage(name: str, stamped: Stamp, ref: ThreadRef, _chain: Chain) -> UsageReport:
    return usage(_chain)


def spent(source: Source, ref: ThreadRef) -> UsageReport:
    """Return what the steps of a chain cost.

    Raises:
        ViewerError: it cannot be read.
    """
    held = chain(source, ref)
    return _usage(ascii(source.name), stamp(source.location), ref, held)


@st.cache_resource(
    max_entries=64, show_spinner="Measuring every field at every step …", hash_funcs=_KEYS
)
def _growth(name: str, stamped: Stamp, ref: ThreadRef, _chain: Chain) -> Growth:
    return growth(_chain)


def sizes(source: Source, ref: ThreadRef) -> Growth:
    """Return how large each field is along the lineage of the live head.

    Raises:
        ViewerError: it cannot be read.
    """
    return _growth(ascii(source.name), stamp(source.location), ref, chain(source, ref))


@st.cache_resource(show_spinner=False)
def judged() -> dict[tuple[str, ThreadRef], tuple[Stamp, Mapping[str, Any]]]:
    """Return what was found of each thread, by its source's name, with the stamp it was found under.

    The Runs page fills it, and drops the oldest where there are too many.
    """
    return {}
