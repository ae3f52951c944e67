"""Secrets are masked wherever they stand; ids and counts of tokens are not."""

import json

import pytest

from viewer.redact import mask, redacted, redacted_text

SECRET = "sk-proj-" + "a1B2c3D4" * 4


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({"note": f"use {SECRET} now"}, id="in a text"),
        pytest.param({"a": [{"b": {"apiKey": "x9-plain-words"}}]}, id="by name, deep"),
        pytest.param({"Authorization": "Bearer abcdefghijklmnopqrst"}, id="header"),
        pytest.param({"db": "postgresql://app:hunter2@db.example/x"}, id="password of an address"),
        pytest.param({"body": json.dumps({"client_secret": "zzzzzzzz"})}, id="in JSON in a text"),
        pytest.param(
            {"body": json.dumps(json.dumps({"password": "zzzzzzzz"}))}, id="in JSON in JSON"
        ),
        pytest.param({"env": "OPENAI_API_KEY=plainlooking123 PATH=/bin"}, id="in an env file"),
        pytest.param({SECRET: 1}, id="as a key"),
        pytest.param({"credentials": {"user": "ann", "pin": 123456}}, id="below a name"),
        pytest.param({"key": "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n"}, id="private key"),
        pytest.param({"jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.c2lnbmF0dXJl"}, id="JWT"),
    ],
)
def test_a_secret_is_masked(value: object) -> None:
    found = json.dumps(redacted(value))
    secrets = ("a1B2c3D4", "x9-plain", "abcdefghijkl", "hunter2", "zzzzzzzz", "plainlooking")
    more = ("123456", "MIIabc", "c2lnbmF0dXJl")
    assert "[masked " in found
    assert not any(secret in found for secret in (*secrets, *more))


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({"input_tokens": 184220, "max_tokens": 4096}, id="counts of tokens"),
        pytest.param({"id": "lc_run--0a1b2c3d-4e5f-6789-abcd-ef0123456789"}, id="run id"),
        pytest.param({"tool_call_id": "call_abcdefghijklmnop1234"}, id="call id"),
        pytest.param({"idempotency_key": "inv-jan-0042", "key": "LK-615204"}, id="keys"),
        pytest.param({"status": "running", "secretary": "Ann", "tokenizer": "o200k"}, id="words"),
        pytest.param({"text": "the secret: null, and password: required"}, id="prose"),
        pytest.param({"url": "https://example.com/a:b@c/d"}, id="address without password"),
        pytest.param({"secret": None, "password": True, "token": ""}, id="nothing there"),
        pytest.param({"digest": "sha256:" + "0a" * 32}, id="digest"),
        pytest.param({"p": {"$type": "pydantic.SecretStr", "$ctor": "x"}}, id="type names"),
    ],
)
def test_what_is_no_secret_stays_the_same_object(value: object) -> None:
    assert redacted(value) is value


@pytest.mark.parametrize(
    "secret", ["sk-proj-aB3dE6gH9jK2mN5pQ8sT1vW4yZ7", "ghp_" + "aB3d" * 9, "AKIAIOSFODNN7EXAMPLE"]
)
def test_a_secret_glued_to_a_name_is_masked(secret: str) -> None:
    assert secret not in str(redacted({f"node_{secret}": f"branch:to:call_{secret}"}))


def test_a_secret_as_a_key_below_a_secret_field_is_masked() -> None:
    secret = "sk-proj-aB3dE6gH9jK2mN5pQ8sT1vW4yZ7"
    assert secret not in str(redacted({"tokens": {"api_key": {secret: 1}}}))


def test_one_secret_has_one_mask() -> None:
    found = redacted({"a": f"x {SECRET}", "b": [f"{SECRET} y"], "c": "sk-proj-" + "z9" * 12})
    assert found["a"].removeprefix("x ") == found["b"][0].removesuffix(" y") == mask(SECRET)
    assert found["c"] != mask(SECRET)


def test_masking_twice_is_masking_once() -> None:
    once = redacted_text(f'{{"api_key": "{SECRET}"}}')
    assert redacted_text(once) == once


def test_parts_that_states_share_stay_shared() -> None:
    shared = {"plain": [1, 2]}
    remembered: dict[int, tuple[object, object]] = {}
    first = redacted({"s": shared, "password": "abcdefgh"}, remembered)
    second = redacted({"s": shared, "password": "ijklmnop"}, remembered)
    assert first["s"] is second["s"] is shared
