"""How a truth's values and ours are brought to one form before `agreement` compares them."""

from typing import Any

from viewer.jsontext import dumps

MASKED = ("pydantic.types.SecretStr",)


def settled(value: Any) -> Any:
    """Return a truth as we show it: integers exact, sets in one order, secrets masked."""
    if isinstance(value, list):
        return [settled(one) for one in value]
    if not isinstance(value, dict):
        return value
    kind = value.get("$type")
    if kind == "int":
        return int(value["value"])
    if kind in MASKED:
        return {**value, "value": "*" * 10}
    found = {key: settled(one) for key, one in value.items()}
    if kind in ("builtins.set", "builtins.frozenset"):
        found["value"] = sorted(found["value"], key=dumps)
    return found


def bare(value: Any) -> Any:
    """Return a value without class names, as LangChain's own JSON or ours has it."""
    if isinstance(value, list):
        return [bare(one) for one in value]
    if not isinstance(value, dict):
        return value
    if "$ctor" in value:
        return bare(value["value"])
    if value.get("lc") == 1 and "kwargs" in value:
        return bare(value["kwargs"])
    return {key: bare(one) for key, one in value.items() if key != "$class"}


def metadata(value: Any) -> Any:
    """Return metadata; what up to 0.4 it repeats of messages is stored without the empty fields."""
    told = {key: one for key, one in value.items() if one is not None}
    return {**told, "writes": without_classes(told["writes"])} if "writes" in told else told


def without_classes(value: Any) -> str:
    """Return a value as exact text, without class names and without fields that are empty.

    LangChain's own JSON leaves such fields out, and its releases differ in which there are.
    """
    return dumps(ordered(_full(bare(value))))


def _full(value: Any) -> Any:
    if isinstance(value, list):
        return [_full(one) for one in value]
    if isinstance(value, dict):
        kept = {key: _full(one) for key, one in value.items() if one is not None}
        return {key: one for key, one in kept.items() if one is not False and one not in ([], {})}
    return value


def as_stored(want: Any, own: Any) -> Any:
    """Return a truth with what we add to it or cannot know of it.

    A value inside a pickle keeps its class and its parts, but not the way LangGraph's other
    encoding would make it anew; one that is not opened is its tag and size; what is masked says so.
    """
    if isinstance(own, dict) and own.get("$type") == "encrypted" and own.get("bytes"):
        return own
    if isinstance(want, dict) and isinstance(own, dict):
        if want.get("$ctor") == own.get("$type") == "pickle" and own.get("bytes"):
            return own
        kept = {key: as_stored(one, own.get(key)) for key, one in want.items()}
        if own.get("$ctor") == "pickle" and "$ctor" in want:
            return {key: one for key, one in kept.items() if key != "$method"} | {"$ctor": "pickle"}
        if want.get("$type") in MASKED and "$masked" in own:
            kept["$masked"] = own["$masked"]
        return kept
    if isinstance(want, list) and isinstance(own, list) and len(want) == len(own):
        return [as_stored(one, mine) for one, mine in zip(want, own, strict=True)]
    return want


def ordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: ordered(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [ordered(one) for one in value]
    return str(value) if hasattr(value, "isoformat") else value
