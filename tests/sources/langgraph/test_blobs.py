"""Blobs by their tag; what did not change from one checkpoint to the next is one object."""

import base64
import pickle
import struct
from contextlib import suppress
from typing import Any

import ormsgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.errors import ParseFault
from viewer.sources.langgraph.blobs import Blobs, Sealed
from viewer.sources.langgraph.tagged import Tagger


def packed(value: Any) -> bytes:
    return ormsgpack.packb(value, option=ormsgpack.OPT_NON_STR_KEYS)


def message(text: str) -> ormsgpack.Ext:
    return ormsgpack.Ext(5, packed(["m", "HumanMessage", {"content": text}, "x"]))


def values(blobs: Blobs, **channels: Any) -> Any:
    raw = packed({"v": 4, "ts": "2026", "channel_values": channels, "channel_versions": {"a": "1"}})
    return blobs.checkpoint("msgpack", raw)["channel_values"]


@pytest.mark.parametrize(
    ("tag", "raw", "shown"),
    [
        pytest.param("msgpack", b"\x93\x01\x02\x03", [1, 2, 3], id="msgpack"),
        pytest.param("json", b'{"a": 1}', {"a": 1}, id="json"),
        pytest.param("null", b"", None, id="null"),
        pytest.param("empty", b"", None, id="empty"),
        pytest.param(None, None, None, id="no blob"),
        pytest.param("bytes", b"\x00", {"$type": "bytes", "b64": "AA=="}, id="bytes"),
        pytest.param("bytearray", b"\x00", {"$type": "bytes", "b64": "AA=="}, id="bytearray"),
        pytest.param("pickle", b"\x80\x04]K\x01a.", [1], id="pickle"),
        pytest.param(
            "pickle",
            b"\x80\x04cos\nsystem\n\x8c\x01x\x85R.",
            {"$type": "os.system", "$ctor": "pickle", "value": "x"},
            id="a pickle that would call",
        ),
    ],
)
def test_a_tag_says_how_its_blob_is_read(tag: str | None, raw: bytes | None, shown: Any) -> None:
    assert Blobs(50).value(tag, raw) == shown
    assert Blobs(50).stand_in(tag, raw) == (shown, None)


@pytest.mark.parametrize(
    ("tag", "kind", "words"),
    [
        pytest.param(
            "pickle",
            "pickle",
            "a pickle of 4 bytes that is not read: no pickle: cut short at byte 4",
            id="pickle",
        ),
        pytest.param("msgpack+aes", "encrypted", "encrypted (msgpack+aes, 4 bytes)", id="aes"),
        pytest.param("null+own", "encrypted", "encrypted (null+own, 4 bytes)", id="own cipher"),
    ],
)
def test_a_sealed_blob_keeps_tag_size_and_reason(tag: str, kind: str, words: str) -> None:
    with pytest.raises(Sealed) as caught:
        Blobs(50).value(tag, b"\x80\x04NN")
    assert words in caught.value.reason
    node, why = Blobs(50).stand_in(tag, b"\x80\x04NN")
    assert node == {"$type": kind, "tag": tag, "bytes": 4}
    assert why == caught.value.reason


@pytest.mark.parametrize(
    ("tag", "raw", "words"),
    [
        pytest.param("msgpack", b"\x93\x01", "no msgpack", id="cut short"),
        pytest.param("yaml", b"a: 1", "unknown blob tag 'yaml'", id="unknown tag"),
        pytest.param(None, b"\x01", "unknown blob tag None", id="no tag"),
        pytest.param("msgpack", None, "the blob is NULL", id="no bytes"),
    ],
)
def test_what_cannot_be_decoded_keeps_its_bytes(
    tag: str | None, raw: bytes | None, words: str
) -> None:
    node, why = Blobs(50).stand_in(tag, raw)
    assert why is not None
    assert words in why
    assert node["$type"] == "undecodable"
    assert base64.b64decode(node["b64"]) == (raw or b"")


@pytest.mark.parametrize("tag", ["msgpack", "yaml"])
def test_what_cannot_be_decoded_is_withheld_where_it_names_a_secret(tag: str) -> None:
    raw = packed({"key": ormsgpack.Ext(0, packed(["m", "SecretStr", "hunter2"]))})[:-1]
    node, _ = Blobs(50).stand_in(tag, raw)
    assert node["withheld"] == f"{len(raw)} bytes that name a secret"
    assert "b64" not in node
    node, _ = Blobs(50, exact=True).stand_in(tag, raw)
    assert base64.b64decode(node["b64"]) == raw


def test_a_checkpoint_that_is_one_pickle_is_read_like_any() -> None:
    blobs = Blobs(50)
    state = {"plan": {"steps": [1, 2]}, "seen": {"b", "a"}, "n": 1}
    whole = {"v": 4, "channel_values": state, "channel_versions": {"n": "1"}}
    first = blobs.checkpoint("pickle", pickle.dumps(whole))
    state["n"] = 2
    second = blobs.checkpoint("pickle", pickle.dumps(whole))
    assert first["channel_versions"] == {"n": "1"}
    assert (first["channel_values"]["n"], second["channel_values"]["n"]) == (1, 2)
    assert first["channel_values"]["plan"] == {"steps": [1, 2]}
    assert first["channel_values"]["seen"]["value"] == ["a", "b"]
    assert first["channel_values"]["plan"] is second["channel_values"]["plan"]


@pytest.mark.parametrize("value", [[1], {1: 2}, Blobs, None], ids=["list", "keys", "class", "none"])
def test_a_pickle_that_is_no_checkpoint_is_a_fault(value: Any) -> None:
    with pytest.raises(ParseFault, match="no object with text keys"):
        Blobs(50).checkpoint("pickle", pickle.dumps(value))


def test_an_unchanged_channel_is_the_same_object() -> None:
    blobs = Blobs(50)
    first = values(blobs, plan={"steps": [1, 2]}, n=1)
    second = values(blobs, plan={"steps": [1, 2]}, n=2)
    assert second["plan"] is first["plan"]
    assert (first["n"], second["n"]) == (1, 2)


def test_a_list_that_grows_shares_what_it_had() -> None:
    blobs = Blobs(50)
    first = values(blobs, messages=[message("a"), {"plain": [1]}])
    second = values(blobs, messages=[message("a"), {"plain": [1]}, message("b")])
    assert [
        one is two for one, two in zip(first["messages"], second["messages"], strict=False)
    ] == [
        True,
        True,
    ]
    assert second["messages"][2]["value"] == {"content": "b"}
    assert len(first["messages"]) == 2, "the earlier state is not touched"


def test_a_list_that_loses_its_head_shares_the_rest() -> None:
    blobs = Blobs(50)
    parts = [{"id": number, "text": "x" * 40} for number in range(5)]
    first = values(blobs, rows=parts, messages=[message("a"), message("b")])
    second = values(blobs, rows=parts[1:], messages=[message("b")])
    assert all(a is b for a, b in zip(first["rows"][1:], second["rows"], strict=True))
    assert first["messages"][1] is second["messages"][0]


def test_an_object_shares_the_entries_that_did_not_change() -> None:
    blobs = Blobs(50)
    first = values(blobs, state={"orders": {"a": [1, 2, 3]}, "n": 1})
    second = values(blobs, state={"orders": {"a": [1, 2, 3]}, "n": 2})
    assert first["state"]["orders"] is second["state"]["orders"]


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(packed([1]), id="no object"),
        pytest.param(packed({1: 2}), id="keys that are no text"),
        pytest.param(packed({"channel_values": {}})[:-1], id="cut short"),
        pytest.param(b"\x81\xaechannel_values" + b"\x91" * 2_000 + b"\xc0", id="too deep"),
    ],
)
def test_a_checkpoint_that_is_none_is_a_fault(raw: bytes) -> None:
    with pytest.raises(ParseFault):
        Blobs(50).checkpoint("msgpack", raw)


@pytest.mark.parametrize(
    ("tag", "raw", "holds"),
    [
        ("msgpack", packed({"v": 4, "channel_values": {}}), True),
        ("msgpack", packed({"v": 4}), False),
        ("msgpack", b"\xc1", False),
        ("json", b'{"channel_values": {}}', True),
        ("json", b"[]", False),
        ("pickle", pickle.dumps({"channel_values": {}}), True),
        ("pickle", b"", False),
        ("msgpack+aes", b"", False),
        ("msgpack", None, False),
    ],
)
def test_whether_a_checkpoint_has_values_of_its_own(
    tag: str, raw: bytes | None, holds: bool
) -> None:
    assert Blobs(50).holds_values(tag, raw) is holds


@pytest.mark.parametrize(
    ("tag", "raw"),
    [
        ("msgpack", packed({"v": 4})),
        ("json", b'{"v": 4}'),
        ("pickle", pickle.dumps({"v": 4})),
    ],
)
def test_a_checkpoint_without_values_has_none(tag: str, raw: bytes) -> None:
    assert Blobs(50).checkpoint(tag, raw) == {"v": 4, "channel_values": {}}


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(
    "versions",
    [
        pytest.param({"a": "1", "b": 2, "c": 2.0}, id="texts and numbers"),
        pytest.param({"a": None, "b": True}, id="scalars of other kinds"),
        pytest.param({"a": [1], "b": {"c": 1}}, id="lists and objects"),
        pytest.param({"a": b"1"}, id="bytes"),
        pytest.param({1: "1"}, id="a key that is no text"),
        pytest.param({"$type": "m.C", "a": "1"}, id="a key like a tag"),
        pytest.param({"a": struct.unpack(">d", bytes.fromhex("7ff8000000000001"))[0]}, id="a NaN"),
        pytest.param([1], id="a list"),
        pytest.param("1", id="a text"),
    ],
)
def test_channel_versions_are_read_like_any_value(versions: Any, exact: bool) -> None:
    raw = packed({"channel_values": {}, "channel_versions": versions})
    found = Blobs(50, exact=exact).checkpoint("msgpack", raw)["channel_versions"]
    assert repr(found) == repr(Tagger(50, exact=exact).msgpack(packed(versions)))


def test_channels_with_a_name_like_a_tag_are_still_channels() -> None:
    found = values(Blobs(50), **{"$type": "mine", "n": 1})
    assert found == {"$type": "map", "items": [["$type", "mine"], ["n", 1]]}


channel = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3) | st.floats(width=16),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(st.sampled_from("abc"), channel, max_size=3), max_size=5))
def test_sharing_never_changes_a_value(states: list[dict[str, Any]]) -> None:
    blobs = Blobs(50)
    shared = [values(blobs, **state) for state in states]
    alone = [Blobs(50).value("msgpack", packed(state)) for state in states]
    assert packed(shared) == packed(alone)


@given(st.binary(max_size=120))
def test_any_checkpoint_bytes_yield_an_object_or_a_fault(raw: bytes) -> None:
    with suppress(ParseFault):
        assert isinstance(Blobs(50).checkpoint("msgpack", raw), dict)
