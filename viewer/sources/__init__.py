"""Readers turn a source into threads; this module finds the reader and makes chains."""

import os
from dataclasses import dataclass
from pathlib import Path

from viewer.chain import Chain, assemble
from viewer.errors import AmbiguousFormat, SourceError, UnknownFormat
from viewer.limits import DEFAULT_LIMITS, Limits
from viewer.model import MISSING, Problem, Thread, ThreadRef
from viewer.profiles import PLAIN, Profile, choose, load_profile
from viewer.sources.base import (
    NOT_A_FOLDER,
    NOT_JSON,
    DatabaseReader,
    Reader,
    Reading,
    Verdict,
)
from viewer.sources.conversations.claude_code import READER as CLAUDE_CODE
from viewer.sources.conversations.message_list import READER as MESSAGE_LIST
from viewer.sources.dsn import Dsn, Location, locate
from viewer.sources.files import natural
from viewer.sources.json_file import READER as JSON_FILE
from viewer.sources.json_folder import READER as JSON_FOLDER
from viewer.sources.jsonl import READER as JSONL
from viewer.sources.langgraph import READER as LANGGRAPH
from viewer.sources.langgraph.dev_folder import READER as LANGGRAPH_DEV
from viewer.sources.langgraph.history import READER as LANGGRAPH_HISTORY
from viewer.sources.langgraph.postgres import READER as LANGGRAPH_POSTGRES
from viewer.sources.probing import names_in, probe
from viewer.sources.recordings import Recordings
from viewer.sources.run_folder import READER as RUN_FOLDER
from viewer.sources.standing_alone import standing_alone

NESTED = 4
"""How many folders deep a folder is searched for sources."""

READERS: tuple[Reader, ...] = (
    RUN_FOLDER,
    JSON_FOLDER,
    JSON_FILE,
    JSONL,
    LANGGRAPH,
    LANGGRAPH_HISTORY,
    LANGGRAPH_DEV,
    MESSAGE_LIST,
    CLAUDE_CODE,
)

DATABASE_READERS: tuple[DatabaseReader, ...] = (LANGGRAPH_POSTGRES,)
"""Readers of what stands under an address instead of a path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A place that a reader has opened."""

    location: Location
    name: str
    """Shown to people and written in every row: the path as it was given, or what may be shown of
    a database's address."""
    reader: Reader | DatabaseReader
    reading: Reading
    profile: str | None
    """The profile that the caller chose; None leaves the choice to each chain."""
    recordings: Recordings | None = None
    """Model calls recorded beside the source; None where no file may hold any."""

    @property
    def threads(self) -> tuple[ThreadRef, ...]:
        """Every thread and namespace that the source holds."""
        return self.reading.threads

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What concerns the source as a whole; a chain has its own besides."""
        if self.recordings is None:
            return self.reading.problems
        return (*self.reading.problems, *self.recordings.problems(self.reading.threads))

    def chain(self, ref: ThreadRef) -> Chain:
        """Return the chain of one thread and namespace.

        Raises:
            SourceError: the source broke since it was opened.
            ProfileError: the profile cannot be read, or two claim the states.
        """
        thread = self.reading.load(ref)
        if self.recordings is not None:
            thread = self.recordings.joined(thread, self.reading.threads)
        return assemble(self.name, self.reader.name, thread, self._profile(thread))

    def _profile(self, thread: Thread) -> Profile:
        named = self.profile or thread.profile
        if named is not None:
            return load_profile(named)
        state = next((r.state for r in thread.records if r.state is not MISSING), MISSING)
        return load_profile(PLAIN) if state is MISSING else choose(state)


def identify(
    location: Location, limits: Limits = DEFAULT_LIMITS
) -> tuple[tuple[Reader | DatabaseReader, Verdict], ...]:
    """Return every reader with its verdict on ``location``, those that claim it first.

    Readers of files are not asked about a database, nor the other way round.

    Raises:
        SourceError: the place cannot be looked at.
    """
    if isinstance(location, Dsn):
        return tuple((reader, reader.detect(location, limits)) for reader in DATABASE_READERS)
    return _verdicts(location, limits)


def _verdicts(
    location: Path, limits: Limits, names: tuple[str, ...] | None = None
) -> tuple[tuple[Reader, Verdict], ...]:
    seen = probe(location, limits, names)
    verdicts = [(reader, reader.detect(seen)) for reader in READERS]
    return tuple(sorted(verdicts, key=lambda pair: not pair[1].claims))


def database_stamp(dsn: Dsn, limits: Limits = DEFAULT_LIMITS) -> str:
    """Return text that differs when anything that a reader knows in a database has changed.

    Raises:
        SourceError: it cannot be reached or asked.
    """
    return " ".join(reader.stamp(dsn, limits) for reader in DATABASE_READERS)


def open_source(
    location: str | Location,
    *,
    reader: str | None = None,
    profile: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    names: tuple[str, ...] | None = None,
) -> Source:
    """Return the source at ``location``, opened by the one reader that claims it.

    Text that is a PostgreSQL address (`viewer.sources.dsn`) opens that database. ``names`` says
    what stands in a file's folder, where the caller has looked already.

    Raises:
        UnknownFormat: no reader claims it, or ``reader`` names none.
        AmbiguousFormat: two readers claim it.
        SourceError: it cannot be read at all.
    """
    place = locate(location)
    if isinstance(place, Dsn):
        database_reader = _database_reader(place, reader)
        return Source(
            location=place,
            name=place.name,
            reader=database_reader,
            reading=database_reader.open(place, limits),
            profile=profile,
        )
    path = place
    chosen = _reader(path, reader, limits, names)
    recordings = Recordings(path, limits)
    return Source(
        location=path,
        name=str(location),
        reader=chosen,
        reading=chosen.open(path, limits),
        profile=profile,
        recordings=recordings if recordings.found else None,
    )


def open_sources(
    locations: tuple[str | Location, ...],
    *,
    reader: str | None = None,
    profile: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[tuple[Source, ...], tuple[Problem, ...]]:
    """Return the sources at ``locations`` and a problem for each place that cannot be opened.

    A folder that no reader claims opens as one source per child that a reader does claim; a child
    folder that none claims stands for its own children. Beside a folder that a reader claims, the
    databases in it open too.
    """
    sources: list[Source] = []
    problems: list[Problem] = []
    # A folder of thousands of sources is listed once, not once a source.
    listed: dict[Path, tuple[str, ...]] = {}
    for location in locations:
        given = locate(location)
        for place in [given] if isinstance(given, Dsn) else _expand(given, reader, limits):
            try:
                names = None
                if isinstance(place, Path) and place != given:
                    names = listed.get(place.parent) or names_in(place.parent, limits)
                    listed[place.parent] = names
                sources.append(
                    open_source(place, reader=reader, profile=profile, limits=limits, names=names)
                )
            except SourceError as error:
                problems.append(Problem(place=error.place, reason=error.reason))
    return tuple(sources), tuple(problems)


def _expand(location: Path, reader: str | None, limits: Limits, depth: int = 0) -> list[Path]:
    """Return the places to open for ``location``: itself, or what is known below it.

    A folder that no reader claims stands for its children, at most `NESTED` folders deep; links to
    folders are not followed.
    """
    if reader is not None or not os.path.isdir(location):  # noqa: PTH112 (it never raises)
        return [location]
    try:
        names = names_in(location, limits)
        if _claimed(location, limits):
            return [location, *(location / name for name in standing_alone(location, names))]
    except SourceError:
        return [location]
    known: list[Path] = []
    for name in sorted(names, key=natural):
        child = location / name
        if _claimed(child, limits, names):
            known.append(child)
        elif depth < NESTED and child.is_dir() and not child.is_symlink():
            known += [path for path in _expand(child, None, limits, depth + 1) if path != child]
    return known or [location]


def _claimed(location: Path, limits: Limits, names: tuple[str, ...] | None = None) -> bool:
    try:
        seen = probe(location, limits, names)
    except SourceError:
        return False
    return any(reader.detect(seen).claims for reader in READERS)


def _reader(
    path: Path, name: str | None, limits: Limits, names: tuple[str, ...] | None = None
) -> Reader:
    if name is not None:
        found = next((r for r in READERS if r.name == name), None)
        if found is None:
            known = ", ".join(r.name for r in READERS)
            raise UnknownFormat(str(path), f"no reader {name!r}; there are {known}")
        return found
    verdicts = _verdicts(path, limits, names)
    claims = [(reader, verdict) for reader, verdict in verdicts if verdict.claims]
    if len(claims) == 1:
        return claims[0][0]
    if claims:
        told = " and ".join(f"{reader.name} ({verdict.why})" for reader, verdict in claims)
        raise AmbiguousFormat(str(path), f"claimed by {told}; choose with --format")
    if path.is_file() and not path.stat().st_size:
        raise UnknownFormat(str(path), "the file is empty")
    reasons = "; ".join(
        f"{reader.name}: {verdict.why}"
        for reader, verdict in verdicts
        if verdict.why not in (NOT_A_FOLDER, NOT_JSON)
    )
    raise UnknownFormat(str(path), f"no reader knows this: {reasons}")


def _database_reader(dsn: Dsn, name: str | None) -> DatabaseReader:
    found = next((r for r in DATABASE_READERS if name in (None, r.name)), None)
    if found is None:
        known = ", ".join(r.name for r in DATABASE_READERS)
        raise UnknownFormat(dsn.name, f"no reader {name!r} of databases; there is {known}")
    return found
