"""The conversation: messages on the left, the state on the right, identifiers through both.

Keys, while it has the focus: ``n/p`` next and previous mention of the chosen identifier, ``Esc``
lets go of it; on an identifier ``Enter`` chooses it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from viewer.analysis.evidence import evidence_rows, returned_by, row_ok
from viewer.analysis.grounding import Transcript
from viewer.analysis.mentions import WRITERS, writers
from viewer.analysis.message_parts import json_text
from viewer.analysis.messages import Message, message_list
from viewer.chain import Chain
from viewer.jsontext import dumps, escape_surrogates
from viewer.model import MISSING, Writer
from viewer.panels.marked import Marked, call_row, field_rows, marked, message_fields
from viewer.panels.wire import revision, text_of
from viewer.pointer import find, join

PAGE = 200
"""Messages sent at once, the newest first; the panel asks for earlier ones."""
CHARACTERS = 20_000
"""Most characters of one message sent; the panel asks for the whole as stored."""
IDENTIFIERS = 300
"""Most identifiers listed above the messages; all are marked in them."""
_STATE = ("status", "step", "stop_reason", "goal", "plan", "pending_tool", "proposal")
_VALUE = 600
_FIELDS = 14
WRITER_WORDS: Mapping[Writer, str] = {
    "user": "user",
    "model": "model",
    "system": "system",
    "tool_ok": "tool result",
    "tool_refused": "tool refusal",
}


def conversation_payload(chain: Chain, index: int, found: Transcript) -> dict[str, Any]:
    """Return what the panel draws of the checkpoint at ``index``.

    Args:
        chain: its states are not changed.
        index: of a checkpoint with a readable state.
        found: the transcript of that state.
    """
    state = chain.state(index)
    evidence = evidence_rows(state, chain.profile)
    count = len(found.messages)
    parent = chain.checkpoints[index].parent
    before = 0 if parent is None else len(message_list(chain.states[parent], chain.profile)[1])
    first = max(count - PAGE, 0)
    payload = {
        "chain": escape_surrogates(f"{chain.source}\n{chain.thread_id}\n{chain.namespace}"),
        "index": index,
        "count": count,
        "first": first,
        "fresh": before if parent is not None else count,
        "identifiers": _identifiers(chain, found, evidence),
        "more_identifiers": max(len(found.mentions) - IDENTIFIERS, 0),
        "note": _note(chain) if count else None,
        "state": _state_now(chain, state),
        "notes": [escape_surrogates(note) for note in chain.profile.file.notes],
        "evidence": len(evidence) if chain.profile.file.fields.evidence else None,
        "why": found.why,
        "rows": message_rows(chain, index, found, first, count),
        "rest": _unmatched(chain, found, evidence),
    }
    return {"rev": revision(text_of(payload)), **payload}


def message_rows(
    chain: Chain, index: int, found: Transcript, start: int, end: int
) -> list[dict[str, Any]]:
    """Return one row a message from ``start`` to before ``end``, each with its evidence row."""
    evidence = evidence_rows(chain.state(index), chain.profile)
    wrote, beside = _paired(chain, found, evidence)
    answered = {c.id: c.name for m in found.messages for c in m.tool_calls if c.id is not None}
    rows = []
    for message in found.messages[start:end]:
        row = _message(message, wrote[message.index], chain, answered)
        number = beside.get(message.index)
        if number is not None:
            row["evidence"] = evidence_row(chain, evidence[number], number)
        rows.append(row)
    return rows


def evidence_row(chain: Chain, row: Any, number: int) -> dict[str, Any]:
    """Return what is drawn of one row of evidence: whether it worked and what it returned."""
    patterns = _patterns(chain)
    listed = row if isinstance(row, dict) else {"value": row}
    tool = listed.get("tool")
    fields = {k: v for k, v in listed.items() if k not in ("ok", "tool")}
    return {
        "number": number,
        "pointer": f"{chain.profile.file.fields.evidence}/{number}",
        "ok": row_ok(row, chain.profile),
        "tool": escape_surrogates(tool) if isinstance(tool, str) else "",
        "fields": field_rows(fields, patterns),
        "returned": [escape_surrogates(name) for name in returned_by(row, chain.profile)],
    }


def _paired(
    chain: Chain, found: Transcript, evidence: Sequence[Any]
) -> tuple[tuple[Writer, ...], dict[int, int]]:
    """Return who wrote each message, and for a result's index the number of its evidence row."""
    wrote = writers(found.messages, [row_ok(row, chain.profile) for row in evidence])
    results = [i for i, by in enumerate(wrote) if by in ("tool_ok", "tool_refused")]
    return wrote, dict(zip(results, range(len(evidence)), strict=False))


def _message(
    message: Message, by: Writer, chain: Chain, answered: Mapping[str, str]
) -> dict[str, Any]:
    patterns, text = _patterns(chain), message.text
    row: dict[str, Any] = {
        "index": message.index,
        "role": escape_surrogates(message.role),
        "by": by,
        "pointer": escape_surrogates(message.pointer),
        "text": marked(text[:CHARACTERS], patterns),
        "length": len(text),
    }
    fields = message_fields(text, patterns) if len(text) <= CHARACTERS else None
    if fields is not None:
        row["fields"] = fields
    calls = [call_row(c.name, c.args, patterns) for c in message.tool_calls]
    others = [
        {"kind": part.kind, "text": escape_surrogates(part.text[:CHARACTERS])}
        for part in message.parts
        if part.kind not in ("text", "call")
    ]
    name = message.name or answered.get(message.tool_call_id or "")
    extra = {"calls": calls, "others": others, "name": escape_surrogates(name or "")}
    return row | {key: value for key, value in extra.items() if value}


def _unmatched(chain: Chain, found: Transcript, evidence: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the rows of evidence for which no message of the transcript stands."""
    matched = set(_paired(chain, found, evidence)[1].values())
    left = [n for n in range(len(evidence)) if n not in matched]
    return [evidence_row(chain, evidence[n], n) for n in left[:PAGE]]


def _identifiers(chain: Chain, found: Transcript, evidence: Sequence[Any]) -> list[dict[str, Any]]:
    """Return each identifier: how often and by whom it is written, how many rows returned it.

    ``named`` counts the rows that hold it without having returned it. What tools returned and no
    message mentions comes last.
    """
    returned: dict[str, int] = {}
    named: dict[str, int] = {}
    patterns = _patterns(chain)
    for row in evidence:
        own = set(returned_by(row, chain.profile))
        for name in own:
            returned[name] = returned.get(name, 0) + 1
        written = marked(json_text(row), patterns)
        for name in {piece[0] for piece in written if isinstance(piece, list)} - own:
            named[name] = named.get(name, 0) + 1
    said = {m.id: m for m in found.mentions}
    rows = []
    for name in [*list(said)[:IDENTIFIERS], *(n for n in returned if n not in said)]:
        mention = said.get(name)
        rows.append(
            {
                "id": escape_surrogates(name),
                "count": mention.count if mention else 0,
                "by": [[WRITER_WORDS[w], mention.by[w]] for w in WRITERS if mention.by[w]]
                if mention
                else [],
                "returned": returned.get(name, 0),
                "named": named.get(name, 0),
            }
        )
    return rows


def _note(chain: Chain) -> str | None:
    """Return what is missing to tell mentions from facts; None where nothing is."""
    fields, name = chain.profile.file.fields, chain.profile.name
    lacks = []
    if not _patterns(chain):
        lacks.append("what an identifier looks like")
    if fields.evidence is None:
        lacks.append("where code records what tools returned")
    if not lacks:
        return None
    return (
        f"Profile {name} does not say {' nor '.join(lacks)}: mentions and proofs cannot be told "
        "apart here. A profile's [grounding] section says it."
    )


def _state_now(chain: Chain, state: Any) -> list[dict[str, Any]]:
    """Return the fields of the state that a person reads first: name, place, value as marked text.

    They are those that the profile names; where it names none, the first top-level fields.
    """
    fields, patterns = chain.profile.file.fields, _patterns(chain)
    places = [at for name in _STATE if (at := getattr(fields, name)) is not None]
    places = [at for at in places if find(state, at, MISSING) is not MISSING]
    if not places and isinstance(state, dict):
        where = message_list(state, chain.profile)[0]
        places = [join((key,)) for key in state if (key,) != where[:1]][:_FIELDS]
    return [
        {
            "name": escape_surrogates(at.lstrip("/")),
            "pointer": escape_surrogates(at),
            "value": shown_value(find(state, at), patterns),
        }
        for at in places
    ]


def shown_value(value: Any, patterns: tuple[str, ...], most: int = _VALUE) -> Marked:
    """Return a value as marked text, cut after ``most`` characters; a text stands without quotes."""
    if isinstance(value, list) and value and all(isinstance(v, str) for v in value):
        text = " · ".join(value)
    else:
        text = value if isinstance(value, str) else dumps(value)
    pieces = marked(text[:most], patterns)
    return [*pieces, "…"] if len(text) > most else pieces


def _patterns(chain: Chain) -> tuple[str, ...]:
    rules = chain.profile.file.grounding
    return rules.identifiers if rules is not None else ()
