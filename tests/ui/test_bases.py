"""An uploaded file as the old side of a comparison."""

import pytest

from viewer.errors import ViewerError
from viewer.ui.bases import uploaded


def test_keys_that_stand_twice_in_an_upload_are_told() -> None:
    base = uploaded("a.json", b'{"b": {"a": 1, "a": 2}}')
    assert base.state == {"b": {"a": 2}}
    assert "/b/a stands twice" in base.title
    assert "2 keys stand twice" in uploaded("a.json", b'{"a":1,"a":2,"c":1,"c":2}').title
    assert uploaded("a.json", b'{"a": 1}').title == "uploaded a.json"


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"[" * 5_000 + b"]" * 5_000, "nested more than"),
        (b"hello", "no JSON value"),
        (b"", "empty"),
        (b"PK\x03\x04\x14\x00\x00\x00\xae", "not UTF-8"),
        (b"\xff\xfe{", "not UTF-16"),
        (b'{"a":1}\n{"a":2}', "extra data"),
    ],
)
def test_an_upload_that_cannot_be_read_is_named_with_its_reason(raw: bytes, reason: str) -> None:
    with pytest.raises(ViewerError, match=reason) as caught:
        uploaded("a\u202eb.json", raw)
    assert str(caught.value).startswith("a\\u202eb.json")


def test_an_upload_of_another_encoding_is_read() -> None:
    assert uploaded("a.json", '{"a": "\u00e9"}'.encode("utf-16")).state == {"a": "\u00e9"}
