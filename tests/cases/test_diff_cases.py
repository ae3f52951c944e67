"""The handed diff cases; each ``case.json`` states the right answer."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from viewer.analysis.diff import apply, diff, invert
from viewer.analysis.loose_diff import Loose, loose_diff
from viewer.analysis.text import invisible_difference, preview, word_segments
from viewer.equality import same, same_number
from viewer.jsontext import dumps, source_text, type_name
from viewer.model import MISSING, Change
from viewer.pointer import get

CASES = Path(__file__).parent
FOLDERS = sorted(folder for folder in CASES.glob("[0-2][0-9]-*"))
WORDS = {"add": "added", "remove": "removed", "move": "moved"}


def load(folder: str) -> tuple[dict[str, Any], Any, Any]:
    (path,) = CASES.glob(f"{folder}-*")
    case = json.loads((path / "case.json").read_text())["expect"]
    # Each NaN an object of its own, as from two files: one and the same would be equal anyway.
    sides = ((path / f"{side}.json").read_text() for side in "ab")
    return case, *(json.loads(text, parse_constant=float) for text in sides)


def op(change: Change) -> str:
    """Return the word of the handed cases for what happened.

    2 → 2.1 is another number (case 02); of 1 → 1.0 only the type changes (case 06).
    """
    if change.op != "replace":
        return WORDS[change.op]
    if {type_name(change.old), type_name(change.new)} == {"integer", "number"}:
        return "type_changed" if same_number(change.old, change.new) else "changed"
    return "changed" if type_name(change.old) == type_name(change.new) else "type_changed"


def matches(change: Change, wanted: dict[str, Any]) -> bool:
    """Return whether ``change`` is what a case wants, in each field that the case states."""
    found = {"op": op(change), "path": change.pointer, "old": change.old, "new": change.new}
    found["old_path"] = Change("replace", change.old_path, (), 0, 0).pointer
    return all(
        same(found[key], value) or same(shown(found[key]), value)
        for key, value in wanted.items()
        if key != "side"
    )


def shown(value: Any) -> Any:
    """Return the word by which a case names a number that JSON lacks."""
    return source_text(value) if isinstance(value, float) and not math.isfinite(value) else value


def assert_exactly(changes: list[Change], wanted: list[dict[str, Any]]) -> None:
    left = list(changes)
    for want in wanted:
        (found,) = [change for change in left if matches(change, want)]
        left.remove(found)
    assert not left


@pytest.mark.parametrize("folder", [path.name[:2] for path in FOLDERS])
def test_changes_of_every_case_apply_both_ways(folder: str) -> None:
    _, base, target = load(folder)
    changes = diff(base, target)
    assert same(apply(base, changes), target)
    assert same(apply(target, invert(changes)), base)


@pytest.mark.parametrize(
    ("folder", "key"),
    [
        ("01", "changes"), ("02", "keyed"), ("04", "keyed"), ("07", "changes"), ("09", "changes"),
        ("11", "changes"), ("12", "changes"), ("16", "changes"), ("17", "without_rule"),
        ("19", "changes"), ("24", "keyed"), ("26", "changes"), ("27", "changes"),
    ],
)  # fmt: skip
def test_the_changes_are_those_the_case_states(folder: str, key: str) -> None:
    expect, base, target = load(folder)
    assert_exactly(diff(base, target), expect[key])


def test_01_a_lost_duplicate_is_a_change_without_order_too() -> None:
    _, base, target = load("01")
    (change,) = loose_diff(base, target, Loose(ignore_order=True))
    assert (change.op, change.old) == ("remove", "vip")


def test_02_a_removed_item_is_named_by_its_place_in_the_base() -> None:
    _, base, target = load("02")
    removed, changed = diff(base, target)
    assert same(get(base, removed.path), removed.old)
    assert same(get(base, changed.old_path), changed.old)
    assert same(get(target, changed.path), changed.new)


def test_06_one_and_one_point_zero_differ_everywhere_and_are_marked() -> None:
    expect, base, target = load("06")
    changes = diff(base, target)
    assert_exactly(changes, expect["either"][1])
    assert all(same_number(change.old, change.new) for change in changes)
    assert loose_diff(base, target, Loose(ignore_number_type=True)) == expect["either"][0]


def test_09_pointers_resolve_back_on_both_sides() -> None:
    _, base, target = load("09")
    changes = diff(base, target)
    assert len({change.pointer for change in changes}) == 14
    for change in changes:
        assert get(base, change.pointer) == change.old == 1
        assert get(target, change.pointer) == change.new == 2


@pytest.mark.parametrize("order", [False, True], ids=["in-order", "as-bags"])
def test_11_nan_is_nan_with_rounding_too(order: bool) -> None:
    expect, base, target = load("11")
    changes = loose_diff(base, target, Loose(significant=3, ignore_order=order))
    assert_exactly(changes, expect["changes"])


def test_12_nan_is_never_written_as_null() -> None:
    _, base, target = load("12")
    for change in diff(base, target):
        for value in (change.old, change.new):
            if value is not None and value is not MISSING:
                assert "null" not in (source_text(value), dumps(value))


def test_14_order_counts_or_does_not_at_all_depths() -> None:
    expect, base, target = load("14")
    assert diff(base, target)
    assert loose_diff(base, target, Loose(ignore_order=True)) == expect["unordered"]


def test_17_an_ignore_rule_covers_keys_on_one_side_only() -> None:
    expect, base, target = load("17")
    for order in (False, True):
        options = Loose(ignore=("re:^foo.$", "/ts"), ignore_order=order)
        assert loose_diff(base, target, options) == expect["changes"]


def test_19_a_change_that_cannot_be_seen_is_named() -> None:
    _, base, target = load("19")
    (change,) = diff(base, target)
    said = invisible_difference(change.old, change.new)
    assert said is not None
    assert "U+00E9" in said
    assert "U+0301" in said


def test_21_spellings_of_a_number() -> None:
    expect, base, target = load("21")
    changes = {change.pointer: change for change in diff(base, target)}
    assert matches(changes.pop("/sum"), expect["changes"][0])
    assert source_text(base["sum"]) != source_text(target["sum"])
    assert "/neg" not in changes
    # Ours: 1000 and 1000.0 are one number but two spellings (case 06); the change says so.
    assert all(same_number(change.old, change.new) for change in changes.values())
    rounded = loose_diff(base, target, Loose(significant=10, ignore_number_type=True))
    assert rounded == []


def test_22_a_rotation_is_one_move() -> None:
    _, base, target = load("22")
    (change,) = diff(base, target)
    assert (change.op, change.old_path, change.path) == ("move", ("queue", 3), ("queue", 0))


def test_27_the_changed_word_is_at_hand_and_no_character_is_cut() -> None:
    _, base, target = load("27")
    draft, mood = diff(base, target)
    assert [s for s in word_segments(draft.old, draft.new) if s.kind != "same"] == [
        ("old", "40"),
        ("new", "45"),
    ]
    old, new = preview(draft.old, draft.new)
    assert len(old) <= 160
    assert "40 EUR" in old
    assert "45 EUR" in new
    assert [s.kind for s in word_segments(mood.old, mood.new)] == ["old", "new", "same"]
