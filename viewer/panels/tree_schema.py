"""What a profile's JSON Schema says of each place, as a trie of words for the inspector.

A node is ``{"words": [[keyword, text], …], "at": {token: node}, "any": node}``; a place is looked
up token by token, ``any`` where no token of that name stands. ``allOf``, ``anyOf``, ``oneOf`` and
``$ref`` are folded into the place that they describe, so alternatives stand side by side ("string
or null"). Only references inside the file are followed: nothing is ever fetched.
"""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from viewer.errors import PointerError
from viewer.panels.wire import text_of
from viewer.pointer import get, split

PLACES = 2_000
"""Most places described; a schema that is larger is described in part."""
TEXT_CHARACTERS = 600
_AGAIN = 2
"""How often one reference may stand inside itself: a recursive schema has no end."""
_SHOWN = (
    "const",
    "format",
    "pattern",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "default",
    "deprecated",
    "readOnly",
)
_BRANCHES = ("allOf", "anyOf", "oneOf")

Node = dict[str, Any]


def schema_words(schema: Mapping[str, Any] | None) -> Node | None:
    """Return the trie for ``schema``; None where there is none."""
    if schema is None:
        return None
    walk = _Walk(schema)
    walk.describe(schema, walk.top, ())
    return _closed(walk.top)


class _Walk:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root = root
        self.top = _node()
        self.left = PLACES

    def describe(self, schema: Any, node: Node, through: tuple[str, ...]) -> None:
        if not isinstance(schema, dict):
            return
        for keyword, text in _words(schema):
            texts = node["words"].setdefault(keyword, [])
            if text not in texts:
                texts.append(text)
        reference = schema.get("$ref")
        if isinstance(reference, str) and through.count(reference) < _AGAIN:
            self.describe(self._resolved(reference), node, (*through, reference))
        for branch in _BRANCHES:
            listed = schema.get(branch)
            for part in listed if isinstance(listed, list) else ():
                self.describe(part, node, through)
        required = schema.get("required")
        for token, child in _children(schema):
            below = self._below(node, token)
            if below is None:
                return
            if isinstance(required, list) and token is not None and token in required:
                below["words"].setdefault("required", ["yes"])
            self.describe(child, below, through)

    def _resolved(self, reference: str) -> Any:
        if not reference.startswith("#"):
            return None
        try:
            return get(self.root, split(unquote(reference[1:])))
        except PointerError:
            return None

    def _below(self, node: Node, token: str | None) -> Node | None:
        known = node["any"] if token is None else node["at"].get(token)
        if known is not None:
            return known  # type: ignore[no-any-return]
        if not self.left:
            return None
        self.left -= 1
        made = _node()
        if token is None:
            node["any"] = made
        else:
            node["at"][token] = made
        return made


def _node() -> Node:
    return {"words": {}, "at": {}, "any": None}


def _children(schema: Mapping[str, Any]) -> Iterator[tuple[str | None, Any]]:
    properties = schema.get("properties")
    if isinstance(properties, dict):
        yield from properties.items()
    first = schema.get("prefixItems")
    for index, child in enumerate(first if isinstance(first, list) else ()):
        yield str(index), child
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            yield None, schema[keyword]


def _words(schema: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for keyword in ("title", "description"):
        if isinstance(schema.get(keyword), str):
            yield keyword, _cut(schema[keyword])
    kinds = schema.get("type")
    for kind in [kinds] if isinstance(kinds, str) else kinds if isinstance(kinds, list) else ():
        yield "type", str(kind)
    allowed = schema.get("enum")
    for value in allowed if isinstance(allowed, list) else ():
        yield "enum", _cut(text_of(value))
    for keyword in _SHOWN:
        if keyword in schema:
            yield keyword, _cut(text_of(schema[keyword]))


def _cut(text: str) -> str:
    return text if len(text) <= TEXT_CHARACTERS else f"{text[:TEXT_CHARACTERS]}…"


def _closed(node: Node) -> Node:
    """Return ``node`` as it travels: words joined, what is empty left out."""
    closed: Node = {}
    if node["words"]:
        closed["words"] = [
            [keyword, " or ".join(texts)] for keyword, texts in node["words"].items()
        ]
    if node["at"]:
        closed["at"] = {token: _closed(child) for token, child in node["at"].items()}
    if node["any"] is not None:
        closed["any"] = _closed(node["any"])
    return closed
