"""Masks secrets in values that leave the machine: by the name of their field and by their shape.

A mask is ``[masked 1f2e3d4c]``: the same secret has the same mask within one process, so that a
diff still tells a changed secret from an unchanged one; the salt dies with the process. Counts of
tokens, ids and idempotency keys are no secrets and stay.
"""

import re
import secrets
from hashlib import blake2b
from typing import Any

_SALT = secrets.token_bytes(32)

_NAMES = (
    "password|passwd|passphrase|pwd|secret|client_?secret|api_?key|access_?key(?:_?id)?|"
    "secret_?access_?key|secret_?key|private_?key|signing_?key|encryption_?key|authorization|"
    "auth_?token|access_?token|refresh_?token|id_?token|bearer_?token|api_?token|session_?token|"
    "security_?token|personal_?access_?token|credentials?|set_?cookie|connection_?string|otp|"
    "totp_?secret|webhook_?secret|token"
)
_NAME = re.compile(rf"(?:^|[_.-])(?:x[_-])?(?:{_NAMES})$")
"""How the name of a field ends, in snake case, whose text is a secret."""

_START = r"(?<![A-Za-z0-9])"
"""Where a secret begins: also after the underscore of a name that it is glued to."""
_SHAPES = re.compile(
    "|".join(
        (
            _START + r"sk-(?:ant-|proj-|or-|lf-)?[A-Za-z0-9_-]{16,}",
            _START + r"[spr]k_(?:live|test)_[A-Za-z0-9]{16,}",
            _START + r"whsec_[A-Za-z0-9]{24,}",
            _START + r"(?:AKIA|ASIA)[0-9A-Z]{16}\b",
            _START + r"gh[pousr]_[A-Za-z0-9]{36,}",
            _START + r"github_pat_[A-Za-z0-9_]{22,}",
            _START + r"glpat-[A-Za-z0-9_-]{20,}",
            _START + r"xox[abeposr]-[A-Za-z0-9-]{10,}",
            _START + r"AIza[0-9A-Za-z_-]{35}",
            _START + r"hf_[A-Za-z0-9]{30,}",
            _START + r"gsk_[A-Za-z0-9]{40,}",
            _START + r"tvly-[A-Za-z0-9-]{20,}",
            _START + r"npm_[A-Za-z0-9]{36}",
            _START + r"pypi-[A-Za-z0-9_-]{50,}",
            _START + r"lsv2_(?:pt|sk)_[A-Za-z0-9_]{32,}",
            _START + r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}",
            _START + r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
            r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----[\s\S]*?"
            r"(?:-----END (?:[A-Z]+ )?PRIVATE KEY-----|\Z)",
            r"(?<=[Bb]earer )[A-Za-z0-9._~+/=-]{16,}",
            r"(?<=[Bb]asic )[A-Za-z0-9+/]{16,}={0,2}",
            # The password of an address: postgresql://name:THIS@host.
            r"(?<=://)[^\s/:@\"']{1,200}:[^\s/@\"']{1,200}(?=@)",
        )
    )
)

# A name and its text inside a longer text: JSON in a string (maybe escaped), a query, an env file.
_INSIDE = re.compile(
    rf"""(?ix) (?P<before> (?<![A-Za-z0-9]) (?:[A-Za-z0-9]+[_.-])* (?:{_NAMES})
    \\*["']? \s* [:=] \s* (?:\\*["'])? (?:bearer\s+|basic\s+)? )
    (?P<secret> [^\s"'\\,;&{{}}\[\]]{{6,}} )""",
)
_WORDS = re.compile(
    r"(?i)^(?:null|none|true|false|undefined|string|required|optional|\$\{?\w+\}?)$"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def mask(secret: str) -> str:
    """Return what stands for ``secret``: the same for the same text while the process lives."""
    digest = blake2b(secret.encode("utf-8", "surrogatepass"), key=_SALT, digest_size=4)
    return f"[masked {digest.hexdigest()}]"


def names_secret(key: str) -> bool:
    """Return whether text under a field called ``key`` is a secret (``api_key``, ``clientSecret``)."""
    return _NAME.search(_CAMEL.sub("_", key).lower()) is not None


def redacted_text(text: str) -> str:
    """Return ``text`` with what looks like a secret in it masked."""
    found = _INSIDE.sub(_named, _SHAPES.sub(lambda match: mask(match[0]), text))
    return text if found == text else found


def _named(match: re.Match[str]) -> str:
    secret = match["secret"]
    kept = _WORDS.match(secret) or secret.startswith("[masked") or secret.isdigit()
    return match[0] if kept else match["before"] + mask(secret)


def redacted(value: Any, remembered: dict[int, tuple[Any, Any]] | None = None) -> Any:
    """Return a JSON value with its secrets masked; parts without any are the same objects.

    Args:
        value: a JSON value; it is not changed.
        remembered: what earlier calls found, by identity; pass one dictionary for all states of a
            chain, which share most of their parts.
    """
    known = {} if remembered is None else remembered
    return _walk(value, known)


def _walk(value: Any, known: dict[int, tuple[Any, Any]]) -> Any:
    if isinstance(value, str):
        return redacted_text(value)
    if not isinstance(value, dict | list) or not value:
        return value
    if id(value) in known:
        return known[id(value)][1]
    if isinstance(value, dict):
        found: Any = {
            redacted_text(key): _everything(child) if names_secret(key) else _walk(child, known)
            for key, child in value.items()
        }
        same = all(a is b for a, b in zip(value, found, strict=False)) and all(
            found[key] is child for key, child in value.items() if key in found
        )
        same = same and len(found) == len(value)
    else:
        found = [_walk(child, known) for child in value]
        same = all(a is b for a, b in zip(value, found, strict=True))
    # The value is kept beside its id: an id may be used again once its object is gone.
    known[id(value)] = (value, value if same else found)
    return known[id(value)][1]


def _everything(value: Any) -> Any:
    """Mask every text and number below a field whose name says that it holds a secret."""
    if isinstance(value, dict):
        # What says of which type a value is ($type, $ctor) is no secret.
        return {
            redacted_text(k): v if k.startswith("$") else _everything(v) for k, v in value.items()
        }
    if isinstance(value, list):
        return [_everything(child) for child in value]
    if isinstance(value, str):
        return mask(value) if value.strip() and not _WORDS.match(value) else value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return mask(repr(value)) if abs(value) > 999 else value
    return value
