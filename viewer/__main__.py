"""``python -m viewer`` and the console script ``checkpoint-viewer``."""

import sys

from viewer.cli import run


def main() -> int:
    """Run the command line in ``sys.argv`` and return its exit code."""
    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
