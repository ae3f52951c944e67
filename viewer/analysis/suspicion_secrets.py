"""Secrets in clear in the state: whoever reads the store, a trace or a backup of it has them.

A field counts by its name and a value that is no mask, a text by its shape alone. What was found is
never shown: a finding says where it stands.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from viewer.analysis.differences import alike, unshared
from viewer.analysis.replay import Edge
from viewer.analysis.tasks import internal
from viewer.chain import Chain
from viewer.jsontext import walk
from viewer.model import Checkpoint, Evidence, Finding
from viewer.pointer import Token, Tokens, join

_PASSWORD = re.compile(r"(?:^|_)(?:password|passwd|passphrase|pwd)$")
_TOKEN = re.compile(
    r"(?:^|_)(?:secret|client_secret|secret_key|api_?key|access_key|private_key|bearer|"
    r"(?:access|refresh|auth|api|bearer|session|bot|oauth|id)_token)$|^token$"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SHAPES = (
    (
        re.compile(
            r"(?<![\w-])sk-(?=[\w-]*\d)(?:(?:ant|proj|svcacct|or|lf)-[\w-]{20,}|[A-Za-z0-9]{32,})"
        ),
        "an API key",
    ),
    (re.compile(r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[0-9A-Z]{16}(?![A-Za-z0-9])"), "an AWS access key"),
    (re.compile(r"(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{36,}"), "a GitHub token"),
    (re.compile(r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s*[A-Za-z0-9+/=\\]"), "a private key"),
    (
        re.compile(r"(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{16,}"),
        "a signed token (JWT)",
    ),
)
_HINT = re.compile(r"sk-|AKIA|ASIA|gh[pousr]_|-----BEGIN|eyJ")
_MASK = re.compile(r"[*•x.\-_#X]{3}|^[<\[{$%(]|…")
"""What stands in masked values and in placeholders."""
_HASH = re.compile(r"^(?:\$[0-9a-z]+\$|pbkdf2|scrypt|argon2|bcrypt|sha\d|\{[A-Z0-9]+\})")
_WORDS = frozenset(
    (
        "string",
        "str",
        "text",
        "required",
        "optional",
        "password",
        "passwd",
        "secret",
        "token",
        "hidden",
        "redacted",
        "masked",
        "none",
        "null",
        "unknown",
        "invalid",
        "missing",
        "empty",
        "wrong",
        "incorrect",
        "correct",
        "true",
        "false",
        "enter",
        "reset",
        "login",
        "expired",
        "changed",
    )
)
"""What stands under such a name in schemas, forms and messages and is no secret."""
_MOST = 100_000
"""Longest text that is searched."""


def secret_findings(chain: Chain, steps: Sequence[Edge]) -> Iterator[Finding]:
    """Yield each secret once, at the first checkpoint of which its channel holds it."""
    known: set[tuple[str, str]] = set()
    by_child = {edge.child.index: edge for edge in steps}
    for checkpoint in chain.checkpoints:
        edge, state = by_child.get(checkpoint.index), chain.states[checkpoint.index]
        if not isinstance(state, dict):
            continue
        for channel, value in state.items():
            if internal(channel):
                continue
            old, start = None, 0
            if edge is not None and channel in edge.before:
                if edge.moved(channel) is False:
                    continue
                old = edge.before[channel]
                start = _unchanged(old, value)
            for at, what, secret in _secrets(channel, value, start, old):
                if (channel, secret) not in known:
                    known.add((channel, secret))
                    yield _finding(chain, checkpoint, edge, at, what)


def _unchanged(old: Any, new: Any) -> int:
    """Return how many entries of a list stood there before; -1 where the whole value did."""
    if alike(old, new):
        return -1
    both = isinstance(old, list) and isinstance(new, list)
    return len(old) if both and old and alike(new[: len(old)], old) else 0


def _secrets(channel: str, value: Any, start: int, old: Any) -> Iterator[tuple[Tokens, str, str]]:
    """Yield the place, kind and text of each secret below a channel, from an entry on.

    What is shared with the value before, the same object at its key or anywhere in its list, was
    searched there.
    """
    if start < 0:
        return
    for top, part in unshared(old, value, start):
        for below, text in walk(part):
            at = (*top, *below)
            if not isinstance(text, str) or len(text) < 4 or len(text) > _MOST:
                continue
            what = _shaped(text)
            if not what and (not at or isinstance(at[-1], str)):
                what = _named(at[-1] if at and at[-1] != "value" else _around(channel, at), text)
            if what and "logprobs" not in (channel, *at):
                yield (channel, *at), what, text


def _around(channel: str, at: Tokens) -> str:
    """Return the key around an object's ``value``."""
    return next((t for t in reversed(at[:-1]) if isinstance(t, str)), channel)


@lru_cache(maxsize=1024)
def _asked(key: str) -> str:
    """Return what a field holds by its name alone; empty where that is no secret."""
    name = _CAMEL.sub("_", key).lower().replace("-", "_")
    if _PASSWORD.search(name):
        return "a password"
    return f"a {name.replace('_', ' ')}" if _TOKEN.search(name) else ""


def _named(key: Token, text: str) -> str:
    """Return what a field holds by its name, where its value is no mask, hash or word."""
    what = _asked(str(key)[-64:])
    if not what or any(map(str.isspace, text)) or text.lower() in _WORDS:
        return ""
    if _MASK.search(text) or _HASH.match(text):
        return ""
    mixed = any(map(str.isdigit, text)) and any(map(str.isalpha, text))
    return what if what == "a password" or (len(text) >= 16 and mixed) else ""


def _shaped(text: str) -> str:
    """Return what a text holds by its shape; empty where nothing looks like a secret."""
    if not _HINT.search(text):
        return ""
    for shape, what in _SHAPES:
        found = shape.search(text)
        if found and not re.search(r"(?i)x{4}|\*{3}|\.{3}|example|placeholder|your", found[0]):
            return what
    return ""


def _finding(
    chain: Chain, checkpoint: Checkpoint, edge: Edge | None, at: Tokens, what: str
) -> Finding:
    channel = str(at[0])
    node = edge.author(channel) if edge else ", ".join(checkpoint.nodes)
    since = "" if checkpoint.step is None else f" since step {checkpoint.step}"
    who = "" if not node else ", given with the input" if node == "__start__" else f", by {node}"
    return Finding(
        keyword="secret_in_state",
        message=f"{join(at)} holds what looks like {what} in clear{since}{who}: whoever "
        "reads the store has it",
        namespace=chain.namespace,
        checkpoint_id=checkpoint.checkpoint_id,
        index=checkpoint.index,
        step=checkpoint.step,
        node=node,
        channel=channel,
        pointer=join(at),
        evidence=(
            Evidence(
                checkpoint_id=checkpoint.checkpoint_id,
                index=checkpoint.index,
                pointer=join(at),
                note="a text that is not shown here",
            ),
        ),
    )
