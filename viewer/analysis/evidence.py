"""What the state proves: identifiers in rows that the runtime wrote after a tool answered."""

from dataclasses import dataclass
from typing import Any

from viewer.chain import Chain
from viewer.jsontext import source_text
from viewer.pointer import find, join, pattern
from viewer.profiles import Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """An identifier that a tool returned."""

    id: str
    checkpoint_id: str
    """The first checkpoint on the lineage that holds it."""
    pointer: str
    """Its place there."""


def evidence_rows(state: Any, profile: Profile) -> list[Any]:
    """Return the evidence rows of ``state``; none where the profile names no such field."""
    found = profile.field("evidence", state)
    return found if isinstance(found, list) else []


def row_ok(row: Any, profile: Profile) -> bool:
    """Return whether the tool of an evidence row succeeded: its mark must be exactly ``true``."""
    grounding = profile.file.grounding
    return grounding is not None and find(row, grounding.evidence_ok) is True


def identifier_text(value: Any) -> str | None:
    """Return an identifier as text: a text that is not empty, or an integer; else None."""
    if isinstance(value, str):
        return value or None
    return source_text(value) if type(value) is int and abs(value) < 2**63 else None


def proven_ids(state: Any, profile: Profile) -> dict[str, str]:
    """Return each identifier that a successful row of ``state`` returned, with its first place."""
    return _Rows(profile).proven(state)


def lineage_evidence(chain: Chain, index: int) -> tuple[Evidence, ...]:
    """Return what the state at ``index`` proves, each with the checkpoint where it first stood.

    Raises:
        SelectionError: that checkpoint has no readable state.
    """
    rows = _Rows(chain.profile)
    now = rows.proven(chain.state(index))
    first: dict[str, Evidence] = {}
    at: int | None = index
    while at is not None and now:
        checkpoint = chain.checkpoints[at]
        if checkpoint.has_state:
            for name, pointer in rows.proven(chain.states[at]).items():
                if name in now:
                    first[name] = Evidence(
                        id=name, checkpoint_id=checkpoint.checkpoint_id, pointer=pointer
                    )
        at = checkpoint.parent
    return tuple(first[name] for name in now)


class _Rows:
    """Reads rows; one that many checkpoints share is read once."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        rules = profile.file.grounding
        self.ids = pattern(rules.evidence_ids) if rules and rules.evidence_ids else None
        self.known: dict[int, tuple[Any, list[tuple[str, str]]]] = {}

    def proven(self, state: Any) -> dict[str, str]:
        where = self.profile.file.fields.evidence
        found: dict[str, str] = {}
        for i, row in enumerate(evidence_rows(state, self.profile)):
            for name, inside in self._row(row):
                found.setdefault(name, f"{where}{join((i,))}{inside}")
        return found

    def _row(self, row: Any) -> list[tuple[str, str]]:
        known = self.known.get(id(row))
        if known is None:
            known = row, self._read(row)
            self.known[id(row)] = known
        return known[1]

    def _read(self, row: Any) -> list[tuple[str, str]]:
        if self.ids is None or not row_ok(row, self.profile):
            return []
        named = ((identifier_text(v), join(at)) for at, v in self.ids.select(row))
        return [(name, pointer) for name, pointer in named if name is not None]
