"""What the rules of a profile ask of each place, in a few words for the inspector."""

from typing import Any

from viewer.panels.wire import pattern_rows
from viewer.pointer import Pattern, pattern, split
from viewer.profiles import Profile
from viewer.profiles.rule_sections import IdempotencyStable, MaxSteps, ObjectWhile, Rule

_WORDS = {
    "step_monotone": "never falls",
    "constant": "never changes",
    "idempotency_stable": "its idempotency key never changes",
    "memory_ref_exists": "every id names a memory",
    "append_only": "only grows at its end",
    "ephemeral": "gone in the next step",
    "status_from_state": "follows from the proposal",
    "grounded_identifier": "names only identifiers that a tool returned",
}


def rule_rows(profile: Profile) -> list[list[Any]]:
    """Return ``[tokens, tail, words]`` for each rule that is about a place."""
    found: list[tuple[Pattern, str]] = []
    for rule in profile.file.rules:
        where = getattr(rule, "pointer", None)
        if where is None:
            continue
        # Only one rule's place is a pattern; elsewhere a star is a key's own letter.
        starred = isinstance(rule, IdempotencyStable)
        place = pattern(where) if starred else Pattern(where, split(where), False)
        found.append((place, f"{_words(rule)} ({rule.name})"))
    return pattern_rows(found)


def _words(rule: Rule) -> str:
    if isinstance(rule, MaxSteps):
        return f"never above {rule.args.max}"
    if isinstance(rule, ObjectWhile):
        return f"an object exactly while the status is {' or '.join(rule.args.status)}"
    return _WORDS[rule.name]
