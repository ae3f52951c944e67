"""What if a tool had returned it: one place of a state is another in memory, both checks run again.

Nothing is written. The edited state shares every subtree that the edit does not touch.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from viewer import patch
from viewer.analysis.evidence import evidence_rows, provable, row_ok
from viewer.analysis.grounding import UNNAMED, GroundingFinding, transcript, try_proposal
from viewer.analysis.mentions import writers
from viewer.chain import Chain
from viewer.errors import PatchError
from viewer.jsontext import dumps
from viewer.pointer import find, join, pattern

_REFUSAL = ("code", "message", "error", "reason")
"""Members of a tool's answer that say why it refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What both checks say of one proposal at one checkpoint."""

    findings: tuple[GroundingFinding, ...]
    """One an action; those that name no identifier too, which neither check can judge."""
    believed: bool | None
    """Whether a check on the transcript lets it pass; None where no action can be judged."""
    proved: bool | None
    """Whether the state lets it pass."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Editable:
    """A place that an edit may change: an evidence row or a tool's result in the messages."""

    pointer: str
    title: str
    """What stands there in words: ``evidence 0: get_order, refused``."""


def judge(chain: Chain, index: int, proposal: Any) -> Verdict:
    """Return what both checks say of ``proposal`` at the checkpoint ``index``.

    Raises:
        ProfileError: an identifier pattern cannot be used.
    """
    found = try_proposal(chain, proposal, index)
    judged = [finding for finding in found if finding.keyword != UNNAMED]
    return Verdict(
        findings=found,
        believed=all(f.believed_by_transcript for f in judged) if judged else None,
        proved=all(f.proved_by_state for f in judged) if judged else None,
    )


def with_edits(chain: Chain, index: int, edits: Mapping[str, Any]) -> Chain:
    """Return ``chain`` with the state of checkpoint ``index`` edited: pointer → the value there.

    The chain given, and every state in it, stays as it is.

    Raises:
        SelectionError: that checkpoint has no readable state.
        PatchError: a pointer leads nowhere, or the value is nested too deeply.
    """
    operations = [{"op": "replace", "path": at, "value": value} for at, value in edits.items()]
    edited = patch.apply(chain.state(index), operations)
    return replace(chain, states=(*chain.states[:index], edited, *chain.states[index + 1 :]))


def editable(chain: Chain, index: int) -> tuple[Editable, ...]:
    """Return the tools' results at a checkpoint: each row of evidence, then each result message.

    Raises:
        SelectionError: that checkpoint has no readable state.
    """
    state, profile = chain.state(index), chain.profile
    where = profile.file.fields.evidence
    rows = evidence_rows(state, profile)
    worked = [row_ok(row, profile) for row in rows]
    found = []
    for number, row in enumerate(rows):
        tool = find(row, "/tool")
        name = tool if isinstance(tool, str) else "a tool"
        how = "ok" if worked[number] else "refused"
        found.append(
            Editable(pointer=f"{where}/{number}", title=f"evidence {number}: {name}, {how}")
        )
    listed = transcript(chain, index).messages
    for message, by in zip(listed, writers(listed, worked), strict=True):
        if by in ("tool_ok", "tool_refused"):
            how = "result" if by == "tool_ok" else "refusal"
            title = f"message {message.index}: a tool's {how}"
            found.append(Editable(pointer=message.pointer, title=title))
    return tuple(found)


def returned(chain: Chain, index: int, proposal: Any) -> dict[str, Any]:
    """Return the edits after which a tool would have returned what ``proposal`` acts on.

    For each identifier that the state does not prove, the first row of evidence that names it is
    made one that worked and returned it, and the message that told the model of the same answer
    says so too. What the refusal said (its code, its words) goes; a code is that of a row which
    worked, where there is one. An identifier that no row names has no such edit; a message that is
    no JSON object stays as it is.

    Raises:
        SelectionError: that checkpoint has no readable state.
    """
    profile = chain.profile
    rules = profile.file.grounding
    if rules is None or rules.evidence_ids is None or not provable(profile):
        return {}
    place = pattern(rules.evidence_ids).tokens
    if len(place) < 2 or place[-1] is not None or None in place[:-1]:
        return {}
    listed = join(tuple(str(token) for token in place[:-1]))
    state = chain.state(index)
    rows = evidence_rows(state, profile)
    worked = [row_ok(row, profile) for row in rows]
    codes = [
        row["code"]
        for row, ok in zip(rows, worked, strict=True)
        if ok and isinstance(row, dict) and "code" in row
    ]
    told = _results(chain, index, worked)
    edits: dict[str, Any] = {}
    for finding in judge(chain, index, proposal).findings:
        if finding.proved_by_state or not finding.identifier:
            continue
        number = next((i for i, row in enumerate(rows) if _names(row, finding.identifier)), None)
        if number is None or not isinstance(find(rows[number], listed), list):
            continue
        at = f"{profile.file.fields.evidence}/{number}"
        row = edits.get(at, rows[number])
        ids = [*find(row, listed), finding.identifier]
        changes = [
            {"op": "add", "path": rules.evidence_ok, "value": True},
            {"op": "replace", "path": listed, "value": ids},
        ]
        edits[at] = _unrefused(patch.apply(row, changes), codes)
        if number < len(told):
            entry = find(state, told[number])
            said = _said_instead(entry, rules.evidence_ok, listed, ids, codes)
            if said is not None:
                edits[told[number]] = said
    return edits


def _results(chain: Chain, index: int, worked: list[bool]) -> list[str]:
    """Return where the tools' results stand in the messages; the n-th belongs to the n-th row."""
    listed = transcript(chain, index).messages
    pairs = zip(listed, writers(listed, worked), strict=True)
    return [message.pointer for message, who in pairs if who in ("tool_ok", "tool_refused")]


def _unrefused(answer: Any, codes: list[Any]) -> Any:
    """Return a tool's answer without what its refusal said; the call's arguments stay."""
    if not isinstance(answer, dict):
        return answer
    left: dict[str, Any] = {}
    for name, value in answer.items():
        if name == "code" and codes:
            left[name] = codes[0]
        elif name not in _REFUSAL:
            left[name] = value if name == "args" else _unrefused(value, codes)
    return left


def _said_instead(entry: Any, mark: str, listed: str, ids: list[Any], codes: list[Any]) -> Any:
    """Return the message ``entry`` as it would tell of an answer that worked; None for no JSON."""
    content = entry.get("content") if isinstance(entry, dict) else None
    try:
        answer = json.loads(content) if isinstance(content, str) else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(answer, dict):
        return None
    changes = [
        {"op": "add", "path": mark, "value": True},
        {"op": "add", "path": listed, "value": ids},
    ]
    try:
        answer = patch.apply(_unrefused(answer, codes), changes)
    except PatchError:
        return None
    return {**entry, "content": dumps(answer)}


def _names(value: Any, identifier: str) -> bool:
    """Return whether ``identifier`` stands as a whole value somewhere in ``value``."""
    if isinstance(value, dict):
        return any(_names(part, identifier) for part in value.values())
    if isinstance(value, list):
        return any(_names(part, identifier) for part in value)
    return bool(value == identifier)
