"""The schema gate: which places of a state break a JSON Schema, and how.

``jsonschema-rs`` decides, offline; Draft 2020-12 unless ``$schema`` names another. Pointers,
keywords and messages are ours: a message never holds a whole value.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from viewer.analysis.nesting import Nesting
from viewer.analysis.plain_json import plain
from viewer.analysis.schema_file import compiled
from viewer.analysis.schema_words import reason
from viewer.errors import ViewerError
from viewer.pointer import Token, Tokens, find, join

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

_CAUSES = 50
_DEEPEST = 1_000
_NAMED = frozenset(
    {"properties", "patternProperties", "prefixItems", "dependentSchemas", "$defs", "definitions"}
)
FALSE = "false schema"


class Fault(NamedTuple):
    """One place of a state that breaks the schema."""

    tokens: Tokens
    """For a missing or unexpected field, the field itself."""
    keyword: str
    """The JSON Schema keyword, or ``false schema`` where the schema is just ``false``."""
    message: str
    causes: tuple[str, ...] = ()
    """For anyOf and oneOf: why each branch fails, with its pointer."""

    @property
    def pointer(self) -> str:
        """JSON Pointer of `tokens`."""
        return join(self.tokens)


class StateSchema:
    """A JSON Schema ready to judge states."""

    def __init__(self, validator: "Validator") -> None:
        self._validator = validator

    def faults(self, state: Any, nesting: Nesting | None = None) -> list[Fault]:
        """Return every fault of ``state``, by place and keyword; empty where it is valid.

        NaN and the infinities are no JSON numbers: they break ``type``. Half a surrogate pair
        counts as one character; a key that is no string is judged as its text.

        Args:
            state: a JSON value.
            nesting: shared by states that share subtrees and outlive it; only saves time.

        Raises:
            ViewerError: ``state`` cannot be judged (nested too deep, or no JSON at all).
        """
        if (nesting or Nesting()).exceeds(state, _DEEPEST):
            raise ViewerError(f"the state is nested more than {_DEEPEST} deep: not judged")
        try:
            return self._judge(state, {})
        except (ValueError, RecursionError):
            readable, renamed = plain(state)
        try:
            return self._judge(readable, renamed)
        except (ValueError, RecursionError) as error:
            raise ViewerError(f"the schema cannot judge this state: {error}") from error

    def _judge(self, state: Any, renamed: Mapping[str, str]) -> list[Fault]:
        if self._validator.is_valid(state):
            return []
        found = [
            fault for error in self._validator.iter_errors(state) for fault in _faults(error, state)
        ]
        if renamed:
            found = [f._replace(tokens=_original(f.tokens, renamed)) for f in found]
        return sorted(found, key=lambda f: (order(f.tokens), f.keyword, f.message))


def compile_schema(schema: Mapping[str, Any] | bool) -> StateSchema:
    """Return ``schema`` ready for use. Nothing is ever fetched: a remote ``$ref`` is an error.

    Raises:
        SchemaFileError: ``schema`` is itself invalid; its ``pointers`` name each wrong place.
            It then says nothing about any state.
    """
    return StateSchema(compiled(schema))


def order(tokens: Iterable[Token]) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key of a place: numbers as numbers and before names."""
    return tuple(_rank(token) for token in tokens)


def _rank(token: Token) -> tuple[int, int, str]:
    if isinstance(token, int):
        return (0, token, "")
    if token.isascii() and token.isdigit() and len(token) < 19:
        return (0, int(token), token)
    return (1, 0, token)


def _faults(error: "ValidationError", state: Any) -> Iterable[Fault]:
    """Yield one fault, or one a field where a keyword names several."""
    at, here = _place(error, state)
    keyword = _keyword(error)
    fields = _fields(error, keyword, here)
    for field in fields:
        yield Fault((*at, field), keyword, reason(error, keyword, here))
    if not fields:
        yield Fault(at, keyword, reason(error, keyword, here), _causes(error, state))


def _place(error: "ValidationError", state: Any) -> tuple[Tokens, Any]:
    """Return the error's place in ``state`` and what stands there.

    ``instance_path`` loses empty keys and turns keys like "0" into numbers (jsonschema-rs 0.61);
    the rendered place at the end of ``verbose_message`` still has the empty ones.
    """
    path: list[Token] = list(error.instance_path)
    rendered = error.verbose_message.rpartition("\n\nOn instance")[2]
    if '[""]' in rendered:
        path = _with_empty_keys(path, rendered)
    here, at = state, list[Token]()
    for token in path:
        at.append(str(token) if isinstance(here, dict) else token)
        here = find(here, (token,))
    return tuple(at), here


def _with_empty_keys(path: list[Token], rendered: str) -> list[Token]:
    found: list[Token] = []
    for token in path:
        shown = f"[{token}]" if isinstance(token, int) else f'["{token}"]'
        while rendered.startswith('[""]') and not rendered.startswith(shown):
            found.append("")
            rendered = rendered[4:]
        found.append(token)
        rendered = rendered.removeprefix(shown)
    while rendered.startswith('[""]'):
        found.append("")
        rendered = rendered[4:]
    return found


def _keyword(error: "ValidationError") -> str:
    path = error.schema_path
    last = path[-1] if path else None
    if error.kind.name == "falseSchema" and (
        not isinstance(last, str) or (len(path) > 1 and path[-2] in _NAMED)
    ):
        return FALSE
    return str(last)


def _fields(error: "ValidationError", keyword: str, here: Any) -> tuple[str, ...]:
    """Return the fields that the error is about, where it is about fields of ``here``."""
    kind = error.kind
    if kind.name == "required":
        return (str(kind.as_dict()["property"]),)
    if kind.name in ("additionalProperties", "unevaluatedProperties"):
        return tuple(kind.as_dict()["unexpected"])
    closed = keyword in ("additionalProperties", "unevaluatedProperties")
    if kind.name == "falseSchema" and closed and isinstance(here, dict):
        return tuple(here)
    return ()


def _causes(error: "ValidationError", state: Any) -> tuple[str, ...]:
    branches = error.kind.as_dict().get("context", ())
    found: list[str] = []
    for number, errors in enumerate(branches, 1):
        for cause in errors:
            for fault in _faults(cause, state):
                found.append(f"branch {number}: {fault.pointer or 'the value'} {fault.message}")
                found += [f"branch {number}, {deeper}" for deeper in fault.causes]
    hidden = len(found) - _CAUSES
    return (*found[:_CAUSES], f"and {hidden} more") if hidden > 0 else tuple(found)


def _original(tokens: Tokens, renamed: Mapping[str, str]) -> Tokens:
    return tuple(renamed.get(t, t) if isinstance(t, str) else t for t in tokens)
