"""Whether a value can be recognised somewhere in what a model was shown."""

import json
import re
from typing import Any

from viewer.analysis.message_parts import json_text
from viewer.equality import same
from viewer.jsontext import walk

LONG_TEXT = 8
"""A shorter text may stand anywhere by chance; so may a number."""
_LONG_JSON = 16


def occurs(seen: Any, value: Any) -> bool:
    """Return whether ``value`` can be recognised in ``seen``, wherever it stands there.

    A text counts from `LONG_TEXT` characters on, as a whole word, written plainly or escaped; an
    object or a list where an equal one stands, or where all its texts do. Anything else is too
    common to be recognised. False therefore proves nothing.
    """
    if isinstance(value, str):
        return _stands(_all_text(seen), value)
    if not isinstance(value, dict | list) or len(json_text(value)) < _LONG_JSON:
        return False
    kind, size = type(value), len(value)
    if any(type(v) is kind and len(v) == size and same(v, value) for _, v in walk(seen)):
        return True
    leaves = [v for _, v in walk(value) if not isinstance(v, dict | list)]
    texts = [v for v in leaves if isinstance(v, str) and len(v) >= LONG_TEXT]
    if not texts or not all(v is None or isinstance(v, str) for v in leaves):
        return False
    where = _all_text(seen)
    return all(_stands(where, text) for text in texts)


def _all_text(seen: Any) -> str:
    return "\n".join(v for _, v in walk(seen) if isinstance(v, str))


def _stands(where: str, text: str) -> bool:
    if len(text) < LONG_TEXT:
        return False
    escaped = json.dumps(text, ensure_ascii=False)[1:-1]
    return any(
        re.search(rf"(?<!\w){re.escape(spelled)}(?!\w)", where) is not None
        for spelled in dict.fromkeys((text, escaped))
    )


def is_part_of(seen: Any, state: Any) -> bool:
    """Return whether ``seen`` has the state's own shape, so that what it lacks was not shown.

    It has when it is an object and each of its keys is one of the state's.
    """
    return isinstance(seen, dict) and isinstance(state, dict) and seen.keys() <= state.keys()
