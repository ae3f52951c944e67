"""Read JSON lines: one checkpoint a line, or a checkpoint and the patches that follow it.

A line that cannot be read is one lost record; the others are read. Blank lines mean nothing.
Zero bytes, which an interrupted append leaves behind, are a lost record even where the next
append went on in the same line.
"""

from collections.abc import Iterator
from pathlib import Path

from viewer.limits import Limits
from viewer.sources.base import Probe, Reader, Reading, Verdict
from viewer.sources.elements import Element, element
from viewer.sources.files import lines
from viewer.sources.grouping import loaded
from viewer.sources.json_bytes import WHITESPACE
from viewer.sources.json_shape import shape_of
from viewer.sources.sharing import SharedLoader


def detect(probe: Probe) -> Verdict:
    """Claim a file of several JSON values, one a line."""
    shape = shape_of(probe)
    if shape.kind in ("object", "array"):
        return Verdict(False, f"{shape.why}, not one value a line")
    return Verdict(shape.kind == "lines", shape.why)


def open_file(path: Path, limits: Limits) -> Reading:
    """Return the threads of the file at ``path``.

    Raises:
        SourceError: it cannot be read.
    """
    return loaded(str(path), elements(path, limits), limits, name=path.stem)


def elements(path: Path, limits: Limits) -> Iterator[Element]:
    """Yield an element for each line of ``path`` that is not blank.

    Raises:
        SourceError: the file cannot be read.
    """
    loader = SharedLoader(depth=limits.depth)
    for number, line in enumerate(lines(path, limits), 1):
        text = line.strip(WHITESPACE)
        if not text:
            continue
        made_id = f"line:{number}"
        solid = text.strip(WHITESPACE + b"\0")
        if len(solid) != len(text):
            zeros = text.count(b"\0")
            reason = f"a block of {zeros} zero bytes, no JSON value"
            yield Element(f"{path}:{number}", made_id, len(text), fault=reason)
        if solid:
            yield element(loader, solid, str(path), made_id, line=number)


READER = Reader(
    name="jsonl",
    title="JSON lines: one checkpoint or patch a line",
    detect=detect,
    open=open_file,
)
