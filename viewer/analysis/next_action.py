"""What comes next for a run, in words, and what it waits for."""

from collections.abc import Sequence
from typing import Any

from viewer.analysis.actions import interrupt_actions, proposed_actions, stored_proposal
from viewer.analysis.message_parts import json_text, word
from viewer.chain import Chain
from viewer.jsontext import escape_surrogates
from viewer.model import MISSING, Checkpoint, Interrupt, ProposedAction

ENDED = ("done", "failed", "stopped", "cancelled")
_WIDTH = 120


def next_action(chain: Chain, head: Checkpoint) -> tuple[str, str | None]:
    """Return what comes next after ``head``, and what the run waits for (None: for nothing).

    The first begins with ``unknown`` where the source does not say.
    """
    asked = tuple(i for i in head.interrupts if i.open)
    if asked:
        return _answer(asked)
    if head.phase == "waiting":
        return _decide(chain, head)
    if head.next_live:
        return _run(head)
    if head.phase in ENDED:
        return _ended(chain, head), None
    if not head.has_state:
        return "unknown: the newest checkpoint has no readable state", None
    call = chain.profile.field("pending_tool", chain.state(head.index))
    if isinstance(call, dict) and call:
        return _tool(call)
    if head.status is None:
        what = f"profile {chain.profile.name} names no status"
        if chain.profile.file.fields.status is not None:
            what = "no status is recorded"
        return f"unknown: {what}, and the source names no next node", None
    if head.phase == "unknown":
        return f"unknown: status {head.status!r} does not say", None
    return _go_on(chain, head), None


def _answer(asked: tuple[Interrupt, ...]) -> tuple[str, str]:
    actions = [a for interrupt in asked for a in interrupt_actions(interrupt.value)]
    if actions:
        what = f"a person decides on {_tools(actions)}"
    elif len(asked) == 1:
        what = f"a person answers: {_short(asked[0].value)}"
    else:
        what = f"a person answers {len(asked)} questions"
    named = ", ".join(i.id for i in asked if i.id)
    which = "interrupt" if len(asked) == 1 else "interrupts"
    return what, f"a person's answer to {which} {named}".rstrip()


def _decide(chain: Chain, head: Checkpoint) -> tuple[str, str | None]:
    state = chain.state(head.index) if head.has_state else None
    where, proposal = stored_proposal(state, chain.profile)
    if proposal is MISSING:
        place = f"nothing stands at {where}" if where else "no place is known for what waits"
        return f"unknown: status {head.status!r} waits for a person, but {place}", None
    actions = proposed_actions(proposal, chain.profile, where)
    what = _tools(actions) if actions else f"the proposal at {where}, which names no action"
    return f"a person decides on {what}", f"a person's decision on the proposal at {where}"


def _tools(actions: Sequence[ProposedAction]) -> str:
    return ", ".join(_cut(a.tool) or "(a call without a name)" for a in actions)


def _run(head: Checkpoint) -> tuple[str, str | None]:
    names = ", ".join(map(_cut, head.next_live))
    one = len(head.next_live) == 1
    failed = {error.node for error in head.errors} & set(head.next_live)
    if failed:
        why = next(e.message for e in head.errors if e.node in failed)
        return f"run {names} again: {', '.join(sorted(failed))} failed with {_cut(why)}", None
    alive = "whether it runs now or was ended" if one else "whether they run now or were ended"
    return f"run {names}; the source does not say {alive}", None


def _ended(chain: Chain, head: Checkpoint) -> str:
    state = chain.state(head.index) if head.has_state else None
    reason = word(chain.profile.field("stop_reason", state))
    why = f" ({_cut(reason)})" if reason else ""
    return f"nothing: the run ended with status {head.status}{why}"


def _tool(call: dict[str, Any]) -> tuple[str, str]:
    name = _cut(word(call.get("name")) or "a tool without a name")
    asked = word(call.get("callId"))
    which = f", call {_cut(asked)}" if asked else ""
    return (
        f"get the result of {name}{which}; the source does not say whether the tool has run",
        f"the result of {name}{which}",
    )


def _go_on(chain: Chain, head: Checkpoint) -> str:
    where = f" at node {', '.join(map(_cut, head.nodes))}" if head.nodes else ""
    most = chain.profile.field("max_steps", chain.state(head.index))
    done = f" after step {head.step}" if head.step is not None else ""
    limit = f" of at most {most}" if done and type(most) is int and abs(most) < 2**63 else ""
    status = head.status or ""
    ways = [to for to in chain.profile.legal.get(status, ()) if to != status]
    then = f"; it may become {' or '.join(ways)}" if ways else ""
    return f"go on from status {_cut(status)}{where}{done}{limit}{then}"


def _short(value: Any) -> str:
    """Return an interrupt's question: its own text, that of its ``question``, else its JSON."""
    asked = value.get("question") if isinstance(value, dict) else value
    return _cut(asked if isinstance(asked, str) else json_text(value))


def _cut(text: str) -> str:
    line = escape_surrogates(" ".join(text.split()))
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"
