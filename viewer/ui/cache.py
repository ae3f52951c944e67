"""The only caches: sources, chains and their findings, shared by all browsers and never mutated.

A key carries the names, sizes and times of the files behind a source, or what a database says of
its rows, so that what changes there is read again at the next run.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import streamlit as st

from viewer.analysis.changed_fields import changed_fields
from viewer.analysis.check import CheckResult, check
from viewer.analysis.diff import diff
from viewer.analysis.inner_chains import inner_chains, way_up
from viewer.analysis.roots import roots
from viewer.analysis.why import why
from viewer.chain import Chain
from viewer.errors import SourceError, ViewerError
from viewer.model import Change, Finding, Problem, ThreadRef, Why
from viewer.panels.strip import strip_payload
from viewer.settings import Settings, bundle, settings
from viewer.sources import Source, database_stamp, open_sources
from viewer.sources.dsn import Dsn, Location, locate
from viewer.ui.selection import STEPS

Payload = dict[str, Any]
Stamp = tuple[tuple[str, int, int], ...]
_STAMPED = 5_000
_FRESH_SECONDS = 1.0
"""How long what a database said of its rows stands; one run of a page asks for it many times."""
_KEYS: dict[str | type, Any] = {ThreadRef: ascii}
"""Names may hold half a surrogate pair, which Streamlit's own keys cannot."""


@st.cache_resource(max_entries=4, show_spinner="Opening sources …")
def _sources(
    named: str, stamps: tuple[Stamp, ...], _locations: tuple[Location, ...], _settings: Settings
) -> tuple[tuple[Source, ...], tuple[Problem, ...]]:
    return open_sources(
        _locations, reader=_settings.reader, profile=_settings.profile, limits=_settings.limits
    )


def sources(settings: Settings) -> tuple[tuple[Source, ...], tuple[Problem, ...]]:
    """Return the sources named at start (the sample runs by default) and what cannot be opened."""
    locations = _locations(settings)
    named = ascii([str(location) for location in locations])
    return _sources(named, stamps(settings), locations, settings)


def stamps(settings: Settings) -> tuple[Stamp, ...]:
    """Return the stamp of each place named at start, in that order."""
    return tuple(stamp(location) for location in _locations(settings))


def _locations(settings: Settings) -> tuple[Location, ...]:
    named = settings.sources or (str(bundle() / "sample_runs"),)
    return tuple(locate(text) for text in named)


@st.cache_resource(max_entries=256, show_spinner="Reading the chain …", hash_funcs=_KEYS)
def _chain(name: str, stamped: Stamp, ref: ThreadRef, _source: Source) -> Chain:
    return _source.chain(ref)


def chain(source: Source, ref: ThreadRef) -> Chain:
    """Return a chain of ``source``.

    Raises:
        ViewerError: it cannot be read.
    """
    return _chain(ascii(source.name), stamp(source.location), ref, source)


@st.cache_resource(max_entries=512, show_spinner="Checking every checkpoint …", hash_funcs=_KEYS)
def _result(name: str, stamped: Stamp, ref: ThreadRef, _source: Source) -> CheckResult:
    return check(chain(_source, ref))


def result(source: Source, ref: ThreadRef) -> CheckResult:
    """Return what the gates say of a chain of ``source``.

    Raises:
        ViewerError: it cannot be read.
    """
    return _result(ascii(source.name), stamp(source.location), ref, source)


@st.cache_resource(max_entries=512, show_spinner="Asking why it stopped …", hash_funcs=_KEYS)
def _why(name: str, stamped: Stamp, ref: ThreadRef, _source: Source) -> Why:
    chains = siblings(_source, ref)
    own = chains[ref.namespace]
    root = next((c for c in roots(chains) if _holds(c.namespace, ref.namespace)), own)
    nested = {space: c for space, c in chains.items() if c is not root}
    found = result(_source, ref_of(_source, ref.thread_id, root.namespace))
    return why(root, nested, violations=found.violations)


def _holds(namespace: str, other: str) -> bool:
    return namespace in ("", other) or other.startswith(f"{namespace}|")


def ref_of(source: Source, thread: str, namespace: str) -> ThreadRef:
    """Return the chain of ``source`` that is called so.

    Raises:
        SourceError: it holds none.
    """
    for ref in source.threads:
        if (ref.thread_id, ref.namespace) == (thread, namespace):
            return ref
    raise SourceError(source.name, f"no thread {thread!r} with namespace {namespace!r}")


def siblings(source: Source, ref: ThreadRef) -> dict[str, Chain]:
    """Return every chain of a thread by namespace; another one that cannot be read is left out.

    Raises:
        ViewerError: the chain ``ref`` itself cannot be read.
    """
    chains = {}
    for one in source.threads:
        if one.thread_id != ref.thread_id:
            continue
        try:
            chains[one.namespace] = chain(source, one)
        except ViewerError:
            if one == ref:
                raise
    return chains


def answer(source: Source, ref: ThreadRef) -> Why:
    """Return why the thread of a chain stands where it stands; a subgraph has its thread's answer.

    Raises:
        ViewerError: a chain of the thread cannot be read.
    """
    stamped = stamp(source.location)
    # All namespaces below the root share one answer, unless the root cannot be read.
    same = (one for one in source.threads if one.thread_id == ref.thread_id)
    top = next((one for one in same if one.namespace == ""), ref)
    try:
        return _why(ascii(source.name), stamped, top, source)
    except ViewerError:
        if top == ref:
            raise
        return _why(ascii(source.name), stamped, ref, source)


@st.cache_resource(max_entries=256, show_spinner=False, hash_funcs=_KEYS)
def _changes(
    name: str, stamped: Stamp, ref: ThreadRef, base: int, target: int, _chain: Chain
) -> tuple[Change, ...]:
    lists = _chain.profile.lists
    return tuple(diff(_chain.state(base), _chain.state(target), lists))


def changes(source: Source, ref: ThreadRef, base: int, target: int) -> tuple[Change, ...]:
    """Return the changes from checkpoint ``base`` to ``target`` of one chain.

    Raises:
        ViewerError: one of the two has no readable state.
    """
    held = chain(source, ref)
    return _changes(ascii(source.name), stamp(source.location), ref, base, target, held)


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs=_KEYS)
def _strip(
    name: str, stamped: Stamp, ref: ThreadRef, _source: Source, _found: CheckResult, _why: Why
) -> Payload:
    chains = siblings(_source, ref)
    held = chains[ref.namespace]
    inner = inner_chains(held, chains)
    return strip_payload(
        held,
        _counts(_found),
        changed=changed_fields(held),
        nests={index: len(names) for index, names in inner.items()},
        way=[(up.namespace, node_of(up), index) for up, index in way_up(held, chains)],
        called=node_of(held),
        findings=frozenset(f.index for f in findings_in(_why, ref.namespace)),
        parameters={name: name for name in STEPS},
    )


def findings_in(why: Why, namespace: str) -> tuple[Finding, ...]:
    """Return the findings of a thread that concern the chain of one namespace."""
    return tuple(found for found in why.findings if found.namespace == namespace)


def strip(source: Source, ref: ThreadRef) -> Payload:
    """Return what the strip of one chain draws; where it stands is for the caller to add.

    Raises:
        ViewerError: it cannot be read.
    """
    found, why = result(source, ref), answer(source, ref)
    return _strip(ascii(source.name), stamp(source.location), ref, source, found, why)


def node_of(chain: Chain) -> str:
    """Return the name of the node whose subgraph a chain is; a root goes by its own name."""
    return chain.nesting.node if chain.nesting is not None else chain.namespace or "root"


_HELD: ContextVar[dict[Location, Stamp] | None] = ContextVar("held", default=None)


@contextmanager
def stamps_held() -> Iterator[None]:
    """Within it each place is looked at once: thousands of its threads are of one moment."""
    token = _HELD.set({})
    try:
        yield
    finally:
        _HELD.reset(token)


def stamp(location: Location) -> Stamp:
    """Return name, size in bytes and time in nanoseconds of the files behind ``location``.

    For a file its ``-wal`` counts too, and the recordings that an app appends to while it runs; a
    folder is walked to at most 5,000 entries. For a database
    it is what the database says of its rows, at most a second old, or why it says nothing.
    """
    held = _HELD.get()
    if held is None:
        return _stamp(location)
    if location not in held:
        held[location] = _stamp(location)
    return held[location]


def _stamp(location: Location) -> Stamp:
    if isinstance(location, Dsn):
        return _database_stamp(location.digest, location)
    found: list[tuple[str, int, int]] = []
    beside = [location, *(location.with_name(n) for n in _appended(location.name))]
    for path in beside if not location.is_dir() else _walk(location):
        try:
            seen = path.stat()
        except OSError:
            continue
        found.append((ascii(str(path)), seen.st_size, seen.st_mtime_ns))
    return tuple(found)


def _appended(name: str) -> tuple[str, ...]:
    return f"{name}-wal", f"{name}.observations.jsonl", "observations.jsonl"


@st.cache_data(max_entries=64, show_spinner=False, ttl=_FRESH_SECONDS)
def _database_stamp(digest: str, _dsn: Dsn) -> Stamp:
    try:
        told = database_stamp(_dsn, settings().limits)
    except SourceError as error:
        told = error.reason
    return ((f"{digest} {told!a}", 0, 0),)


def _walk(folder: Path) -> list[Path]:
    """Return at most 5,000 entries below ``folder``; one that goes away meanwhile is passed over."""
    found: list[Path] = []
    for place, folders, files in os.walk(folder):
        folders.sort()
        found += (Path(place, name) for name in sorted((*folders, *files)))
        if len(found) >= _STAMPED:
            break
    return found[:_STAMPED]


def _counts(found: CheckResult) -> Mapping[int, int]:
    """Return how many violations each checkpoint has, by index."""
    by: dict[int, int] = {}
    for violation in found.violations:
        if violation.index is not None:
            by[violation.index] = by.get(violation.index, 0) + 1
    return by
