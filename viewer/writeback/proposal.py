"""What waits for a person at the heads of a chain. Nothing is decided here."""

from dataclasses import replace
from typing import Any

from viewer.analysis.actions import interrupt_actions, proposed_actions, stored_proposal
from viewer.chain import Chain
from viewer.model import MISSING, Checkpoint, Proposal, ProposedAction

INTERRUPT = "interrupt"


def waiting(chain: Chain, *, copies: bool = True) -> tuple[Proposal, ...]:
    """Return what waits at each head, that of the live head last.

    A question that a subgraph asked stands in every chain above it too, with `Proposal.owner` set;
    a list over all chains leaves these out (``copies`` false) and so has each question once.

    Each open interrupt is one proposal, also where two have the same id. A head whose status waits
    without one has the proposal that stands in its state, named ``<checkpoint_id>#<pointer>``;
    where nothing stands there the proposal says so in ``inconsistency`` and has no action.
    """
    found: list[Proposal] = []
    for index in chain.heads:
        head = chain.checkpoints[index]
        asked = [i for i in head.interrupts if i.open]
        for interrupt in asked:
            if interrupt.owner is not None and not copies:
                continue
            actions = interrupt_actions(interrupt.value)
            own = _proposal(chain, head, interrupt.id, INTERRUPT, actions, interrupt.value)
            found.append(replace(own, owner=interrupt.owner))
        if head.phase == "waiting" and not asked:
            found.append(_stored(chain, head))
    return tuple(found)


def _stored(chain: Chain, head: Checkpoint) -> Proposal:
    state = chain.state(head.index) if head.has_state else None
    where, value = stored_proposal(state, chain.profile)
    actions = () if value is MISSING else proposed_actions(value, chain.profile, where)
    return _proposal(
        chain,
        head,
        f"{head.checkpoint_id}#{where}",
        chain.profile.name,
        actions,
        None if value is MISSING else value,
        where,
        _inconsistency(chain, head, where, value, actions),
    )


def _inconsistency(
    chain: Chain, head: Checkpoint, where: str, value: Any, actions: tuple[ProposedAction, ...]
) -> str | None:
    waits = f"status {head.status!r} waits for a person, but"
    if not head.has_state:
        return f"{waits} its state cannot be read"
    if not where:
        return f"{waits} no open interrupt is recorded"
    if value is MISSING:
        return f"{waits} nothing stands at {where}"
    approval = chain.profile.file.approval
    if not actions and approval is not None and "respond" not in approval.allowed:
        return f"{waits} the proposal at {where} names no action"
    return None


def _proposal(
    chain: Chain,
    head: Checkpoint,
    proposal_id: str,
    kind: str,
    actions: tuple[ProposedAction, ...],
    value: Any,
    pointer: str = "",
    inconsistency: str | None = None,
) -> Proposal:
    return Proposal(
        thread_id=chain.thread_id,
        namespace=chain.namespace,
        checkpoint_id=head.checkpoint_id,
        proposal_id=proposal_id,
        kind=kind,
        actions=actions,
        since=head.created_at,
        value=value,
        pointer=pointer,
        inconsistency=inconsistency,
    )
