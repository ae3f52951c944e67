"""Whether anything in a store's tables has changed, told without reading their values."""

from typing import TYPE_CHECKING, Any

from viewer.sources.langgraph.postgres_tables import CHECKPOINTS, STORE, WRITES

if TYPE_CHECKING:
    from psycopg import Connection

_SMALL = 4_096
"""Pages of 8 KiB; the rows of a smaller table are looked at one by one."""
_TABLES = """
SELECT c.relname::text, pg_catalog.pg_relation_size(c.oid) / 8192,
       pg_catalog.pg_stat_get_tuples_inserted(c.oid), pg_catalog.pg_stat_get_tuples_updated(c.oid),
       pg_catalog.pg_stat_get_tuples_deleted(c.oid), pg_catalog.pg_is_in_recovery()
FROM pg_catalog.pg_class c
WHERE c.relname = ANY(%s) AND c.relkind IN ('r', 'p') AND pg_catalog.pg_table_is_visible(c.oid)
ORDER BY 1
"""
_ROWS = "SELECT count(*), coalesce(sum(xmin::text::bigint), 0) FROM {table}"
_REPLAYED = "SELECT pg_catalog.pg_last_wal_replay_lsn()::text"


def changes(connection: "Connection[Any]") -> str:
    """Return text that differs when a row has come, changed or gone.

    Every change of a row gives it a new ``xmin``. Where a table is too large to look at each row
    every few seconds, the server's own counters tell: those of a program that writes and then
    falls idle come up to ten seconds late. A standby counts nothing; there any replay counts.
    """
    told: list[str] = []
    # Blobs are never changed without their checkpoint, and they are most of a store.
    wanted = [CHECKPOINTS, WRITES, STORE]
    for table, pages, added, updated, deleted, standby in connection.execute(_TABLES, (wanted,)):
        if pages <= _SMALL:
            rows = connection.execute(_ROWS.format(table=table).encode()).fetchone()
            told.append(f"{table}:{rows}")
        elif standby:
            told.append(f"{table}:{connection.execute(_REPLAYED).fetchone()}")
        else:
            told.append(f"{table}:{pages}:{added}:{updated}:{deleted}")
    return " ".join(told)
