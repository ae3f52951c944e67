"""Connections to PostgreSQL that can only read, and the reasons why one cannot.

Imported only where a database is opened: it needs psycopg. Every reading is one transaction,
``REPEATABLE READ READ ONLY``, so that all tables agree and nothing can be written; its settings are
the transaction's own, which a pooler between us and the server allows.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import adapt, errors, pq

from viewer.errors import SourceError
from viewer.limits import Limits
from viewer.sources.dsn import Dsn

_SETTINGS = """
SELECT set_config('statement_timeout', %(timeout)s, true),
       set_config('lock_timeout', %(timeout)s, true),
       set_config('timezone', 'UTC', true),
       set_config('datestyle', 'ISO', true),
       set_config('client_encoding', current_setting('server_encoding'), true)
"""
_SAID = (
    (
        r"Connection refused|No such file or directory",
        "connection refused: no server listens there",
    ),
    (r"could not translate host name|failed to resolve host", "no such host"),
    (r"authentication failed|no password supplied|no pg_hba\.conf entry", "authentication failed"),
    (r'role ".*" (does not exist|is not permitted)', "authentication failed"),
    (r'database ".*" does not exist', "no such database"),
    (r"permission denied for database", "permission denied: the user may not open the database"),
    (r"too many (clients|connections)|connection slots", "the server takes no more connections"),
    (r"starting up|shutting down|recovery", "the server is not ready: it starts or stops"),
)
"""What a refusal says (libpq gives no code for it) and how we say it, without names."""


class _Text(adapt.Loader):
    """Reads text in the server's own encoding; what is not valid in it keeps its bytes."""

    def load(self, data: adapt.Buffer) -> str:
        return bytes(data).decode(_codec(self.connection), "surrogateescape")


class _BinaryText(_Text):
    format = pq.Format.BINARY


class _Parameter(adapt.Dumper):
    """Writes text as it was read; the server takes the type that the place asks for."""

    oid = 0

    def dump(self, obj: str) -> bytes:
        return obj.encode(_codec(self.connection), "surrogateescape")


def _codec(connection: "psycopg.BaseConnection[Any] | None") -> str:
    """Return Python's name of the connection's encoding; ``SQL_ASCII`` is any bytes."""
    found = connection.info.encoding if connection is not None else "utf-8"
    return "utf-8" if found == "ascii" else found


@contextmanager
def reading(dsn: Dsn, limits: Limits) -> Iterator["psycopg.Connection[Any]"]:
    """Give a connection inside one read transaction; it is closed at the end.

    Raises:
        SourceError: the database cannot be reached or read, or went away; the message names
            neither user nor password.
    """
    connection = _connected(dsn, limits)
    try:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        milliseconds = str(limits.statement_seconds * 1000)
        connection.execute(_SETTINGS, {"timeout": milliseconds})
        for adapter in (_Text, _BinaryText):
            connection.adapters.register_loader("text", adapter)
        connection.adapters.register_dumper(str, _Parameter)
        yield connection
    except psycopg.Error as error:
        broken = connection.broken
        raise SourceError(dsn.name, _reason(error, dsn, limits, broken=broken)) from None
    finally:
        connection.close()


def _connected(dsn: Dsn, limits: Limits) -> "psycopg.Connection[Any]":
    try:
        return psycopg.connect(
            dsn.conninfo,
            connect_timeout=limits.connect_seconds,
            fallback_application_name="checkpoint-viewer",
            client_encoding="UTF8",
            prepare_threshold=None,
        )
    except errors.ConnectionTimeout:
        reason = f"no answer within {limits.connect_seconds} s (limit: connect_seconds)"
    except psycopg.ProgrammingError:
        reason = "no PostgreSQL address that libpq can read"
    except (psycopg.Error, UnicodeError) as error:
        reason = _refusal(str(error), dsn)
    raise SourceError(dsn.name, reason) from None


def _refusal(message: str, dsn: Dsn) -> str:
    for said, reason in _SAID:
        if re.search(said, message):
            return reason
    return f"no connection: {_line(message, dsn)}"


def _reason(error: psycopg.Error, dsn: Dsn, limits: Limits, *, broken: bool) -> str:
    """Return in words why a statement failed."""
    if isinstance(error, errors.QueryCanceled | errors.LockNotAvailable):
        seconds = limits.statement_seconds
        return f"a statement took longer than {seconds} s (limit: statement_seconds)"
    if broken or isinstance(error, errors.AdminShutdown | errors.CrashShutdown):
        return "the server went away while it was read"
    message = _line(error.diag.message_primary or str(error), dsn)
    if isinstance(error, errors.InsufficientPrivilege):
        return f"permission denied by the database ({message})"
    if isinstance(error, errors.UndefinedTable | errors.UndefinedColumn):
        return f"its tables changed since it was opened ({message})"
    return f"the database cannot be read ({message})"


def _line(message: str, dsn: Dsn) -> str:
    return " ".join(dsn.scrubbed(message).split())[:300]
