"""msgpack and JSON bytes become tagged JSON whatever they hold, and hostile ones a named fault."""

import math
from contextlib import suppress
from typing import Any

import ormsgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.errors import ParseFault
from viewer.jsontext import dumps, walk
from viewer.sources.langgraph import masks
from viewer.sources.langgraph.tagged import EXT_DEPTH, Tagger

ANY_KEY = ormsgpack.OPT_NON_STR_KEYS


def pack(value: Any) -> bytes:
    return ormsgpack.packb(value, option=ANY_KEY)


def ext(code: int, *payload: Any) -> ormsgpack.Ext:
    return ormsgpack.Ext(code, pack(list(payload)))


def read(value: Any, depth: int = 100) -> Any:
    return Tagger(depth).msgpack(pack(value))


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        pytest.param(2**63, 2**63, id="big integer stays exact"),
        pytest.param(-0.0, -0.0, id="float"),
        pytest.param(b"\x00\xff\x10", {"$type": "bytes", "b64": "AP8Q"}, id="bytes"),
        pytest.param({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}, id="plain"),
        pytest.param(
            {1: "one", "2": b"k"},
            {"$type": "map", "items": [[1, "one"], ["2", {"$type": "bytes", "b64": "aw=="}]]},
            id="keys that are no text",
        ),
        pytest.param(
            {"$type": "spoof", "value": 1},
            {"$type": "map", "items": [["$type", "spoof"], ["value", 1]]},
            id="a key of the data that looks like a tag",
        ),
        pytest.param(
            ext(0, "decimal", "Decimal", "10.10"),
            {"$type": "decimal.Decimal", "$ctor": "ctor1", "value": "10.10"},
            id="one argument",
        ),
        pytest.param(
            ext(1, "pathlib", "PosixPath", ["/", "x"]),
            {"$type": "pathlib.PosixPath", "$ctor": "ctor*", "value": ["/", "x"]},
            id="positional arguments",
        ),
        pytest.param(
            ext(2, "app", "Point", {"x": ext(0, "app", "E", 2)}),
            {
                "$type": "app.Point",
                "$ctor": "ctor**",
                "value": {"x": {"$type": "app.E", "$ctor": "ctor1", "value": 2}},
            },
            id="named arguments, nested",
        ),
        pytest.param(
            ext(3, "datetime", "datetime", "2026-01-02", "fromisoformat"),
            {
                "$type": "datetime.datetime",
                "$ctor": "method1",
                "value": "2026-01-02",
                "$method": "fromisoformat",
            },
            id="method",
        ),
        pytest.param(
            ext(5, "m", "HumanMessage", {"content": "hi"}, "model_validate_json"),
            {
                "$type": "m.HumanMessage",
                "$ctor": "pydantic2",
                "value": {"content": "hi"},
                "$method": "model_validate_json",
            },
            id="pydantic",
        ),
        pytest.param(
            ext(6, "<i4", [2], "C", b"\x01\x00"),
            {"$type": "ndarray", "dtype": "<i4", "shape": [2], "order": "C", "b64": "AQA="},
            id="array",
        ),
        pytest.param(
            ormsgpack.Ext(7, pack(["a"])), {"$type": "delta_snapshot", "value": ["a"]}, id="delta"
        ),
        pytest.param(
            ext(8, "numpy", "float64"),
            {"$type": "ext", "code": 8, "value": ["numpy", "float64"]},
            id="a code that is not known yet survives",
        ),
        pytest.param(
            ormsgpack.Ext(9, b"\x00\x01"),
            {
                "$type": "ext",
                "code": 9,
                "error": "no msgpack: MessagePack data is malformed: trailing characters (byte 1)",
                "b64": "AAE=",
            },
            id="a payload of its own kind survives",
        ),
        pytest.param(
            ext(0, "os", 7, "x"),
            {"$type": "ext", "code": 0, "value": ["os", 7, "x"]},
            id="a known code of another shape survives",
        ),
        pytest.param(
            ext(6, "<i4", [2], "C", {"b64": 1}),
            {"$type": "ext", "code": 6, "value": ["<i4", [2], "C", {"b64": 1}]},
            id="an array without bytes survives",
        ),
        pytest.param(
            ext(2, "m", "Box[a.B]", {}),
            {"$type": "m.Box[a.B]", "$ctor": "ctor**", "value": {}, "$name": "Box[a.B]"},
            id="a name with dots",
        ),
    ],
)
def test_a_value_is_shown_as(stored: Any, shown: Any) -> None:
    found = read(stored)
    assert found == shown
    assert dumps(found) == dumps(shown)


@pytest.mark.parametrize(
    ("module", "name", "secret"),
    [
        ("pydantic.types", "SecretStr", "hunter2"),
        ("pydantic.types", "SecretBytes", b"hunter2"),
        ("pydantic.v1.types", "SecretStr", "hunter2"),
        ("pydantic.types", "Secret[str]", "hunter2"),
        ("app.types", "MySecretStr", "hunter2"),
    ],
)
def test_a_secret_is_masked_and_its_number_tells_a_changed_one(
    module: str, name: str, secret: Any
) -> None:
    def shown(value: Any) -> Any:
        return read({"key": ext(0, module, name, value)})["key"]

    first, again, other = shown(secret), shown(secret), shown(b"hunter3")
    assert first == {
        "$type": f"{module}.{name}",
        "$ctor": "ctor1",
        "value": "*" * 10,
        "$masked": first["$masked"],
    }
    assert again == first
    assert other["$masked"] != first["$masked"]
    assert "hunter" not in dumps([first, other])
    assert "aHVudGVyM" not in dumps([first, other]), "nor its base64"


def test_secrets_beyond_the_limit_are_not_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(masks, "NUMBERED", 0)
    many = [read(ext(0, "pydantic.types", "SecretStr", f"beyond {n}")) for n in range(3)]
    assert {node["$masked"] for node in many} == {masks.UNNUMBERED}


def test_bytes_that_cannot_be_read_are_withheld_where_they_name_a_secret() -> None:
    inner: Any = ext(0, "pydantic.types", "SecretStr", "hunter2")
    for _ in range(EXT_DEPTH):
        inner = ormsgpack.Ext(0, pack(["m", "T", inner]))
    text = dumps(read(inner, depth=400))
    assert "withheld" in text
    assert "b64" not in text
    assert "hunter2" not in text
    assert "b64" in dumps(Tagger(400, exact=True).msgpack(pack(inner)))


def test_a_secret_of_langchain_s_first_json_is_masked() -> None:
    raw = (
        b'[{"lc": 2, "type": "constructor", "id": ["pydantic", "types", "SecretStr"],'
        b' "args": ["hunter2"], "kwargs": {"secret_value": "hunter2"}}]'
    )
    found = dumps(Tagger(100).json(raw))
    assert "pydantic.types.SecretStr" in found
    assert "hunter2" not in found
    assert "hunter2" in dumps(Tagger(100, exact=True).json(raw))


def test_nan_stays_a_float() -> None:
    assert math.isnan(read(math.nan))


def test_equal_sets_stored_in_another_order_are_equal() -> None:
    one = read(ext(0, "builtins", "set", ["b", 1, "a"]))
    other = read(ext(0, "builtins", "set", ["a", "b", 1]))
    assert dumps(one) == dumps(other)
    assert sorted(map(str, one["value"])) == ["1", "a", "b"]


def test_equal_extension_values_are_one_object() -> None:
    tagger = Tagger(100)
    message = ext(5, "m", "HumanMessage", {"content": "hi"}, "x")
    first = tagger.msgpack(pack([message]))
    second = tagger.msgpack(pack([1, message, message]))
    assert first[0] is second[1]
    assert second[1] is second[2]


def test_a_payload_that_is_no_msgpack_keeps_its_bytes() -> None:
    for payload in (b"\xc1", b"\x93\x01", b"\xa3\xff\xff\xff", b""):
        found = read([1, ormsgpack.Ext(5, payload), 2])
        assert (found[0], found[2]) == (1, 2)
        assert (found[1]["$type"], found[1]["code"]) == ("ext", 5)
        assert "error" in found[1]


@pytest.mark.parametrize("levels", [EXT_DEPTH + 5, 3_000])
def test_extension_values_nested_without_end_stop_at_a_node(levels: int) -> None:
    value: Any = 1
    for _ in range(levels):
        value = ormsgpack.Ext(0, pack(["m", "T", value]))
    found = read(value, depth=400)
    depth = 0
    while "error" not in found:
        found = found["value"]
        depth += 1
    assert depth == EXT_DEPTH
    assert f"more than {EXT_DEPTH}" in found["error"]


def test_the_stop_does_not_hide_the_same_value_where_it_is_shallow() -> None:
    inner: Any = ormsgpack.Ext(0, pack(["m", "T", 1]))
    value = inner
    for _ in range(EXT_DEPTH):
        value = ormsgpack.Ext(0, pack(["m", "T", value]))
    tagger = Tagger(400)
    tagger.msgpack(pack(value))
    assert tagger.msgpack(pack(inner)) == {"$type": "m.T", "$ctor": "ctor1", "value": 1}


def test_depth_counts_through_extension_values() -> None:
    value: Any = 1
    for _ in range(20):
        value = ormsgpack.Ext(0, pack(["m", "T", [[[[value]]]]]))
    assert "error" not in dumps(read(value, depth=150))
    shown = read(value, depth=50)
    assert "nested deeper than 50 levels" in dumps(shown)
    assert max(len(tokens) for tokens, _ in walk(shown)) <= 50


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"\x91" * 5_000 + b"\xc0", id="deeper than any stack"),
        pytest.param(b"\x91" * 300 + b"\xc0", id="deeper than the limit"),
        pytest.param(b"\x93\x01", id="cut short"),
        pytest.param(b"\xdd\xff\xff\xff\xff", id="a length of four thousand million"),
        pytest.param(b"\xa3\xff\xff\xff", id="bad UTF-8"),
        pytest.param(b"\x81\x81\x01\x01\x01", id="an object as a key"),
        pytest.param(b"\xc1", id="reserved byte"),
        pytest.param(b"", id="nothing"),
    ],
)
def test_bytes_that_yield_no_value_are_a_fault(raw: bytes) -> None:
    with pytest.raises(ParseFault):
        Tagger(100).msgpack(raw)


@given(st.binary(max_size=200))
def test_any_bytes_yield_json_or_a_fault(raw: bytes) -> None:
    with suppress(ParseFault):
        assert dumps(Tagger(100).msgpack(raw))


@pytest.mark.parametrize("key", [b"lc", b"\\u006cc"], ids=["plain", "escaped"])
def test_langchain_s_first_json_is_known_however_its_key_is_written(key: bytes) -> None:
    raw = b'{"a": {"%s": 1, "type": "constructor", "id": ["m", "C"], "kwargs": {"b": 2}}}' % key
    shown = {"a": {"$type": "m.C", "$ctor": "lc1", "value": {"b": 2}}}
    assert Tagger(50).json(raw) == shown


def test_langchain_s_first_json_is_tagged_by_class() -> None:
    raw = (
        b'{"messages": [{"lc": 1, "type": "constructor", "id": ["langchain", "schema", "AIMessage"],'
        b' "kwargs": {"content": "yo"}}], "tags": {"lc": 2, "type": "constructor",'
        b' "id": ["builtins", "set"], "method": [null, "x"], "args": [["b", "a"]], "kwargs": {}},'
        b' "lc": 3}'
    )
    assert Tagger(100).json(raw) == {
        "messages": [
            {"$type": "langchain.schema.AIMessage", "$ctor": "lc1", "value": {"content": "yo"}}
        ],
        "tags": {
            "$type": "builtins.set",
            "$ctor": "lc2",
            "value": ["a", "b"],
            "$method": [None, "x"],
        },
        "lc": 3,
    }


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"{", id="cut short"),
        pytest.param(b"[" * 100_000, id="deeper than any stack"),
        pytest.param(b"[" * 300 + b"]" * 300, id="deeper than the limit"),
        pytest.param(b"\xff", id="no UTF-8"),
        pytest.param(b"9" * 5_000, id="a number of five thousand digits"),
    ],
)
def test_json_that_yields_no_value_is_a_fault(raw: bytes) -> None:
    with pytest.raises(ParseFault):
        Tagger(100).json(raw)
