"""What the commands write: UTF-8 under any locale, and nothing that drives a terminal."""

import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

from viewer.jsontext import dumps
from viewer.reports.terminal import one_line

PROGRAM = "checkpoint-viewer"
_Document = Mapping[str, Any]


def show(
    document: _Document, as_json: bool, text: Callable[[_Document], str], code: int = 0
) -> int:
    """Write ``document`` as JSON or as ``text`` makes it, and return ``code``."""
    write(dumps(document, indent=2) if as_json else text(document))
    return code


def write(text: str) -> None:
    """Write ``text`` and a newline to standard output as UTF-8, whatever the locale says.

    A reader that has gone away (``| head``) ends the output quietly.
    """
    raw = (text.rstrip("\n") + "\n").encode("utf-8", "backslashreplace")
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(raw)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Python flushes standard output once more at exit and would complain then.
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, sys.stdout.fileno())
        os.close(quiet)


def fail(message: str) -> int:
    """Write ``message`` as one line to standard error and return exit code 2."""
    line = f"{PROGRAM}: {one_line(message)}\n"
    try:
        sys.stderr.flush()
        sys.stderr.buffer.write(line.encode("utf-8", "backslashreplace"))
        sys.stderr.buffer.flush()
    except BrokenPipeError:
        pass
    return 2
