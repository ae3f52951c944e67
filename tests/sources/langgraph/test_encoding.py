"""Tagged JSON that went through text comes back as the very bytes that were stored."""

import json
import math
import os
import re
import sqlite3
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ormsgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.jsontext import dumps
from viewer.sources.langgraph.encoding import Unencodable, encoded
from viewer.sources.langgraph.tagged import Tagger

ROOT = Path(__file__).parents[3]
STORES = sorted(
    path
    for folder in (
        ROOT / "tests" / "data" / "langgraph",
        ROOT.parent / "shared" / "samples" / "langgraph",
    )
    for path in (*folder.glob("*.sqlite"), *folder.glob("*.pg.sql"))
)
REAL = sorted((ROOT.parent / "shared" / "real" / "langgraph").glob("*/*/*"))
_HEX = re.compile(r"\t(?:msgpack)\t\\\\x([0-9a-f]*)")


def pack(value: Any) -> bytes:
    return ormsgpack.packb(value, option=ormsgpack.OPT_NON_STR_KEYS)


def ext(code: int, *payload: Any) -> ormsgpack.Ext:
    return ormsgpack.Ext(code, pack(list(payload)))


def again(raw: bytes, depth: int = 400) -> bytes:
    """Decode, write as JSON text, parse, encode."""
    return encoded(json.loads(dumps(Tagger(depth, exact=True).msgpack(raw))))


def blobs(path: Path) -> Iterator[bytes]:
    """Yield every msgpack blob of a store or of a PostgreSQL dump."""
    if path.suffix == ".sql":
        yield from map(bytes.fromhex, _HEX.findall(path.read_text("utf-8")))
        return
    connection = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    for table, column in (("checkpoints", "checkpoint"), ("writes", "value")):
        if table in tables:
            query = f"SELECT {column} FROM {table} WHERE type = 'msgpack'"
            yield from (blob for (blob,) in connection.execute(query))
    connection.close()


@pytest.mark.parametrize("path", STORES, ids=lambda path: path.name)
def test_every_blob_of_a_sample_is_written_as_it_was(path: Path) -> None:
    for raw in blobs(path):
        assert again(raw) == raw


@pytest.mark.skipif(not REAL, reason="no ../shared/real here")
def test_every_blob_of_a_public_store_is_written_as_it_was() -> None:
    found = [raw for path in REAL if path.suffix in (".db", ".sqlite") for raw in blobs(path)]
    assert len(found) > 500
    chosen = found if os.environ.get("EVERY_BLOB") else found[:: max(1, len(found) // 300)]
    assert all(again(raw) == raw for raw in chosen)


def test_the_samples_hold_blobs() -> None:
    assert sum(1 for path in STORES for _ in blobs(path)) > 500


@pytest.mark.parametrize(
    "value",
    [
        pytest.param([2**64 - 1, -(2**63), 0, -33, 255, 65536], id="integers"),
        pytest.param([math.nan, math.inf, -math.inf, -0.0, 1e300, 1.0], id="floats"),
        pytest.param({2: 2, None: 3, True: 4, 1.5: 5, b"k": 6, (1, "a"): 7}, id="keys"),
        pytest.param({math.nan: 1}, id="NaN as a key"),
        pytest.param({"$type": "bytes", "b64": "AA=="}, id="a spoof"),
        pytest.param({"$type": {"$ctor": 1}, "$masked": 1}, id="a spoof of all"),
        pytest.param([b"", b"x" * 300, b"x" * 70_000], id="bytes"),
        pytest.param(["", "x" * 40, "é" * 300, "x" * 70_000], id="text"),
        pytest.param([[0] * 16, [0] * 70_000, {str(n): n for n in range(66_000)}], id="long"),
        pytest.param(ext(0, "builtins", "set", ["b", "a", 1]), id="a set in its own order"),
        pytest.param(ext(0, "pydantic.types", "SecretStr", "hunter2"), id="a secret"),
        pytest.param(ext(5, "m", "Box[a.B]", {}, "model_validate_json"), id="a name with dots"),
        pytest.param(ext(5, "m", "A", {}, None), id="no method"),
        pytest.param(ext(5, "m", "A", {}, 1, 2), id="more than a method"),
        pytest.param(ext(5, "m", "A"), id="less than a value"),
        pytest.param(ext(5, "", "", 1), id="no names"),
        pytest.param(ext(5, "a.b", "", 1), id="no name"),
        pytest.param(ext(5, "", "a.b", 1), id="no module"),
        pytest.param(ext(6, "<i4", [2], "C", b"\x01\x00"), id="array"),
        pytest.param(ext(6, "<i4", [2], "C", {"b64": "AA=="}), id="array of an object"),
        pytest.param(ormsgpack.Ext(7, pack({"a": b"1"})), id="delta snapshot"),
        pytest.param(ormsgpack.Ext(99, pack({"a": ext(98, 1)})), id="unknown codes"),
        pytest.param([ormsgpack.Ext(3, b"\xc1" * n) for n in (0, 1, 2, 3, 4, 8, 16, 300, 70_000)],
                     id="payloads that are no msgpack"),
    ],
)  # fmt: skip
def test_a_value_is_written_as_it_was(value: Any) -> None:
    raw = pack(value)
    assert again(raw) == raw


def test_msgpack_s_own_timestamp_is_written_as_it_was() -> None:
    raw = b"\xd6\xff\x00\x00\x00\x01"
    assert again(raw) == raw


@pytest.mark.parametrize("bits", ["fff8000000000000", "7ff8000000000001", "7ff4000000000000"])
def test_a_nan_keeps_its_bits(bits: str) -> None:
    raw = b"\x92\xcb" + bytes.fromhex(bits) + b"\xcb" + struct.pack(">d", math.nan)
    assert again(raw) == raw


def test_extension_values_inside_each_other_beyond_the_limit_keep_their_bytes() -> None:
    value: Any = 1
    for _ in range(100):
        value = ormsgpack.Ext(0, pack(["m", "T", value]))
    assert again(pack(value)) == pack(value)


def test_a_deep_value_is_written_as_it_was() -> None:
    raw = b"\x91" * 390 + b"\xc0"
    assert again(raw) == raw
    raw = b"\x81\xa1a" * 390 + b"\xc0"
    assert again(raw) == raw


@pytest.mark.parametrize(
    ("value", "words"),
    [
        pytest.param([{"$type": "a.SecretStr", "$ctor": "ctor1", "value": "*", "$masked": 1}],
                     "is masked", id="masked"),
        pytest.param({"$type": "a.B", "$ctor": "pickle", "value": 1}, "pickle", id="from a pickle"),
        pytest.param({"$type": "cycle"}, "'cycle'", id="a cycle"),
        pytest.param({"$type": "undecodable", "b64": ""}, "'undecodable'", id="undecodable"),
        pytest.param({"$type": "bytes"}, "no tagged JSON", id="no bytes"),
        pytest.param({"$type": "bytes", "b64": "%"}, "no tagged JSON", id="no base64"),
        pytest.param({"$type": "map", "items": [1]}, "no tagged JSON", id="no pairs"),
        pytest.param({"$type": 5}, "5", id="no type"),
        pytest.param(2**64, "no tagged JSON", id="an integer of more than 64 bits"),
        pytest.param(object(), "no tagged JSON", id="no JSON"),
        pytest.param("\ud800", "no tagged JSON", id="half a surrogate pair"),
    ],
)  # fmt: skip
def test_what_has_no_msgpack_form_is_refused(value: Any, words: str) -> None:
    with pytest.raises(Unencodable, match=re.escape(words)):
        encoded(value)


def test_a_list_without_end_is_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(Unencodable, match="too deep"):
        encoded(loop)


scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(st.characters(exclude_categories=("Cs",)))
    | st.binary(max_size=20)
)
keys = scalars | st.tuples(scalars, scalars)


def constructed(inner: Any) -> Any:
    names = st.sampled_from(["", "a", "a.b", "Box[a.B]", "pydantic.types", "SecretStr", "set"])
    parts = st.tuples(st.integers(0, 8), names, names, st.lists(inner, max_size=3))
    return parts.map(lambda p: ext(p[0], p[1], p[2], *p[3]))


anything = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["a", "$type", "$ctor", "b64", "items", "value"]), inner)
        | st.dictionaries(keys, inner, max_size=3)
        | constructed(inner)
        | st.tuples(st.integers(0, 127), inner).map(lambda p: ormsgpack.Ext(p[0], pack(p[1])))
        | st.tuples(st.integers(0, 127), st.binary(max_size=20)).map(lambda p: ormsgpack.Ext(*p))
    ),
    max_leaves=12,
)


@given(anything)
def test_any_value_is_written_as_it_was(value: Any) -> None:
    raw = pack(value)
    assert again(raw) == raw
