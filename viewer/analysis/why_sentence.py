"""The one plain line that says why a thread stands where it stands."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from viewer.analysis.actions import interrupt_actions, proposed_actions, stored_proposal
from viewer.analysis.stops import Standing
from viewer.analysis.suspicion_joins import waiting_joins
from viewer.analysis.why_pending import pending
from viewer.analysis.why_words import SHOWN, moment, names, numbered, place, short, text
from viewer.chain import Chain
from viewer.model import MISSING, Checkpoint, Interrupt, ProposedAction, Stop, Violation
from viewer.pointer import find

_ERROR, _ASKED, _REASON, _VALUE = 90, 70, 160, 30
"""Longest error, question, reason and argument in the sentence, in characters."""
_QUESTIONS = ("question", "message", "ask", "prompt", "text", "query", "q", "title", "description")
"""Keys under which apps put the words of a question."""


def sentence(
    chain: Chain, head: Checkpoint | None, found: Standing, violations: Sequence[Violation]
) -> str:
    """Return why ``chain`` stands where it stands; never more than the source tells."""
    if head is None:
        lost = next((p for p in chain.problems), None)
        return short(f"No checkpoint can be read: {lost.reason}", 200) if lost else "No checkpoint."
    said = _stands(chain, head, found)
    if not head.has_state:
        reason = next(
            (p.reason for p in chain.problems if p.index == head.index and p.no_state), ""
        )
        said = f"The newest checkpoint cannot be read{f' ({short(reason, _REASON)})' if reason else ''}. {said}"
    broken = [v for v in violations if v.gate != "parse" or head.has_state]
    if broken:
        many = f"{len(broken)} violations, the first" if len(broken) > 1 else "1 violation"
        said = f"{said[:-1]}; {many}: {short(broken[0].message, _REASON)}."
    return said


def _stands(chain: Chain, head: Checkpoint, found: Standing) -> str:
    failed = [stop for stop in found.stops if stop.error is not None and not stop.interrupts]
    asking = [stop for stop in found.stops if stop.interrupts]
    if head.phase == "failed" and failed:
        return f"{_failures(failed)}; {_resume(found)}."
    if head.phase == "waiting" and asking:
        beside = f"; {_failures(failed, 'failed')}" if failed else ""
        return f"{_questions(asking)}{beside}{_since(asking[0].since)}."
    if found.stops or head.next:
        return pending(chain, head, found)
    return _by_phase(chain, head)


def _failures(stops: Sequence[Stop], word: str = "Failed") -> str:
    first = stops[0]
    more = f" (and {len(stops) - 1} more)" if len(stops) > 1 else ""
    where = place(first.at.namespace, first.at.node)
    node = f' in node "{where}"' if where else ""
    return f"{word}{node}{_after(first.at.step)}: {short(first.error or '', _ERROR)}{more}"


def _resume(found: Standing) -> str:
    """Return what a resume would do: the innermost unfinished tasks again, the rest kept.

    Rows that name no node belong to some of the tasks that seem to have none: then nobody can say
    which of those have finished.
    """
    named = [stop for stop in found.stops if stop.at.node]
    again = names(place(stop.at.namespace, stop.at.node) for stop in named or found.stops)
    if any(not kept.node for kept in found.kept) or len(named) < len(found.stops):
        return f"a resume runs what has not finished of {again} again (the rows name no node)"
    kept = names((kept.node for kept in found.kept if kept.channels), quoted=False)
    return f"a resume runs {again} again" + (f" and keeps what {kept} wrote" if kept else "")


def _questions(stops: Sequence[Stop]) -> str:
    asked = [(stop, one) for stop in stops for one in stop.interrupts]
    if len(asked) == 1:
        stop, one = asked[0]
        where = place(stop.at.namespace, stop.at.node)
        what = "a decision" if interrupt_actions(one.value) else "an answer"
        return f"Waits for {what}{f' in {where}' if where else ''}: {question(one)}"
    words = "; ".join(
        f"{place(stop.at.namespace, stop.at.node)}: {question(one)}" for stop, one in asked[:SHOWN]
    )
    more = f"; and {len(asked) - SHOWN} more" if len(asked) > SHOWN else ""
    return f"Waits for {len(asked)} answers: {words}{more}"


def question(asked: Interrupt) -> str:
    """Return what an interrupt asks, on one short line."""
    actions = interrupt_actions(asked.value)
    if actions:
        return calls(actions)
    value = asked.value
    if isinstance(value, dict):
        value = next((value[k] for k in _QUESTIONS if isinstance(value.get(k), str)), value)
    return short(text(value), _ASKED)


def calls(actions: Sequence[ProposedAction]) -> str:
    """Return actions as they would be called, cut short."""
    shown = []
    for action in actions[:SHOWN]:
        args = action.args if isinstance(action.args, dict) else {}
        given = ", ".join(f"{k}={short(text(v), _VALUE)}" for k, v in list(args.items())[:4])
        shown.append(f"{action.tool or 'an action'}({given}{', …' if len(args) > 4 else ''})")
    more = f" and {len(actions) - SHOWN} more" if len(actions) > SHOWN else ""
    return short(", ".join(shown), 2 * _ASKED) + more


def _by_phase(chain: Chain, head: Checkpoint) -> str:
    """Return what status and fields say where no task does."""
    where = _at(head)
    word = head.status if head.status != head.phase else None
    status = f" (status {short(word, _VALUE)})" if word else ""
    if head.phase == "done":
        return f"Done {where}{_never_ran(chain)}."
    if head.phase == "waiting":
        return f"Waits for a person {where}: {_proposal(chain, head)}{_since(head.created_at)}."
    reason = _field(chain, head, "stop_reason")
    said = reason if isinstance(reason, str) else text(reason)
    why = "" if reason in (None, "") else f": {short(said, _REASON)}"
    if head.phase in ("failed", "stopped", "cancelled"):
        return f"{head.phase.capitalize()} {where}{status}{why}."
    last = f"; last checkpoint {moment(head.created_at)}" if head.created_at else ""
    if head.phase == "running":
        return f"Running {where}{status}{_tool(chain, head)}{last}; the source cannot tell if it still is."
    told = f"status {head.status!r} says nothing known" if head.status else "no status is recorded"
    return f"Ends {where}: {told}, so whether it is finished is not known{last}."


def _never_ran(chain: Chain) -> str:
    """Return which nodes a join kept from running, if any."""
    joins = waiting_joins(chain)
    if not joins:
        return ""
    absent = dict.fromkeys(name for one in joins for name in one.absent)
    return f", but {names(one.node for one in joins)} never ran: it waits for {names(absent)}"


def _proposal(chain: Chain, head: Checkpoint) -> str:
    if not head.has_state:
        return "its state cannot be read"
    where, value = stored_proposal(chain.state(head.index), chain.profile)
    actions = () if value is MISSING else proposed_actions(value, chain.profile, where)
    if actions:
        return calls(actions)
    if value is MISSING:
        return f"nothing stands at {where}" if where else "for what is not recorded"
    return short(text(value), _ASKED)


def _tool(chain: Chain, head: Checkpoint) -> str:
    name = find(_field(chain, head, "pending_tool"), "/name")
    return f", waits for tool {short(name, _VALUE)}" if isinstance(name, str) and name else ""


def _field(chain: Chain, head: Checkpoint, name: str) -> Any:
    return chain.profile.field(name, chain.state(head.index)) if head.has_state else None


def _at(head: Checkpoint) -> str:
    wrote = names(head.nodes)
    return f"at {numbered(head)}" + (f", which {wrote} wrote" if wrote else "")


def _after(step: int | None) -> str:
    return "" if step is None else f" after step {step}" if step >= 0 else " at the start"


def _since(when: datetime | None) -> str:
    return "" if when is None else f" since {moment(when)}"
