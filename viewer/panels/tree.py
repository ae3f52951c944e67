"""The state tree: one state, virtualised, with what changed marked in place.

Keys, while the tree has the focus: arrows, ``PageUp/PageDown``, ``Home/End``, ``shift →`` and
``shift ←`` open and close all below, ``Enter`` open or close (on a scalar: read), ``space`` read the
whole value, ``n/p`` next and previous change or hit, ``m`` pin, ``i`` inspector, ``c`` copy the
pointer, ``/`` search, ``Esc`` back to the strip.

Words of the filter in the address, comma separated: ``changed``, ``violating``, ``plane:NAME``,
``shown``, ``not-shown``; the view is ``reader`` while the whole value is read.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from viewer.model import Change
from viewer.panels.placing import Placing
from viewer.panels.tree_rules import rule_rows
from viewer.panels.tree_schema import schema_words
from viewer.panels.wire import capped, looks_alike, pattern_rows, revision, text_of
from viewer.pointer import Pattern, join
from viewer.profiles import Profile

OLD_CHARACTERS = 20_000
"""Most characters of an old scalar sent with a change."""
REMOVED_CHARACTERS = 200_000
"""Most characters of a removed subtree sent; a longer one is shown cut."""


def tree_payload(
    state: Any,
    changes: Sequence[Change] = (),
    *,
    profile: Profile | None = None,
    violations: Mapping[str, Sequence[str]] | None = None,
    title: str = "",
    index: int | None = None,
    base: int | None = None,
    thread: str = "",
    height: int = 620,
    depth: int = 0,
    panel: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return what the tree panel draws: `step_part` and `chain_part`, and what the address asks.

    Args:
        state: The state shown; it is not changed.
        changes: The changes from the base to ``state``, as `viewer.analysis.diff.diff` gives them.
        profile: Says what the places of a state mean.
        violations: JSON Pointer → messages of the violations there.
        title: What the tree shows, for screen readers ("state of checkpoint 3").
        index: Of the checkpoint whose state it is; None where nothing can be asked about it.
        base: Index of the checkpoint that ``changes`` start from.
        thread: Names the thread: what is pinned, open and selected is kept for each.
        height: Height of the panel in CSS pixels; in a tall window it is up to twice as high.
        depth: How many levels are open at first; 0 opens as many as fit in sight, at most three.
        panel: What the address asks of the panel (``viewer.ui.selection.for_panel``).
    """
    return {
        **step_part(
            state,
            changes,
            profile=profile,
            violations=violations,
            title=title,
            index=index,
            base=base,
        ),
        **chain_part(profile, thread=thread, height=height, depth=depth),
        "panel": dict(panel or {}),
    }


def step_part(
    state: Any,
    changes: Sequence[Change] = (),
    *,
    profile: Profile | None = None,
    violations: Mapping[str, Sequence[str]] | None = None,
    title: str = "",
    index: int | None = None,
    base: int | None = None,
    text: str | None = None,
) -> dict[str, Any]:
    """Return the part of the payload that each checkpoint has of its own.

    ``text`` is the JSON text of ``state`` where it is known already; the rest as `tree_payload`.
    """
    text = text_of(state) if text is None else text
    kept, removed = _rows(changes)
    marks = {pointer: list(messages) for pointer, messages in (violations or {}).items()}
    place = f"{index} {base}"
    return {
        "rev": revision(text, text_of(kept), text_of(removed), text_of(marks), place),
        "title": title,
        "index": index,
        "base": base,
        "state": text,
        "changes": kept,
        "removed": removed,
        "violations": marks,
        "folded": _folded(state, removed, profile),
    }


def chain_part(
    profile: Profile | None, *, thread: str = "", height: int = 620, depth: int = 0
) -> dict[str, Any]:
    """Return the part of the payload that all checkpoints of a chain share."""
    return {
        "thread": thread,
        "owners": pattern_rows(profile.owners) if profile else [],
        "planes": pattern_rows(profile.planes) if profile else [],
        "rules": rule_rows(profile) if profile else [],
        "schema": schema_words(profile.state_schema) if profile else None,
        "projection": _projection(profile),
        "height": height,
        "depth": depth,
    }


def _projection(profile: Profile | None) -> dict[str, Any] | None:
    """Return what the profile's projection shows a model, as pattern rows; None without one."""
    if profile is None or profile.file.projection is None:
        return None

    def rows(patterns: Sequence[Pattern]) -> list[list[Any]]:
        return pattern_rows([(where, "") for where in patterns])

    return {
        "by": profile.name,
        "include": rows(profile.include),
        "exclude": rows(profile.exclude),
        "optional": rows(profile.optional),
    }


def _folded(state: Any, removed: Sequence[list[Any]], profile: Profile | None) -> list[str]:
    """Return the top-level fields that are the profile's noise, also those that were removed."""
    if profile is None or not isinstance(state, dict):
        return []
    names = [*state, *(key for container, key, *_ in removed if container == "")]
    return [n for n in dict.fromkeys(names) if any(w.matches((n,)) for w in profile.noise)]


def _rows(changes: Sequence[Change]) -> tuple[list[list[Any]], list[list[Any]]]:
    """Return the changes with a place in the target, and those that left it.

    The first are ``[op, pointer, old pointer | null, old value | null, in words how it differs
    where both look the same | null]``, the others ``[container in the target, key, position | -1,
    pointer in the base, value]``.
    """
    placing = Placing(changes)
    kept: list[list[Any]] = []
    removed: list[tuple[Any, list[Any]]] = []
    for change in changes:
        if change.op == "remove" and change.path:
            container, key = change.path[:-1], change.path[-1]
            target = placing.target(container)
            at = placing.slot(container, target, key) if isinstance(key, int) else -1
            value = capped(change.old, REMOVED_CHARACTERS)
            order = (join(target), at, key if isinstance(key, int) else 0)
            removed.append((order, [join(target), str(key), at, join(change.path), value]))
            continue
        came_from = join(change.old_path) if change.op == "move" else None
        old = capped(change.old, OLD_CHARACTERS) if change.op == "replace" else None
        alike = looks_alike(change) if change.op == "replace" else None
        kept.append([change.op, change.pointer, came_from, old, alike])
    removed.sort(key=lambda pair: pair[0])
    return kept, [row for _, row in removed]
