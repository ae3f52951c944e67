"""A conversation as Markdown, with the evidence beside it in words; its mentions as JSON."""

from typing import Any

from viewer.analysis.evidence import evidence_rows, returned_by, row_ok
from viewer.analysis.grounding import Transcript, transcript
from viewer.analysis.mentions import WRITERS, writers
from viewer.chain import Chain
from viewer.jsontext import dumps, visible
from viewer.reports import as_json

_WHO = {
    "user": "user",
    "model": "model",
    "system": "system",
    "tool_ok": "tool result",
    "tool_refused": "tool refusal",
}


def mentions_document(chain: Chain, index: int) -> dict[str, Any]:
    """Return every identifier at a checkpoint, by whom it is written, and what returned it.

    Rows are those of the command ``transcript`` (``schemas/cli/transcript.schema.json``).

    Raises:
        ProfileError: an identifier pattern cannot be used.
    """
    found, of = transcript(chain, index), as_json.owner(chain)
    return {
        "format_version": as_json.FORMAT_VERSION,
        "checkpoint": as_json.named(chain, index),
        "messages": len(found.messages),
        "mentions": mention_rows(found, of),
        "evidence": proof_rows(found, of),
        "why": found.why,
    }


def mention_rows(found: Transcript, of: as_json.Row) -> list[as_json.Row]:
    """Return one row an identifier: how often it stands in the messages, by whom, and where."""
    return [
        {
            **of,
            "id": mention.id,
            "count": mention.count,
            "by": {writer: mention.by.get(writer, 0) for writer in WRITERS},
            "places": [{"pointer": place, "by": by} for place, by in mention.places],
        }
        for mention in found.mentions
    ]


def proof_rows(found: Transcript, of: as_json.Row) -> list[as_json.Row]:
    """Return one row an identifier that a tool returned, with where that first stood."""
    return [
        {**of, "id": e.id, "checkpoint_id": e.checkpoint_id, "pointer": e.pointer}
        for e in found.evidence
    ]


def as_markdown(chain: Chain, index: int) -> str:
    """Return the messages of a checkpoint, each result with its row of evidence, as Markdown.

    What data says stands in fenced blocks or code spans, so that no word of it is read as markup.

    Raises:
        ProfileError: an identifier pattern cannot be used.
    """
    found, state = transcript(chain, index), chain.state(index)
    rows = evidence_rows(state, chain.profile)
    worked = [row_ok(row, chain.profile) for row in rows]
    checkpoint = chain.checkpoints[index]
    lines = [
        f"# Conversation of {_code(chain.thread_id)}, checkpoint {_code(checkpoint.checkpoint_id)}",
        "",
        f"{len(found.messages)} messages · {len(rows)} rows of evidence · status "
        f"{_code(checkpoint.status or 'none')}",
        "",
    ]
    if found.mentions:
        lines += ["| identifier | mentions | written by | proven |", "|---|---|---|---|"]
        proven = {e.id for e in found.evidence}
        for mention in found.mentions:
            by = ", ".join(f"{_WHO[w]} {mention.by[w]}" for w in WRITERS if mention.by[w])
            mark = "yes" if mention.id in proven else "no"
            lines.append(f"| {_code(mention.id)} | {mention.count} | {by} | {mark} |")
        lines.append("")
    number = 0
    for message, by in zip(found.messages, writers(found.messages, worked), strict=True):
        lines += [f"## {message.index} · {_WHO[by]}", "", *_fenced(message.text)]
        for call in message.tool_calls:
            args = call.args if isinstance(call.args, str) else dumps(call.args, indent=2)
            lines += [f"Calls {_code(call.name)}:", "", *_fenced(args)]
        if by in ("tool_ok", "tool_refused"):
            if number < len(rows):
                lines += _evidence(chain, rows[number], number)
            number += 1
    for left in range(min(number, len(rows)), len(rows)):
        lines += ["## Evidence without a message", "", *_evidence(chain, rows[left], left)]
    return "\n".join(lines).rstrip() + "\n"


def _evidence(chain: Chain, row: Any, number: int) -> list[str]:
    how = "ok" if row_ok(row, chain.profile) else "refused"
    ids = ", ".join(map(_code, returned_by(row, chain.profile))) or "no identifier"
    head = f"**Evidence {number}: {how}; returned {ids}**"
    return [head, "", *_fenced(dumps(row, indent=2))]


def _fenced(text: str) -> list[str]:
    if not text:
        return []
    shown = visible(text)
    fence = "```"
    while fence in shown:
        fence += "`"
    return [fence, shown, fence, ""]


def _code(text: str) -> str:
    shown = visible(text).replace("\n", "⏎").replace("|", "¦")
    fence = "`"
    while fence in shown:
        fence += "`"
    pad = " " if "`" in shown or not shown else ""
    return f"{fence}{pad}{shown}{pad}{fence}"
