"""Sets have no order: Python stores the members as its hash seed has them, so equal sets differ."""

import json
from typing import Any

SETS = ("builtins.set", "builtins.frozenset")


def sorted_members(members: list[Any]) -> list[Any]:
    """Return the members of a set, as tagged JSON, in one order."""
    return sorted(members, key=lambda member: json.dumps(member, sort_keys=True))
