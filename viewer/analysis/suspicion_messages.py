"""The same call made again and again, and tools that failed for good."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from viewer.analysis.actions import interrupt_actions
from viewer.analysis.message_parts import part_type, parts, word
from viewer.analysis.messages import Message, fields, message_list, messages
from viewer.analysis.sightings import brief
from viewer.chain import Chain
from viewer.jsontext import dumps
from viewer.model import Checkpoint, Evidence, Finding

_CHANGES = re.compile(
    r"(?:pay|refund|charge|transfer|send|email|publish|book|buy|purchase|create|insert|delete|"
    r"remove|cancel|reship|ship|submit|deploy|reserve|issue_refund)(?:$|_|-|(?=[A-Z]))"
)
"""Names of tools that change something outside."""
_FAILED = re.compile(r"\s*(?:error|failed|exception|timeout|retry)\b", re.IGNORECASE)
_SAME_CALLS = 3
"""Times that the same call with the same arguments is made in a row."""


def head_messages(chain: Chain) -> tuple[Message, ...]:
    """Return the messages at the live head; none where it has no state."""
    if chain.head is None or not isinstance(chain.states[chain.head], dict):
        return ()
    return messages(chain.states[chain.head], chain.profile)


def message_findings(chain: Chain, found: Sequence[Message]) -> Iterator[Finding]:
    """Yield what is wrong with ``found``, the messages at the live head."""
    if chain.head is None or not found:
        return
    state, head = chain.states[chain.head], chain.checkpoints[chain.head]
    where, _ = message_list(state, chain.profile)
    channel = str(where[0]) if where else ""
    yield from _repeated(chain, head, channel, found)
    yield from _done_twice(chain, head, channel, found)
    yield from _failed(chain, head, channel, found)


def answered_calls(entry: Any, message: Message) -> tuple[str, ...]:
    """Return the ids of the calls that a message answers: one, or one for each result part."""
    if message.role != "tool":
        return ()
    inside = (part for part in parts(fields(entry)[0].get("content")) if isinstance(part, dict))
    results = (word(p.get("tool_use_id")) for p in inside if part_type(p) == "tool_result")
    found = tuple(dict.fromkeys(one for one in results if one))
    return found or ((message.tool_call_id,) if message.tool_call_id else ())


def _repeated(
    chain: Chain, head: Checkpoint, channel: str, found: Sequence[Message]
) -> Iterator[Finding]:
    run: list[Message] = []
    before = ""
    runs = []
    for message in found:
        if message.role == "user":
            before, run = "", []
        if message.role != "assistant":
            continue
        calls = [[c.name, c.args] for c in message.tool_calls]
        made = dumps(calls) if calls else message.text.strip()
        if made and made == before:
            run.append(message)
        else:
            run = [message]
            runs.append(run)
        before = made
    for same in runs:
        if len(same) >= _SAME_CALLS:
            asked = same[0].tool_calls
            what = f"made the same call of {asked[0].name}" if asked else "said the same"
            yield _finding(
                chain,
                head,
                "loop",
                channel,
                same[0].pointer,
                f"the model {what} {len(same)} times in a row"
                f"{', with the same arguments' if asked else ''}: the run made no progress there",
                last=same[-1].pointer,
            )


def _done_twice(
    chain: Chain, head: Checkpoint, channel: str, found: Sequence[Message]
) -> Iterator[Finding]:
    """Yield calls whose name says that they change something, made twice with the same arguments.

    Only where both have a result that is no error: a call that failed may well be made again.
    """
    worked = {
        m.tool_call_id
        for m in found
        if m.tool_call_id and not m.refused and not _FAILED.match(m.text)
    }
    made: dict[str, str] = {}
    for message in found:
        for call in message.tool_calls:
            if call.id not in worked or not _CHANGES.match(call.name):
                continue
            key = dumps([call.name, call.args])
            if key in made:
                yield _finding(
                    chain,
                    head,
                    "done_twice",
                    channel,
                    call.pointer,
                    f"{call.name} was called twice with the same arguments, at {made[key]} and at "
                    f"{call.pointer}, and both calls have a result: its effect may stand twice",
                )
            made.setdefault(key, call.pointer)


def _failed(
    chain: Chain, head: Checkpoint, channel: str, found: Sequence[Message]
) -> Iterator[Finding]:
    """Yield tools whose last result is marked as an error, where the model went on without them.

    A call that a person was asked about may have been rejected: LangChain marks that as an error.
    """
    reviewed = {
        action.tool
        for checkpoint in chain.checkpoints
        for asked in checkpoint.interrupts
        for action in interrupt_actions(asked.value)
    }
    names = {call.id: call.name for m in found for call in m.tool_calls if call.id}
    last: dict[str, Message] = {}
    for message in found:
        if message.role == "tool" and message.tool_call_id:
            last[names.get(message.tool_call_id) or message.name or ""] = message
    for name, message in last.items():
        spoke = any(m.role == "assistant" for m in found[message.index + 1 :])
        if message.refused and spoke and name and name not in reviewed:
            yield _finding(
                chain,
                head,
                "tool_failed",
                channel,
                message.pointer,
                f"the last call of {name} failed and the run went on without it: "
                f"{brief(message.text)}",
            )


def _finding(
    chain: Chain,
    head: Checkpoint,
    keyword: str,
    channel: str,
    pointer: str,
    message: str,
    last: str = "",
) -> Finding:
    shown = Evidence(
        checkpoint_id=head.checkpoint_id,
        index=head.index,
        pointer=last or pointer,
        note="the last of them" if last else "the message",
    )
    return Finding(
        keyword=keyword,
        message=message,
        namespace=chain.namespace,
        checkpoint_id=head.checkpoint_id,
        index=head.index,
        step=head.step,
        channel=channel,
        pointer=pointer,
        evidence=(shown,),
    )
