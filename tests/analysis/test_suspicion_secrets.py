"""Secrets in clear are found by name or shape, masks and counts are none, and nothing is shown."""

from typing import Any

import pytest

from viewer.analysis.differences import unshared
from viewer.analysis.suspicion_secrets import _secrets
from viewer.analysis.suspicions import suspicions
from viewer.model import Write

KEY = "sk-" + "a1B2" * 8
JWT = f"eyJ{'hbGciOi' * 3}.eyJ{'zdWIiOi' * 3}.{'c2ln' * 8}"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("state", "pointer"),
    [
        pytest.param({"db": {"password": "kestrel-52"}}, "/db/password", id="password"),
        pytest.param({"adminPassword": "kestrel-52"}, "/adminPassword", id="camel case"),
        pytest.param(
            {"login": [{"password": {"$type": "pydantic.types.SecretStr", "value": "kestrel"}}]},
            "/login/0/password/value",
            id="an object around it",
        ),
        pytest.param({"apiKey": "0f9a8b7c6d5e4f3a2b1c"}, "/apiKey", id="key by name"),
        pytest.param({"access_token": "ya29.a0AfH6SMBx1"}, "/access_token", id="access token"),
        pytest.param(
            {"messages": [{"role": "user", "content": f"use {KEY} please"}]},
            "/messages/0/content",
            id="key by shape",
        ),
        pytest.param({"note": "AKIA" + "Q3EGRZT5" * 2}, "/note", id="AWS"),
        pytest.param({"note": f"Bearer {JWT}"}, "/note", id="JWT"),
        pytest.param({"note": PEM}, "/note", id="PEM"),
    ],
)
def test_a_secret_in_clear_is_found_and_not_shown(make_chain, state, pointer):
    (found,) = suspicions(make_chain(state, profile="langgraph"))
    assert (found.keyword, found.pointer) == ("secret_in_state", pointer)
    shown = repr(found)
    assert not any(word in shown for word in ("kestrel", "0f9a", "ya29", KEY, "Q3EG", JWT, "MIIE"))


@pytest.mark.parametrize(
    "state",
    [
        {"password": "********"},
        {"password": "xxxxxxxx"},
        {"password": "<from the vault>"},
        {"password": "${DB_PASSWORD}"},
        {"password": "$2b$12$abcdefghijklmnopqrstuv"},
        {"password": "[REDACTED]"},
        {"password": None},
        {"password": {"type": "string"}},
        {"password": "string"},
        {"errors": {"password": "This field is required."}},
        {"password_hash": "9f86d081884c7d659a2f"},
        {"total_tokens": 1200, "input_tokens": "1200"},
        {"token": "hello"},
        {"next_page_token": "CAUQAA1234567890abcd"},
        {"max_tokens": "4096"},
        {"secret": "the treasure lies under the old oak"},
        {"tool_call_id": "call_0f9a8b7c6d5e4f3a2b1c"},
        {"run_id": "1f1ecb3d-47d4-6645-bfff-59a5306d7852"},
        {"note": "the risk-averse-and-task-driven-1-people sk-learn"},
        {"note": "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx1"},
        {"note": "export OPENAI_API_KEY=sk-proj-your-key-goes-right-here-1"},
        {"note": "-----BEGIN RSA PRIVATE KEY----- is how it begins"[:31]},
        {"logprobs": [{"token": "a1b2c3d4e5f6a7b8c9d0"}]},
    ],
    ids=lambda state: str(state)[:50],
)
def test_what_is_no_secret_is_none(make_chain, state):
    assert suspicions(make_chain(state, profile="langgraph")) == ()


def test_a_secret_is_one_finding_at_the_step_and_node_that_brought_it(make_chain):
    def wrote(node: str, value: Any) -> tuple[Write, ...]:
        return (Write(task=node, node=node, channel="log", value=value),)

    first, second = {"user": "u"}, {"password": "kestrel-52"}
    chain = make_chain(
        {"log": [first]},
        {"log": [first, second]},
        {"log": [first, second, {"n": 1}]},
        profile="langgraph",
        step=(0, 1, 2),
        origin=("loop",) * 3,
        nodes=((), ("load",), ("count",)),
        versions=({"log": 1}, {"log": 2}, {"log": 3}),
        writes=(wrote("load", [second]), wrote("count", [{"n": 1}]), ()),
    )
    (found,) = suspicions(chain)
    assert (found.step, found.node, found.pointer) == (1, "load", "/log/1/password")
    assert found.count == 1


def test_what_a_state_shares_with_the_one_before_is_not_searched_again() -> None:
    kept, new = {"text": "kept"}, {"text": "new"}
    assert list(unshared([kept, kept], [new, kept], 0)) == [((0,), new)]
    assert list(unshared(None, [new, kept], 1)) == [((1,), kept)]
    assert list(unshared({"a": kept}, {"a": kept, "b": kept}, 0)) == [(("b",), kept)]
    assert list(unshared("old", "new")) == [((), "new")]


def test_a_secret_that_moves_to_a_telling_name_is_found() -> None:
    secret = "kestrel-52"
    first, second = {"form": {"note": secret}}, {"form": {"note": "", "password": secret}}
    assert not list(_secrets("form", first["form"], 0, None))
    found = list(_secrets("form", second["form"], 0, first["form"]))
    assert found == [(("form", "password"), "a password", secret)]
