"""What a proposal would do: its actions, as the profile says where they stand."""

from typing import Any

from viewer.model import MISSING, ProposedAction
from viewer.pointer import find, join, split
from viewer.profiles import Profile


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
