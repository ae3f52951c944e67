"""Pickles become inert nodes: nothing in them is imported or called, and every bomb is a fault."""

import collections
import dataclasses
import datetime
import decimal
import enum
import pathlib
import pickle
import random
import time
import uuid
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage
from langgraph.types import Interrupt, Send
from pydantic import SecretStr

from viewer.errors import ParseFault
from viewer.jsontext import dumps
from viewer.sources.langgraph import opcodes
from viewer.sources.langgraph.inert import LONG_INTEGER_BITS, Entries, Stub, tagged_nodes
from viewer.sources.langgraph.opcodes import inert

PROTOCOLS = range(6)


class Colour(enum.Enum):
    RED = 1


@dataclasses.dataclass
class Point:
    x: Any
    y: Any = None


class Slotted:
    __slots__ = ("__dict__", "a")


class Touch:
    """What a hostile pickle does: a call while it is read."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return (pathlib.Path.touch, (self.path,))


def read(raw: bytes, depth: int = 100, *, exact: bool = False) -> Any:
    return tagged_nodes(inert(raw), depth=depth, size=len(raw), exact=exact)


def dumped(value: Any, protocol: int = 4) -> bytes:
    return pickle.dumps(value, protocol=protocol)


def own(name: str, value: Any) -> dict[str, Any]:
    return {"$type": name, "$ctor": "pickle", "value": value}


def slotted() -> Slotted:
    made = Slotted()
    made.a, made.__dict__["b"] = 1, 2
    return made


HERE = f"{__name__}."
VALUES = [
    pytest.param([1, -1, 255, 256, 65536, 2**40, -(2**70)], None, id="integers"),
    pytest.param([True, False, None, 1.5, -0.0, "", "é\ud800 𝄞", "line\nbreak\\u0041"], None, id="s"),
    pytest.param({"a": {"b": [[], {}, ["x"] * 3]}}, None, id="nested"),
    pytest.param((1, (2, 3), (4, 5, 6, 7), ()), [1, [2, 3], [4, 5, 6, 7], []], id="tuples"),
    pytest.param(
        [b"\x00\xff", b"", bytearray(b"q")],
        [
            {"$type": "bytes", "b64": "AP8="},
            {"$type": "bytes", "b64": ""},
            own("builtins.bytearray", {"$type": "bytes", "b64": "cQ=="}),
        ],
        id="bytes",
    ),
    pytest.param({1: "a", (1, 2): "b"}, {"$type": "map", "items": [[1, "a"], [[1, 2], "b"]]}, id="m"),
    pytest.param({"$type": "x"}, {"$type": "map", "items": [["$type", "x"]]}, id="a spoof"),
    pytest.param({3, 1, 2}, own("builtins.set", [1, 2, 3]), id="set"),
    pytest.param(frozenset("ba"), own("builtins.frozenset", ["a", "b"]), id="frozenset"),
    pytest.param(decimal.Decimal("1.10"), own("decimal.Decimal", "1.10"), id="decimal"),
    pytest.param(Colour.RED, own(f"{HERE}Colour", 1), id="enum"),
    pytest.param(
        Point(1, Point(2)), own(f"{HERE}Point", {"x": 1, "y": own(f"{HERE}Point", {"x": 2, "y": None})}),
        id="objects",
    ),
    pytest.param(uuid.UUID(int=5), own("uuid.UUID", {"int": 5}), id="uuid"),
    pytest.param(
        datetime.timedelta(1, 2, 3),
        {"$type": "datetime.timedelta", "$ctor": "pickle", "args": [1, 2, 3]},
        id="several arguments",
    ),
    pytest.param(
        collections.OrderedDict(a=1), own("collections.OrderedDict", {"a": 1}), id="entries alone"
    ),
    pytest.param(
        collections.defaultdict(list, {"k": [1]}),
        {
            "$type": "collections.defaultdict",
            "$ctor": "pickle",
            "args": [{"$type": "builtins.list", "$ctor": "global"}],
            "entries": {"k": [1]},
        },
        id="argument and entries",
    ),
]  # fmt: skip


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(("value", "shown"), VALUES)
def test_every_protocol_gives_the_same_nodes(value: Any, shown: Any, protocol: int) -> None:
    if isinstance(value, collections.OrderedDict | bytearray) and protocol < 2:
        pytest.skip("spelt with other calls there")
    found = read(dumped(value, protocol))
    expected = value if shown is None else shown
    if protocol < 5 and "bytearray" in dumps(expected):
        found, expected = found[:2], expected[:2]
    assert dumps(found) == dumps(expected)


@pytest.mark.parametrize("protocol", range(2, 6))
def test_langgraph_s_own_objects_keep_their_fields(protocol: int) -> None:
    found = read(dumped([Send("n", {"a": 1}), Interrupt(value="?", id="i"), slotted()], protocol))
    assert {k: found[0]["value"][k] for k in ("node", "arg")} == {"node": "n", "arg": {"a": 1}}
    assert {k: found[1]["value"][k] for k in ("value", "id")} == {"value": "?", "id": "i"}
    assert found[2] == own(f"{HERE}Slotted", {"b": 2, "a": 1})


def test_a_model_shows_its_fields_first_and_keeps_the_rest_beside() -> None:
    found = read(dumped(HumanMessage("hi", id="1")))
    assert found["$type"] == "langchain_core.messages.human.HumanMessage"
    assert (found["value"]["content"], found["value"]["id"]) == ("hi", "1")
    fields = found["$pydantic"]["__pydantic_fields_set__"]
    assert fields == own("builtins.set", ["content", "id"])


def test_a_secret_is_masked_and_an_equal_one_has_its_number() -> None:
    key, other = SecretStr("hunter2"), SecretStr("hunter3")
    first, second, third = read(dumped([key, SecretStr("hunter2"), other]))
    assert (first["$type"], first["value"]) == ("pydantic.types.SecretStr", "*" * 10)
    assert first == second != third
    assert "hunter" not in dumps([first, second, third])
    assert "hunter2" in dumps(read(dumped(key), exact=True))


def test_a_class_that_is_only_named_is_no_object() -> None:
    assert read(dumped([len, Point])) == [
        {"$type": "builtins.len", "$ctor": "global"},
        {"$type": f"{HERE}Point", "$ctor": "global"},
    ]


def test_an_integer_that_python_cannot_print_is_hexadecimal() -> None:
    number = 1 << LONG_INTEGER_BITS
    assert read(dumped(number)) == {"$type": "int", "hex": hex(number)}
    assert read(b"L" + b"7" * 9_000 + b"L\n.") == own("builtins.int", "7" * 9_000)
    assert read(dumped(number - 1)) == number - 1


def test_what_stands_twice_is_one_object() -> None:
    part = {"a": [1, 2]}
    first, second = read(dumped([part, part]))
    assert first is second


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_contains_itself_ends_at_a_node(protocol: int) -> None:
    loop: list[Any] = [1]
    loop.append({"again": loop})
    assert read(dumped(loop, protocol)) == [1, {"again": {"$type": "cycle"}}]
    point = Point(1)
    point.y = (point,)
    assert read(dumped(point, max(protocol, 2)))["value"]["y"] == [{"$type": "cycle"}]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_nothing_is_called(tmp_path: pathlib.Path, protocol: int) -> None:
    found = read(dumped([Touch(tmp_path / "touched"), 7], protocol))
    assert found[0]["args" if "args" in found[0] else "value"]
    assert found[1] == 7
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        pytest.param(b"cos\nsystem\n(S'x'\ntR.", own("os.system", "x"), id="REDUCE"),
        pytest.param(b"(S'x'\nios\nsystem\n.", own("os.system", "x"), id="INST"),
        pytest.param(b"(cos\nsystem\nS'x'\no.", own("os.system", "x"), id="OBJ"),
        pytest.param(b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x01x\x85R.", own("os.system", "x"),
                     id="STACK_GLOBAL"),
        pytest.param(b"cm\nC\n)\x81}X\x01\x00\x00\x00aK\x01sb.", own("m.C", {"a": 1}), id="BUILD"),
        pytest.param(b"cm\nC\n}X\x01\x00\x00\x00aK\x01sb.",
                     {"$type": "m.C", "$ctor": "global", "value": {"a": 1}}, id="BUILD on a name"),
        pytest.param(b"cm\nC\nK\x01R)R.", {"$type": "pickle.call", "$ctor": "pickle",
                     "args": [own("m.C", 1), []]}, id="a call of what a call gave"),
        pytest.param(b"\x80\x04cm\nC\n)}X\x01\x00\x00\x00kK\x01s\x92.", own("m.C", {"k": 1}),
                     id="NEWOBJ_EX"),
        pytest.param(b"\x82\x05.", own("copyreg.extension", 5), id="EXT1"),
        pytest.param(b"\x84\x05\x00\x00\x01.", own("copyreg.extension", 2**24 + 5), id="EXT4"),
        pytest.param(b"Pfile:1\n.", own("pickle.persistent_id", "file:1"), id="PERSID"),
        pytest.param(b"K\x05Q.", own("pickle.persistent_id", 5), id="BINPERSID"),
        pytest.param(b"\x80\x05\x97\x98.", {"$type": "pickle.out_of_band_buffer", "$ctor": "pickle"},
                     id="NEXT_BUFFER"),
        pytest.param(b"}]K\x01s.", {"$type": "map", "items": [[[], 1]]}, id="a list as a key"),
        pytest.param(b"}(K\x01K\x02K\x01K\x03u.", {"$type": "map", "items": [[1, 2], [1, 3]]},
                     id="a key twice"),
        pytest.param(b"c__builtin__\nset\n(lp0\nI01\natR.", None, id="broken set"),
        pytest.param(b"}(U\x01aK\x01U\x01aK\x02u.", {"$type": "map", "items": [["a", 1], ["a", 2]]},
                     id="a text key twice"),
        pytest.param(b"\x80\x02c__builtin__\nunicode\n.", {"$type": "builtins.str", "$ctor": "global"},
                     id="a name of Python 2"),
        pytest.param(b"U\x03\xff\x00a.", {"$type": "bytes", "b64": "/wBh"}, id="bytes of Python 2"),
        pytest.param(b"S'a\\x41\\n'\n.", "aA\n", id="escapes of Python 2"),
        pytest.param(b"(K\x011K\x02.", 2, id="POP_MARK"),
        pytest.param(b"K\x012\x86.", [1, 1], id="DUP"),
        pytest.param(b"K\x02K\x010.", 2, id="POP"),
        pytest.param(b"K\x02(0.", 2, id="POP of a mark"),
        pytest.param(b"F1e3\n.", 1000.0, id="FLOAT"),
    ],
)  # fmt: skip
def test_an_opcode_only_moves_parts(raw: bytes, shown: Any) -> None:
    if shown is None:
        with pytest.raises(ParseFault):
            read(raw)
    else:
        assert read(raw) == shown


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        pytest.param(b"", "cut short", id="nothing"),
        pytest.param(b"\x80\x04]", "cut short at byte 3", id="no end"),
        pytest.param(b"\x80\x09N.", "protocol 9", id="a protocol of the future"),
        pytest.param(b"\xff.", "unknown opcode 0xff", id="no opcode"),
        pytest.param(b".", "nothing on the stack", id="an end at once"),
        pytest.param(b"(.", "nothing on the stack", id="an end at a mark"),
        pytest.param(b"K\x01(R.", "nothing on the stack", id="a call across a mark"),
        pytest.param(b"t.", "no mark", id="no mark"),
        pytest.param(b"h\x05.", "memo 5 is empty", id="memo"),
        pytest.param(b"\x95\xff\xff\xff\xff\xff\xff\xff\x7fN.", "a frame that ends at", id="frame"),
        pytest.param(b"\x8b\xff\xff\xff\xffN.", "bytes wanted", id="LONG4 without end"),
        pytest.param(b"\x8d\xff\xff\xff\xff\xff\xff\xff\xffN.", "bytes wanted", id="text"),
        pytest.param(b"X\x01\x00\x00\x00\xff.", "utf-8", id="no UTF-8"),
        pytest.param(b"Iten\n.", "invalid literal", id="no number"),
        pytest.param(b"I1", "a line without end", id="no line end"),
        pytest.param(b"S'a\n.", "without quotes", id="no quotes"),
        pytest.param(b"K\x01K\x02a.", "takes none", id="APPEND to a number"),
        pytest.param(b"K\x01K\x02K\x03s.", "takes none", id="SETITEM on a number"),
        pytest.param(b"}(K\x01u.", "takes none", id="a key without a value"),
        pytest.param(b"K\x01}b.", "takes none", id="BUILD on a number"),
        pytest.param(b"cm\nC\n)\x81}b}b.", "takes none", id="BUILD twice"),
        pytest.param(b"\x80\x04\x8c\x01a\x8c\x01b0]\x8c\x01c\x93.", None, id="a list as module"),
        pytest.param(b"c" + b"m" * 5_000 + b"\nC\n.", "a name of more than", id="a long name"),
        pytest.param(b"cm\n", "a line without end", id="half a name"),
    ],
)
def test_what_is_no_pickle_is_a_fault(raw: bytes, words: str | None) -> None:
    if words is None:
        assert read(raw)["$type"] == "?.c"
        return
    with pytest.raises(ParseFault, match="pickle") as caught:
        read(raw)
    assert words in caught.value.reason


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        pytest.param(b"]" * 20_000 + b"a" * 19_999 + b".", "nested deeper", id="lists in lists"),
        pytest.param(b")" + b"\x85" * 20_000 + b".", "nested deeper", id="tuples in tuples"),
        pytest.param(b"cm\nC\n" * 9_000 + b"R" * 8_999 + b".", "nested deeper", id="calls of calls"),
        pytest.param(b"(" * 100_001 + b".", "open marks", id="marks"),
        pytest.param(
            b"\x80\x04X\x00\x00\x10\x00" + b"a" * 2**20 + b"\x940c_codecs\nencode\n\x940"
            + b"h\x01h\x00\x8c\x06latin1\x86R0" * 1_000 + b"N.",
            "over and over", id="bytes made again and again",
        ),
        pytest.param(
            b"\x80\x04(" + b"cm\nC\n" + b"N" * 10_000 + b"t\x940ccopyreg\n__newobj__\n\x940("
            + b"h\x01h\x00R" * 10_000 + b"t.",
            "over and over", id="arguments copied again and again",
        ),
        pytest.param(
            b"\x80\x04}(" + b"NN" * 3_000 + b"u\x940(" + b"cm\nC\n)\x81Nh\x00\x86b" * 3_000 + b"t.",
            "over and over", id="a state merged again and again",
        ),
    ],
)  # fmt: skip
def test_a_bomb_is_a_fault_soon(raw: bytes, words: str) -> None:
    started = time.perf_counter()
    with pytest.raises(ParseFault, match=words):
        read(raw)
    assert time.perf_counter() - started < 10


@pytest.mark.parametrize(
    "state",
    [
        pytest.param(b"}(" + b"NN" * 20_000 + b"u", id="a dict"),
        pytest.param(b"}(" + b"NN" * 20_000 + b"u}\x86", id="a dict and slots"),
        pytest.param(
            b"}(\x8c\x08__dict__N\x8c\x0e__fields_set__N" + b"NN" * 20_000 + b"u", id="pydantic's"
        ),
    ],
)
def test_a_state_that_many_objects_share_is_looked_through_once(state: bytes) -> None:
    raw = b"\x80\x04" + state + b"\x940(" + b"cm\nC\n)\x81h\x00b" * 20_000 + b"l."
    started = time.process_time()
    read(raw)
    assert time.process_time() - started < 5


def test_more_parts_than_the_limit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opcodes, "MOST_HELD", 5_000)
    assert read(b"(" + b"N" * 4_000 + b"t.") == [None] * 4_000
    for raw in (b"(" + b"N" * 6_001 + b"t.", b"N" + b"\x94" * 6_001 + b"."):
        with pytest.raises(ParseFault, match="more than 5000 parts at once"):
            read(raw)


def test_more_opcodes_than_the_limit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opcodes, "MOST_OPCODES", 100)
    assert read(b"N0" * 49 + b"N.") is None
    with pytest.raises(ParseFault, match="more than 100 opcodes"):
        read(b"N0" * 50 + b"N.")


@pytest.mark.parametrize(
    "level",
    [
        pytest.param(b"\x940(" + b"h%d" * 10 + b"l", id="lists"),
        pytest.param(b"\x940cm\nC\n(" + b"h%d" * 10 + b"tR", id="calls"),
    ],
)
def test_shared_parts_do_not_unfold_without_end(level: bytes) -> None:
    raw = b"\x80\x04\x8c\x03lol"
    for number in range(40):
        raw += level.replace(b"%d", bytes([number]))
    found = read(raw + b".")
    text = dumps(found)
    assert len(text) < 100_000_000
    assert "not_unfolded" in text


def test_depth_counts_what_a_value_becomes() -> None:
    assert read(dumped({1: {1: 2}}), depth=6)["$type"] == "map"
    with pytest.raises(ParseFault, match="deeper than 5 levels"):
        read(dumped({1: {1: 2}}), depth=5)


def test_one_long_key_many_times_does_not_unfold() -> None:
    level = b"\x80\x04X\x00\x00\x10\x00" + b"a" * 2**20 + b"\x940("
    raw = level + b"}h\x00Ns" * 1_000 + b"l."
    assert read(raw)["$type"] == "not_unfolded"


def test_one_long_text_many_times_does_not_unfold() -> None:
    raw = b"\x80\x04X\x00\x00\x10\x00" + b"a" * 2**20 + b"\x940(" + b"h\x00" * 100_000 + b"l."
    assert read(raw)["$type"] == "not_unfolded"
    raw = b"\x80\x04B\x00\x00\x10\x00" + b"a" * 2**20 + b"\x940(" + b"h\x00" * 100_000 + b"l."
    assert read(raw)["$type"] == "not_unfolded"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_stands_before_a_cut_is_kept(protocol: int) -> None:
    whole = {f"key {n}": {"a": [n], "b": (n, n)} for n in range(1_200)}
    raw = dumped(whole, protocol)
    kept = [0]
    for share in (0.0, 0.4, 0.999):
        node, fault = opcodes.salvaged(raw[: int(len(raw) * share)])
        assert fault is not None
        assert "cut short" in fault or "wanted" in fault or "line" in fault
        pairs = node.pairs if isinstance(node, Entries) else []
        good = [k for k, v in pairs if isinstance(k, str) and python(v) == whole.get(k)]
        assert good == list(whole)[: len(good)]
        assert len(good) > len(whole) * share * 0.8 - 10
        kept.append(len(good))
    assert kept == sorted(kept)
    assert opcodes.salvaged(raw)[1] is None
    assert python(opcodes.salvaged(raw)[0]) == whole


def test_what_stands_before_a_limit_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = dumped(list(range(5_000)))
    monkeypatch.setattr(opcodes, "MOST_OPCODES", 3_000)
    node, fault = opcodes.salvaged(raw)
    assert fault == "a pickle of more than 3000 opcodes"
    assert node == list(range(len(node)))
    assert len(node) > 2_900


@given(st.binary(max_size=100))
def test_any_bytes_can_be_salvaged(raw: bytes) -> None:
    node, fault = opcodes.salvaged(raw)
    with suppress(ParseFault):
        dumps(tagged_nodes(node, depth=100, size=len(raw)))
    assert fault is None or fault


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (
            datetime.datetime.fromisoformat("2026-01-02T03:04:05.000678"),
            "2026-01-02T03:04:05.000678",
        ),
        (datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC), "2026-01-02T00:00:00+00:00"),
        (
            datetime.datetime(1, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=-5))),
            "0001-01-01T00:00:00-05:00",
        ),
        (
            datetime.datetime.fromisoformat("2026-01-02T03:00:00").replace(fold=1),
            "2026-01-02T03:00:00",
        ),
    ],
)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_time_is_shown_as_a_time(moment: Any, text: str, protocol: int) -> None:
    raw = dumped(moment, protocol)
    assert read(raw) == own("datetime.datetime", text)
    assert "AgAAAA" in dumps(read(raw, exact=True)) or "b64" in dumps(read(raw, exact=True))


@pytest.mark.parametrize(
    "args",
    [
        pytest.param(b"C\x0a" + b"\xff" * 10 + b"\x85", id="no date"),
        pytest.param(b"C\x03abc\x85", id="too short"),
        pytest.param(b"M\xea\x07K\x01K\x02\x87", id="numbers"),
        pytest.param(b"C\x0a\x07\xea\x01\x02\x00\x00\x00\x00\x00\x00czoneinfo\nZoneInfo\n\x86",
                     id="a zone by name"),
        pytest.param(b"C\x0a\x07\xea\x01\x02\x00\x00\x00\x00\x00\x00cdatetime\ntimezone\nN\x85R\x86",
                     id="a zone of nothing"),
        pytest.param(b"C\x0a\x07\xea\x01\x02\x00\x00\x00\x00\x00\x00K\x05\x86", id="no zone"),
    ],
)  # fmt: skip
def test_a_time_that_is_none_stays_what_it_is(args: bytes) -> None:
    found = read(b"\x80\x04cdatetime\ndatetime\n" + args + b"R.")
    assert found["$type"] == "datetime.datetime"
    assert "T00:00" not in dumps(found)


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
    | st.binary(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    | st.tuples(inner, inner),
    max_leaves=12,
)  # fmt: skip


def python(node: Any) -> Any:
    """Return the value that nodes without stubs stand for."""
    assert not isinstance(node, Stub)
    if isinstance(node, Entries):
        return {python(key): python(value) for key, value in node.pairs}
    if isinstance(node, list | tuple):
        return type(node)(python(part) for part in node)
    return node


@given(plain, st.sampled_from(PROTOCOLS))
def test_plain_values_come_back_as_they_were(value: Any, protocol: int) -> None:
    assert python(inert(dumped(value, protocol))) == value
    assert repr(python(inert(dumped(value, protocol)))) == repr(value)


@given(st.binary(max_size=200))
def test_any_bytes_yield_json_or_a_fault(raw: bytes) -> None:
    with suppress(ParseFault):
        assert dumps(read(raw))


@pytest.mark.parametrize("seed", range(6))
def test_any_damage_yields_json_or_a_fault(seed: int) -> None:
    chance = random.Random(seed)
    whole = dumped([HumanMessage("hi"), Point(1, {2: {3, 4}}), b"x" * 50, 2**70], seed)
    for _ in range(400):
        raw = bytearray(whole)
        for _ in range(chance.choice((1, 2, 5, 20))):
            raw[chance.randrange(len(raw))] = chance.randrange(256)
        with suppress(ParseFault):
            assert dumps(read(bytes(raw[: chance.choice((len(raw), chance.randrange(len(raw))))])))
