"""``about.json``: what a run folder says of itself.

``format_version`` 1 is the first.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from viewer.errors import ParseFault, SourceError
from viewer.limits import DEFAULT_LIMITS, Limits
from viewer.model import Phase
from viewer.sources.files import read_bytes
from viewer.sources.json_bytes import parse

FILE = "about.json"
_NAME = r"^[a-z][a-z0-9-]*$"


class Expect(BaseModel):
    """What reading and judging the run should give; a field left out is not expected of it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    threads: tuple[str, ...] | None = None
    checkpoints: int | None = None
    status: str | None = None
    phase: Phase | None = None
    violations: tuple[Mapping[str, Any], ...] | None = None
    problems: tuple[Mapping[str, Any], ...] | None = None
    usage: Mapping[str, int | float | None] | None = None
    waiting: tuple[str | Mapping[str, Any], ...] | None = None
    mentions: Mapping[str, Any] | None = None


class About(BaseModel):
    """The file as written."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format_version: Literal[1]
    title: str
    origin: str = ""
    constructed: tuple[str, ...] = ()
    """What we filled in that no founding document gives."""
    reader: str | None = Field(default=None, pattern=_NAME)
    profile: str | None = Field(default=None, pattern=_NAME)
    """The name of a profile that comes with the viewer, never a path."""
    expect: Expect = Expect()


def read_about(folder: Path, limits: Limits = DEFAULT_LIMITS) -> About | None:
    """Return what the run in ``folder`` says of itself; None where it says nothing.

    Raises:
        SourceError: the file cannot be read or is not what it must be.
    """
    path = folder / FILE
    if not path.exists():
        return None
    raw = read_bytes(path, limits)
    try:
        return About.model_validate(parse(raw, limits.depth).value)
    except ParseFault as error:
        where = f":{error.line}:{error.column}" if error.line is not None else ""
        raise SourceError(f"{path}{where}", error.reason) from error
    except ValidationError as error:
        first = error.errors()[0]
        pointer = "".join(f"/{token}" for token in first["loc"])
        raise SourceError(f"{path}#{pointer}", first["msg"]) from error
