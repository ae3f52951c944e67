"""What the state proves: identifiers in rows that the runtime wrote after a tool answered."""

from dataclasses import dataclass
from typing import Any

from viewer.chain import Chain
from viewer.jsontext import source_text
from viewer.pointer import Pattern, find, join, pattern
from viewer.profiles import Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """An identifier that a tool returned."""

    id: str
    checkpoint_id: str
    """The first checkpoint on the lineage that holds it."""
    pointer: str
    """Its place there."""


def provable(profile: Profile) -> bool:
    """Return whether the profile says where code records the identifiers that tools returned."""
    rules = profile.file.grounding
    named = rules is not None and rules.evidence_ids is not None
    return named and profile.file.fields.evidence is not None


def why_no_evidence(profile: Profile, rows: int) -> str:
    """Return why a state with ``rows`` evidence rows proves nothing."""
    if not provable(profile):
        return f"profile {profile.name} names no field in which code records what tools returned"
    if not rows:
        return "no tool's result is recorded in this state"
    many = "1 recorded result" if rows == 1 else f"{rows} recorded results"
    return f"{many}, and none of them succeeded and returned an identifier"


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
    found: dict[str, str] = {}
    ids = _ids(profile)
    for i, row in enumerate(evidence_rows(state, profile)):
        for name, pointer in _returned(row, i, ids, profile):
            found.setdefault(name, pointer)
    return found


def lineage_evidence(chain: Chain, index: int) -> tuple[Evidence, ...]:
    """Return what the state at ``index`` proves, each with the checkpoint where it first stood.

    Raises:
        SelectionError: that checkpoint has no readable state.
    """
    profile = chain.profile
    missing = set(now := proven_ids(chain.state(index), profile))
    ids = _ids(profile)
    first: dict[str, Evidence] = {}
    read: set[int] = set()
    for at in from_root(chain, index):
        if not missing:
            break
        if not chain.checkpoints[at].has_state:
            continue
        for i, row in enumerate(evidence_rows(chain.state(at), profile)):
            if id(row) in read:
                # One row that many checkpoints share.
                continue
            read.add(id(row))
            for name, pointer in _returned(row, i, ids, profile):
                if name in missing:
                    missing.remove(name)
                    where = chain.checkpoints[at].checkpoint_id
                    first[name] = Evidence(id=name, checkpoint_id=where, pointer=pointer)
    return tuple(first[name] for name in now)


def from_root(chain: Chain, index: int) -> list[int]:
    """Return the indices from the root of the checkpoint at ``index`` to it, oldest first."""
    found: list[int] = []
    at: int | None = index
    while at is not None:
        found.append(at)
        at = chain.checkpoints[at].parent
    return found[::-1]


def returned_by(row: Any, profile: Profile) -> tuple[str, ...]:
    """Return the identifiers that the tool of an evidence row returned; none where it failed."""
    return tuple(name for name, _ in _returned(row, 0, _ids(profile), profile))


def _ids(profile: Profile) -> Pattern | None:
    rules = profile.file.grounding
    return pattern(rules.evidence_ids) if rules and rules.evidence_ids else None


def _returned(
    row: Any, number: int, ids: Pattern | None, profile: Profile
) -> list[tuple[str, str]]:
    """Return the identifiers of a row and their places; none where the tool did not succeed."""
    if ids is None or not row_ok(row, profile):
        return []
    where = f"{profile.file.fields.evidence}{join((number,))}"
    named = ((identifier_text(value), join(at)) for at, value in ids.select(row))
    return [(name, where + inside) for name, inside in named if name is not None]
