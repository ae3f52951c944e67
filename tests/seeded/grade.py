"""Grade the answers of a blind examination.

    python tests/seeded/grade.py KEY.json ANSWERS.json

Exit 0 when at least 27 of the 30 faults are named by step, node and field, else 1.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.seeded.catalogue import named, seed_of

BAR = 27


def graded(key: Mapping[str, Any], answers: Mapping[str, Any]) -> tuple[list[str], int, int]:
    """Return a line for each store, the number of faults named, and that of false alarms."""
    lines, found, alarms = [], 0, 0
    for store, truth in sorted(key.items()):
        answer = answers.get(store, {"fault": False})
        name = f"{store} {truth['app']}/{truth['bug'] or 'good'}"
        if truth["bug"] is None:
            alarms += bool(answer["fault"])
            lines.append(f"{name}: {'FALSE ALARM' if answer['fault'] else 'rightly clean'}")
            continue
        if not answer["fault"]:
            lines.append(f"{name}: MISSED")
            continue
        parts = named(
            seed_of(truth["app"], truth["bug"]),
            step=answer.get("step"),
            node=answer.get("node", ""),
            field=answer.get("field", ""),
        )
        found += all(parts.values())
        wrong = ", ".join(part for part, right in parts.items() if not right)
        lines.append(f"{name}: {f'WRONG {wrong}' if wrong else 'named'}")
    return lines, found, alarms


def main(argv: Sequence[str]) -> int:
    """Print the grades; return 0 when the bar is met, else 1."""
    key, answers = (json.loads(Path(name).read_text("utf-8")) for name in argv)
    lines, found, alarms = graded(key, answers)
    sys.stdout.write("\n".join([*lines, f"named {found} of 30, false alarms {alarms} of 10\n"]))
    return 0 if found >= BAR else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
