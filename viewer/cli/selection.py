"""Which sources and chains a command is about: its SOURCE, --thread, --namespace and the rest."""

import argparse
from collections.abc import Iterator
from typing import Any

from viewer.chain import Chain
from viewer.errors import ProfileError, SelectionError, SourceError
from viewer.limits import Limits
from viewer.model import Problem, ThreadRef
from viewer.profiles import load_profile
from viewer.reports.as_json import problem_row
from viewer.settings import settings
from viewer.sources import Source, open_sources

_LISTED = 40


class Selected:
    """The sources that a command line names, opened, and the chains that it asks for.

    ``problems`` are rows of what could not be read so far; ``unread`` says that a whole source or
    chain is among them.
    """

    def __init__(self, chosen: argparse.Namespace) -> None:
        self._thread: str | None = chosen.thread
        self._namespace: str | None = chosen.namespace
        self.limits: Limits = settings().limits
        self.sources: tuple[Source, ...] = ()
        self.problems: list[dict[str, Any]] = []
        self.unread = False
        if chosen.profile is not None:
            load_profile(chosen.profile)
        self._first: Problem | None = None
        for location in dict.fromkeys(chosen.sources):
            opened, problems = open_sources(
                (location,), reader=chosen.format, profile=chosen.profile, limits=self.limits
            )
            self.sources += opened
            for problem in problems:
                self._lost(str(location), problem)
            for source in opened:
                self.problems += [problem_row(p, source.name) for p in source.problems]
        if not self.sources:
            self._all_read()

    def chains(self) -> Iterator[Chain]:
        """Yield each chain asked for, one at a time; one that cannot be loaded is a problem.

        Raises:
            SelectionError: the thread or namespace asked for is in no source.
        """
        refs = self._refs(self._namespace)
        if not refs and (self._thread is not None or self._namespace is not None):
            raise SelectionError(self._nothing(self._namespace))
        for source, ref in refs:
            chain = self._load(source, ref)
            if chain is not None:
                yield chain

    def threads(self) -> Iterator[dict[str, Chain]]:
        """Yield each thread asked for, all its chains by namespace, one thread at a time.

        A namespace asked for chooses the threads that have it; its subgraphs come along.

        Raises:
            SelectionError: the thread or namespace asked for is in no source.
        """
        asked = self._refs(self._namespace)
        if not asked and (self._thread is not None or self._namespace is not None):
            raise SelectionError(self._nothing(self._namespace))
        threads: dict[tuple[int, str], list[tuple[Source, ThreadRef]]] = {
            (id(source), ref.thread_id): [] for source, ref in asked
        }
        for source, ref in self._refs(None):
            if (id(source), ref.thread_id) in threads:
                threads[id(source), ref.thread_id].append((source, ref))
        for refs in threads.values():
            loaded = [self._load(source, ref) for source, ref in refs]
            yield {chain.namespace: chain for chain in loaded if chain is not None}

    def chain(self) -> Chain:
        """Return the one chain asked for; the namespace is ``''`` unless one is named.

        Raises:
            SelectionError: there is no such thread, or there are several.
            SourceError: it cannot be loaded, or a source is unread that might hold it as well.
            ProfileError: no profile can be chosen for it.
        """
        self._all_read()
        namespace = self._namespace or ""
        refs = self._refs(namespace)
        if not refs:
            raise SelectionError(self._nothing(namespace))
        if len(refs) > 1:
            names = _named([(source.name, ref.thread_id) for source, ref in refs])
            what = "name one with --thread" if self._thread is None else "name one source"
            raise SelectionError(f"{len(refs)} threads, {what}: {names}")
        source, ref = refs[0]
        chain = source.chain(ref)
        self.problems += [problem_row(p, chain.source, chain) for p in chain.problems]
        return chain

    def _load(self, source: Source, ref: ThreadRef) -> Chain | None:
        try:
            chain = source.chain(ref)
        except (SourceError, ProfileError) as error:
            place = error.place if isinstance(error, SourceError) else str(source.location)
            reason = error.reason if isinstance(error, SourceError) else str(error)
            self._lost(source.name, Problem(place=place, reason=reason), ref)
            return None
        self.problems += [problem_row(p, chain.source, chain) for p in chain.problems]
        return chain

    def _all_read(self) -> None:
        if self._first is not None:
            raise SourceError(self._first.place, self._first.reason)

    def _lost(self, source: str, problem: Problem, ref: ThreadRef | None = None) -> None:
        self._first = self._first or problem
        self.unread = True
        self.problems.append(problem_row(problem, source, ref))

    def _refs(self, namespace: str | None) -> list[tuple[Source, ThreadRef]]:
        return [
            (source, ref)
            for source in self.sources
            for ref in source.threads
            if self._thread in (None, ref.thread_id) and namespace in (None, ref.namespace)
        ]

    def _nothing(self, namespace: str | None) -> str:
        """Say what there is instead of the thread and namespace asked for."""
        threads = {(s.name, r.thread_id): r for s in self.sources for r in s.threads}
        same = [r for s in self.sources for r in s.threads if r.thread_id == self._thread]
        if same:
            spaces = _listed(dict.fromkeys(repr(r.namespace) for r in same))
            return f"thread {self._thread!r} has no namespace {namespace!r}: there are {spaces}"
        if not threads:
            return "the source holds no thread"
        if self._thread is not None:
            return f"no thread {self._thread!r}: there are {_named(list(threads))}"
        spaces = _listed(dict.fromkeys(repr(r.namespace) for s in self.sources for r in s.threads))
        return f"no thread has namespace {namespace!r}: there are {spaces}"


def live_head(chain: Chain) -> int:
    """Return the index of the live head.

    Raises:
        SelectionError: the chain holds no checkpoint; the message says what could not be read.
    """
    if chain.head is None:
        why = "".join(f": {p.place}: {p.reason}" for p in chain.problems[:1])
        raise SelectionError(f"thread {chain.thread_id!r} holds no checkpoint{why}")
    return chain.head


def _named(threads: list[tuple[str, str]]) -> str:
    """Return thread ids in words, with their source where ids repeat."""
    ids = [thread for _, thread in threads]
    if len(set(ids)) == len(ids):
        return _listed(dict.fromkeys(ids))
    return _listed(dict.fromkeys(f"{thread} in {source}" for source, thread in threads))


def _listed(names: dict[str, None]) -> str:
    shown = list(names)[:_LISTED]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more (see `runs`)" if more else "")
