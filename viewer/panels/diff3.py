"""The three-column diff: base, target and what the model was shown of the target.

Keys, while the diff has the focus: ``j/k`` or arrows by row, ``n/p`` by change, ``PageUp/PageDown``,
``Home/End``, ``Enter`` open or close a fold, ``c`` copy the pointer, ``x`` ignore a place, ``m`` what
the model was shown, ``/`` filter, ``Esc`` close the pane, then back to the strip.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from viewer.equality import same_number
from viewer.model import MISSING, Change
from viewer.panels.wire import capped, looks_alike, pattern_rows, revision, text_of
from viewer.pointer import Tokens, escape, exists, get, join
from viewer.profiles import Profile

_DIGITS = 300
"""Longest integer, in bits ÷ 3, whose delta is worth showing."""


def diff_payload(
    changes: Sequence[Change],
    *,
    base_title: str,
    target_title: str,
    target: Any = MISSING,
    observation: tuple[str, Any] = ("unknown", MISSING),
    why: str = "",
    verdicts: Sequence[str] = (),
    seen: Sequence[Any] = (),
    profile: Profile | None = None,
    written: Mapping[str, Sequence[str]] | None = None,
    summary: str = "",
    paired: Mapping[str, str] = MappingProxyType({}),
    since: Mapping[str, Any] | None = None,
    index: int | None = None,
    base_index: int | None = None,
    swaps: bool = False,
    panel: Mapping[str, Any] | None = None,
    height: int = 620,
    select: str | None = None,
) -> dict[str, Any]:
    """Return what the diff panel draws.

    Args:
        changes: From base to target, as `viewer.analysis.diff.diff` gives them.
        base_title: Heading of the first column ("@3 running").
        target_title: Heading of the second column.
        target: The target state; from it the unchanged fields and items are counted.
        observation: ``(recorded | computed | unknown, value)``.
        why: Where the observation comes from, or why there is none.
        verdicts: One a change, in the same order; empty when nobody judged.
        seen: One a change, in the same order: what was shown in its place, `MISSING` for nothing
            known. Empty where the observation has the state's shape and tells by its places.
        profile: Says which places are noise, who owns them and in which plane they lie.
        written: Top-level field → the nodes whose stored writes made its change.
        summary: What changed, in one sentence.
        paired: Pointer of a list of the target → by what its items were paired with the base's
            (``/id``, ``value``, ``position``, ``longest common subsequence``).
        since: What is new in the observation since the previous model call: ``title`` (``since
            @2``), ``summary``, ``messages`` (``op`` added, dropped, edited or moved, ``role``,
            ``text`` and ``old`` as JSON text, ``at`` a pointer or ""), ``system`` (``old`` and
            ``new`` as JSON text, or None), ``kept``, the number of messages that stayed, and
            ``prompt``, what is said of a system prompt that is no change.
        index: Position of the target in the chosen chain; None where it is from elsewhere: what is
            unchanged then has no values to unfold.
        base_index: Position of the base in the chosen chain, likewise.
        swaps: Whether the page answers the wish to swap base and target.
        panel: What the address asks for: ``turn``, ``at``, ``view``, ``filter``.
        height: Height of the panel in CSS pixels.
        select: Pointer of the change to select when the panel is drawn anew.
    """
    kind, observed = observation
    noise = tuple(profile.noise) if profile else ()
    rows = [
        {
            "op": change.op,
            "path": change.pointer,
            **_sides(change),
            **(_seen(change, observed) if not seen else _instead(seen[number])),
            **({"verdict": verdict} if verdict else {}),
            **({"noise": True} if any(n.matches(change.path) for n in noise) else {}),
        }
        for number, (change, verdict) in enumerate(_judged(changes, verdicts))
    ]
    groups, untouched = _unchanged(changes, target)
    payload: dict[str, Any] = {
        "base": base_title,
        "target": target_title,
        "observation": kind,
        "why": why,
        "observed": None if observed is MISSING else capped(observed),
        "rows": rows,
        "groups": groups,
        "unchanged": untouched,
        "written": {escape(name): list(nodes) for name, nodes in (written or {}).items()},
        "summary": summary,
        "paired": dict(paired),
        "since": None if since is None else dict(since),
        "index": index,
        "base_index": base_index,
        "swaps": swaps,
        "owners": pattern_rows(profile.owners) if profile else [],
        "planes": pattern_rows(profile.planes) if profile else [],
        "select": select,
    }
    return {"rev": revision(text_of(payload)), "height": height, "panel": panel, **payload}


def _judged(changes: Sequence[Change], verdicts: Sequence[str]) -> Iterable[tuple[Change, str]]:
    if verdicts and len(verdicts) != len(changes):
        raise ValueError(f"{len(changes)} changes but {len(verdicts)} verdicts")
    return zip(changes, verdicts or [""] * len(changes), strict=True)


def _sides(change: Change) -> dict[str, Any]:
    """Return the old and new values as text, and what joins them: delta, same number, alike, from."""
    found: dict[str, Any] = {}
    if change.old is not MISSING:
        found["old"] = capped(change.old)
    if change.new is not MISSING:
        found["new"] = capped(change.new)
    if change.op == "move" or (change.op == "replace" and change.old_path != change.path):
        found["from"] = join(change.old_path)
    if change.op == "replace":
        if same_number(change.old, change.new):
            found["same"] = True
        elif (difference := delta(change.old, change.new)) is not None:
            found["delta"] = difference
            if (part := share(change.old, change.new)) is not None:
                found["share"] = part
        elif alike := looks_alike(change):
            found["alike"] = alike
    return found


def delta(old: Any, new: Any) -> str | None:
    """Return ``new - old`` with its sign, exact to the digits shown; None unless both are finite
    numbers of a size that a person can read.
    """
    if type(old) not in (int, float) or type(new) not in (int, float):
        return None
    if any(isinstance(n, int) and n.bit_length() > _DIGITS * 3 for n in (old, new)):
        return None
    a, b = Decimal(repr(old)), Decimal(repr(new))
    if not (a.is_finite() and b.is_finite()):
        return None
    if type(old) is int and type(new) is int:
        return f"{new - old:+d}"
    return f"{(b - a).normalize():+f}" if abs(a) < 10**15 > abs(b) else f"{b - a:+.6e}"


def share(old: float, new: float) -> str | None:
    """Return how far a number went in percent of where it was, with its sign, three digits.

    None where it says little: from zero, across zero, or to more than a hundred times as much.
    """
    if not old or not new or (old < 0) != (new < 0):
        return None
    before, after = Decimal(repr(old)), Decimal(repr(new))
    percent = (after - before) / abs(before) * 100
    if not Decimal("0.01") <= abs(percent) < 10_000:
        return None
    rounded = (
        f"{percent:+.0f}" if abs(percent) >= 100 else f"{Decimal(f'{percent:.3g}').normalize():+f}"
    )
    return f"{rounded} %"


def _seen(change: Change, observed: Any) -> dict[str, Any]:
    if observed is MISSING or change.op == "remove" or not exists(observed, change.path):
        return {}
    return {"seen": capped(get(observed, change.path))}


def _instead(value: Any) -> dict[str, Any]:
    return {} if value is MISSING else {"seen": capped(value)}


def _unchanged(changes: Sequence[Change], target: Any) -> tuple[dict[str, Any], list[str]]:
    """Return per changed top-level field ``[children, untouched children]``, and the rest's names.

    Fields that left the target and scalars have no children to count.
    """
    if not isinstance(target, dict) or any(not change.path for change in changes):
        return {}, []
    touched: dict[str, set[Tokens]] = {}
    for change in changes:
        name = str(change.path[0])
        touched.setdefault(name, set())
        if change.op != "remove" and len(change.path) > 1:
            touched[name].add(change.path[1:2])
    groups = {
        escape(name): [len(target[name]), len(target[name]) - len(children)]
        for name, children in touched.items()
        if name in target and isinstance(target[name], dict | list)
    }
    return groups, [escape(name) for name in target if name not in touched]
