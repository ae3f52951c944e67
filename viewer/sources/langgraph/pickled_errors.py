"""The text of an error: LangGraph stores its ``repr``, a serializer that pickles the error itself."""

from typing import Any

from viewer.jsontext import dumps

_GIVEN = {"args", "value"}
_SCALARS = (str, int, float, bool, type(None))


def error_text(error: Any) -> str:
    """Return what an ``__error__`` row says, a pickled exception as Python would write it."""
    if isinstance(error, str):
        return error
    if isinstance(error, dict) and error.get("$ctor") == "pickle" and error.keys() & _GIVEN:
        given = error["args"] if "args" in error else [error["value"]]
        if isinstance(given, list) and all(isinstance(part, _SCALARS) for part in given):
            name = str(error["$type"]).rpartition(".")[2]
            return f"{name}({', '.join(map(repr, given))})"
    return dumps(error)
