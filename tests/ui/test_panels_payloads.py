"""What Python sends to the panels: exact, compact, complete."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.analysis.diff import diff
from viewer.chain import Chain, assemble
from viewer.model import MISSING, Change, Interrupt, Record, TaskError, Thread, ThreadRef
from viewer.panels.diff3 import delta, diff_payload
from viewer.panels.placing import Placing
from viewer.panels.strip import ID_CHARACTERS, MARKS, runs, strip_payload
from viewer.panels.tree import REMOVED_CHARACTERS, tree_payload
from viewer.panels.wire import VALUE_CHARACTERS, capped, revision, text_of
from viewer.pointer import Tokens, find
from viewer.profiles import load_profile

START = datetime(2026, 11, 30, 12, tzinfo=UTC)


def chain_of(count: int, **overrides: dict[int, Any]) -> Chain:
    """A chain of ``count``; ``overrides`` maps a record's field to values by index."""
    records = []
    for i in range(count):
        fields: dict[str, Any] = {
            "place": f"line:{i}",
            "made_id": f"c{i}",
            "state": {"step": i},
            "step": i,
            "created_at": START + timedelta(milliseconds=1250 * i),
            "size_bytes": 1000 + 37 * i,
            "nodes": (("agent", "tools")[i % 2],),
        }
        for name, by_index in overrides.items():
            if i in by_index:
                fields[name] = by_index[i]
        records.append(Record(**fields))
    thread = Thread(ref=ThreadRef(thread_id="T"), records=tuple(records))
    return assemble("x", "jsonl", thread, load_profile("plain"))


def unpacked(column: str) -> list[int | None]:
    found: list[int | None] = []
    for entry in column.split(" "):
        word, _, length = entry.partition("*")
        found += [None if word == "~" else int(word)] * int(length or 1)
    return found


# wire


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param(1, "1", id="integer"),
        pytest.param(1.0, "1.0", id="float of the same worth"),
        pytest.param(-0.0, "-0.0", id="negative zero"),
        pytest.param(10**40, "1" + "0" * 40, id="big integer"),
        pytest.param(0.1, "0.1", id="float digits"),
        pytest.param(float("nan"), "NaN", id="nan"),
        pytest.param(float("-inf"), "-Infinity", id="infinity"),
        pytest.param("é\u202e", '"é\u202e"', id="text stays text"),
        pytest.param("\ud800", '"\ud800"', id="half a pair"),
        pytest.param([None, True, {}], "[null,true,{}]", id="containers"),
    ],
)
def test_a_value_travels_as_its_source_text(value: Any, text: str) -> None:
    assert text_of(value) == text


def test_a_number_too_long_to_write_is_named_and_does_not_raise() -> None:
    assert "integer that cannot be written" in text_of(1 << 20_000)


def test_a_long_value_is_cut_with_its_length_and_type() -> None:
    beginning, length, kind = capped("x" * (VALUE_CHARACTERS + 1))
    assert (len(str(beginning)), length, kind) == (VALUE_CHARACTERS, VALUE_CHARACTERS + 3, "string")


def test_a_cut_that_parts_a_pair_can_still_be_sent() -> None:
    cut = capped(["\ud800"] * 10, limit=20)
    json.dumps(cut).encode()


def test_a_revision_tells_texts_apart_even_where_they_join_alike() -> None:
    assert revision("ab", "c") != revision("a", "bc")
    assert revision("\ud800") == revision("\ud800")


# tree


def test_the_tree_gets_the_state_with_every_number_as_written() -> None:
    payload = tree_payload({"a": 1.0, "b": 12345678901234567890123})
    assert payload["state"] == '{"a":1.0,"b":12345678901234567890123}'


def test_the_tree_is_rebuilt_only_when_something_shown_differs() -> None:
    change = Change("replace", ("a",), ("a",), 1, 2)
    one = tree_payload({"a": 2}, [change])["rev"]
    assert one == tree_payload({"a": 2}, [change])["rev"]
    assert one != tree_payload({"a": 2.0}, [change])["rev"]
    assert one != tree_payload({"a": 2}, [change._replace(old=0)])["rev"]
    assert one != tree_payload({"a": 2}, [change], violations={"/a": ["bad"]})["rev"]


def test_the_tree_knows_owners_and_planes_from_the_profile() -> None:
    profile = load_profile("plain")
    assert tree_payload({}, profile=profile)["owners"] == []


def test_a_replaced_and_a_moved_value_keep_what_they_were() -> None:
    changes = [
        Change("replace", ("a",), ("a",), {"x": 1}, 2),
        Change("move", ("l", 0), ("l", 2), 5, 5),
        Change("add", ("n",), (), MISSING, 3),
    ]
    assert tree_payload({}, changes)["changes"] == [
        ["replace", "/a", None, '{"x":1}', None],
        ["move", "/l/0", "/l/2", None, None],
        ["add", "/n", None, None, None],
    ]


def test_a_removed_item_stands_where_its_neighbours_went() -> None:
    # Base [a, b, c, d] became [x, b', d]: a removed, x added, c removed, y removed inside b.
    changes = [
        Change("remove", ("l", 0), ("l", 0), "a", MISSING),
        Change("add", ("l", 0), ("l",), MISSING, "x"),
        Change("remove", ("l", 1, "y"), ("l", 1, "y"), "y", MISSING),
        Change("remove", ("l", 2), ("l", 2), "c", MISSING),
    ]
    removed = tree_payload({"l": ["x", {}, "d"]}, changes)["removed"]
    assert removed == [
        ["/l", "0", 1, "/l/0", '"a"'],
        ["/l", "2", 2, "/l/2", '"c"'],
        ["/l/1", "y", -1, "/l/1/y", '"y"'],
    ]


def test_several_items_removed_in_one_place_keep_their_order() -> None:
    changes = [Change("remove", ("l", i), ("l", i), i, MISSING) for i in (3, 2, 1)]
    removed = tree_payload({"l": [0]}, changes)["removed"]
    assert [row[1] for row in removed] == ["1", "2", "3"]


def test_a_removed_subtree_that_is_too_large_is_sent_cut() -> None:
    big = {"text": "x" * REMOVED_CHARACTERS}
    row = tree_payload({}, [Change("remove", ("a",), ("a",), big, MISSING)])["removed"][0]
    assert row[4][1:] == [REMOVED_CHARACTERS + len('{"text":""}'), "object"]


@pytest.mark.parametrize(
    ("changes", "base", "target"),
    [
        pytest.param([], ("a", 3), ("a", 3), id="nothing changed"),
        pytest.param([("remove", ("a", 0), ("a", 0))], ("a", 3), ("a", 2), id="one before it left"),
        pytest.param([("add", ("a", 0), ("a",))], ("a", 3), ("a", 4), id="one before it came"),
        pytest.param([("add", ("a", 4), ("a",))], ("a", 3), ("a", 3), id="one after it came"),
        pytest.param([("move", ("a", 0), ("a", 3))], ("a", 3), ("a", 0), id="it moved"),
        pytest.param([("move", ("a", 5), ("a", 1))], ("a", 3), ("a", 2), id="one moved past it"),
        pytest.param(
            [("move", ("a", 0), ("a", 2)), ("remove", ("a", 2, "b", 0), ("a", 2, "b", 0))],
            ("a", 2, "b", 1),
            ("a", 0, "b", 0),
            id="inside a moved one",
        ),
        pytest.param([("move", ("z",), ("a",))], ("a", 1), ("z", 1), id="its container moved"),
    ],
)
def test_a_place_of_the_base_is_found_in_the_target(
    changes: list[tuple[Any, Tokens, Tokens]], base: Tokens, target: Tokens
) -> None:
    placing = Placing([Change(op, path, old_path, 0, 0) for op, path, old_path in changes])
    assert placing.target(base) == target


# diff


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        pytest.param(990, 1250, "+260", id="more"),
        pytest.param(5, 3, "-2", id="less"),
        pytest.param(0.1, 0.3, "+0.2", id="floats without binary noise"),
        pytest.param(1, 2.5, "+1.5", id="integer and float"),
        pytest.param(10**30, 10**30 + 1, "+1", id="big integers are exact"),
        pytest.param(1.0, 1e300, "+1.000000e+300", id="far apart"),
        pytest.param(True, 2, None, id="true is no number"),
        pytest.param("1", 2, None, id="text is no number"),
        pytest.param(float("nan"), 2.0, None, id="nan"),
        pytest.param(1, 1 << 5000, None, id="too long to read"),
    ],
)
def test_a_number_shows_how_far_it_went(old: Any, new: Any, text: str | None) -> None:
    assert delta(old, new) == text


def test_a_change_carries_both_sides_the_delta_and_the_observation() -> None:
    changes = [
        Change("replace", ("n",), ("n",), 1, 1.0),
        Change("replace", ("t",), ("t",), 3, 5),
        Change("move", ("l", 0), ("l", 1), "v", "v"),
        Change("remove", ("gone",), ("gone",), None, MISSING),
    ]
    target = {"n": 1.0, "t": 5, "l": ["v", "w"], "same": 0}
    payload = diff_payload(
        changes,
        base_title="b",
        target_title="t",
        target=target,
        observation=("recorded", {"n": 1, "gone": 1}),
        verdicts=["stale", "", "", ""],
    )
    n, t, moved, gone = payload["rows"]
    assert (n["old"], n["new"], n["same"], n["seen"], n["verdict"]) == (
        "1",
        "1.0",
        True,
        "1",
        "stale",
    )
    assert (t["delta"], "seen" in t, "verdict" in t) == ("+2", False, False)
    assert (moved["path"], moved["from"]) == ("/l/0", "/l/1")
    assert (gone["old"], "new" in gone, "seen" in gone) == ("null", False, False)
    assert payload["unchanged"] == ["same"]
    assert payload["groups"] == {"l": [2, 1]}
    assert (payload["observation"], payload["observed"]) == ("recorded", '{"n":1,"gone":1}')


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param("caf\u00e9", "cafe\u0301", "U+00E9", id="composed and decomposed"),
        pytest.param("p\u0430y", "pay", "U+0430", id="a Cyrillic letter"),
        pytest.param("pay", "paid", None, id="another word"),
        pytest.param("1", 1, None, id="another type"),
    ],
)
def test_a_change_that_cannot_be_seen_says_so_in_the_diff_and_in_the_tree(
    old: str, new: Any, said: str | None
) -> None:
    change = Change("replace", ("name",), ("name",), old, new)
    (row,) = diff_payload([change], base_title="", target_title="")["rows"]
    (mark,) = tree_payload({"name": new}, [change])["changes"]
    assert row.get("alike") == mark[4]
    assert (said in mark[4]) if said else mark[4] is None


def test_what_was_shown_in_a_change_s_place_wins_over_the_observation_s_own_places() -> None:
    changes = [
        Change("replace", ("a",), ("a",), 1, 2),
        Change("replace", ("b",), ("b",), 1, 2),
    ]
    payload = diff_payload(
        changes,
        base_title="",
        target_title="",
        observation=("recorded", {"a": 7, "calls": []}),
        seen=[MISSING, "what it got"],
    )
    assert [row.get("seen") for row in payload["rows"]] == [None, '"what it got"']


def test_an_observation_of_null_is_not_the_same_as_none() -> None:
    change = Change("replace", ("a",), ("a",), 1, None)
    seen = diff_payload(
        [change], base_title="", target_title="", observation=("recorded", {"a": None})
    )
    assert seen["rows"][0]["seen"] == "null"
    unknown = diff_payload([change], base_title="", target_title="")
    assert (unknown["observed"], "seen" in unknown["rows"][0]) == (None, False)


def test_verdicts_that_do_not_fit_the_changes_are_refused() -> None:
    with pytest.raises(ValueError, match="1 changes but 2 verdicts"):
        diff_payload(
            [Change("add", ("a",), (), MISSING, 1)],
            base_title="",
            target_title="",
            verdicts=["shown", "leak"],
        )


def test_a_change_of_the_whole_state_counts_nothing_as_unchanged() -> None:
    payload = diff_payload(
        [Change("replace", (), (), [], {})], base_title="", target_title="", target={}
    )
    assert (payload["rows"][0]["path"], payload["groups"], payload["unchanged"]) == ("", {}, [])


# strip


@pytest.mark.parametrize(
    ("values", "text"),
    [
        pytest.param([], "", id="none"),
        pytest.param([7], "7", id="one"),
        pytest.param([1, 1, 2, 2, 2, None], "1 1 2*3 ~", id="runs and gaps"),
    ],
)
def test_runs_of_equal_numbers_are_packed(values: list[int | None], text: str) -> None:
    assert runs(values) == text


def test_the_strip_says_where_each_checkpoint_hangs_and_what_marks_it() -> None:
    interrupt = (Interrupt(id="i", value=1, task="t", open=True),)
    chain = chain_of(
        5,
        state={4: MISSING},
        interrupts={1: interrupt},
        errors={2: (TaskError(task="t", node="n", message="m"),)},
        decision={3: {"kind": "approve"}},
        parent_id={3: "c1"},
    )
    payload = strip_payload(
        chain, {0: 2, 4: 1}, selected=3, base=1, changed={1: ["a"], 2: ["b", "a"]}
    )
    marks = [
        {name for bit, name in enumerate(MARKS) if (bits or 0) & (1 << bit)}
        for bits in unpacked(payload["mark"])
    ]
    assert marks == [
        {"violation"},
        {"interrupt", "fork"},
        {"error"},
        {"decision"},
        {"violation", "no state"},
    ]
    assert unpacked(payload["back"]) == [0, 1, 1, 2, 1]
    assert unpacked(payload["lane"]) == [0, 0, 1, 0, 0]
    assert payload["broken"] == {"0": 2}
    assert unpacked(payload["changed"]) == [None, 0, 1, None, None]
    assert (payload["fields"], payload["changes"]) == (["a", "b"], ["0", "1 0"])
    assert [payload["nodes"][n] for n in unpacked(payload["node"]) if n is not None][:2] == [
        "agent",
        "tools",
    ]
    assert (payload["selected"], payload["base"], payload["head"]) == (3, 1, 4)


def test_differences_bring_back_steps_times_and_sizes() -> None:
    chain = chain_of(4, step={1: None}, created_at={2: None})
    payload = strip_payload(chain)

    def summed(name: str) -> list[int | None]:
        last, found = 0, []
        for difference in unpacked(payload[name]):
            last += difference or 0
            found.append(None if difference is None else last)
        return found

    assert summed("step") == [0, None, 2, 3]
    assert summed("size") == [1000, 1037, 1074, 1111]
    first = round(START.timestamp() * 1000)
    assert summed("time") == [first, first + 1250, None, first + 3750]


def test_ids_are_named_in_the_url_only_while_they_are_short_and_unique() -> None:
    assert strip_payload(chain_of(3))["ids"] == ["c0", "c1", "c2"]
    assert strip_payload(chain_of(ID_CHARACTERS))["ids"] == []
    assert strip_payload(chain_of(2, checkpoint_id={0: "x", 1: "x"}))["ids"] == []


def test_two_thousand_checkpoints_fit_into_25_kilobytes() -> None:
    chain = chain_of(2000)
    payload = strip_payload(chain, dict.fromkeys(range(0, 2000, 50), 1))
    assert len(json.dumps(payload)) < 25_000


def test_the_position_does_not_change_what_is_drawn() -> None:
    chain = chain_of(3)
    assert (
        strip_payload(chain, selected=0)["rev"] == strip_payload(chain, selected=2, base=1)["rev"]
    )
    assert strip_payload(chain)["rev"] != strip_payload(chain, {1: 1})["rev"]


ITEMS = st.lists(st.integers(0, 9), unique=True, max_size=7)


@given(st.dictionaries(st.integers(0, 9), ITEMS, max_size=5), st.data())
def test_what_stays_is_found_where_the_diff_paired_it(
    lists: dict[int, list[int]], data: st.DataObject
) -> None:
    def state(shape: dict[int, list[int]]) -> dict[str, Any]:
        return {
            "outer": [
                {"id": f"o{name}", "inner": [{"id": f"i{name}-{n}", "x": [n]} for n in inner]}
                for name, inner in shape.items()
            ]
        }

    names = data.draw(st.permutations(list(lists)))
    kept = [*names[: data.draw(st.integers(0, len(names)))], 10]
    base = state(lists)
    target = state({n: [*data.draw(st.permutations(lists.get(n, [])))[:5], 10] for n in kept})
    placing = Placing(diff(base, target))
    for i, outer in enumerate(base["outer"]):
        found = find(target, placing.target(("outer", i)))
        if outer["id"] in {o["id"] for o in target["outer"]}:
            assert found["id"] == outer["id"]
            for j, inner in enumerate(outer["inner"]):
                if inner["id"] in {n["id"] for n in found["inner"]}:
                    place = placing.target(("outer", i, "inner", j))
                    assert find(target, place)["id"] == inner["id"]


# what a graph's own channels and writes add


def test_the_profile_s_noise_is_folded_also_where_it_was_removed() -> None:
    old, new = {"__start__": 1, "n": 1}, {"branch:to:a": None, "n": 2}
    payload = tree_payload(new, diff(old, new), profile=load_profile("langgraph"))
    assert payload["folded"] == ["branch:to:a", "__start__"]
    assert tree_payload(new)["folded"] == []


def test_the_nodes_that_wrote_a_field_go_with_the_diff() -> None:
    changes = diff({"a/b": 1}, {"a/b": 2})
    sent = diff_payload(changes, base_title="", target_title="", written={"a/b": ("x", "y")})
    assert sent["written"] == {"a~1b": ["x", "y"]}


def test_the_strip_names_what_made_a_checkpoint_without_a_node() -> None:
    payload = strip_payload(chain_of(2, nodes={0: ()}, origin={0: "input", 1: "loop"}))
    assert payload["nodes"] == ["input", "tools"]


def test_a_finding_marks_its_checkpoint() -> None:
    payload = strip_payload(chain_of(3), findings=frozenset({1}))
    assert unpacked(payload["mark"])[1] == 1 << MARKS.index("finding")
    assert unpacked(payload["mark"])[0] == 0
