"""A JSON Schema made ready for use, or named wrong place by place."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from viewer.analysis.branching import branching
from viewer.analysis.nesting import Nesting
from viewer.analysis.schema_words import reason
from viewer.errors import SchemaFileError
from viewer.jsontext import walk
from viewer.pointer import Tokens, find, join

if TYPE_CHECKING:
    from jsonschema_rs import Validator

_META = {
    "Draft4Validator": "http://json-schema.org/draft-04/schema#",
    "Draft6Validator": "http://json-schema.org/draft-06/schema#",
    "Draft7Validator": "http://json-schema.org/draft-07/schema#",
    "Draft201909Validator": "https://json-schema.org/draft/2019-09/schema",
    "Draft202012Validator": "https://json-schema.org/draft/2020-12/schema",
}
_MASK = "…"
"""Stands for the judged value in the engine's own texts, which would repeat it as a whole."""
_DEEPEST = 200
_UNJUDGED = "no state was judged by it"
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


def compiled(schema: Mapping[str, Any] | bool) -> "Validator":
    """Return a validator of ``schema`` that fetches nothing.

    Raises:
        SchemaFileError: ``schema`` is no JSON Schema; ``pointers`` names each wrong place.
    """
    import jsonschema_rs

    if not isinstance(schema, dict | bool):
        raise SchemaFileError(f"a schema must be an object or a boolean; {_UNJUDGED}", ("",))
    if Nesting().exceeds(schema, _DEEPEST):
        deep = f"the schema is nested more than {_DEEPEST} deep; {_UNJUDGED}"
        raise SchemaFileError(deep, ("",))
    try:
        draft = jsonschema_rs.validator_cls_for(schema)
        wrong = dict(_wrong_places(draft, schema)) or dict(branching(schema))
        if wrong:
            raise SchemaFileError(_sentence(wrong), tuple(wrong))
        return draft(schema, offline=True, mask=_MASK)
    except jsonschema_rs.ValidationError as error:
        wrong = _named(error, schema)
        raise SchemaFileError(_sentence(wrong), tuple(wrong)) from error
    except (ValueError, TypeError, RecursionError) as error:
        raise SchemaFileError(f"the schema cannot be used: {error}; {_UNJUDGED}", ("",)) from error


def _wrong_places(draft: Any, schema: Any) -> Iterator[tuple[str, str]]:
    """Yield pointer and reason of each place where the draft's own schema refuses ``schema``."""
    for error in _meta(draft).iter_errors(schema):
        keyword = str(error.schema_path[-1])
        if keyword == "format" and "regex" not in _formats(error):
            continue
        at = tuple(error.instance_path)
        yield join(at), reason(error, keyword, find(schema, at))


@cache
def _meta(draft: Any) -> Any:
    return draft({"$ref": _META[draft.__name__]}, offline=True, validate_formats=True)


def _formats(error: Any) -> str:
    found = error.kind.as_dict()
    inner = found.get("error")
    return str((inner.kind.as_dict() if inner is not None else found).get("format", ""))


def _named(error: Any, schema: Any) -> dict[str, str]:
    """Return the places that a fault found while compiling is about, with what is wrong there."""
    at = tuple(error.instance_path)
    if at:
        return {join(at): reason(error, str(error.schema_path[-1]), find(schema, at))}
    places = {
        join(tokens): f"refers to {value!r}, which is not in the schema; nothing is ever fetched"
        for tokens, value in _references(schema)
        if any(part and part in error.message for part in value.split("#"))
    }
    return places or {"": error.message[:200]}


def _references(schema: Any) -> Iterator[tuple[Tokens, str]]:
    for tokens, value in walk(schema):
        if tokens and tokens[-1] in _REFERENCES and isinstance(value, str):
            yield tokens, value


def _sentence(wrong: Mapping[str, str]) -> str:
    places = ", ".join(f"{place or 'the whole'} {why}" for place, why in wrong.items())
    return f"the schema is invalid: {places}; it says neither that a state is valid nor invalid"
