"""What a PostgreSQL store lists: its threads, rows that belong to none, the items of its store."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from viewer.chain import when
from viewer.limits import Limits
from viewer.model import Problem, ThreadRef
from viewer.sources.langgraph.memories import StoredItem
from viewer.sources.langgraph.naming import id_time
from viewer.sources.langgraph.postgres_blobs import pages
from viewer.sources.langgraph.postgres_tables import Tables

if TYPE_CHECKING:
    from psycopg import Connection

_GROUPS = """
SELECT g.thread_id, g.checkpoint_ns, g.rows, g.newest, left(c.checkpoint->>'ts', 64)
FROM (SELECT thread_id::text, checkpoint_ns::text, count(*) AS rows,
             max(checkpoint_id::text) AS newest, min(checkpoint_id::text) AS first
      FROM checkpoints GROUP BY 1, 2) AS g
LEFT JOIN LATERAL (
  SELECT checkpoint FROM checkpoints c
  WHERE c.thread_id::text = g.thread_id AND c.checkpoint_ns::text = g.checkpoint_ns
    AND c.checkpoint_id::text = g.newest LIMIT 1) AS c ON true
ORDER BY g.first, g.thread_id, g.checkpoint_ns
"""
_SHALLOW_GROUPS = """
SELECT thread_id::text, checkpoint_ns::text, 1::bigint, left(checkpoint->>'id', 64),
       left(checkpoint->>'ts', 64)
FROM checkpoints ORDER BY 4, 1, 2
"""
_STRAY = """
SELECT thread_id::text, checkpoint_ns::text FROM checkpoint_writes
EXCEPT SELECT thread_id::text, checkpoint_ns::text FROM checkpoints ORDER BY 1, 2 LIMIT %s
"""
_LEFT_OVER = """
SELECT count(*) FROM checkpoint_writes w WHERE EXISTS (
  SELECT FROM checkpoints c WHERE c.thread_id = w.thread_id AND c.checkpoint_ns = w.checkpoint_ns
  AND c.checkpoint->>'id' <> w.checkpoint_id::text)
"""
_ITEMS = """
SELECT prefix::text, key::text, value::text, created_at::text, updated_at::text, {expiry}
FROM store ORDER BY prefix, key LIMIT %s
"""
_EXPIRY, _NO_EXPIRY = "expires_at::text, ttl_minutes::float8", "NULL, NULL"
_PAGE = 1_000


def threads(connection: "Connection[Any]", *, shallow: bool) -> Iterator[ThreadRef]:
    """Yield every thread and namespace, by their first checkpoints' ids, which tell the time."""
    for page in pages(connection, _SHALLOW_GROUPS if shallow else _GROUPS, (), _PAGE):
        for thread, namespace, count, newest, ts in page:
            yield ThreadRef(
                thread_id=thread,
                namespace=namespace,
                checkpoints=count,
                updated_at=when(ts) or id_time(newest or ""),
            )


def stray(
    connection: "Connection[Any]", place: str, tables: Tables, limits: Limits
) -> Iterator[Problem]:
    """Yield a problem for each thread that has only writes, and one for all left-over writes."""
    for thread, namespace in connection.execute(_STRAY, (limits.problems,)):
        yield Problem(
            place=f"{place}!writes[{thread}/{namespace}]",
            reason="write rows of a thread and namespace that has no checkpoint (yet)",
            keyword="stray_writes",
        )
    if not tables.shallow:
        return
    for (count,) in connection.execute(_LEFT_OVER):
        if count:
            yield Problem(
                place=f"{place}!writes",
                reason=f"{count} write rows of earlier checkpoints, which ShallowPostgresSaver does"
                " not keep, are not shown",
                keyword="stray_writes",
            )


def items(connection: "Connection[Any]", tables: Tables, limits: Limits) -> Iterator[StoredItem]:
    """Yield the rows of the long-term store by prefix and key, one more than the limit takes."""
    if not tables.store:
        return
    query = _ITEMS.format(expiry=_EXPIRY if tables.with_expiry else _NO_EXPIRY)
    for page in pages(connection, query, (limits.memories + 1,), _PAGE):
        for prefix, key, value, created, updated, expires, minutes in page:
            yield StoredItem(
                prefix=prefix,
                key=key,
                value=value.encode("utf-8", "surrogateescape"),
                created_at=created,
                updated_at=updated,
                expires_at=expires,
                ttl_minutes=minutes,
            )
