"""The channel values of a PostgreSQL store: one blob a version, shared by all its checkpoints.

A checkpoint's values are those that stand in it, overlaid by the blobs of its channels' versions: a
blob wins, and one tagged ``empty`` is no value (langgraph-checkpoint-postgres, ``SELECT_SQL`` and
``_load_blobs``).
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from viewer.model import Problem, ThreadRef
from viewer.sources.langgraph.blobs import SEALED, Blobs
from viewer.sources.langgraph.stored import Stored

if TYPE_CHECKING:
    from psycopg import Connection

_PAGE = 50
"""Blobs fetched at a time."""
_BLOBS = """
SELECT wanted.channel, wanted.version, b.type::text, octet_length(b.blob),
       CASE WHEN octet_length(b.blob) <= {most} THEN b.blob END
FROM unnest(%s::text[], %s::text[]) AS wanted(channel, version), LATERAL (
  SELECT type, blob FROM checkpoint_blobs
  WHERE thread_id = %s AND checkpoint_ns = %s
    AND channel::text = wanted.channel AND {version} LIMIT 1) AS b
"""
# A lateral query with a limit is run once a wanted row, in their order: nothing is sorted.
_NUMBERS = itertools.count()
"""Cursors of one connection need different names."""
_Version = tuple[str, str]
"""A channel and its version as text."""


def pages(
    connection: "Connection[Any]", query: str, parameters: Sequence[Any], size: int
) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the rows of ``query`` from a cursor that the server keeps, ``size`` at a time."""
    with connection.cursor(f"pages_{next(_NUMBERS)}", binary=True) as cursor:
        cursor.execute(query.encode(), parameters)
        while page := cursor.fetchmany(size):
            yield page


class _Value(NamedTuple):
    """What a blob holds."""

    value: Any
    empty: bool
    size: int


class ChannelBlobs:
    """The blobs of one thread and namespace, each fetched and decoded once.

    Args:
        connection: open, in a read transaction.
        ref: the thread and namespace.
        blobs: decodes, and shares what equal values have in common.
        place: the store's own place.
        most: bytes of the largest blob that is read.
        by_version: False where the store keeps only each channel's newest blob.
    """

    def __init__(
        self,
        connection: "Connection[Any]",
        ref: ThreadRef,
        blobs: Blobs,
        place: str,
        *,
        most: int,
        by_version: bool,
    ) -> None:
        match = "version::text = wanted.version" if by_version else "true"
        self._query = _BLOBS.format(version=match, most=most)
        self._connection = connection
        self._ref = ref
        self._blobs = blobs
        self._most = most
        self._where = f"{place}!blobs[{ref.thread_id}/{ref.namespace}"
        self._values: dict[_Version, _Value] = {}
        self._sealed: Counter[str] = Counter()
        self._problems: list[Problem] = []

    def overlay(self, chain: Iterable[Stored]) -> Iterator[Stored]:
        """Yield each checkpoint with the values of its blobs; its size counts them.

        JSONB keeps no order of keys. Channels are sorted by name, and with them the tasks that they
        trigger, as LangGraph itself sorts them before it runs them.
        """
        page = list(chain)
        self._fetch({pair for one in page for pair in _versions(one)} - self._values.keys())
        for one in page:
            found = [(p[0], self._values[p]) for p in _versions(one) if p in self._values]
            stored = {**one.values, **{name: own.value for name, own in found if not own.empty}}
            yield (
                one
                if one.fault is not None
                else one._replace(
                    size=one.size + sum(own.size for _, own in found),
                    values={name: stored[name] for name in sorted(stored)},
                )
            )

    def problems(self) -> Iterator[Problem]:
        """Yield what of the blobs cannot be read; sealed ones are told together."""
        yield from self._problems
        for tag, count in self._sealed.items():
            reason = f"{count} channel values are not read: their tag is {tag}"
            yield Problem(place=f"{self._where}]", reason=reason, keyword="sealed")

    def _fetch(self, wanted: set[_Version]) -> None:
        """Fetch the ``wanted`` blobs, a channel's oldest first."""
        pairs = sorted(wanted)
        lists = ([channel for channel, _ in pairs], [version for _, version in pairs])
        found = (*lists, self._ref.thread_id, self._ref.namespace)
        for page in pages(self._connection, self._query, found, _PAGE):
            for channel, version, tag, size, raw in page:
                if tag == "empty":
                    self._values[channel, version] = _Value(None, empty=True, size=0)
                    continue
                value, fault = self._decoded(channel, tag, size, raw)
                self._values[channel, version] = _Value(value, empty=False, size=size or 0)
                if fault is not None:
                    self._tell(channel, version, value, fault)

    def _decoded(
        self, channel: str, tag: str, size: int | None, raw: bytes | None
    ) -> tuple[Any, str | None]:
        if raw is None and size is not None:
            return too_large(tag, size, self._most)
        return self._blobs.channel(channel, tag, raw)

    def _tell(self, channel: str, version: str, value: Any, fault: str) -> None:
        if value["$type"] in SEALED:
            self._sealed[value["tag"]] += 1
            return
        place = f"{self._where}/{channel}/{version}]"
        self._problems.append(Problem(place=place, reason=f"channel {channel}: {fault}"))


def too_large(tag: str | None, size: int, most: int) -> tuple[dict[str, Any], str]:
    """Return what stands for a blob that is not read because of its size, and why."""
    fault = f"{size} bytes; values up to {most} are read (limit: file_bytes)"
    return {"$type": "undecodable", "tag": tag, "error": fault, "b64": ""}, fault


def _versions(one: Stored) -> Iterator[_Version]:
    for channel, version in one.versions.items():
        yield channel, version if isinstance(version, str) else f"{version}"
