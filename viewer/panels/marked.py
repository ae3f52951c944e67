"""Text in which identifiers are marked, and messages that are JSON read as fields.

Marked text is a list of pieces: a text is as written, a list of one text is an identifier.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from viewer.analysis.message_parts import json_text
from viewer.jsontext import dumps, escape_surrogates
from viewer.profiles.identifiers import spans

Marked = list[str | list[str]]
Patterns = tuple[str, ...]


def marked(text: str, patterns: Patterns) -> Marked:
    """Return ``text`` in pieces, each identifier that ``patterns`` find in it a piece of its own.

    Raises:
        ProfileError: a pattern cannot be used.
    """
    pieces: Marked = []
    reached = 0
    for start, end in spans(text, patterns):
        if start > reached:
            pieces.append(escape_surrogates(text[reached:start]))
        pieces.append([escape_surrogates(text[start:end])])
        reached = end
    if reached < len(text):
        pieces.append(escape_surrogates(text[reached:]))
    return pieces


def identifiers(pieces: Marked) -> list[str]:
    """Return the identifiers in ``pieces``, as often as they stand there."""
    return [piece[0] for piece in pieces if isinstance(piece, list)]


def field_rows(value: Mapping[str, Any], patterns: Patterns) -> list[dict[str, Any]]:
    """Return one row a member of ``value``: its key, and its value as text, lines or a call.

    A value that names a tool and its arguments is drawn as a call; a list of sentences as lines; any
    other value that is no text as JSON.
    """
    return [_row(key, part, patterns) for key, part in value.items()]


def _row(key: str, value: Any, patterns: Patterns) -> dict[str, Any]:
    row: dict[str, Any] = {"key": marked(key, patterns)}
    called = call_of(value)
    if called is not None:
        row["call"] = call_row(*called, patterns)
    elif _lines(value):
        row["lines"] = [marked(line, patterns) for line in value]
    elif isinstance(value, str):
        row["text"] = marked(value, patterns)
    else:
        row["json"] = marked(dumps(value), patterns)
    return row


def _lines(value: Any) -> bool:
    """Return whether ``value`` is a list of texts of which one at least is a sentence, not a word."""
    texts = isinstance(value, list) and all(isinstance(v, str) for v in value)
    return texts and any(" " in v for v in value)


def call_of(value: Any) -> tuple[str, Any] | None:
    """Return the name and arguments of a call that an object describes and nothing else; or None."""
    if not isinstance(value, dict) or len(value) != 2:
        return None
    name = next((value[k] for k in ("tool", "name") if isinstance(value.get(k), str)), None)
    keys = [k for k in ("args", "arguments", "input") if k in value]
    return (name, value[keys[0]]) if name and keys else None


def call_row(name: str, args: Any, patterns: Patterns) -> dict[str, Any]:
    """Return a call as its name and a small table of its arguments.

    Where the table would show other identifiers than the arguments' JSON, that is shown instead.
    """
    whole = marked(args if isinstance(args, str) else json_text(args), patterns)
    row: dict[str, Any] = {"name": marked(name, patterns), "text": whole}
    if isinstance(args, dict):
        table = [[marked(k, patterns), marked(_short(v), patterns)] for k, v in args.items()]
        shown = [name for pair in table for pieces in pair for name in identifiers(pieces)]
        if shown == identifiers(whole):
            row["table"] = table
    return row


def _short(value: Any) -> str:
    return value if isinstance(value, str) else dumps(value)


def message_fields(text: str, patterns: Patterns) -> list[dict[str, Any]] | None:
    """Return the rows of a message that is one JSON object; None where it is not.

    None also where they would show other identifiers than the text as written (what is counted
    must be what is seen), or a number otherwise than it is written there.
    """
    if not text.lstrip().startswith("{"):
        return None
    try:
        value = json.loads(
            text,
            object_pairs_hook=_once,
            parse_int=lambda word: _as_written(word, int),
            parse_float=lambda word: _as_written(word, float),
            parse_constant=_no_json,
        )
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not value:
        return None
    rows = field_rows(value, patterns)
    seen = [name for row in rows for name in _seen(row)]
    return rows if seen == identifiers(marked(text, patterns)) else None


def _as_written(word: str, kind: type[int] | type[float]) -> int | float:
    number = kind(word)
    if repr(number) != word:
        raise ValueError("would be shown otherwise than it is written")
    return number


def _no_json(word: str) -> None:
    raise ValueError(f"{word} is no JSON")


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _seen(row: Mapping[str, Any]) -> list[str]:
    pieces = [row["key"]]
    call = row.get("call")
    if call is not None:
        pieces += [call["name"]]
        pieces += [p for pair in call["table"] for p in pair] if "table" in call else [call["text"]]
    pieces += row.get("lines", [])
    pieces += [row[name] for name in ("text", "json") if name in row]
    return [name for one in pieces for name in identifiers(one)]
