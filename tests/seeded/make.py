"""Write the stores of the seeded runs.

    python tests/seeded/make.py OUT                          stores named by app and fault
    python tests/seeded/make.py OUT --only documents/good    one of them
    python tests/seeded/make.py OUT --blind --key KEY.json   neutral names, the key elsewhere

README.md beside this file says what the blind examination is.
"""

import argparse
import hashlib
import json
import random
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.seeded.catalogue import APPS, RUNS, SEEDS, make, seed_of


def main(argv: Sequence[str]) -> int:
    """Return 0 when all stores are written."""
    parser = argparse.ArgumentParser(description="Write the stores of the seeded runs.")
    parser.add_argument("out", type=Path, help="folder for the stores; must not exist yet")
    parser.add_argument("--only", metavar="APP/BUG", help="one run; APP/good is the correct one")
    parser.add_argument("--blind", action="store_true", help="neutral, shuffled names")
    parser.add_argument("--key", type=Path, help="where the blind key goes; not inside OUT")
    parser.add_argument("--shuffle", type=int, help="number that fixes the blind order")
    options = parser.parse_args(argv)
    out: Path = options.out.resolve()
    if options.blind != (options.key is not None):
        parser.error("--blind and --key go together")
    if options.key is not None and options.key.resolve().is_relative_to(out):
        parser.error("the key must not lie beside the stores")
    runs = {f"{app}/{bug or 'good'}": (app, bug) for app, bug in RUNS}
    if options.only is not None and options.only not in runs:
        parser.error(f"no such run: {options.only}")
    try:
        out.mkdir(parents=True)
    except FileExistsError:
        parser.error(f"{out} exists already")
    if options.blind:
        return write_blind(out, options.key, random.Random(options.shuffle))
    for name, (app, bug) in runs.items():
        if options.only in (None, name):
            make(app, bug, out / f"{name.replace('/', '-')}.sqlite")
    return 0


def write_blind(out: Path, key: Path, order: random.Random) -> int:
    """Write run-01 … run-40: no two of one app within 01-10, 11-20, 21-30 or 31-40."""
    rounds: list[list[tuple[str, str | None]]] = [[], [], [], []]
    for app in APPS:
        variants = [None, *(seed.bug for seed in SEEDS if seed.app == app)]
        order.shuffle(variants)
        for ten, bug in zip(rounds, variants, strict=True):
            ten.append((app, bug))
    for ten in rounds:
        order.shuffle(ten)
    answers = {}
    for number, (app, bug) in enumerate((run for ten in rounds for run in ten), start=1):
        path = out / f"run-{number:02}.sqlite"
        make(app, bug, path)
        answers[path.name] = {
            "app": app,
            "bug": bug,
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "expected": None if bug is None else asdict(seed_of(app, bug)),
        }
    text = json.dumps(answers, indent=1)
    key.parent.mkdir(parents=True, exist_ok=True)
    key.write_text(text, "utf-8")
    sys.stdout.write(f"{len(answers)} stores; key {hashlib.sha256(text.encode()).hexdigest()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
