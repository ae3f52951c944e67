"""Changes whose secrets are masked, for what leaves the machine."""

from collections.abc import Mapping, Sequence
from typing import Any

from viewer.model import MISSING, Change
from viewer.pointer import Tokens, split
from viewer.redact import names_secret, redacted, redacted_text


def masked_changes(changes: Sequence[Change]) -> list[Change]:
    """Return ``changes`` with secrets masked in values and names; the others are the same objects.

    A value is a secret by its shape, and by the name of any field above it.
    """
    known: dict[int, tuple[Any, Any]] = {}
    return [_masked(change, known) for change in changes]


def masked_value(at: Tokens, value: Any, known: dict[int, tuple[Any, Any]] | None = None) -> Any:
    """Return ``value``, which stands at ``at``, with its secrets masked."""
    if value is MISSING:
        return value
    secret = next((token for token in at if isinstance(token, str) and names_secret(token)), None)
    return redacted(value, known) if secret is None else redacted({secret: value})[secret]


def masked_patch(patch: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return JSON Patch operations with secrets masked in what they put, and in names."""
    known: dict[int, tuple[Any, Any]] = {}
    return [{name: _part(name, op, known) for name in op} for op in patch]


def _part(name: str, op: Mapping[str, Any], known: dict[int, tuple[Any, Any]]) -> Any:
    if name == "value":
        return masked_value(split(op["path"]), op["value"], known)
    return redacted_text(op[name])


def _masked(change: Change, known: dict[int, tuple[Any, Any]]) -> Change:
    made = Change(
        change.op,
        _names(change.path),
        _names(change.old_path),
        masked_value(change.old_path, change.old, known),
        masked_value(change.path, change.new, known),
    )
    return change if made == change else made


def _names(at: Tokens) -> Tokens:
    return tuple(redacted_text(token) if isinstance(token, str) else token for token in at)
