"""One value of a chain as it stands in its file: loaded, or lost with the reason and the place."""

from typing import Any, NamedTuple

from viewer.errors import ParseFault
from viewer.model import MISSING
from viewer.sources.sharing import SharedLoader


class Element(NamedTuple):
    """A value of a chain, or why there is none."""

    place: str
    """``path[:line[:col]][#pointer]``"""
    made_id: str
    size_bytes: int
    """Bytes of the value's own text."""
    value: Any = MISSING
    fault: str | None = None
    duplicate_keys: tuple[str, ...] = ()
    pointer: str = ""
    """Where in its file the value stands; `place` ends in it."""


def element(
    loader: SharedLoader,
    raw: bytes,
    path: str,
    made_id: str,
    *,
    line: int | None = None,
    pointer: str = "",
) -> Element:
    """Return the element whose own text is ``raw``.

    Args:
        loader: that of the chain.
        raw: the bytes of one JSON value.
        path: of the file.
        made_id: the id of a checkpoint that has none.
        line: of the file, for a value that has a line of its own.
        pointer: of the value in its file, for one among others in a document.
    """
    here = path if line is None else f"{path}:{line}"
    if pointer:
        here = f"{path}#{pointer}"
    try:
        value = loader.load(raw)
    except ParseFault as error:
        where = here
        if not pointer and error.line is not None and error.column is not None:
            last = error.line if line is None else line + error.line - 1
            where = f"{path}:{last}:{error.column}"
        return Element(where, made_id, len(raw), fault=error.reason, pointer=pointer)
    return Element(
        here,
        made_id,
        len(raw),
        value=value,
        duplicate_keys=loader.duplicate_keys,
        pointer=pointer,
    )
