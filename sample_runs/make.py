"""Write every sample run but the LangGraph store: ``python -B sample_runs/make.py [FOLDER]``.

The same files come out each time, byte for byte; a test holds that. Without FOLDER they are
written where this script stands.
"""

import sys
from pathlib import Path

import broken_runs
import conversation_run
import fork_run
import invoice_runs
import planter_run
import shed_run


def everything() -> dict[str, dict[str, str]]:
    """Return each run's folder name with its files: path inside the folder → text."""
    return {
        **shed_run.runs(),
        **planter_run.runs(),
        **invoice_runs.runs(),
        **fork_run.runs(),
        **broken_runs.runs(),
        **conversation_run.runs(),
    }


def main(target: Path) -> None:
    """Write all files below ``target``."""
    for name, files in everything().items():
        for path, text in files.items():
            place = target / name / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
