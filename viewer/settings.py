"""Where the bundled files are, and what the environment sets. Nothing is read at import."""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from viewer.errors import ViewerError
from viewer.limits import DEFAULT_LIMITS, Limits

PREFIX = "CHECKPOINT_VIEWER_"
_ADDRESS = re.compile(rf"(?:^|{re.escape(os.pathsep)})(postgres(?:ql)?(?:\+\w+)?:.*)", re.DOTALL)
"""A database's address at the end of a list of sources; it holds colons itself."""


def bundle() -> Path:
    """Return the folder that holds app.py, pages/, schemas/ and sample_runs/.

    In a wheel that is ``viewer/bundle``; in a checkout the folder above ``viewer``.
    """
    inside = Path(__file__).parent / "bundle"
    return inside if inside.is_dir() else Path(__file__).parent.parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the command line and the environment decide for a whole process."""

    sources: tuple[str, ...] = field(default=(), repr=False)
    """Places named at start; only these can be read. A database's address may hold a password."""
    profile: str | None = None
    reader: str | None = None
    limits: Limits = DEFAULT_LIMITS


def settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings that ``environment`` carries (``CHECKPOINT_VIEWER_SOURCES`` …).

    Sources are a JSON array, or separated as PATH entries are, which a path with a colon in it does
    not survive; there the address of a database stands last. A limit is ``CHECKPOINT_VIEWER_LIMIT_<NAME>``.

    Raises:
        ViewerError: a limit is not a positive integer, or the array of sources is broken.
    """
    return Settings(
        sources=_sources(environment.get(f"{PREFIX}SOURCES", "")),
        profile=environment.get(f"{PREFIX}PROFILE") or None,
        reader=environment.get(f"{PREFIX}FORMAT") or None,
        limits=_limits(environment),
    )


def _sources(text: str) -> tuple[str, ...]:
    if not text.startswith("["):
        address = _ADDRESS.search(text)
        paths = text if address is None else text[: address.start()]
        found = [part for part in paths.split(os.pathsep) if part]
        return (*found, *([] if address is None else [address[1]]))
    try:
        found = json.loads(text)
    except ValueError as error:
        raise ViewerError(f"{PREFIX}SOURCES is no JSON array: {error}") from error
    return tuple(str(part) for part in found)


def _limits(environment: Mapping[str, str]) -> Limits:
    found = DEFAULT_LIMITS
    for limit in fields(Limits):
        name = f"{PREFIX}LIMIT_{limit.name.upper()}"
        text = environment.get(name)
        if text is None:
            continue
        if not (text.isascii() and text.isdigit() and int(text) > 0):
            raise ViewerError(f"{name} must be a positive integer, not {text!r}")
        found = replace(found, **{limit.name: int(text)})
    return found
