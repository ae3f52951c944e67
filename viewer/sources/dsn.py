"""Addresses of PostgreSQL databases: what may be shown of one, and what must not.

An address is written as libpq takes it (``postgresql://USER:PASSWORD@HOST/DATABASE?…``); what it
leaves out comes from libpq's own environment (``PGHOST``, ``PGUSER``, ``PGPASSWORD``, ``PGDATABASE``,
``PGSERVICE`` …), everything where it is ``postgresql:`` alone. The name that it is shown under,
``postgresql:HOST/DATABASE``, is an address as well. See
https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS.
"""

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path

_SCHEME = re.compile(r"postgres(?:ql)?(?:\+\w+)?:", re.IGNORECASE)
_NAME = "postgresql:"
_PORT = "5432"
_HIDDEN = "…"


@dataclass(frozen=True, slots=True)
class Dsn:
    """The address of a database. Its text is a secret; ``str`` and ``repr`` give its name."""

    conninfo: str = field(repr=False)
    """As libpq takes it; never to be shown."""
    name: str = field(compare=False)
    """``postgresql:HOST/DATABASE``, without user, password and parameters."""
    secrets: tuple[str, ...] = field(default=(), repr=False, compare=False)
    """User and passwords, longest first."""

    def __str__(self) -> str:
        return self.name

    @property
    def digest(self) -> str:
        """What tells this address from all others and says nothing of it."""
        return hashlib.sha256(self.conninfo.encode("utf-8", "surrogatepass")).hexdigest()

    def scrubbed(self, text: str) -> str:
        """Return ``text`` with nothing in it that only the address's owner should know."""
        for secret in (self.conninfo, *self.secrets):
            text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", _HIDDEN, text)
        return text


Location = Path | Dsn
"""Where a source is: a place in the file system, or a database."""


def locate(text: str | Location) -> Location:
    """Return the database that ``text`` is the address of, else the path that it is."""
    if isinstance(text, Dsn | Path):
        return text
    scheme = _SCHEME.match(text)
    if scheme is None:
        return Path(text)
    return _dsn("postgresql://" + text[scheme.end() :].removeprefix("//"))


def _dsn(conninfo: str) -> Dsn:
    found = _parameters(conninfo)
    secrets = {found[word] for word in ("password", "user", "sslpassword") if found.get(word)}
    return Dsn(
        conninfo=conninfo,
        name=_shown(found.get("host", ""), found.get("port", ""), found.get("dbname", "")),
        secrets=tuple(sorted(secrets, key=len, reverse=True)),
    )


def _shown(host: str, port: str, database: str) -> str:
    """Return the name of a database; the host is left out where it is this machine's own socket.

    An unescaped ``@`` or ``/`` in a password makes libpq take its rest for a part of the host or of
    the database's name: what stands before the last ``@`` is therefore never shown.
    """
    if "@" in database:
        host, _, database = database.rpartition("@")[2].partition("/")
        port = ""
    host = host.rpartition("@")[2]
    if host.startswith("/"):
        host = ""
    if host and port not in ("", _PORT) and port.isdigit():
        host = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return f"{_NAME}{host}/{database}" if host or database else _NAME


def _parameters(conninfo: str) -> dict[str, str]:
    """Return what libpq reads from an address and from its environment; nothing where it cannot."""
    try:
        from psycopg import Error, pq
    except ImportError:
        return {}
    try:
        given = pq.Conninfo.parse(conninfo.encode("utf-8", "surrogateescape"))
        unsaid = pq.Conninfo.get_defaults()
    except (Error, UnicodeError):
        return {}
    found: dict[str, str] = {}
    for option in (*unsaid, *given):
        if option.val:
            found[option.keyword.decode("utf-8")] = option.val.decode("utf-8", "replace")
    if found.get("hostaddr") and not found.get("host"):
        found["host"] = found["hostaddr"]
    return found
