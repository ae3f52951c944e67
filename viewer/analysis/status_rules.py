"""Rules that hold a status, or a proposal, against the rest of the state."""

from collections.abc import Iterator
from typing import Any

from viewer.analysis.actions import proposed_actions
from viewer.analysis.evidence import identifier_text, proven_ids
from viewer.analysis.lineage import Lineage, Unfit, list_at
from viewer.analysis.schema_words import quoted
from viewer.jsontext import type_name
from viewer.model import NotRun, Violation
from viewer.pointer import find
from viewer.profiles.rule_sections import GroundedIdentifier, ObjectWhile, StatusFromState

Found = Iterator[Violation | NotRun]


def object_while(lineage: Lineage, rule: ObjectWhile) -> Found:
    """Find an object missing in a status that needs it, or standing in one that forbids it."""
    words = " or ".join(rule.args.status)
    for index, state in lineage.states(rule.when):
        status = lineage.chain.checkpoints[index].status
        found = find(state, rule.pointer)
        if status not in lineage.chain.profile.legal:
            yield lineage.not_run(rule, index, _no_status(status))
        elif found is not None and not isinstance(found, dict):
            why = f"{rule.pointer} is {type_name(found)}, not an object"
            yield lineage.not_run(rule, index, why)
        elif status in rule.args.status and found is None:
            message = f"must be an object while the status is {words}"
            yield lineage.violation(rule, index, rule.pointer, message)
        elif status not in rule.args.status and found is not None:
            message = f"must be absent or null unless the status is {words}, not {status}"
            yield lineage.violation(rule, index, rule.pointer, message)


def status_from_state(lineage: Lineage, rule: StatusFromState) -> Found:
    """Find checkpoints that leave a status for another one than their proposal asks for.

    An illegal way out is the transition gate's; it is not judged twice.
    """
    legal = lineage.chain.profile.legal
    for pair in lineage.pairs(rule.when):
        index, state = pair.index, pair.after
        own = lineage.chain.checkpoints[index].status
        came_from = lineage.chain.checkpoints[pair.base].status
        if came_from != rule.args.leaves or own == rule.args.leaves:
            continue
        if own is None or own not in legal:
            yield lineage.not_run(rule, index, _no_status(own))
            continue
        if own not in legal.get(rule.args.leaves, ()):
            why = f"{came_from} → {own} is no legal way out: the transition gate says so"
            yield lineage.not_run(rule, index, why)
            continue
        try:
            wanted, because = _wanted(state, rule)
        except Unfit as why:
            yield lineage.not_run(rule, index, why)
            continue
        if own != wanted:
            message = f"must be {wanted}, because {because}; is {own}"
            yield lineage.violation(rule, index, rule.pointer, message)


def grounded_identifier(lineage: Lineage, rule: GroundedIdentifier) -> Found:
    """Find actions on identifiers that no tool returned; only rows with ok true prove one."""
    profile = lineage.chain.profile
    grounding, evidence = profile.file.grounding, profile.file.fields.evidence
    if grounding is None or grounding.action_id is None or evidence is None:
        yield lineage.not_run(rule, None, "the profile has no [grounding] with evidence")
        return
    seen = grounding.seen or "the evidence"
    for index, state in lineage.states(rule.when):
        proposal = find(state, rule.pointer)
        if proposal is None:
            continue
        try:
            _readable(proposal, state, evidence, rule.pointer, profile.file.approval)
        except Unfit as why:
            yield lineage.not_run(rule, index, why)
            continue
        proven = proven_ids(state, profile)
        for action in proposed_actions(proposal, profile, rule.pointer):
            place = action.pointer + grounding.action_id
            name = identifier_text(find(state, place))
            if name is not None and name not in proven:
                tool = action.tool or "an action"
                message = f"{tool} acts on {quoted(name)}, which no tool returned (not in {seen})"
                yield lineage.violation(rule, index, place, message)


def _readable(proposal: Any, state: Any, evidence: str, pointer: str, approval: Any) -> None:
    if not isinstance(proposal, dict):
        raise Unfit(f"{pointer} is {type_name(proposal)}, not an object")
    if approval is not None and approval.actions is not None:
        list_at(proposal, approval.actions, pointer)
    list_at(state, evidence)


def _wanted(state: Any, rule: StatusFromState) -> tuple[str, str]:
    args = rule.args
    proposal = find(state, args.proposal)
    if proposal is None:
        return args.without, "there is no proposal"
    if not isinstance(proposal, dict):
        raise Unfit(f"{args.proposal} is {type_name(proposal)}, not an object")
    if list_at(state, args.actions):
        return args.with_actions, "the proposal has actions"
    outcome = find(state, args.outcome)
    if not isinstance(outcome, str):
        raise Unfit(f"{args.outcome} is {type_name(outcome)}, not a string")
    because = f"the outcome is {quoted(outcome)} and nothing changes"
    return args.by_outcome.get(outcome, args.otherwise), because


def _no_status(status: str | None) -> str:
    return "it has no status" if status is None else f"{status!r} is no known status"
