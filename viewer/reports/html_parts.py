"""What an HTML report of one chain holds, masked and as data for the panels."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from viewer.analysis.check import CheckResult
from viewer.analysis.diff import diff
from viewer.analysis.observation_change import observation_change
from viewer.analysis.observe import observe, shown_instead, verdict
from viewer.analysis.paired import Paired
from viewer.analysis.summary import summary
from viewer.analysis.written import written_between
from viewer.chain import Chain
from viewer.digest import digest
from viewer.jsontext import dumps
from viewer.model import MISSING, Change, Checkpoint, Why
from viewer.panels.diff3 import diff_payload
from viewer.panels.observed_since import since_payload
from viewer.panels.strip import strip_payload
from viewer.panels.titles import checkpoint_title
from viewer.panels.verdict import verdict_payload
from viewer.redact import redacted, redacted_text

DIFF_BYTES = 8_000_000
"""Most bytes of diffs that one report carries; what does not fit is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The data of a report; each part is JSON that a panel draws."""

    strip: Mapping[str, Any]
    verdict: Mapping[str, Any]
    diffs: Mapping[str, Any]
    """Index of a checkpoint → what the diff panel draws of its change."""
    checkpoints: Sequence[Mapping[str, Any]]
    """One row each: index, step, id, nodes, status, time, bytes, and digest where it is shown."""
    left_out: Sequence[int]
    """Checkpoints whose change did not fit."""


def masked_chain(chain: Chain) -> Chain:
    """Return ``chain`` with the secrets in its states and observations masked.

    Equal secrets have equal masks, so its diffs are those of ``chain``.
    """
    known: dict[int, tuple[Any, Any]] = {}
    states = tuple(s if s is MISSING else redacted(s, known) for s in chain.states)
    seen = {name: redacted(value, known) for name, value in chain.sidecars.observations.items()}
    return replace(chain, states=states, sidecars=replace(chain.sidecars, observations=seen))


def told(
    chain: Chain, why: Why, result: CheckResult, *, chosen: Sequence[int] | None = None
) -> Told:
    """Return what a report of ``chain`` holds.

    Args:
        chain: the chain as it is stored.
        why: why its thread stands where it stands.
        result: what the gates say of it.
        chosen: indices of the checkpoints whose changes to show; None for all that fit, those with
            violations, findings, questions and errors first.
    """
    masked = masked_chain(chain)
    broken = [v.index for v in result.violations if v.index is not None]
    suspicious = [f.index for f in why.findings if f.namespace == chain.namespace]
    wanted = _by_weight(chain, {*broken, *suspicious}) if chosen is None else chosen
    diffs: dict[str, Any] = {}
    room, left_out = DIFF_BYTES, []
    for index in wanted:
        payload = _change(masked, index)
        size = len(dumps(payload))
        if size > room and (diffs or chosen is None):
            left_out.append(index)
            continue
        room -= size
        diffs[str(index)] = payload
    shown = {int(index) for index in diffs}
    start = max(shown, default=len(chain.checkpoints) - 1)
    head = chain.head if chain.head in shown else start
    strip = strip_payload(
        masked,
        {index: broken.count(index) for index in set(broken)},
        selected=start if head is None else head,
        findings=frozenset(suspicious),
    )
    return Told(
        strip=redacted(strip),
        verdict=redacted(verdict_payload(why)[0]),
        diffs=diffs,
        checkpoints=[_row(chain, c, shown) for c in chain.checkpoints],
        left_out=sorted(left_out),
    )


def _by_weight(chain: Chain, marked: set[int]) -> list[int]:
    """Return every index: the live head, then what is marked, then the newest first."""

    def weight(checkpoint: Checkpoint) -> tuple[bool, bool, int]:
        told = checkpoint.index in marked or bool(checkpoint.interrupts or checkpoint.errors)
        return checkpoint.index != chain.head, not told, -checkpoint.index

    return [checkpoint.index for checkpoint in sorted(chain.checkpoints, key=weight)]


def _change(chain: Chain, index: int) -> dict[str, Any]:
    """Return what the diff panel draws of the change from the parent of ``index`` to it."""
    here = chain.checkpoints[index]
    base = here.parent
    state = chain.states[index]
    before = {} if base is None else chain.states[base]
    changes: Sequence[Change] = ()
    paired, said = Paired(), ""
    if state is not MISSING and before is not MISSING:
        changes = diff(before, state, chain.profile.lists, [], paired)
        said = summary(changes, before, state, chain.profile)
    seen = observe(chain, index)
    since, _ = observation_change(chain, index, seen)
    return diff_payload(
        changes,
        base_title="nothing before"
        if base is None
        else redacted_text(checkpoint_title(chain, base)),
        target_title=redacted_text(checkpoint_title(chain, index)),
        target=state,
        observation=(seen.kind, seen.value),
        why=seen.why,
        verdicts=[verdict(chain, change, seen) for change in changes],
        seen=[shown_instead(chain, change, seen) for change in changes]
        if seen.calls is not None
        else (),
        profile=chain.profile,
        written={
            redacted_text(name): [redacted_text(node) for node in nodes]
            for name, nodes in ({} if base is None else written_between(chain, base, index)).items()
        },
        summary=said,
        paired=paired.words(changes),
        since=None if since is None else since_payload(since),
    )


def _row(chain: Chain, checkpoint: Checkpoint, shown: set[int]) -> Mapping[str, Any]:
    state = chain.states[checkpoint.index]
    here = checkpoint.index in shown and state is not MISSING
    return {
        "index": checkpoint.index,
        "step": checkpoint.step,
        "id": redacted_text(checkpoint.checkpoint_id),
        "nodes": redacted_text(", ".join(checkpoint.nodes)),
        "status": redacted_text(checkpoint.status or checkpoint.phase),
        "created_at": checkpoint.created_at and checkpoint.created_at.isoformat(),
        "bytes": checkpoint.size_bytes,
        "digest": digest(state) if here else None,
    }


def violation_rows(result: CheckResult) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield each violation as checkpoint, gate, keyword, pointer, message; masked."""
    for violation in result.violations:
        at = "" if violation.index is None else f"@{violation.index}"
        words = (violation.keyword, violation.pointer, violation.message)
        keyword, pointer, message = (redacted_text(word) for word in words)
        yield at, violation.gate, keyword, pointer, message
