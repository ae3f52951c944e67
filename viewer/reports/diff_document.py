"""The document of a diff: what ``diff --json`` prints and every other form of it is made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from viewer.analysis.diff import PairingNote, counts
from viewer.analysis.summary import summary
from viewer.model import Change
from viewer.pointer import Pattern, join
from viewer.profiles import Profile
from viewer.reports import as_json
from viewer.reports.as_json import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """Two values to compare and the rows that name them."""

    base: Any
    target: Any
    base_row: Row
    target_row: Row
    profile: Profile
    problems: Sequence[Row] = ()


def unnamed_row(source: str) -> Row:
    """Return the row of a side that is no checkpoint: a file, the state before the first one."""
    nothing = dict.fromkeys(("thread_id", "namespace", "checkpoint_id", "index", "step"))
    return {"source": source, **nothing}


def diff_document(
    sides: Sides,
    changes: Sequence[Change],
    *,
    notes: Sequence[PairingNote] = (),
    loose: Mapping[str, Any] | None = None,
    patch: Sequence[Any] | None = None,
) -> Row:
    """Return the document of ``changes``.

    Args:
        sides: What was compared.
        changes: From base to target.
        notes: Lists whose ids were unusable.
        loose: What did not count as a change, as the options are called; None for the exact diff.
        patch: The changes as JSON Patch, where it was asked for.
    """
    noise = {
        i for i, c in enumerate(changes) if any(p.matches(c.path) for p in sides.profile.noise)
    }
    of = {key: sides.target_row[key] for key in ("source", "thread_id", "namespace")}
    return as_json.document(
        "diff",
        base=sides.base_row,
        target=sides.target_row,
        summary=summary(changes, sides.base, sides.target, sides.profile),
        changes=as_json.change_rows(changes, of, noise),
        counts=counts(changes),
        rules={
            **_rules(sides, changes, loose),
            "unpaired": [{"path": join(n.path), "reason": n.reason} for n in notes],
        },
        **({} if patch is None else {"patch": list(patch)}),
        problems=list(sides.problems),
    )


def _rules(sides: Sides, changes: Sequence[Change], loose: Mapping[str, Any] | None) -> Row:
    """Return the rules that had something to say about this pair."""
    lists = (
        []
        if loose and loose["ignore_order"]
        else [
            {"pattern": where.text, "key": key}
            for where, key in sides.profile.lists
            if _names_a_list(where, sides.base) or _names_a_list(where, sides.target)
        ]
    )
    noise = [p.text for p in sides.profile.noise if any(p.matches(c.path) for c in changes)]
    return {"profile": sides.profile.name, "lists": lists, "noise": noise, "loose": loose}


def _names_a_list(where: Pattern, value: Any) -> bool:
    return any(isinstance(found, list) for _, found in where.select(value))
