"""What the Diff page shows of a pair: its changes, their verdicts, and what is new to the model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from viewer.analysis.diff import PairingNote, diff
from viewer.analysis.loose_diff import Loose, loose_diff
from viewer.analysis.observation_change import observation_change
from viewer.analysis.observe import Observation, observe, shown_instead, verdict
from viewer.analysis.paired import Paired
from viewer.analysis.shown_places import Verdict
from viewer.analysis.summary import summary
from viewer.analysis.written import written_between
from viewer.chain import Chain
from viewer.errors import PointerError
from viewer.model import Change
from viewer.panels.observed_since import since_payload
from viewer.panels.titles import checkpoint_title
from viewer.ui import cache
from viewer.ui.bases import Base, Key
from viewer.ui.chosen import Chosen
from viewer.ui.pair import Pair
from viewer.ui.troubles import stop

_OWN = "compared_with_file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A pair of states, compared."""

    changes: Sequence[Change]
    notes: Sequence[PairingNote]
    paired: Mapping[str, str]
    """Pointer of a list → by what its items were paired; empty for a loose comparison."""
    summary: str
    observation: Observation
    verdicts: Sequence[Verdict]
    seen: Sequence[Any]
    since: Mapping[str, Any] | None
    why: str
    """Where the observation comes from; and why nothing is known to be new in it, where that is so."""

    def payload(self, chosen: Chosen, base: Base) -> dict[str, Any]:
        """Return the arguments of the panel's payload beside the changes."""
        chain, within = chosen.chain, base.kind == "here"
        return {
            "base_title": base.title,
            "target_title": checkpoint_title(chain, chosen.target),
            "target": chain.state(chosen.target),
            "observation": (self.observation.kind, self.observation.value),
            "why": self.why,
            "verdicts": self.verdicts,
            "seen": self.seen,
            "profile": chain.profile,
            # Only inside a chain a line of steps leads from one to the other.
            "written": written_between(chain, base.index, chosen.target)
            if within and base.index is not None
            else {},
            "summary": self.summary,
            "paired": self.paired,
            "since": self.since,
            "index": chosen.target,
            "base_index": base.index if within else None,
            "swaps": base.kind in ("here", "elsewhere"),
        }


def compare(chosen: Chosen, pair: Pair) -> Comparison:
    """Return the comparison of the pair; says above it what a loose one passes over.

    Stops the script where an ignore rule is no pattern.
    """
    base = pair.base
    place = (ascii(chosen.source.name), cache.stamp(chosen.source.location), ascii(chosen.ref))
    key = (*place, chosen.target, base.key)
    chain, target = chosen.chain, chosen.target
    exact = _kept(base, key, lambda: _exact(chain, target, base.state))
    if pair.loose == Loose():
        return exact
    try:
        found = _kept(
            base, (*key, repr(pair.loose)), lambda: _loose(chain, target, base.state, pair.loose)
        )
    except PointerError as error:
        stop("That is no pattern", str(error))
    folded = len(exact.changes) - len(found.changes)
    st.info(f"Compared loosely: {folded} of the exact comparison's changes do not count.")
    return found


def _kept(base: Base, key: Key, make: Callable[[], Comparison]) -> Comparison:
    """Return what ``make`` returned for ``key``; with an uploaded file only in this session."""
    if base.kind != "file":
        return _shared(key, make)
    held: dict[Key, Comparison] = st.session_state.get(_OWN, {})
    if key not in held:
        held = {**dict(list(held.items())[-1:]), key: make()}
        st.session_state[_OWN] = held
    return held[key]


@st.cache_resource(max_entries=64, show_spinner="Comparing …")
def _shared(key: Key, _make: Callable[[], Comparison]) -> Comparison:
    return _make()


def _exact(chain: Chain, target: int, base: Any) -> Comparison:
    paired, notes = Paired(), list[PairingNote]()
    changes = diff(base, chain.state(target), chain.profile.lists, notes, paired)
    return _judged(chain, target, base, changes, notes, paired.words(changes))


def _loose(chain: Chain, target: int, base: Any, loose: Loose) -> Comparison:
    changes = loose_diff(base, chain.state(target), loose, chain.profile.lists)
    return _judged(chain, target, base, changes, (), {})


def _judged(
    chain: Chain,
    target: int,
    base: Any,
    changes: Sequence[Change],
    notes: Sequence[PairingNote],
    paired: Mapping[str, str],
) -> Comparison:
    observation = observe(chain, target)
    since, reason = observation_change(chain, target, observation)
    known = observation.kind != "unknown"

    return Comparison(
        changes=changes,
        notes=notes,
        paired=paired,
        summary=summary(changes, base, chain.state(target), chain.profile),
        observation=observation,
        verdicts=[verdict(chain, change, observation) for change in changes],
        seen=[shown_instead(chain, change, observation) for change in changes]
        if observation.calls is not None
        else (),
        since=None if since is None else since_payload(since),
        why=observation.why if since or not known else f"{observation.why}; {reason}",
    )
