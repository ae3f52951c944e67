"""The transcript beside the evidence: what a check on the messages would believe, what is proven.

Only the runtime writes evidence; a mention may be anyone's. A refusal mentions the identifier
that it refuses, and a draft may mention any.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from viewer.analysis.actions import proposed_actions
from viewer.analysis.evidence import (
    Evidence,
    evidence_rows,
    identifier_text,
    lineage_evidence,
    provable,
    row_ok,
    why_no_evidence,
)
from viewer.analysis.mentions import Mention, mentions
from viewer.analysis.messages import Message, messages
from viewer.chain import Chain
from viewer.model import ProposedAction, Writer
from viewer.pointer import find
from viewer.profiles import Profile

MENTIONED = "mentioned_not_proven"
UNPROVEN = "action_on_unproven"
PROVEN = "action_proven"
UNNAMED = "action_without_identifier"
_WORDS: Mapping[Writer, str] = {
    "user": "user",
    "model": "model",
    "system": "system",
    "tool_ok": "tool result",
    "tool_refused": "tool refusal",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundingFinding:
    """One identifier held against the transcript and against the state."""

    keyword: str
    """mentioned_not_proven, action_on_unproven; when a proposal is tried also action_proven and
    action_without_identifier."""
    identifier: str
    pointer: str
    """Of the first mention; for an action, of the identifier in the proposal (from its root when
    a proposal is tried, from the state's root when it stands there)."""
    believed_by_transcript: bool
    proved_by_state: bool
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """One state's messages, the identifiers in them, and what of that is proven."""

    mentions: tuple[Mention, ...]
    evidence: tuple[Evidence, ...]
    findings: tuple[GroundingFinding, ...]
    messages: tuple[Message, ...]
    why: str | None = None
    """Why there is no evidence; None where there is some."""


def transcript(chain: Chain, index: int | None = None) -> Transcript:
    """Return the transcript of the checkpoint at ``index`` (the live head) and its findings.

    Where the profile names no evidence field nothing could be proven, so nothing is found.

    Raises:
        ProfileError: an identifier pattern cannot be used.
    """
    at = chain.head if index is None else index
    if at is None or not chain.checkpoints[at].has_state:
        which = "the chain holds no checkpoint" if at is None else "no state can be read here"
        return Transcript(mentions=(), evidence=(), findings=(), messages=(), why=which)
    state, profile = chain.state(at), chain.profile
    listed = messages(state, profile)
    rows = evidence_rows(state, profile)
    rules = profile.file.grounding
    patterns = rules.identifiers if rules is not None else ()
    mentioned = mentions(listed, [row_ok(row, profile) for row in rows], patterns)
    evidence = lineage_evidence(chain, at)
    proven = {e.id for e in evidence}
    findings: list[GroundingFinding] = []
    if provable(profile):
        findings += (_mentioned(m, profile) for m in mentioned if m.id not in proven)
        where = profile.file.fields.proposal or ""
        tried = _tried(profile, profile.field("proposal", state), where, listed, mentioned, proven)
        findings += (finding for finding in tried if finding.keyword == UNPROVEN)
    return Transcript(
        mentions=mentioned,
        evidence=evidence,
        findings=tuple(findings),
        messages=listed,
        why=None if evidence else why_no_evidence(profile, len(rows)),
    )


def try_proposal(
    chain: Chain, proposal: Any, index: int | None = None
) -> tuple[GroundingFinding, ...]:
    """Return, for each action of ``proposal``, what both checks say of the identifier it acts on.

    The check on the transcript believes whatever stands in a message; the state proves only what
    a tool returned. The checkpoint is that at ``index``, by default the live head.

    Raises:
        ProfileError: an identifier pattern cannot be used.
    """
    found = transcript(chain, index)
    proven = {e.id for e in found.evidence}
    return _tried(chain.profile, proposal, "", found.messages, found.mentions, proven)


def _tried(
    profile: Profile,
    proposal: Any,
    where: str,
    listed: Sequence[Message],
    mentioned: Sequence[Mention],
    proven: set[str],
) -> tuple[GroundingFinding, ...]:
    said = {m.id for m in mentioned}
    found = []
    for action in proposed_actions(proposal, profile, where):
        name, pointer = _acts_on(profile, proposal, where, action)
        believed = name in said or any(name in m.text for m in listed)
        found.append(_action(profile, action.tool, name, pointer, believed, name in proven))
    return tuple(found)


def _acts_on(
    profile: Profile, proposal: Any, where: str, action: ProposedAction
) -> tuple[str, str]:
    """Return the identifier of an action (empty where it has none) and its place."""
    rules = profile.file.grounding
    if rules is None or rules.action_id is None:
        return "", action.pointer
    found = find(proposal, action.pointer.removeprefix(where) + rules.action_id)
    name = identifier_text(found)
    return (name, action.pointer + rules.action_id) if name else ("", action.pointer)


def _action(
    profile: Profile, tool: str, name: str, pointer: str, believed: bool, proved: bool
) -> GroundingFinding:
    what = tool or "an action without a tool's name"
    if not name:
        keyword, message = UNNAMED, f"{what} names no identifier: neither check can judge it"
        believed = proved = False
    elif proved:
        keyword, message = PROVEN, f"{what} on {name}: a tool returned it in this run"
    else:
        keyword = UNPROVEN
        trap = "; the messages mention it, which proves nothing" if believed else ""
        message = (
            f"{what} on {name}: no tool returned it in this run{_seen(profile)}. Look it up "
            f"first; nothing unseen may be acted on{trap}"
        )
    return GroundingFinding(
        keyword=keyword,
        identifier=name,
        pointer=pointer,
        believed_by_transcript=believed,
        proved_by_state=proved,
        message=message,
    )


def _mentioned(mention: Mention, profile: Profile) -> GroundingFinding:
    by = ", ".join(f"{_WORDS[w]} {n}" for w, n in mention.by.items() if n)
    times = "once" if mention.count == 1 else f"{mention.count} times"
    return GroundingFinding(
        keyword=MENTIONED,
        identifier=mention.id,
        pointer=mention.places[0][0],
        believed_by_transcript=True,
        proved_by_state=False,
        message=f"{mention.id} stands {times} in the messages ({by}); no tool returned it"
        f"{_seen(profile)}",
    )


def _seen(profile: Profile) -> str:
    name = profile.file.grounding.seen if profile.file.grounding else None
    return f" (it is not in {name})" if name else ""
