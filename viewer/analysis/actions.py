"""What a proposal would do: its actions, as the profile or LangChain's middleware writes them."""

from typing import Any

from viewer.model import MISSING, ProposedAction
from viewer.pointer import Tokens, find, join, split
from viewer.profiles import Profile


def stored_proposal(state: Any, profile: Profile) -> tuple[str, Any]:
    """Return where the profile says a proposal stands, and the proposal.

    The place is empty where the profile names none; the proposal is `MISSING` where nothing
    stands there, or null, or an empty object or list.
    """
    approval = profile.file.approval
    where = (approval.proposal if approval is not None else None) or profile.file.fields.proposal
    if where is None:
        return "", MISSING
    found = find(state, where, MISSING)
    return where, MISSING if found in (None, {}, []) else found


def proposed_actions(
    proposal: Any, profile: Profile, pointer: str = ""
) -> tuple[ProposedAction, ...]:
    """Return the actions of ``proposal``, which stands at ``pointer``.

    A proposal whose profile names no action list is itself the one action. An action without a
    tool's name has an empty one; arguments that stand beside the name are all its other fields.
    """
    approval = profile.file.approval
    if approval is None:
        return ()
    if approval.actions is None:
        listed, where = ([proposal] if isinstance(proposal, dict) else []), None
    else:
        found = find(proposal, approval.actions)
        listed, where = (found if isinstance(found, list) else []), approval.actions
    return tuple(
        ProposedAction(
            tool=_tool(action, approval.tool),
            args=_args(action, approval.tool, approval.args),
            pointer=pointer if where is None else f"{pointer}{where}{join((i,))}",
        )
        for i, action in enumerate(listed)
    )


def _tool(action: Any, where: str) -> str:
    found = find(action, where)
    return found if isinstance(found, str) else ""


def _args(action: Any, tool: str, where: str | None) -> Any:
    found = MISSING if where is None else find(action, where, MISSING)
    if found is not MISSING:
        return found
    name = split(tool)
    if not isinstance(action, dict) or len(name) != 1:
        return action
    return {key: value for key, value in action.items() if key != name[0]}


def interrupt_actions(value: Any) -> tuple[ProposedAction, ...]:
    """Return the calls that an interrupt's value asks about; pointers are inside the value.

    Known are LangChain's HumanInTheLoopMiddleware (``action_requests`` of ``name`` and ``args``)
    and LangGraph's older HumanInterrupt (``action_request`` of ``action`` and ``args``, alone or
    in a list). A value of any other shape names no action: it is a question of the app's own.
    """
    asked: list[tuple[Tokens, Any]] = []
    if isinstance(value, dict) and isinstance(value.get("action_requests"), list):
        asked += ((("action_requests", i), a) for i, a in enumerate(value["action_requests"]))
    else:
        alone: list[tuple[Tokens, Any]] = [((), value)]
        listed = [((i,), v) for i, v in enumerate(value)] if isinstance(value, list) else alone
        for at, entry in listed:
            if isinstance(entry, dict) and "action_request" in entry:
                asked.append(((*at, "action_request"), entry["action_request"]))
    return tuple(
        ProposedAction(
            tool=_tool(action, "/name") or _tool(action, "/action"),
            args=find(action, "/args"),
            pointer=join(where),
        )
        for where, action in asked
    )
