"""Tool calls and tool results that do not meet, at the step and node that parted them.

What is judged is the list at the live head; each finding is then placed at the checkpoint of the
head's lineage at which its message first stood there.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from viewer.analysis.differences import alike
from viewer.analysis.messages import Message, message_id, message_list
from viewer.analysis.replay import Edge
from viewer.analysis.suspicion_messages import answered_calls
from viewer.chain import Chain
from viewer.model import Checkpoint, Evidence, Finding
from viewer.pointer import Tokens, find, join

_START = "__start__"
_REFUSE = "model providers refuse such a list"


class _Calls:
    """The messages at the live head, and where on its lineage each came."""

    def __init__(
        self, chain: Chain, head: int, found: Sequence[Message], steps: Sequence[Edge]
    ) -> None:
        self.chain = chain
        self.head = head
        self.where, self.entries = message_list(chain.states[head], chain.profile)
        self.found = found
        self.edges: Mapping[int, Edge] = {edge.child.index: edge for edge in steps}
        self.channel = str(self.where[0]) if self.where else ""
        made = [(call.id, m) for m in self.found for call in m.tool_calls if call.id]
        self.asked = dict(made)
        self.times = Counter(call_id for call_id, _ in made)
        """How often each id was given to a call: some models count anew in every turn."""
        self.answers = [(m, answered_calls(self.entries[m.index], m)) for m in self.found]

    def came(self, message: Message) -> Checkpoint:
        """Return the checkpoint of the head's lineage that first holds ``message``."""
        at = self.head
        while (parent := self.chain.checkpoints[at].parent) is not None:
            if self.place(parent, message) is None:
                break
            at = parent
        return self.chain.checkpoints[at]

    def place(self, at: int, message: Message) -> Tokens | None:
        """Return where ``message`` stands in the state of the checkpoint at index ``at``."""
        entry, entries = self.entries[message.index], find(self.chain.states[at], self.where)
        if not isinstance(entries, list):
            return None

        def same(other: Any) -> bool:
            return message_id(other) == message.id if message.id else alike(other, entry)

        nth = sum(map(same, self.entries[: message.index]))
        places = (i for i, other in enumerate(entries) if same(other))
        found = next(islice(places, nth, None), None)
        return None if found is None else (*self.where, found)

    def author(self, at: Checkpoint) -> str:
        edge = self.edges.get(at.index)
        return edge.author(self.channel) if edge else ", ".join(at.nodes)

    def skipper(self, call: Message, following: Message, at: Checkpoint) -> str:
        """Return the node after whose run the call could not be answered any more.

        Who wrote the message that follows it; where that is the next input or the caller itself,
        who had run, or was to run, just before.
        """
        node = self.author(at)
        before = None if at.parent is None else self.chain.checkpoints[at.parent]
        if node == _START:
            while before is not None and before.origin == "input" and before.parent is not None:
                before = self.chain.checkpoints[before.parent]
            return "" if before is None else ", ".join(before.next or before.nodes)
        if before is not None and node == self.author(self.came(call)) and before.nodes:
            return ", ".join(n for n in before.nodes if n != _START) or node
        return node


def call_findings(
    chain: Chain, found: Sequence[Message], steps: Sequence[Edge]
) -> Iterator[Finding]:
    """Yield results that answer no open call, and calls that got no result before others came.

    Args:
        chain: the chain.
        found: the messages at its live head.
        steps: its steps.
    """
    if chain.head is None or not found:
        return
    calls = _Calls(chain, chain.head, found, steps)
    answered: dict[str, list[Message]] = {}
    misled: set[str] = set()
    for message, ids in calls.answers:
        for call_id in ids:
            if call_id not in calls.asked:
                yield _result(
                    calls,
                    message,
                    "result_without_call",
                    f"answers the call {call_id}, which no message makes: {_REFUSE}",
                )
            elif len(answered.get(call_id, ())) >= calls.times[call_id]:
                open_ = _open(calls, message, misled)
                misled.update(open_)
                missed = (
                    f"; the call {', '.join(open_)} before it stays without one" if open_ else ""
                )
                yield _result(
                    calls,
                    message,
                    "misdirected_result" if open_ else "result_without_call",
                    f"answers the call {call_id}, which has its result at "
                    f"{answered[call_id][-1].pointer} already{missed}: {_REFUSE}",
                )
            answered.setdefault(call_id, []).append(message)
    for call_id, message in calls.asked.items():
        if call_id in answered or call_id in misled:
            continue
        later = calls.found[message.index + 1 :]
        following = next((m for m in later if m.role in ("user", "assistant")), None)
        if following is not None:
            yield _unanswered(calls, call_id, message, following)


def _open(calls: _Calls, message: Message, misled: set[str]) -> list[str]:
    """Return the calls of the nearest message with calls before ``message`` that nothing answers."""
    given = {call_id for _, ids in calls.answers for call_id in ids}
    before = next((m for m in reversed(calls.found[: message.index]) if m.tool_calls), None)
    own = [] if before is None else [call.id for call in before.tool_calls if call.id]
    return [call_id for call_id in own if call_id not in given and call_id not in misled]


def _result(calls: _Calls, message: Message, keyword: str, said: str) -> Finding:
    at = calls.came(message)
    return _finding(
        calls,
        at,
        message,
        keyword,
        calls.author(at),
        f"the result of {message.name or 'a tool'} at {message.pointer} {said}",
        (),
    )


def _unanswered(calls: _Calls, call_id: str, message: Message, following: Message) -> Finding:
    at = calls.came(following)
    name = next(call.name for call in message.tool_calls if call.id == call_id)
    return _finding(
        calls,
        at,
        message,
        "call_without_result",
        calls.skipper(message, following, at),
        f"the call of {name} at {message.pointer} has no result, and the messages go on"
        f"{'' if at.step is None else f' since step {at.step}'}: {_REFUSE}",
        (_seen(calls, at, following, "the message that follows"),),
    )


def _seen(calls: _Calls, at: Checkpoint, message: Message, note: str) -> Evidence:
    return Evidence(
        checkpoint_id=at.checkpoint_id,
        index=at.index,
        pointer=join(calls.place(at.index, message) or calls.where),
        note=note,
    )


def _finding(
    calls: _Calls,
    at: Checkpoint,
    message: Message,
    keyword: str,
    node: str,
    text: str,
    more: tuple[Evidence, ...],
) -> Finding:
    return Finding(
        keyword=keyword,
        message=text,
        namespace=calls.chain.namespace,
        checkpoint_id=at.checkpoint_id,
        index=at.index,
        step=at.step,
        node=node,
        channel=calls.channel,
        pointer=join(calls.place(at.index, message) or calls.where),
        evidence=(_seen(calls, at, message, "the message"), *more),
    )
