"""Why a value breaks a keyword, in our words: short, and never the value as a whole."""

from typing import TYPE_CHECKING, Any

from viewer.jsontext import dumps, float_word, type_name

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError

_WIDTH = 60
_OPTIONS = 12
_LONGEST = 10_000

_LIMITS = {
    "minimum": "must be at least {}, is {}",
    "maximum": "must be at most {}, is {}",
    "exclusiveMinimum": "must be greater than {}, is {}",
    "exclusiveMaximum": "must be less than {}, is {}",
    "minLength": "length must be at least {}, is {}",
    "maxLength": "length must be at most {}, is {}",
    "minItems": "number of items must be at least {}, is {}",
    "maxItems": "number of items must be at most {}, is {}",
    "minProperties": "number of fields must be at least {}, is {}",
    "maxProperties": "number of fields must be at most {}, is {}",
}
_FIXED = {
    "uniqueItems": "holds the same item twice",
    "contains": "holds no item that the schema asks for",
    "minContains": "holds too few items that the schema asks for",
    "maxContains": "holds too many items that the schema asks for",
    "anyOf": "matches none of the allowed shapes",
    "not": "has the shape that is not allowed here",
    "additionalProperties": "is a field that is not allowed here",
    "unevaluatedProperties": "is a field that is not allowed here",
    "unevaluatedItems": "has more items than are allowed",
    "items": "is an item that is not allowed here",
    "additionalItems": "is an item that is not allowed here",
}


def reason(error: "ValidationError", keyword: str, here: Any) -> str:
    """Return why ``here``, which stands at the error's place, breaks ``keyword``.

    The words fit behind a place: "/step is missing".
    """
    kind = error.kind
    if kind.name == "propertyNames":
        inner = kind.as_dict()["error"]
        name = inner.instance if isinstance(inner.instance, str) else ""
        return f"has a field named {quoted(name)} whose name {reason(inner, keyword, name)}"
    if kind.name == "required":
        return "is missing" if keyword == "required" else f"is missing ({keyword})"
    if kind.name == "oneOfMultipleValid" or keyword == "oneOf":
        return _one_of(kind.as_dict().get("context", ()))
    if keyword in _LIMITS and "limit" in kind.as_dict():
        return _LIMITS[keyword].format(quoted(kind.as_dict()["limit"]), _size(keyword, here))
    if keyword in _FIXED:
        return _FIXED[keyword]
    return _by_value(keyword, kind.as_dict(), here)


def quoted(value: Any) -> str:
    """Return a scalar as JSON text, cut where it is long; a container as its kind and size."""
    if isinstance(value, dict):
        return f"an object of {len(value)} fields"
    if isinstance(value, list | tuple):
        return f"an array of {len(value)} items"
    if isinstance(value, str):
        short = value if len(value) <= _WIDTH else value[:_WIDTH] + "…"
        return dumps(short)
    if isinstance(value, float) and (value != value or value in (float("inf"), -float("inf"))):
        return float_word(value)
    if isinstance(value, int) and value.bit_length() > _LONGEST:
        return f"an integer of {value.bit_length()} bits"
    text = dumps(value)
    return text if len(text) <= _WIDTH else text[:_WIDTH] + "…"


def _by_value(keyword: str, wanted: dict[str, Any], here: Any) -> str:
    if "types" in wanted:
        is_word = type_name(here)
        if isinstance(here, float) and here - here != 0:
            is_word = f"{quoted(here)}, which JSON has not"
        return f"must be {' or '.join(wanted['types'])}, is {is_word}"
    if "options" in wanted:
        options = wanted["options"]
        shown = ", ".join(quoted(option) for option in options[:_OPTIONS])
        rest = "" if len(options) <= _OPTIONS else f" and {len(options) - _OPTIONS} more"
        return f"must be one of {shown}{rest}, is {quoted(here)}"
    if "expected_value" in wanted:
        return f"must be {quoted(wanted['expected_value'])}, is {quoted(here)}"
    if "pattern" in wanted:
        return f"must match {quoted(wanted['pattern'])}, is {quoted(here)}"
    if "multiple_of" in wanted:
        return f"must be a multiple of {quoted(wanted['multiple_of'])}, is {quoted(here)}"
    if "format" in wanted:
        return f"must be a {wanted['format']}, is {quoted(here)}"
    if keyword == "false schema" or not wanted:
        return "is not allowed here"
    return f"breaks {keyword}"


def _size(keyword: str, here: Any) -> str:
    if keyword.endswith(("Length", "Items", "Properties")):
        return str(len(here)) if isinstance(here, str | list | tuple | dict) else quoted(here)
    return quoted(here)


def _one_of(branches: Any) -> str:
    fitting = [str(number) for number, errors in enumerate(branches, 1) if not errors]
    if fitting:
        return f"must match exactly one of the allowed shapes, matches {' and '.join(fitting)}"
    return "matches none of the allowed shapes"
