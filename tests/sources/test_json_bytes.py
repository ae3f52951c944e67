import json
import math
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.equality import same
from viewer.errors import ParseFault
from viewer.sources.json_bytes import NOT_REGULAR, is_deeper, parse, parse_regular

DEPTH = 400


def value(raw: bytes, depth: int = DEPTH) -> Any:
    return parse(raw, depth).value


def fault(raw: bytes, depth: int = DEPTH) -> ParseFault:
    with pytest.raises(ParseFault) as caught:
        parse(raw, depth)
    return caught.value


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        pytest.param(b'{"a": 1}', {"a": 1}, id="object"),
        pytest.param(str(2**64 + 1).encode(), 2**64 + 1, id="integer beyond 64 bits"),
        pytest.param(b"-" + b"9" * 4300, -int("9" * 4300), id="longest integer"),
        pytest.param(b'["\\ud83d", "\\ud83d\\ude00"]', ["\ud83d", "\U0001f600"], id="surrogates"),
        pytest.param(b"[NaN, Infinity, -Infinity]", [math.nan, math.inf, -math.inf], id="words"),
        pytest.param(b"1e400", math.inf, id="beyond a float"),
        pytest.param(b'\xef\xbb\xbf{"a": "\xc3\xab"}', {"a": "ë"}, id="utf-8 with mark"),
        pytest.param(b" \r\n\t[1]\n", [1], id="white space around"),
    ],
)
def test_a_value_is_read_exactly(raw: bytes, expected: Any) -> None:
    assert same(value(raw), expected)


@pytest.mark.parametrize("mark", [True, False], ids=["mark", "no mark"])
@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_encodings_are_decoded(name: str, mark: bool) -> None:
    text = ("\ufeff" if mark else "") + '{"name": "Zoë 😀"}'
    assert value(text.encode(name)) == {"name": "Zoë 😀"}


def test_latin_1_is_named_with_byte_and_place() -> None:
    found = fault('{"a": 1,\n "name": "Zo\xeb"}'.encode("latin-1"))
    assert "not UTF-8: byte 0xeb at offset 21" in found.reason
    assert "Latin-1" in found.reason
    assert (found.line, found.column) == (2, 13)


def test_broken_utf_16_names_encoding_and_byte() -> None:
    found = fault(b'\xff\xfe{\x00"')
    assert "UTF-16-LE" in found.reason
    assert "at byte 4" in found.reason


@pytest.mark.parametrize(
    ("raw", "line", "column", "words"),
    [
        pytest.param(b'{\n "a": [1, 2,],\n}', 2, 13, "not JSON", id="trailing comma"),
        pytest.param(b'{\n "a": 1\n "b": 2\n}', 3, 2, "',' delimiter", id="missing comma"),
        pytest.param(b"{\n // state\n}", 2, 2, "found '/'", id="comment"),
        pytest.param(b'{"loss": nan}', 1, 10, "'nan' is no JSON value", id="nan of C"),
        pytest.param(b'{"ok": True}', 1, 8, "'True' is no JSON value", id="Python word"),
        pytest.param(b'{"a": {"b": 1', 1, 14, "cut off", id="torn between members"),
        pytest.param(b'{"a": "b', 1, 7, "cut off", id="torn in a string"),
        pytest.param(b"", 1, 1, "empty", id="nothing"),
        pytest.param(b"\0\0\0", 1, 1, "3 zero bytes", id="zero bytes"),
        pytest.param(b'{"a": 1} {"a": 2}', 1, 10, "extra data", id="two values"),
        pytest.param(b'{"\xc3\xab": x}', 1, 7, "'x' is no JSON value", id="columns count letters"),
        pytest.param(b'{"a": "\x01"}', 1, 8, "control character", id="control character"),
    ],
)
def test_a_fault_says_what_and_where(raw: bytes, line: int, column: int, words: str) -> None:
    found = fault(raw)
    assert words in found.reason
    assert (found.line, found.column) == (line, column)


def test_an_integer_too_long_for_python_is_a_named_fault_with_its_place() -> None:
    digits = b"1" * 5000
    found = fault(b'{"a": "' + digits + b'",\n "b": ' + digits + b"}")
    assert "integer of 5000 digits" in found.reason
    assert (found.line, found.column) == (2, 7)
    assert value(digits + b".5") == math.inf


@pytest.mark.parametrize("opening", [b"[", b'{"a":'], ids=["array", "object"])
def test_depth_is_bounded_by_its_limit(opening: bytes) -> None:
    closing = b"]" if opening == b"[" else b"}"

    def nested(levels: int) -> bytes:
        return opening * levels + b"1" + closing * levels

    assert is_deeper(value(nested(40), 40), 39)
    assert "nested more than 39 deep" in fault(nested(40), 39).reason
    assert "nested more than 400 deep" in fault(nested(500)).reason
    assert "nested more than 400 deep" in fault(nested(200_000)).reason


def test_brackets_side_by_side_are_not_deep() -> None:
    assert len(value(b"[" + b"[]," * 999 + b"[]]")) == 1000


@pytest.mark.parametrize(
    ("raw", "pointers"),
    [
        pytest.param(
            b'{"budget": 10, "steps": [{"id": "a", "id": "b"}], "budget": 50}',
            ("/budget", "/steps/0/id"),
            id="two places",
        ),
        pytest.param(b'{"a/b": {"~": 1, "~": 1}}', ("/a~1b/~0",), id="escaped pointers"),
        pytest.param(b'{"a": {"x": 1, "x": 2}, "a": {}}', ("/a",), id="inside what is lost"),
        pytest.param(b'{"a":1,"a":2,"b" : 3, "c" :4}', ("/a",), id="odd spacing"),
        pytest.param(b'{"a":1,"a":2,"b":"\\u003a"}', ("/a",), id="an escaped colon hides none"),
        pytest.param(b'{"a":1,"\\u0061":2}', ("/a",), id="spelled two ways"),
        pytest.param(b'{"a":1,"a":2,"b":NaN}', ("/a",), id="beside a NaN"),
        pytest.param(b'\n {"a":1,"a":2}', ("/a",), id="white space first"),
        pytest.param(b'{"a": "x:y", "b:c": ":\\":"}', (), id="colons in strings"),
        pytest.param(b'{"a":{"a":{"a":1}}}', (), id="same key at other depths"),
        pytest.param(b'[{"a":1},{"a":1}]', (), id="same key in neighbours"),
    ],
)
def test_keys_that_stand_twice_are_found(raw: bytes, pointers: tuple[str, ...]) -> None:
    found = parse(raw, DEPTH)
    assert found.duplicate_keys == pointers
    assert same(found.value, json.loads(raw))


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(json_values, st.booleans(), st.sampled_from([None, 1]))
def test_what_is_written_is_read_back(written: Any, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(written, ensure_ascii=ascii_only, indent=indent)
    assert same(value(text.encode(errors="surrogatepass")), written)


@st.composite
def doubled_objects(draw: st.DrawFn) -> tuple[bytes, bool]:
    """Object text whose keys may repeat, in odd layout, and whether one does."""
    spaces = st.sampled_from(["", " ", "\n "])
    members = draw(st.lists(st.tuples(st.sampled_from([*"abc:", '\\"', "\\u003a"]), json_values)))
    parts = [
        f'{draw(spaces)}"{key}"{draw(spaces)}:{draw(spaces)}{json.dumps(one)}'
        for key, one in members
    ]
    keys = [json.loads(f'"{key}"') for key, _ in members]
    return ("{" + ",".join(parts) + "}").encode(), len(set(keys)) != len(keys)


@given(doubled_objects())
def test_no_layout_hides_a_doubled_key(text_and_truth: tuple[bytes, bool]) -> None:
    text, doubled = text_and_truth
    assert bool(parse(text, DEPTH).duplicate_keys) == doubled


def test_regular_text_is_read_the_fast_way() -> None:
    regular = b'{"a": "x:y\\u003c", "b": [1, 18446744073709551617, {"c": -0.0}]}'
    assert same(parse_regular(regular, DEPTH), json.loads(regular))
    with pytest.raises(NOT_REGULAR):
        parse_regular(b'{"a":1,"a":1}', DEPTH)


def test_reading_leaves_the_interpreter_as_it_was() -> None:
    before = sys.getrecursionlimit(), sys.get_int_max_str_digits()
    fault(b"[" * 100_000)
    fault(b"1" * 5000)
    assert (sys.getrecursionlimit(), sys.get_int_max_str_digits()) == before
