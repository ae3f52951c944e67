"""The presenter: a run walked in a few parts with large type, transcript left and state right.

Keys: ``→``, space or ``PageDown`` next, ``←`` or ``PageUp`` previous, ``Home/End`` first and last
part, ``Esc`` leaves.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from viewer.analysis.evidence import evidence_rows, returned_by, row_ok
from viewer.analysis.grounding import Transcript, transcript
from viewer.analysis.mentions import WRITERS, writers
from viewer.analysis.message_parts import json_text
from viewer.analysis.walk import Walk, WalkStep
from viewer.analysis.what_if import judge
from viewer.chain import Chain
from viewer.errors import SelectionError
from viewer.jsontext import dumps, escape_surrogates
from viewer.model import MISSING
from viewer.panels.conversation import WRITER_WORDS
from viewer.panels.marked import Marked, Patterns, call_of, identifiers, marked, message_fields
from viewer.panels.wire import revision, text_of
from viewer.pointer import find

_EXCERPT = 190
"""Characters of a message or value shown; a longer one is cut around the identifier."""
_MOST = 6
"""Places shown on one side."""


def presenter_payload(chain: Chain, walk: Walk) -> dict[str, Any]:
    """Return what the presenter draws: every step, ready to be walked without asking again."""
    steps = [_step(chain, step) for step in walk.steps]
    title = walk.title or chain.thread_id
    payload = {"title": escape_surrogates(title), "steps": steps}
    return {"rev": revision(text_of(payload)), **payload}


def _step(chain: Chain, step: WalkStep) -> dict[str, Any]:
    drawn: dict[str, Any] = {
        "title": escape_surrogates(step.title),
        "words": escape_surrogates(step.words),
        "left": [],
        "right": [],
    }
    try:
        index = chain.resolve(step.checkpoint)
        state = chain.state(index)
    except SelectionError as error:
        return drawn | {
            "missing": escape_surrogates(str(error)),
            "checkpoint": escape_surrogates(step.checkpoint),
        }
    here = chain.checkpoints[index]
    found = transcript(chain, index)
    number = "" if here.step is None else f" · step {here.step}"
    status = f" · {here.status}" if here.status else ""
    drawn["checkpoint"] = escape_surrogates(f"@{index}{number}{status}")
    drawn["index"] = index
    drawn["left"] = _messages(chain, found, step, index)
    drawn["right"] = [_place(chain, state, at, step.identifier) for at in step.state[:_MOST]]
    if step.identifier is not None:
        drawn["tally"] = _tally(chain, found, step.identifier, evidence_rows(state, chain.profile))
    if step.what_if is not None:
        drawn["verdict"] = _verdict(chain, index, step.what_if)
    return drawn


def _messages(chain: Chain, found: Transcript, step: WalkStep, index: int) -> list[dict[str, Any]]:
    rows = evidence_rows(chain.state(index), chain.profile)
    wrote = writers(found.messages, [row_ok(row, chain.profile) for row in rows])
    drawn: list[dict[str, Any]] = []
    for pointer in step.transcript[:_MOST]:
        message = next((m for m in found.messages if m.pointer == pointer), None)
        if message is None:
            drawn.append(
                {"who": escape_surrogates(f"nothing at {pointer}"), "by": "none", "lines": []}
            )
            continue
        by = wrote[message.index]
        calls = [(c.name, c.args) for c in message.tool_calls]
        lines = _said(message.text, step.identifier, _patterns(chain))
        lines += [{"call": _call(name, args, _patterns(chain))} for name, args in calls[:_MOST]]
        drawn.append({"who": WRITER_WORDS[by], "by": by, "lines": lines})
    return drawn


def _said(text: str, identifier: str | None, patterns: Patterns) -> list[dict[str, Any]]:
    """Return the lines of a message: what names the identifier, and what is short enough to read."""
    rows = message_fields(text, patterns)
    if rows is None:
        return [{"text": _cut(text, identifier, patterns)}] if text else []
    lines: list[dict[str, Any]] = []
    for row in rows:
        key = _plain(row["key"])
        if "call" in row:
            called = row["call"]
            lines.append({"call": {"name": called["name"], "args": called.get("table", [])}})
            continue
        written: Marked = row.get("text") or row.get("json") or []
        names = identifier is None or identifier in identifiers(written)
        if written and (names or len(_plain(written)) <= 40):
            lines.append({"key": key, "text": _cut(_plain(written), identifier, patterns)})
    return lines or [{"text": _cut(text, identifier, patterns)}]


def _call(name: str, args: Any, patterns: Patterns) -> dict[str, Any]:
    pairs = args.items() if isinstance(args, dict) else []
    table = [[marked(k, patterns), _cut(_text(v), None, patterns)] for k, v in pairs]
    return {"name": [escape_surrogates(name)], "args": table[:_MOST]}


def _place(chain: Chain, state: Any, pointer: str, identifier: str | None) -> dict[str, Any]:
    value = find(state, pointer, MISSING)
    name = pointer.lstrip("/") or "state"
    if value is MISSING:
        return {"name": escape_surrogates(name), "value": ["absent"], "empty": True}
    return {
        "name": escape_surrogates(name),
        "value": _cut(_summary(value), identifier, _patterns(chain)),
        "empty": value in (None, [], {}, ""),
    }


def _summary(value: Any) -> str:
    """Return a value in a line: of a long list of objects how many it holds and the last of them."""
    whole = _text(value)
    if isinstance(value, list) and len(whole) > _EXCERPT and len(value) > 1:
        return f"{len(value)} entries, the last: {dumps(value[-1])}"
    return whole


def _text(value: Any) -> str:
    return value if isinstance(value, str) else dumps(value)


def _cut(text: str, identifier: str | None, patterns: Patterns) -> Marked:
    """Return at most `_EXCERPT` characters of ``text`` around the identifier, marked."""
    if len(text) <= _EXCERPT:
        return marked(text, patterns)
    at = text.find(identifier) if identifier else -1
    start = max(0, min(at - _EXCERPT // 3, len(text) - _EXCERPT)) if at > _EXCERPT // 2 else 0
    before, after = "…" if start else "", "…" if start + _EXCERPT < len(text) else ""
    return [before, *marked(text[start : start + _EXCERPT], patterns), after]


def _plain(pieces: Marked) -> str:
    return "".join(piece if isinstance(piece, str) else piece[0] for piece in pieces)


def _tally(chain: Chain, found: Transcript, identifier: str, rows: Sequence[Any]) -> dict[str, Any]:
    mention = next((m for m in found.mentions if m.id == identifier), None)
    by: Mapping[Any, int] = mention.by if mention else {}
    return {
        "id": escape_surrogates(identifier),
        "count": mention.count if mention else 0,
        "by": [[WRITER_WORDS[w], by[w]] for w in WRITERS if by.get(w)],
        "rows": len(rows),
        "returned": sum(identifier in returned_by(row, chain.profile) for row in rows),
    }


def _verdict(chain: Chain, index: int, name: str) -> dict[str, Any]:
    proposal = chain.sidecars.what_if.get(name, MISSING)
    if proposal is MISSING:
        return {"name": escape_surrogates(name), "missing": True}
    found = judge(chain, index, proposal)
    calls = []
    for finding in found.findings:
        action = find(
            proposal, finding.pointer.rpartition("/")[0] if finding.identifier else finding.pointer
        )
        calls.append(_action(action, _patterns(chain)))
    reasons = [f.message for f in found.findings if f.identifier and not f.proved_by_state]
    return {
        "name": escape_surrogates(name),
        "calls": calls[:3],
        "believed": found.believed,
        "proved": found.proved,
        "reason": escape_surrogates(" ".join(reasons))[:400],
    }


def _action(action: Any, patterns: Patterns) -> dict[str, Any]:
    called = call_of(action)
    if called is not None:
        return _call(*called, patterns)
    if not isinstance(action, dict):
        return {"name": [escape_surrogates(json_text(action)[:_EXCERPT])], "args": []}
    tool = next((str(v) for k, v in action.items() if k in ("tool", "name")), "an action")
    args = {k: v for k, v in action.items() if k not in ("tool", "name") and v is not None}
    return _call(tool, args, patterns)


def _patterns(chain: Chain) -> Patterns:
    rules = chain.profile.file.grounding
    return rules.identifiers if rules is not None else ()
