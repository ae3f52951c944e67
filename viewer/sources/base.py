"""What every reader is made of."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from viewer.limits import Limits
from viewer.model import Problem, Thread, ThreadRef
from viewer.sources.dsn import Dsn

HEAD_BYTES = 4096
NOT_A_FOLDER = "a file, not a folder"
"""What a reader of folders says of a file; then its reason says nothing of the file's content."""
NOT_JSON = "an SQLite file, not JSON"
"""What readers of JSON say of a database; it says no more than the database's own reader."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What is known of a place before any reader opens it; made once by ``open_source``."""

    path: Path
    is_dir: bool
    size: int
    """Bytes of a file; 0 for a folder."""
    head: bytes
    """The first 4 KiB of a file."""
    names: tuple[str, ...]
    """Sorted names in a folder; for a file, of the folder it stands in."""


class Verdict(NamedTuple):
    """Whether a reader claims a place, and why or what it misses there."""

    claims: bool
    why: str


class Reading(Protocol):
    """An opened source: what it holds, and one thread at a time on demand."""

    @property
    def threads(self) -> tuple[ThreadRef, ...]:
        """Every thread and namespace, in source order."""
        ...

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What concerns the source as a whole."""
        ...

    def load(self, ref: ThreadRef) -> Thread:
        """Return the records of one thread and namespace.

        Raises:
            SourceError: the source changed or broke since it was opened.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Code for one format."""

    name: str
    """As ``--format`` takes it."""
    title: str
    """One line for README and the pages."""
    detect: Callable[[Probe], Verdict]
    """Pure, by content; at most reads the probed place once more, bounded."""
    open: Callable[[Path, Limits], Reading]
    """Raises SourceError where nothing at all can be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseReader:
    """Code for one format that a database server holds."""

    name: str
    """As ``--format`` takes it."""
    title: str
    """One line for README and the pages."""
    detect: Callable[[Dsn, Limits], Verdict]
    """By what the database holds; raises SourceError where it cannot be asked."""
    open: Callable[[Dsn, Limits], Reading]
    """Raises SourceError where nothing at all can be read."""
    stamp: Callable[[Dsn, Limits], str]
    """Text that differs when anything in the tables has changed; cheap enough to ask for every few
    seconds. Raises SourceError where the database cannot be asked."""
