"""Files that are sources of their own wherever they stand: a folder of checkpoints may hold some.

An application keeps its database beside the JSON that it writes. Such a file is no checkpoint of
the folder's chain, and it is not lost either: ``open_sources`` opens it beside the folder.
"""

from collections.abc import Collection
from pathlib import Path

from viewer.errors import SourceError
from viewer.sources.base import HEAD_BYTES
from viewer.sources.files import leads_out, open_regular
from viewer.sources.langgraph.history_signs import recognised
from viewer.sources.sqlite_file import is_database, is_wal

_VALUES = b'"values"'
"""Told states begin with it or have it near; few other files do, and those are looked into."""
_COMPANIONS = ("-wal", "-shm", "-journal")


def standing_alone(folder: Path, names: Collection[str]) -> tuple[str, ...]:
    """Return which of ``names`` in ``folder`` are databases or a LangGraph thread's states.

    A write-ahead log counts where its database is not there.
    """
    return tuple(name for name in names if stands_alone(folder / name, names))


def stands_alone(path: Path, names: Collection[str]) -> bool:
    """Return whether the file at ``path``, one of ``names`` in its folder, is its own source."""
    if path.name.startswith(".") or leads_out(path, path.parent):
        return False
    try:
        file, _ = open_regular(path)
        with file:
            head = file.read(HEAD_BYTES)
    except (SourceError, OSError):
        return False
    if is_wal(head):
        return not belongs(path.name, names)
    return is_database(head) or (_VALUES in head and recognised(path, head) is not None)


def belongs(name: str, names: Collection[str]) -> bool:
    """Return whether ``name`` is called as SQLite calls a companion of another of ``names``."""
    return any(name.endswith(end) and name.removesuffix(end) in names for end in _COMPANIONS)
